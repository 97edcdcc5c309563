"""The recorded outcomes of labs, lab/<group>/results/<lab>.json, and their pictures beside them:
what documents show (pages.py) and what later measurements are compared with."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.cli.labs.lab import DPI, FOLDER, Lab, Outcome, available
from takt.errors import UserError
from takt.paths import COMMAND, shown

if TYPE_CHECKING:
    from PIL.Image import Image

COLOURS = 128  # of a picture: flat areas and text
DRAWN_FROM = "Outcome"  # in a picture, beside the digest of what it shows


AS_RECORDED = {"account": True, "kept": True}  # runs of guests are those of their own record


def require_whole(board: str | None, options: dict[str, Any]) -> None:
    """A usage error for a part of a lab, or another board: documents show all of it."""
    given = options.keys() - AS_RECORDED.keys() - {"folder", "jobs"}
    asked = [f"--{option.replace('_', '-')}" for option in given]
    asked += ["--board"] if board else []
    if asked:
        what = "--record is of the whole lab, on the board it is for"
        raise UserError(what, asked[0], f"leave {' and '.join(asked)} out", 2)


def path(name: str, suffix: str) -> Path:
    """Of a lab's outcome or picture."""
    group, _, short = name.partition(".")
    return FOLDER / group / "results" / f"{short}{suffix}"


def has_page(name: str) -> bool:
    """Whether a lab is of a group whose outcomes are shown."""
    return (path(name, "").parents[1] / "README.md").exists()


def text(outcome: Outcome) -> str:
    """A line for each row, so that what changes is seen."""
    told = {"config": {}, **outcome.as_dict()}
    parts = []
    for key in ("lab", "board", "config", "rows", "account"):
        value = told.get(key, [])
        if isinstance(value, list):
            lines = ",\n".join(f"  {json.dumps(one)}" for one in value)
            parts.append(f'"{key}": [\n{lines}\n]' if value else f'"{key}": []')
        elif isinstance(value, dict):
            lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            parts.append(f'"{key}": {{\n{lines}\n}}' if value else f'"{key}": {{}}')
        else:
            parts.append(f'"{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


@cache
def load(name: str) -> Outcome:
    file = path(name, ".json")
    if not file.exists():
        folder = " FOLDER" if available()[name].of_folder else ""
        fix = f"{COMMAND} lab run {name}{folder} --record"
        raise UserError(f"no outcome of {name} is recorded", shown(file), fix)
    return Outcome(**json.loads(file.read_text(encoding="utf-8")))


def save(outcome: Outcome) -> Path:
    """Also draws it anew."""
    file = path(outcome.lab, ".json")
    file.parent.mkdir(exist_ok=True)
    file.write_text(text(outcome), encoding="utf-8")
    load.cache_clear()
    save_picture(outcome.lab)
    return file


def digest(name: str) -> str:
    return hashlib.sha256(path(name, ".json").read_bytes()).hexdigest()


def picture(name: str) -> Image | None:
    """Of what is recorded; None for a lab without any."""
    draw = available()[name].draw
    if draw is None:
        return None
    from io import BytesIO

    from PIL import Image

    drawn = BytesIO()
    draw(load(name)).savefig(drawn, dpi=DPI)
    with Image.open(drawn) as image:
        return image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)


def save_picture(name: str) -> None:
    from PIL.PngImagePlugin import PngInfo

    image = picture(name)
    if image:
        about = PngInfo()
        about.add_text(DRAWN_FROM, digest(name))
        image.save(path(name, ".png"), optimize=True, pnginfo=about)


def differences(lab: Lab, recorded: Outcome, now: Outcome) -> list[str]:
    """What a measurement says otherwise, but for what the host's clock says."""
    then, new = (
        {(r["case"], r["metric"]): r for r in one.rows if not lab.varies(r)}
        for one in (recorded, now)
    )
    told = [f"{key} is recorded only" for key in then.keys() - new.keys()]
    told += [f"{key} is not recorded" for key in new.keys() - then.keys()]
    both = sorted(then.keys() & new.keys())
    told += [f"{key}: {_of(then[key])} recorded, now {_of(new[key])}" for key in both
             if then[key] != new[key]]  # fmt: skip
    if recorded.account != now.account:
        told.append("the account is another")
    return told


def _of(row: dict[str, Any]) -> str:
    beside = f" (paper {row['paper']}, goal {row['goal']})"
    return f"{row['value']} {row['unit']}{beside}"
