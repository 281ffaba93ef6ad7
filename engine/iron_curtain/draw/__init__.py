"""What people see of a match of Iron Curtain.

    ascii        the table in plain text
    html         the table in letters that show HTML
    narrate      the same in sentences, and the words that all drawings share
    svg          the picture on pages
    cards        its cards: on the table, in the hand and from behind
    shapes       its measures, words and shapes
    palette      its colours, light and dark
    about        the game in ten sentences
    lessons      remarks on the first turns, for beginners
    figures      both sides in numbers, turn by turn
    reference    the tables under the rules
    stars        on reconstructed values: in those tables and in the detail of a card
    illustrations  pictures between the rules

May import the game's view, board, deck and what they are made of, never its state.
"""
