"""A person with a mail program and a browser without script: letters in, links and buttons out."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from html.parser import HTMLParser

LINK = re.compile(r"(https?://\S+)$", re.MULTILINE)


@dataclass
class Form:
    """A form as it stands: where it goes, what it carries, which buttons it has."""

    action: str
    method: str = "get"
    id: str = ""
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def value(self, name: str) -> str | None:
        return next((value for key, value in self.fields if key == name), None)


class Page(HTMLParser):
    """The links and forms of a page."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.url, self.text = url, text
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag == "a" and "href" in given:
            self.links.append(urllib.parse.urljoin(self.url, given["href"]))
        elif tag == "form":
            action = urllib.parse.urljoin(self.url, given.get("action", self.url))
            self._form = Form(action, given.get("method", "get"), given.get("id", ""))
            self.forms.append(self._form)
        elif self._form is not None:
            self._control(tag, given)

    def _control(self, tag: str, given: dict[str, str]) -> None:
        assert self._form is not None
        name = given.get("name", "")
        is_unset = given.get("type") in ("checkbox", "radio") and "checked" not in given
        if tag == "input" and given.get("type") != "file" and name and not is_unset:
            self._form.fields.append((name, given.get("value", "")))
        elif tag == "textarea" and name:
            self._form.fields.append((name, ""))
        elif tag == "button":
            self._form.buttons.append((name, given.get("value", "")))
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            chosen = self._form.value(self._select) is None or "selected" in given
            if chosen:
                self._form.fields = [(k, v) for k, v in self._form.fields if k != self._select]
                self._form.fields.append((self._select, given.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = ""


def get(url: str) -> Page:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return Page(answer.url, answer.read().decode())


def press(form: Form, button: tuple[str, str] = ("", ""), **filled: str) -> Page:
    """Send a form by one of its buttons, as a browser would."""
    values = [(key, filled.pop(key, value)) for key, value in form.fields]
    values += list(filled.items())
    if button[0]:
        values.append(button)
    data = urllib.parse.urlencode(values).encode()
    request = urllib.request.Request(form.action, data=data)
    request.add_header("Sec-Fetch-Site", "same-origin")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return Page(answer.url, answer.read().decode())
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{error.code} for {form.action}: {error.read()[:2000]!r}") from error


def links_in(text: str, path: str) -> list[str]:
    """The links of a letter's text that lead to pages of one kind."""
    return [url for url in LINK.findall(text) if urllib.parse.urlsplit(url).path.startswith(path)]
