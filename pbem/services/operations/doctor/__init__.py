"""A check of everything that a server needs, for an operator: each finding is well, or what to do.

- `findings`: what a check has found
- `machine`: what is here: database, keys, clock, disk, backup, worker, what waits
- `servers`: who is talked to: the mail server, the ways in, the site itself
- `dns_records`: what other mail servers look up about this one

May import every other room of the services; nothing is changed, and no letter is sent.
"""
