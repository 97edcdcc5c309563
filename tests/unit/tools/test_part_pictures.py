"""Pictures that parts give: files that others can read, rows for the terminal, JSON, the page."""

from __future__ import annotations

import io
import json
import random

import pytest
from PIL import Image
from rich.console import Console, Group
from takt.result import world_tables
from takt.result.pictures import part_pictures, png
from takt.world.pictures import Canvas, Dots, Floor, boxed, braille, plain


def some_canvas():
    canvas = Canvas(7, 5, (1, 2, 3))
    canvas.fill(2, 1, 3, 2, (200, 100, 50))
    return canvas


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 5), (300, 3)])
def test_files_are_what_pillow_reads(width, height):
    rgb = random.Random(width).randbytes(3 * width * height)
    image = Image.open(io.BytesIO(png.encoded(width, height, rgb)))
    assert image.format == "PNG" and image.size == (width, height)
    assert image.convert("RGB").tobytes() == rgb


def test_a_canvas_is_filled_where_it_is_told():
    seen = Image.frombytes("RGB", (7, 5), bytes(some_canvas().rgb))
    filled = [(x, y) for y in range(5) for x in range(7) if seen.getpixel((x, y)) != (1, 2, 3)]
    assert filled == [(x, y) for y in (1, 2) for x in (2, 3, 4)]
    assert seen.getpixel((2, 1)) == (200, 100, 50)


def test_braille_has_a_dot_for_a_dot():
    """Unicode's order of the dots: 1 2 3 7 down the left, 4 5 6 8 down the right."""
    numbers = {
        (0, 0): 1,
        (0, 1): 2,
        (0, 2): 3,
        (0, 3): 7,
        (1, 0): 4,
        (1, 1): 5,
        (1, 2): 6,
        (1, 3): 8,
    }
    for place, number in numbers.items():
        lines = braille(4, 8, lambda x, y, place=place: (x - 2, y - 4) == place)
        assert lines == ["⠀⠀", "⠀" + chr(0x2800 | 1 << number - 1)]
    assert braille(2, 4, lambda x, y: True) == ["⣿"]


def test_in_the_terminal_nothing_is_wrapped():
    told = part_pictures.for_programs(
        {
            "oled": Dots("a caption", some_canvas(), plain(boxed(["x" * 40, "y" * 40]))),
            "strip": Dots("lamps", some_canvas(), [[("■ ", "#ff0000"), ("· ", "")]]),
            "strip frames": Dots("only in the page", some_canvas()),
            "rover": Floor((1, 2), 3, []),
        }
    )
    console = Console(width=30, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Group(*world_tables.pictures(json.loads(json.dumps(told)))))
    lines = console.file.getvalue().splitlines()
    assert "oled, a caption:" in lines[0] and lines[2].strip() == "│" + "x" * 27
    assert "38;2;255;0;0m■" in console.file.getvalue()
    assert "only" not in console.file.getvalue() and set(told) == {"oled", "strip", "strip frames"}


def test_contents_are_beside_the_rows():
    told = part_pictures.for_programs({"a": Dots("c", some_canvas(), contents={"hex": ["1f"]})})
    assert told == {"a": {"caption": "c", "rows": [], "hex": ["1f"]}}


def test_files_and_page():
    floor = Floor((400, 300), 10, [[1, 2]])
    both = {"strip frames": Dots("c", some_canvas(), name="frames"), "rover": floor}
    files = part_pictures.for_files(both)
    assert list(files) == ["world.strip.frames.png"]
    assert Image.open(io.BytesIO(files["world.strip.frames.png"])).size == (7, 5)
    assert list(part_pictures.for_files({"../a b": both["strip frames"]})) == ["world....a.b.png"]
    page = json.loads(json.dumps(part_pictures.for_page(both)))
    assert page["strip frames"]["png"].startswith("data:image/png;base64,")
    assert page["rover"]["room"] == [400, 300] and page["rover"]["line"] is None
