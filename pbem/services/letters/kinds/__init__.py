"""Kinds of letters: what each says, whether it is still true, who may read it.

- `kind`: `LetterKind`, one row of the registry, and what several kinds ask
- `play_letters`: the beginning, turns, receipts, news, messages, the end
- `answering`: letters that can be answered by a reply
- `reply_letters`: answers to replies
- `choices`: the orders that a turn letter offers
- `time_letters`: reminders, lateness, absences and pauses
- `seat_letters`: invitations and what became of them, seats lent and given up
- `agreement_letters`: what players settle among themselves: moves taken back, free seats
- `account_letters`: addresses, the own page, what a moderator did about a player
- `moderator_letters`: to moderators, and from them about matches and reports
- `registry`: all rows, by the names of their kinds

How to add a letter:

1. Make a folder under `templates/emails` with `subject.txt`, `body.txt` and `body.html`, which
   extend those of `_base`. Its name is that of the kind.
2. Write a function of that name in `pbem.mail.letters`: what the templates show, with types.
3. In the module of its family here, write a function that gathers those values from a context and
   the queued letter, and add a row to `KINDS`: `to_seat` for a letter about a seat, `to_player` for
   any other. A letter that may be overtaken by events needs a function that says whether it is
   `current`. Read what the other fields of `LetterKind` mean: they keep letters from wrong eyes.
4. Queue it where the thing happens, in the same transaction, with `to_seat`, `to_all_seats` or
   `to_player` of `pbem.services.records.letter_queue`.
5. Name one of them in `tests/mail/golden.py`, write the golden letters anew and read yours.

Imports the rooms of the service below letters, `pbem.services.letters.reader_context` and
`pbem.mail`, and nothing else of `pbem.services.letters`.
"""
