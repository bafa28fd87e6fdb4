"""One SQLite file, shared by several connections of a process and by other processes."""

import subprocess
import sys
from pathlib import Path

from vademecum.files.database import Database

MIGRATIONS = (("CREATE TABLE notes (text TEXT NOT NULL)",),)

OTHER = """
import sys
from pathlib import Path
from vademecum.files.database import Database

database = Database(Path(sys.argv[1]), "database", 1, ((),))
with database.write() as db:
    db.execute("INSERT INTO notes VALUES (?)", (sys.argv[2],))
    print([text for (text,) in db.execute("SELECT text FROM notes")])
database.close()
"""


def note(database: Database, text: str) -> None:
    with database.write() as db:
        db.execute("INSERT INTO notes VALUES (?)", (text,))


def other_process(path: Path, text: str) -> str:
    """Another process opens the database, notes something, and is the last to close it, as far as it can tell."""
    run = subprocess.run([sys.executable, "-c", OTHER, str(path), text], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_what_one_of_two_connections_of_a_process_writes_is_not_lost_to_other_processes(tmp_path: Path) -> None:
    # On POSIX whoever closes a file gives up all locks that its process has on it: another one then removes the log.
    path = tmp_path / "shared.sqlite"
    one, two = (Database(path, "database", 1, MIGRATIONS) for _ in range(2))
    note(one, "first")
    note(two, "second")
    two.close()
    assert other_process(path, "third") == "['first', 'second', 'third']"
    note(one, "fourth")
    note(two, "fifth")
    assert other_process(path, "sixth") == "['first', 'second', 'third', 'fourth', 'fifth', 'sixth']"
    one.close()
    two.close()
