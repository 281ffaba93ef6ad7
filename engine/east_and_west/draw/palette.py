"""Colours of powers and neutrals, light and dark; `STYLE` never changes.

The colours of owners were tried with simulated protan, deutan and tritan vision; still none stands
alone: whatever has a colour has a letter, too. A picture follows the colour scheme of the page it
stands in; alone, that of the machine. What stands before the first `@media` suffices for programs
that know no such rules and turn the picture into a PNG.
"""

from __future__ import annotations

from engine.east_and_west.data.powers import ARAB, CHINA, MINOR, OAS, UK, USA, USSR, WE

Palette = dict[str, str]

LIGHT: Palette = {"page": "#f6f5f1", "card": "#ffffff", "ink": "#1b1b1b", "muted": "#545454"}
LIGHT |= {"line": "#7d98a8", "sea": "#e1ecf2", "shallow": "#c6dbe6", "deep": "#35566b"}
LIGHT |= {"ice": "#ffffff", "hatch": "#a9c3d3", "off": "#f4efe6"}
DARK: Palette = {"page": "#14171a", "card": "#23282d", "ink": "#f2f2f2", "muted": "#b9bdc1"}
DARK |= {"line": "#46606f", "sea": "#1a2a35", "shallow": "#2b4352", "deep": "#b4cddb"}
DARK |= {"ice": "#2d3b45", "hatch": "#5c7382", "off": "#22221f"}
BOTH: Palette = {name: f"light-dark({LIGHT[name]},{DARK[name]})" for name in LIGHT}
OWNERS: Palette = {USSR: "#de7048", WE: "#57a8e5", UK: "#f6dc70", USA: "#4a946f"}
OWNERS |= {CHINA: "#e098ad", ARAB: "#b07aa7", OAS: "#c5acd3", MINOR: "#cecab2"}
ON_OWNER = "#000000"
"""Readable on all of them."""
PALE = "#fbfaf5"
"""Halos of names on land, coins and plates: the same by day and by night."""
ALARM, GLOW = "#b3002d", "#ffe14d"

_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
_THIN = "vector-effect:non-scaling-stroke;stroke-width:"


def _style() -> str:
    return (
        _rules(_fixed())
        + _rules(_colours(LIGHT))
        + f"@media screen,print{{{_rules(_lines())}}}"
        + f"@media screen and (max-width:640px){{{_rules(_NARROW)}}}"
        + _rules({":root": "color-scheme:light dark"})
        + f"@supports (color:light-dark(#000,#fff)){{{_rules(_colours(BOTH) | _lands())}}}"
    )


