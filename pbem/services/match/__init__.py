"""Matches: made, joined, played, ended; the log and everything that is read from it.

    api_orders      orders that programs send: each sending is played once
    confinement     processes that read what anybody may hand in, with little time and memory
    drafts          orders composed for a turn and tried before they are sent
    joining         seats taken before a match begins, and the deal
    link_orders     single orders: those that can be given, their links, what is said in advance
    match_log       the log of a match and the states it folds into
    matches         matches made, listed, given up, drawn, called off
    messages        messages between players, and their letters
    move_rows       the statements of a move, written by hand
    new_rules       a match whose rules were changed while it was played
    timeouts        who lets time run out: lateness, grace, what was agreed
    turn_alarms     the alarm of a turn, and a brake when too many ring at once
    turns           orders sent, turns closed and opened, matches taken back
    uploaded_files  decks and matches that anybody may hand in, read by a confined process

May import seats, time, players and records, and no other room of the services.
"""
