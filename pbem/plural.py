"""A message with a form for one and a form for many, for those who hold it and translate it later.

Where a message is said at once, `ngettext` of `pbem.i18n` chooses the form.
"""

from __future__ import annotations

from typing import NamedTuple


class Counted(NamedTuple):
    """Both forms of a message of the catalogue; its parameter `num` chooses between them."""

    one: str
    many: str

    def in_english(self, num: object) -> str:
        return self.one if num == 1 else self.many
