"""Orders as a whole: reading, offering and carrying them out.

    verb         what an order is made of
    registry     all verbs: which may be given when, and how a line of text becomes an order
    headings     what each verb is for, in a few words
    wording      orders said to people
    by_seat      what a seat may order and orders, for whichever of its powers it is meant
    options      what a power can order now, as a tree of words
    rules        carrying out an order: who may give it, and what it does
    on_behalf    a word in advance for one power, by a person who holds several
    delayed      orders given in advance for a later stop of the own turn
    foresight    the board as a later stop of the own turn may find it

May import verbs, combat, course, and what lies below them.
"""
