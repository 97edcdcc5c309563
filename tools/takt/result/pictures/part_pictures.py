"""What parts of the world look like: for the page, for files and for programs."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from takt.result.pictures import png
from takt.world.pictures import Dots, Floor, Picture

STRANGE = re.compile(r"[^\w-]")  # in the name of a part, for a file's


def _png(picture: Dots) -> bytes:
    canvas = picture.canvas
    return png.encoded(canvas.width, canvas.height, bytes(canvas.rgb))


def for_page(pictures: Mapping[str, Picture]) -> dict[str, dict[str, Any]]:
    """What the page's script draws."""
    found: dict[str, dict[str, Any]] = {}
    for name, picture in pictures.items():
        if isinstance(picture, Floor):
            found[name] = vars(picture)
        else:
            data = b64encode(_png(picture)).decode()
            found[name] = {"png": f"data:image/png;base64,{data}", "caption": picture.caption}
    return found


def for_files(pictures: Mapping[str, Picture]) -> dict[str, bytes]:
    """Files for the folder of the report, by name."""
    dots = {name: one for name, one in pictures.items() if isinstance(one, Dots)}
    return {f"world.{STRANGE.sub('.', name)}.png": _png(one) for name, one in dots.items()}


def for_programs(pictures: Mapping[str, Picture]) -> dict[str, dict[str, Any]]:
    """The JSON object `pictures`."""
    return {
        name: {"caption": one.caption, "rows": one.rows, **one.contents}
        for name, one in pictures.items()
        if isinstance(one, Dots)
    }
