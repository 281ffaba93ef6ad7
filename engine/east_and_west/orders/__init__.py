"""Orders as a whole: reading, offering and carrying them out.

    verb         what an order is made of
    registry     all verbs: which may be given when, and how a line of text becomes an order
    headings     what each verb is for, in a few words
    options      what can be ordered now, as a tree of words
    rules        carrying out an order: who may give it, and what it does
    delayed      orders given in advance for a later stop of the own turn
    foresight    the board as a later stop of the own turn may find it

May import verbs, combat, course, and what lies below them.
"""
