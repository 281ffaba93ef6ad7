"""What the service does, in rooms; each room may import those below it.

    operations      keeping the server: health, backups, keys, maintenance, the tick of a worker
    moderation      what moderators see and do
    staff           moderators themselves: accounts, ways to log in, sessions
    inbox           mails that came in: kept, trusted or not, understood, answered
    letters         letters on their way: queued, composed, sent, recorded
    self_service    what players and strangers do for themselves, without a moderator
    agreements      what players settle among themselves: rematches, takebacks
    match           matches: begun, played, ended, taken back, checked
    seats           who sits where: invitations, loans, stand-ins, volunteers
    time            clocks, alarms, absences, reminders, trust in the machine's clock
    players         players: who they are, what they may do, how they answer
    records         rows as plain values, and what every other room writes down

A function that is called by itself opens a transaction (`pbem.db.store.writing`); one that says so
runs inside the caller's. May import what lies below the services in `pbem`, but `pbem.mail`
only in `letters`; never `pbem.web`.
"""
