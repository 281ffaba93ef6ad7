"""Stones: a duel with a hidden part and a die; the worked example of engine/README.md."""
