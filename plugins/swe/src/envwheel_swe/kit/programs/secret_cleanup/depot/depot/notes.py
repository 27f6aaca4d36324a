"""Notes, in an SQLite database."""

import contextlib
import os
import sqlite3


def database(home):
    """A connection that closes itself."""
    connection = sqlite3.connect(os.path.join(home, "notes.db"))
    connection.execute("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, user TEXT, text TEXT)")
    return contextlib.closing(connection)


def note(home, user, text):
    """Keep a note."""
    with database(home) as connection, connection:
        connection.execute("INSERT INTO notes (user, text) VALUES (?, ?)", (user, text))


def search(home, user, text):
    """Print the notes that hold a text."""
    with database(home) as connection:
        query = "SELECT text FROM notes WHERE user = ? AND instr(text, ?) > 0 ORDER BY id"
        for (found,) in connection.execute(query, (user, text)):
            print(found)
