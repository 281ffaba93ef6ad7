"""What people see of a match of Iron Curtain; knows views and the deck, never a state.

ascii      the table in plain text
html       the table in letters that show HTML
narrate    the same in sentences, and the words that all drawings share
svg        the picture on pages; cards and shapes hold its parts, palette its colours
about      the game in ten sentences
reference  the tables under the rules
"""
