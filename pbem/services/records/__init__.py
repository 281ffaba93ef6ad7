"""Rows as plain values, and what every other room writes down.

    match_rows        matches with their seats, and turns
    player_rows       players
    shown_matches     matches for whoever looks around
    watch_lists       running and finished matches for everybody, page by page
    moderator_rows    moderators
    addresses         the canonical form of an address, and whether letters arrive there
    letter_queue      letters that wait to be written and sent
    incoming_mails    mails that came in: whether one waits, whose it was
    alliances         who stands together in a match, and who against whom
    announcements     one message for several readers, each in an own language
    audit_log         what moderators and operators did, as a chain of signed entries
    restorations      restores that the server went through, and the timeline it has since
    memory            what this process has worked out lately, under all that it depends on
    epochs            what a link must be as new as; the only place that raises one

May import no other room of the services.
"""
