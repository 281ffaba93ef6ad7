"""Letters: what they say, how they become bytes, how the bytes are handed over.

- `parts`: what letters are made of, as plain values for templates
- `times`: moments and lengths as one reader tells them
- `rendering`: templates of letters, and the letter that comes out of them
- `letters`: one function per letter
- `play_letters`: the same for letters about play
- `reply_letters`: and for letters that answer a reply
- `pictures`: a drawing as a PNG for letters
- `mime`: a letter as bytes
- `parcels`: bytes with their envelope, and what may go wrong on their way
- `refusals`: what the words of a mail server mean
- `smtp_client`: smtplib's client with limits and a pipeline
- `transport`: a connection to a mail server that is kept
- `mailbox_folder`: letters as files, while developing
- `lanes`: several connections at once

Imports the engine's words and `pbem.i18n`, `pbem.config` and `pbem.errors`; knows no tables.
"""
