"""takt docs: the site is made, its links lead somewhere, the reference has the headers' words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from command import takt
from takt.errors import UserError
from takt.pages import html, site
from takt.paths import ROOT

pytestmark = pytest.mark.wide


def words(page: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page.read_text()))


def test_the_site(tmp_path: Path) -> None:
    done = takt("docs", tmp_path / "site")
    assert done.returncode == 0, done.stderr
    assert takt("docs", tmp_path / "site").returncode == 0  # it may be made anew
    made = tmp_path / "site"
    assert "no broken link" in done.stdout and list(html.broken(made)) == []
    for name in ("index", "docs-guarantees", "docs-tutorial-2-in-c", "arduino", "lab-elli"):
        assert (made / f"{name}.html").exists(), name
    assert (made / "files/docs/rover.png").read_bytes() == (ROOT / "docs/rover.png").read_bytes()
    queue = words(made / "queue_8h.html")
    assert "takt_queue_put (struct takt_queue *queue, const void *item)" in queue
    assert (
        queue.count("The same, but give up after us: TAKT_ETIMEOUT.") == 4
    )  # put, get: twice each
    header = words(made / "structtakt__mutex.html")
    assert "place of the most urgent thread that locks it" in header
    assert "Four-slot channel" in words(made / "classtakt_1_1Channel.html")
    assert "TAKT_PERIODIC_H" not in words(made / "periodic_8h.html")
    page = (made / "docs-architecture.html").read_text()
    assert '<a class="el" href="sem_8h.html' in page  # words of pages lead to the reference


def test_what_doxygen_complains_of_is_named(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (root / "docs").mkdir(parents=True)
    (root / "README.md").write_text("# T\n\n[own](docs/own.md)\n")
    (root / "docs/own.md").write_text("# Own\n\nSee @ref nothing here.\n")
    shutil.copytree(ROOT / "include/takt", root / "include/takt")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / site.MARK).touch()
    (tmp_path / "site" / "earlier.html").touch()
    with pytest.raises(UserError) as refused:
        site.build(tmp_path / "site", root)
    assert refused.value.what.startswith("Doxygen complains of ")
    assert (tmp_path / "site" / "earlier.html").exists()
    assert re.search(r"^docs/own\.md:3: warning: .*nothing", refused.value.detail, re.MULTILINE)
