"""A server goes back to a backup: the database is put back, and a new timeline begins.

- `restoring`: the whole of it, whichever database a server has
- `new_timeline`: all that follows from it, in one transaction: nothing of the lost future counts
- `restored_matches`: a match goes on from where it stood, with another secret and fresh turns
- `sealed_files`: copies of the database, sealed with a key that is not in it
- `sqlite_file`: the file of a server replaced by a copy, at once or not at all
- `postgres_dump`: a dump put back into a database of PostgreSQL

May import every other room of the services.
"""
