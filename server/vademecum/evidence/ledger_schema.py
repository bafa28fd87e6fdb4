"""The tables of an evidence ledger, as numbered steps. A step that was released is never changed; new ones follow."""

#: Step N brings a ledger of version N-1 to version N (`PRAGMA user_version`). No source text is in any of them.
#:
#: - `spans`: lines that were given to some session. `digest` is the beginning of the SHA-256 of the lines, as printed
#:   in references; `first_line` that of the first line, to find moved lines by; NULL where it is not known.
#: - `sessions`: `tag` is a salted SHA-256 of the caller's word; times are milliseconds since 1970.
#: - `deliveries`: what a session was given. `snippet` is the SHA-256 of the text that was given, `form` says how much
#:   of the span that was, `start` is the first line as the session was last told. `verdict` is set once the session was
#:   told that the lines no longer hold; what is delivered anew is a new row.
#: - `meta`: `collected`, when what is old was last removed.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE spans (id INTEGER PRIMARY KEY, path TEXT NOT NULL, digest TEXT NOT NULL, lines INTEGER NOT NULL,"
        " first_line TEXT, seen INTEGER NOT NULL, UNIQUE (path, digest, lines))",
        "CREATE TABLE sessions (id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE, created INTEGER NOT NULL,"
        " used INTEGER NOT NULL, calls INTEGER NOT NULL DEFAULT 0, given INTEGER NOT NULL DEFAULT 0,"
        " saved INTEGER NOT NULL DEFAULT 0, reused INTEGER NOT NULL DEFAULT 0, told INTEGER NOT NULL DEFAULT 0)",
        "CREATE TABLE deliveries (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " session INTEGER NOT NULL REFERENCES sessions(id),"
        " span INTEGER NOT NULL REFERENCES spans(id), snippet BLOB NOT NULL, form TEXT NOT NULL,"
        " start INTEGER NOT NULL, tokens INTEGER NOT NULL, delivered INTEGER NOT NULL, verdict TEXT,"
        " UNIQUE (session, span, snippet))",
        "CREATE INDEX deliveries_span ON deliveries (span)",
    ),
)
