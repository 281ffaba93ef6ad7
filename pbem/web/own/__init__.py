"""The pages of a person rather than of a seat.

    own_page      a player's matches, preferences, links and data; the way to stop news
    boards        how boards look in letters: tried out, and chosen
    private_page  private notes, and players to be left alone by
    reports       something reported to the moderators, and the talk about it

May import the rooms `player`, `public` and `shared` of the pages, and services; no database.
"""
