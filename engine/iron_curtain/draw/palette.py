"""Colours of the drawn board, light and dark, after Okabe and Ito; `STYLE` never changes.

A picture follows the colour scheme of the page it stands in; alone, that of the machine. What
stands before `@supports` suffices for programs that know no such rules.
"""

from __future__ import annotations

from engine.core import Seat
from engine.iron_curtain.deck import SIDES, USA, USSR

Palette = dict[str, str]

LIGHT: Palette = {"page": "#f6f5f1", "card": "#ffffff", "ink": "#1b1b1b", "muted": "#545454"}
LIGHT |= {"line": "#8a8a8a", "usa": "#0072b2", "ussr": "#d55e00", "back": "#545454"}
DARK: Palette = {"page": "#14171a", "card": "#23282d", "ink": "#f2f2f2", "muted": "#b9bdc1"}
DARK |= {"line": "#7d848a", "usa": "#56b4e9", "ussr": "#d55e00", "back": "#b9bdc1"}
BOTH: Palette = {name: f"light-dark({LIGHT[name]},{DARK[name]})" for name in LIGHT}
ON_SIDE = {"light": {USA: "#ffffff", USSR: "#000000"}, "dark": {USA: "#000000", USSR: "#000000"}}
REGIONS: Palette = {"europe": "#56b4e9", "middle_east": "#f0e442", "asia": "#e69f00"}
REGIONS |= {"africa": "#009e73", "south_america": "#cc79a7", "central_america": "#999999"}
ON_REGION = "#000000"


def _style() -> str:
    fixed = {
        "": "display:block;height:auto;max-width:960px;margin:0 auto;"
        "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif",
        " .bold": "font-weight:700",
        " .led": "stroke-width:3",
        " .locked": "stroke-width:5",
        " .hollow": "fill:none;stroke-width:2",
        " .bow": "fill:none;stroke-width:2",
        " .sign": "fill:none;stroke-width:2.5",
        " .weave": "fill:none;stroke-width:1.5",
        " .on-region": f"fill:{ON_REGION}",
    }
    fixed |= {f" .region-{name}": f"fill:{colour}" for name, colour in REGIONS.items()}
    on_side = {
        side: f"light-dark({ON_SIDE['light'][side]},{ON_SIDE['dark'][side]})" for side in SIDES
    }
    return (
        _rules(fixed)
        + _rules(_colours(LIGHT, ON_SIDE["light"]))
        + _rules({":root": "color-scheme:light dark"})
        + f"@supports (color:light-dark(#000,#fff)){{{_rules(_colours(BOTH, on_side))}}}"
    )


def _colours(palette: Palette, on_side: dict[Seat, str]) -> dict[str, str]:
    rules = {f" .{name}": f"fill:{palette[name]}" for name in ("page", "ink", "muted")}
    rules[" .card"] = f"fill:{palette['card']}"
    rules[" .space"] = f"fill:{palette['card']};stroke:{palette['line']}"
    rules[" .marked"] = f"fill:{palette['ink']}"
    rules[" .on-marked"] = f"fill:{palette['page']}"
    rules[" .side-nobody"] = f"fill:{palette['line']}"
    rules[" .edge-nobody"] = f"stroke:{palette['line']}"
    rules[" .back"] = f"fill:{palette['card']};stroke:{palette['back']}"
    rules[" .sign"] = f"stroke:{palette['ink']}"
    rules[" .weave"] = f"stroke:{palette['back']}"
    for side in SIDES:
        rules[f" .side-{side}"] = f"fill:{palette[side]}"
        rules[f" .edge-{side}"] = f"stroke:{palette[side]}"
        rules[f" .on-{side}"] = f"fill:{on_side[side]}"
        rules[f" .bow-{side}"] = f"stroke:{on_side[side]}"
    return rules


def _rules(rules: dict[str, str]) -> str:
    """Style rules that reach no further than this picture."""
    return "".join(f".iron-curtain{where}{{{what}}}" for where, what in rules.items())


STYLE = _style()
