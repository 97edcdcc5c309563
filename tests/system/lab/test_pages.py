"""Documents show what is recorded of labs; what is recorded is what they measure."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from takt.cli.labs import lab
from takt.cli.labs import pages as lab_pages
from takt.cli.labs import records as lab_records
from takt.errors import UserError
from takt.paths import ROOT

NAMES = [name for name in lab.available() if lab_records.has_page(name)]
DRAWN = [name for name in NAMES if lab.available()[name].draw]
MEASURED = [name for name in NAMES if not lab.available()[name].of_folder]
ANEW = "./takt lab run NAME --record measures and writes, ./takt lab pages only writes"


@pytest.mark.parametrize("document", lab_pages.documents(), ids=lambda d: str(d.relative_to(ROOT)))
def test_a_document_shows_what_is_recorded(document) -> None:
    assert document.read_text(encoding="utf-8") == lab_pages.written(document), ANEW


@pytest.mark.parametrize("name", NAMES)
def test_each_lab_is_on_the_page_of_its_group(name: str) -> None:
    page = (lab.FOLDER / lab.available()[name].group / "README.md").read_text(encoding="utf-8")
    assert f"<!-- table {name} -->" in page
    assert (f"<!-- picture {name} -->" in page) == (name in DRAWN)
    if any(row["goal"] is not None for row in lab_records.load(name).rows):
        assert f"<!-- goals {name.partition('.')[0]} -->" in page


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_of_what_is_recorded(name: str) -> None:
    drawn = lab_records.picture(name)
    with Image.open(lab_records.path(name, ".png")) as shown:
        assert shown.text[lab_records.DRAWN_FROM] == lab_records.digest(name), ANEW
        shown, drawn = (np.asarray(one.convert("RGB"), float) / 255 for one in (shown, drawn))
    assert shown.shape == drawn.shape and shown.shape[1] <= 900, "as wide as a page"
    assert np.abs(shown - drawn).mean() < 0.001, ANEW


@pytest.mark.wide
@pytest.mark.parametrize("name", MEASURED)
def test_what_is_recorded_is_what_is_measured(name: str) -> None:
    """But for figures of the host's clock; labs that need a set-up: what is kept of runs."""
    one = lab.available()[name]
    (now,) = lab.run(name, None, lab_records.AS_RECORDED)
    told = lab_records.differences(one, lab_records.load(name), now)
    assert not told, "\n".join([*told, ANEW])


@pytest.mark.parametrize(
    ("board", "options", "where"),
    [
        ("pico", {}, "--board"),
        (None, {"wait_states": 0}, "--wait-states"),
        (None, {"seeds": 1}, "--seeds"),
    ],
)
def test_a_part_is_not_recorded(board: str | None, options: dict, where: str) -> None:
    with pytest.raises(UserError, match="is of the whole lab") as refused:
        lab_records.require_whole(board, options | {"account": True})
    assert refused.value.where == where and refused.value.exit_code == 2
    lab_records.require_whole(None, {"kept": True})
