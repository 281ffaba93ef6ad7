"""How a page looks to whoever has a narrow window or poor sight."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def sideways(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    page.wait_for_load_state()
    script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(page.evaluate(script))


def serious_violations(page: Page) -> list[str]:
    """What axe finds on the page; a page that was still being painted is looked at once more."""
    if not _violations(page):
        return []
    page.wait_for_timeout(500)
    return _violations(page)


def _violations(page: Page) -> list[str]:
    page.wait_for_load_state()
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {rule['nodes'][0]['html'][:200]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]


TOUCH = 44
"""How high, in pixels, what a finger has to hit is at least."""
TOO_SMALL = """touch => {
  const shown = [...document.querySelectorAll(
    'button, a.button, select, textarea, summary, nav a, .ways a, input:not([type="hidden"])'
  )].filter((one) => one.checkVisibility() && !one.closest('.away, .skip, svg'));
  const hit = (one) => (/^(checkbox|radio)$/.test(one.type) && one.labels[0]) || one;
  return shown.map((one) => [one, hit(one).getBoundingClientRect()])
    .filter(([one, box]) => box.height > 0 && box.right > 0 && box.height < touch - 0.5)
    .map(([one, box]) => `${one.outerHTML.slice(0, 80)}: ${Math.round(box.height)}`);
}"""


def too_small(page: Page) -> list[str]:
    """Buttons, fields and links of lists that a finger misses easily; not links inside a text."""
    page.wait_for_load_state()
    return list(page.evaluate(TOO_SMALL, TOUCH))
