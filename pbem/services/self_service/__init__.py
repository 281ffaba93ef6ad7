"""What players and strangers do for themselves, without a moderator.

    guests            who plays the computer without an address, may leave one, or deserts
    free_seats        free seats that the computer takes, when all who sit there agree
    sign_up           strangers start and join matches, within limits
    requests          what strangers ask for with an address, answered later by a worker
    preferences       how a player wants to be written to, and when to be left in peace
    checkups          a letter with sample boards, and how letters show boards after it
    personal_data     what is stored about a player: exported, and deleted
    address_changes   another address for a player, and mergers: confirmed, waited for, in force
    revocation        all links of a player die, and fresh ones come by letter
    reports           what players report to the moderators

May import agreements, match, seats, time, players and records.
"""
