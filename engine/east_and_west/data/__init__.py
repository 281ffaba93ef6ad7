"""The rulebook in numbers and names: TOML files, and who reads them; the drawn map.

    powers     the four powers, their sides, and the neutrals
    seating    who holds which powers: the seats of a match
    arsenal    the unit types and the technologies as printed
    atlas      the board as printed: spaces, borders, passages, alliances, starting forces
    chart      the drawn map: outlines and short names of the spaces, parts to zoom into
    lexicon    reading what people type: names in three languages, abbreviated, in any case

Imports nothing of the game.
"""
