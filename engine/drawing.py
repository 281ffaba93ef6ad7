"""What every game promises about its looks: whatever draws or tells is given views only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Generic

from engine.core import HeldCard, Illustration, Language, Leaflet, Table, Text, V


class Drawing(ABC, Generic[V]):
    """A game as people see and read it."""

    @abstractmethod
    def say(self, text: Text, language: Language = "en") -> str: ...

    # --- a view -----------------------------------------------------------------------------------

    @abstractmethod
    def render(self, view: V, width: int = 72, language: Language = "en", news: bool = True) -> str:
        """The view in plain ASCII; without `news` for whoever tells what happened elsewhere."""

    def markup(self, view: V, language: Language = "en") -> str:
        """The same view as a piece of HTML that holds in letters, without what happened last."""
        return f"<pre>{escape(self.render(view, language=language, news=False))}</pre>"

    def stands_at(self, view: V) -> Text | None:
        """How far a match is, in a word or two that everybody may read: `round 2`."""
        return None

    @abstractmethod
    def narrate(self, view: V, language: Language = "en", news: bool = True) -> str:
        """The same view as plain sentences, for a screen reader; `news` as in `render`."""

    @abstractmethod
    def draw(self, view: V, language: Language = "en") -> str:
        """The same view as an SVG document."""

    @property
    @abstractmethod
    def style(self) -> str:
        """The style sheet inside every drawing of `draw`; it never changes."""

    # --- a view in parts, for the page on which orders are given ----------------------------------

    def draw_table(self, view: V, language: Language = "en") -> str:
        """The drawing without what `held` and `question` give, so that it is as small as can be."""
        return self.draw(view, language)

    def held(self, view: V, language: Language = "en") -> tuple[HeldCard, ...]:
        """The cards in the hand of whoever looks."""
        return ()

    def question(self, view: V) -> Text | None:
        """What whoever looks is asked, as a sentence."""
        return None

    def in_short(self, told: Text, count: int) -> Text | None:
        """What was told so many times, in few words for a list of orders; None: as it was told."""
        return None

    # --- the game itself --------------------------------------------------------------------------

    def about(self) -> tuple[Text, ...]:
        """What a game is, a sentence each, for whoever plays it for the first time."""
        return ()

    def leaflet(self, language: Language = "en") -> Leaflet | None:
        """The game in two sentences and a picture, for a page that offers several."""
        return None

    @abstractmethod
    def rules_text(self, language: Language = "en") -> str:
        """The rules as this server plays them, in Markdown, numbered alike in every language."""

    def rule_of(self, refusal: Text) -> str:
        """The number of the rule that a refusal rests on; empty where it rests on none."""
        return ""

    def illustrations(self, language: Language = "en") -> tuple[Illustration, ...]:
        """Pictures that belong to single rules, drawn from positions of the game."""
        return ()

    def reference(self, language: Language = "en") -> tuple[Table, ...]:
        """Tables that belong under the rules: cards, units, what is reconstructed."""
        return ()
