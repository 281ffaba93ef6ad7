"""The database: opened, migrated, written in whole transactions.

    store         connection, transactions, row locks, plain SQL for the few who write it by hand
    models        the tables, one class each
    reading       what a query gives as plain values: rows by the names of their columns, counts
    columns       columns by name, for statements that are written by hand
    copying       all rows of a database taken over into another one, and compared
    migrations    numbered steps from one shape of the tables to the next

May import `pbem.errors`. The pages do not import it; they ask services.
"""
