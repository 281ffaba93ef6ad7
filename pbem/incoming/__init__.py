"""Mails that come in: what they say, read with care, and the ways by which they come.

- `mails`: what is known of a mail once it was read

Imports `pbem.config`, `pbem.errors`; knows no tables.
"""
