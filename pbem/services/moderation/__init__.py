"""What moderators see and do: lists, acts on matches and on players, reports, what is hidden.

- `act_records`: how an act is written down: its reason, its subject, its words in the log
- `act_targets`: the seat or turn that an act names
- `break_glass`: looking at what is hidden in a match that is still played, told to everybody
- `impartiality`: moderators who have a part in a match do nothing to it
- `letter_lists`: the outbox: lists, one letter, trying it again or giving it up
- `match_acts`: what can be done to a match: each act foreseen, performed, told and entered
- `match_lists`: lists of matches, filtered, and counts of them
- `merging`: two players who are one person become one
- `player_acts`: what can be done about a player, and rules for addresses
- `player_lists`: lists of players, searched and sorted
- `report_answers`: who may read a report, answers to it, lists of reports
- `same_person_hints`: signs that one person plays as two

May import every room of the services but `operations`.
"""
