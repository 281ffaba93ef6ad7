"""A view as text, HTML, SVG and sentences. Nothing here ever sees a state.

    ascii            a report and schematic maps, plain ASCII, no wider than asked
    html             a piece of HTML for letters
    svg              the map of the world, or a part of it
    names            names on the map
    counters         what stands in a space, as counters
    marks            arrows, battles and what is selected, laid over the map
    legend           what colours and signs of the map mean
    narrate          the position in plain sentences, one fact a line
    standing_text    what a seat has said in advance, as the orders that say it
    reference        tables for the rules page
    illustrations    pictures for the rules page
    palette          colours of powers and neutrals, and the style sheet of the map

May import view, board, standing, forces, queries and data.
"""
