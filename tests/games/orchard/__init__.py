"""Orchard: a small game with an order sheet, a map and standing orders, to try their pages with.

game    its rules, its sheet and its looks
"""
