"""The ways by which mails come: each keeps a mail before it says that it has it.

- `doors`: where mails go, by whichever way they come
- `envelopes`: sender and recipients of a mail that comes without an envelope
- `imap`: a mailbox that mail is fetched from
- `lmtp`: a listener for the mail server of this machine

Imports `pbem.errors` and `mails`; what is done about a mail is not known here.
"""
