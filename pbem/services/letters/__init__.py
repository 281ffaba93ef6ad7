"""Letters on their way: queued letter, composed letter, bytes, verdict.

- `mail_settings`: what is needed to write letters and to send them
- `reader_context`: what letters are composed in, which shows what their reader may see
- `briefed`: positions as letters show them, with the map as a picture
- `kinds`: a room of its own, with one row for each kind of letter
- `claims`: letters that are ready become one worker's
- `leases`: they stay so while they are on the way, or become anybody's again
- `daily_notices`: letters that become a part of the daily one
- `composing`: from a queued letter to its bytes
- `verdicts`: what a try means for a letter, and when the next one is made
- `recording`: what became of letters, written into their rows; wiping their bytes
- `outbox`: sending what is ready over one connection
- `delivery`: sending side by side
- `withdrawals`: unasked letters to an address that is kept out meanwhile
- `trial_letter`: one letter past the queue, for an operator

Imports `pbem.mail` and the rooms `records`, `players`, `time`, `seats`, `match`,
`agreements`, `self_service`; nothing of `staff`, `moderation` or `operations`.
"""
