"""The tables of the state database, as numbered steps. A step that was released is never changed; new ones follow."""

#: Step N brings a database of version N-1 to version N (`PRAGMA user_version`).
#:
#: - `projects`: every project ever opened; `folder` is the name of its private folder, `identity` what it was found by.
#: - `project_paths`: which folder is which project; `device` and `fingerprint` recognise a folder that was moved.
#: - `project_origins`, `project_commits`: who claimed a remote's address or a first commit.
#: - `project_folders`: further private folders whose memories belong to the project (see registry.py).
#: - `trust`: what the user said about a workspace; void when another folder lies at the path.
#: - `own`: digests of shared memories that this user wrote or accepted on this machine.
#: - `versions`: prior versions; `data` are the bytes of the file or of the item. `project` is '' for user scope.
#: - `recalls`: how often and when a memory was recalled.
#: - `snapshots`: one prompt block a session; `text` is NULL once something in it was removed. `told` maps the id of
#:   each memory that the session knows of to a digest of what it was told; no text is in it. `changes` are the changes
#:   that it was told since, a text and the ids in it each; the text is '' once something in one of them was removed.
#: - `recalled`: which version of a memory a session was given by recall; no text is in it.
#: - `counters`: `voided` rises whenever snapshots are voided.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE projects (key TEXT PRIMARY KEY, folder TEXT NOT NULL UNIQUE, identity TEXT NOT NULL,"
        " created TEXT NOT NULL)",
        "CREATE TABLE project_paths (path TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES projects(key),"
        " device INTEGER NOT NULL, fingerprint TEXT NOT NULL, seen TEXT NOT NULL)",
        "CREATE INDEX project_paths_fingerprint ON project_paths (fingerprint)",
        "CREATE TABLE project_origins (origin TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES projects(key))",
        "CREATE TABLE project_commits (first_commit TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES projects(key))",
        "CREATE TABLE project_folders (project TEXT NOT NULL REFERENCES projects(key), folder TEXT NOT NULL,"
        " PRIMARY KEY (project, folder))",
        "CREATE TABLE trust (path TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, trusted INTEGER NOT NULL,"
        " decided TEXT NOT NULL)",
        "CREATE TABLE own (project TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (project, digest))",
        "CREATE TABLE versions (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, project TEXT NOT NULL,"
        " store TEXT NOT NULL, format TEXT NOT NULL, name TEXT NOT NULL, revision TEXT NOT NULL, reason TEXT NOT NULL,"
        " replaced TEXT NOT NULL, data BLOB NOT NULL)",
        "CREATE INDEX versions_id ON versions (project, id)",
        "CREATE TABLE recalls (project TEXT NOT NULL, id TEXT NOT NULL, count INTEGER NOT NULL, last TEXT NOT NULL,"
        " PRIMARY KEY (project, id))",
        "CREATE TABLE snapshots (session TEXT NOT NULL, workspace TEXT NOT NULL, created TEXT NOT NULL, bounds TEXT"
        " NOT NULL, text TEXT, entries TEXT NOT NULL, omitted INTEGER NOT NULL, shown TEXT NOT NULL,"
        " told TEXT NOT NULL, PRIMARY KEY (session, workspace))",
        "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL)",
    ),
    (
        "CREATE TABLE recalled (session TEXT NOT NULL, workspace TEXT NOT NULL, id TEXT NOT NULL, revision TEXT NOT"
        " NULL, at TEXT NOT NULL, PRIMARY KEY (session, workspace, id))",
    ),
    ("ALTER TABLE snapshots ADD COLUMN changes TEXT NOT NULL DEFAULT '[]'",),
)
