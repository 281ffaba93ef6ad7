"""Mails that came in: kept, trusted or not, understood, answered.

- `answers`: what is written back, to the registered address only
- `arrivals`: a mail is kept once for each recipient of ours, before anybody is told that it was
- `bounces`: letters that come back
- `door`: what the ways in hand mails to
- `kept_mails`: a mail as it was kept, and what becomes of it
- `quarantine`: mails that could not be worked on; how long any are kept
- `mailbox`: the mailbox of another host, and whether it can be reached
- `obeying`: what a reply asks for is done, all of it or nothing
- `replies`: replies to the letters of a turn
- `trust`: whether a reply is the player's own
- `working`: mails are claimed, read apart and obeyed, each in one transaction

Imports `pbem.incoming` and the rooms `records`, `players`, `time`, `seats`, `match`, `agreements`,
`self_service`; nothing of `staff`, `moderation` or `operations`.
"""
