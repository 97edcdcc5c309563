"""Whether each link of a site's pages leads to a place that is there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.places |= {said[name] or "" for name in ("id", "name") if name in said}
        for name in ("href", "src"):
            if target := said.get(name):
                self.links.append((self.getpos()[0], target))


@cache
def _read(file: Path) -> _Page:
    page = _Page()
    page.feed(file.read_text(errors="replace"))
    return page


def broken(site: Path) -> Iterator[str]:
    """Page, line and target of each link within the site that leads nowhere."""
    _read.cache_clear()
    for file in sorted(site.rglob("*.html")):
        for line, target in _read(file).links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = file.parent / unquote(parts.path) if parts.path else file
            anchor = unquote(parts.fragment) if place.suffix == ".html" else ""
            if not place.is_file():
                yield f"{file.relative_to(site)}:{line}: {target}: there is no such file"
            elif anchor and anchor not in _read(place).places:
                yield f"{file.relative_to(site)}:{line}: {target}: there is no such place"
