"""Several machines: two for pages, two workers, one database, each in a network of its own.

    machines     the hosts: what runs on each, killed and cut off
    mail_relay   what stands for the mail server of a host: it passes on what is said to it

Robots, their ledger and the check at the end are those of `tests.faults`. May import anything.
"""
