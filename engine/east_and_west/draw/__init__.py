"""A view as text, HTML, SVG and sentences. Nothing here ever sees a state.

    ascii            a report and schematic maps, plain ASCII, no wider than asked
    html             a piece of HTML for letters
    svg              a schematic map of the world
    narrate          the position in plain sentences, one fact a line
    standing_text    what a seat has said in advance, as the orders that say it
    reference        tables for the rules page
    illustrations    pictures for the rules page
    palette          colours of powers and neutrals

May import view, board, standing, forces, queries and data.
"""
