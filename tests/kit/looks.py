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
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {rule['nodes'][0]['html'][:200]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
