"""Keeping the server: what workers and operators do, beside the play of any match.

- `adoption`: new rules adopted for all matches at once, as an operator has chosen
- `alerts`: what needs a person now, the most pressing first
- `backups`: whole copies of the database, checked before they get their names
- `demo`: a match to look at, made once for a database
- `disk_space`: whether the disk has room left for what is accepted
- `doctor`: a room of its own, with the checks of `pbem doctor`
- `health`: whether all is well, how much there is, throwing away what nobody needs
- `keys`: the keys that sign links: how old they are, a new one before them
- `machine_players`: seats that the stand-in player of a game plays
- `maintenance`: all clocks stopped while somebody works on the server
- `monitoring`: a room of its own, with the figures of `/metrics` and `/healthz`
- `replay_check`: all matches replayed under the rules of this version
- `restoring`: a room of its own, with what a server needs to go back to a backup
- `statistics`: figures of the first page of moderators, counted once and kept
- `sweeping`: matches and players that nobody has ever confirmed are dropped
- `ticking`: the tick of a worker: what each kind of alarm does

May import every other room of the services; no other room imports this one.
"""
