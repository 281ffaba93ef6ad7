"""Mails that came in: kept, trusted or not, understood, answered.

Imports `pbem.incoming` and the rooms `records`, `players`, `time`, `seats`, `match`, `agreements`,
`self_service`; nothing of `staff`, `moderation` or `operations`.
"""
