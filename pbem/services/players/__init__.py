"""Players: who they are, what they may do and how often, and how they answer.

    accounts          players by their addresses: made, confirmed, named, their own pages
    bans              players and addresses that are kept out of new matches
    blocks            whom a player wants nothing new to do with
    devices           browsers in which players have taken seats
    limits            how often anything may be done that makes letters or rows
    names             what players may be called, and names that look alike
    process_settings  tells the services of a process its keys and settings
    public_results    what everybody may know of a player: matches, results, head to head
    punctuality       how fast and how reliably players answer
    seat_alerts       letters to players who want to hear of free seats
    staff_alerts      letters to the moderators, queued
    turn_words        words of letters, typed beside buttons

May import records, and no other room of the services.
"""
