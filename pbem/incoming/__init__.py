"""Mails that come in: what they say, read with care, and the ways by which they come.

- `mails`: what is known of a mail once it was read
- `child`: reading in a child that can be killed
- `reading`: from bytes to what is known of a mail
- `parsing`: the parts of a mail, its headers and texts, within limits
- `own_words`: what the writer of a reply has written anew
- `html_text`: the text of a mail that has only HTML
- `automatic`: whether a person has written it
- `authentication`: what our own mail server found out about its sender
- `delivery_reports`: what it tells of a letter that could not be delivered
- `phrases`: the tables of `phrases.toml`: what programs write around the words of people
- `requests`: what a reply asks for
- `ways`: a room of its own: LMTP, a mailbox, envelopes

Imports `pbem.config`, `pbem.errors`; knows no tables.
"""
