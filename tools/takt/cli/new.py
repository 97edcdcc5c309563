"""Makes a new sketch with a world around it."""

from __future__ import annotations

from pathlib import Path

from takt import boards
from takt.build.sketch import NAME
from takt.errors import UserError
from takt.paths import shown

SKETCH = """\
// Two loops that share one CPU: each gets its budget C in every period T, whatever the other does.

void setup()
{
    Serial.begin(115200);
    pinMode(LED_BUILTIN, OUTPUT);
}

void loop(1, 10, 100) // id 1: 10 ms of CPU in every 100 ms
{
    digitalWrite(LED_BUILTIN, HIGH);
    delay(250);
    digitalWrite(LED_BUILTIN, LOW);
    delay(250);
}

void loop(2, 20, 200)
{
    Serial.println(millis());
    delay(1000);
}
"""

WORLD = """\
# What surrounds the board when it runs here: takt run. Parts: docs/worlds.md; of your own, in the
# folder parts: docs/parts.md.
[world]
name = "NAME"
BOARD
[parts.led]
type = "led"
pin = "LED_BUILTIN"
"""


def create(path: Path, board: str | None = None) -> list[Path]:
    """Writes <path>/<name>.ino and <path>/world.toml; the folder must be new or empty. board: that
    the world names."""
    line = f'board = "{boards.load(board).name}"\n' if board else ""
    folder = path.resolve()
    if not NAME.fullmatch(folder.name):
        raise UserError(
            f"'{folder.name}' is no name for a sketch",
            shown(path),
            "use letters, digits, _, - and .",
            2,
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError("already there and not empty", shown(path), "choose another name", 2)
    files = {
        folder / f"{folder.name}.ino": SKETCH,
        folder / "world.toml": WORLD.replace("NAME", folder.name).replace("BOARD\n", f"{line}\n"),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            file.write_text(text)
    except OSError as error:
        raise UserError(f"cannot write: {error.strerror}", shown(path)) from error
    return list(files)
