"""Pages for the tests: of the reference machines that are shipped, and what can be read back out of a page."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from toposcope import app
from toposcope.render.html import page

if TYPE_CHECKING:
    from toposcope.analysis import Analysis

PROFILES = tuple(app.knowledge().machines)


@cache
def knowledge() -> app.Knowledge:
    return app.knowledge()


@cache
def loaded(profile: str) -> app.Loaded:
    return app.load([f"profile:{profile}"], knowledge())[0]


@cache
def analysis(profile: str) -> Analysis:
    return app.analyze(loaded(profile))


@cache
def page_of(profile: str) -> str:
    return page(analysis(profile), loaded(profile).text_of)


class Read(HTMLParser):
    """A page as a browser takes it apart: tags and attributes, texts, scripts and styles as they stand."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._inside: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in self.raw:
            self._inside = tag
            self.raw[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw[self._inside][-1] += data
        else:
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def data(self) -> dict:
        return json.loads(self.raw["script"][0])

    @property
    def policy(self) -> dict[str, list[str]]:
        meta = next(each for each in self.all("meta") if each.get("http-equiv") == "Content-Security-Policy")
        return {name: values for name, *values in (part.split() for part in meta["content"].split(";"))}


def fingerprint(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
