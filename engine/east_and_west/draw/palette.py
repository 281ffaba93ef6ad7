"""Colours of powers and neutrals, light and dark, after Okabe and Ito; `STYLE` never changes."""

from __future__ import annotations

from engine.east_and_west.data.powers import ALLIANCES, MINOR, UK, USA, USSR, WE

Palette = dict[str, str]

LIGHT: Palette = {"page": "#f6f5f1", "card": "#ffffff", "ink": "#1b1b1b", "muted": "#545454"}
LIGHT |= {"line": "#8a8a8a", "sea": "#dcebf5"}
DARK: Palette = {"page": "#14171a", "card": "#23282d", "ink": "#f2f2f2", "muted": "#b9bdc1"}
DARK |= {"line": "#7d848a", "sea": "#20303c"}
OWNERS: Palette = {USSR: "#d55e00", WE: "#56b4e9", UK: "#f0e442", USA: "#009e73"}
OWNERS |= {**dict.fromkeys(ALLIANCES, "#cc79a7"), MINOR: "#bbbbbb"}
ON_OWNER = "#000000"
"""Readable on all of them."""


def _style() -> str:
    fixed = {
        "": "display:block;height:auto;margin:0 auto;"
        "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif",
        " .on-owner": f"fill:{ON_OWNER}",
        " .bold": "font-weight:700",
        " .edge": "stroke-width:1",
        " .passage": "stroke-width:1.5;stroke-dasharray:4 3",
    }
    fixed |= {f" .owner-{owner}": f"fill:{colour}" for owner, colour in OWNERS.items()}
    dark = _rules(_colours(DARK))
    return _rules(fixed) + _rules(_colours(LIGHT)) + f"@media (prefers-color-scheme:dark){{{dark}}}"


def _colours(palette: Palette) -> Palette:
    rules = {f" .{name}": f"fill:{palette[name]}" for name in ("page", "ink", "muted")}
    rules[" .sea"] = f"fill:{palette['sea']};stroke:{palette['line']}"
    rules[" .edge"] = f"stroke:{palette['line']}"
    rules[" .passage"] = f"stroke:{palette['ink']}"
    rules[" .rim"] = f"stroke:{palette['ink']}"
    return rules


def _rules(rules: Palette) -> str:
    """Style rules that reach no further than this picture."""
    return "".join(f".east-and-west{where}{{{what}}}" for where, what in rules.items())


STYLE = _style()
