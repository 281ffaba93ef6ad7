"""Seats: who sits where, who asked whom, and how a seat changes hands.

    live_links        the link that leads to a thing now, and whether one sent still does
    invitations       the letter that asks somebody to take a seat
    leaving           leaving a seat takes the player's word by letter
    loans             seats lent for a time or given away, as rows
    stand_ins         seats lent for dates, given up, or opened by the clock, and who takes them
    draw_offers       draws that are on offer: who has agreed, and who has not
    heirs             allies who go on with a seat that its player leaves
    volunteers        who may take a seat that is free
    changing_hands    old links die, letters tell all that is needed, the clock begins anew
    seat_history      who held a seat, and when: what somebody may read of a match
    notes             what players write down about their matches for nobody else
    open_plans        seats that let their allies see what they plan
    unreachable       players whom letters do not reach, marked until one is taken or they show up
    deliveries        whether the players of a match are told of their turns

May import time, players and records.
"""
