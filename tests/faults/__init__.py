"""Faults: a server as it is deployed, robots that play on it, and what is broken under their hands.

    careless         the same server with `synchronous=OFF`: it must be seen to lose moves
    checking         what must be true after a fault, counted
    deployment       web, worker and inbox as processes that are started again when they die
    hasty_worker     a worker that looks often, and whose claims are over soon
    ledger           what the server has said it did, kept outside of it
    robots           players with a mailbox: they press links, fill in pages and reply
    seating          the store of a server, looked into, and matches that have begun
    soak             hours of play with reminders, time-outs, moderators and restarts
    table            the figures of `make faults`, one row for each fault, in build/faults.md

`power_cut.c` and `set_clock.c` are compiled by their tests. Each test prints its seed; PBEM_SEED
repeats it.

May import anything.
"""