def _fixed() -> Palette:
    """What is the same by day and by night."""
    halo = "paint-order:stroke;stroke-linejoin:round;stroke-width:2.4"
    return {
        "": f"display:block;height:auto;margin:0 auto;font-family:{_FONT}",
        " .labels": "pointer-events:none;text-anchor:middle",
        " .beside": "text-anchor:end",
        " .name": f"font-weight:700;fill:{ON_OWNER};stroke:{PALE};{halo}",
        " .zone": f"font-style:italic;{halo}",
        " .again": "opacity:.75",
        " .lands": f"stroke:{ON_OWNER};stroke-width:2;stroke-linejoin:round",
        " .coast": "fill:none;stroke-linejoin:round",
        " .passage": f"fill:none;stroke:{LIGHT['deep']};stroke-width:5;stroke-dasharray:9 6",
        " .canal": f"fill:none;stroke:{LIGHT['deep']};stroke-width:5",
        " .counter": f"stroke:{ON_OWNER};stroke-width:.7;stroke-linejoin:round",
        " .on-owner": f"fill:{ON_OWNER};font-weight:700;text-anchor:middle",
        " .plate": f"fill:{PALE};stroke:{ON_OWNER};stroke-width:.7",
        " .bomb": f"fill:{ON_OWNER};stroke:{PALE};stroke-width:.7",
        " .on-bomb": f"fill:{PALE};font-weight:700;text-anchor:middle",
        " .sign": f"fill:{ON_OWNER};stroke:{PALE};stroke-width:.8;paint-order:stroke",
        " .hurt": f"fill:{ALARM};stroke:{PALE};stroke-width:.6",
        " .blade": f"fill:none;stroke:{ALARM};stroke-width:1.6;stroke-linecap:round",
        " .way": f"fill:none;stroke:{ON_OWNER};stroke-width:5",
        " .attack": f"fill:none;stroke:{ALARM};stroke-width:5",
        " .casing": f"fill:none;stroke:{PALE};stroke-width:10",
        " .head": f"fill:{ON_OWNER}",
        " .attack-head": f"fill:{ALARM}",
        " .glow": f"fill:none;stroke:{GLOW};stroke-width:20",
        " .selected": f"fill:none;stroke:{ON_OWNER};stroke-width:10",
        " .target": f"fill:none;stroke:{ON_OWNER};stroke-width:5;stroke-dasharray:9 6",
        " .legend .passage": "stroke-width:1.5;stroke-dasharray:3 2",
        " .legend .canal": "stroke-width:2",
        " .narrow": "display:none",
        **{f" .owner-{owner}": f"fill:{colour}" for owner, colour in OWNERS.items()},
    }


def _colours(palette: Palette) -> Palette:
    return {
        " .page": f"fill:{palette['page']}",
        " .ink": f"fill:{palette['ink']}",
        " .off": f"fill:{palette['off']}",
        " .seas": f"stroke:{palette['line']};stroke-width:2",
        " .sea": f"fill:{palette['sea']}",
        " .ice": f"fill:{palette['ice']}",
        " .hatch": f"stroke:{palette['hatch']}",
        " .scenery": f"fill:{palette['ice']};stroke:{palette['line']}",
        " .coast": f"stroke:{palette['shallow']};stroke-width:14",
        " .zone": f"fill:{palette['deep']};stroke:{palette['sea']}",
        " .legend .passage": f"stroke:{palette['deep']}",
        " .legend .canal": f"stroke:{palette['deep']}",
        " .space:focus": "outline:none",
        " .space:focus-visible path": f"stroke:{palette['ink']};stroke-width:4",
    }


def _lands() -> Palette:
    """Lands shine less by night."""
    return {
        f" .lands .owner-{owner}": f"fill:light-dark({colour},{_dimmed(colour)})"
        for owner, colour in OWNERS.items()
    }


def _dimmed(colour: str) -> str:
    """Nine tenths of a colour, on the sea by night."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(DARK["sea"][1:]), strict=True)
    return "#" + bytes(round(0.9 * land + 0.1 * sea) for land, sea in pairs).hex()


def _lines() -> Palette:
    """As thin at every zoom."""
    return {
        " .lands path": f"{_THIN}.8px",
        " .seas path": f"{_THIN}.8px",
        " .scenery": f"{_THIN}.6px",
        " .passage": f"{_THIN}2px;stroke-dasharray:4px 3px",
        " .canal": f"{_THIN}2.5px",
        " .way": f"{_THIN}2.5px",
        " .attack": f"{_THIN}2.5px",
        " .casing": f"{_THIN}5px",
        " .glow": f"{_THIN}7px",
        " .selected": f"{_THIN}3px",
        " .target": f"{_THIN}2px;stroke-dasharray:5px 3px",
        " .space:focus-visible path": f"{_THIN}4px",
        " a.space:hover": "opacity:.8",
    }


_NARROW: Palette = {" .wide": "display:none", " .narrow": "display:inline"}
"""On a phone: fewer and larger words."""


def _rules(rules: Palette) -> str:
    """Style rules that reach no further than this picture."""
    return "".join(f".east-and-west{where}{{{what}}}" for where, what in rules.items())


STYLE = _style()
