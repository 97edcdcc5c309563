"""Parts of a user's own: classes in Python files of the sketch's folder `parts`.

Each file has one part. What is wrong with it is a PartError that names file and line: a file that
is not Python, a class that is no part's, a method that cannot be called as Takt calls it, and
whatever a method raises. What methods return and ask for is looked at where they do
(part_results.py, own_bench.py), because Takt would stumble over it later, far from the line.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from takt.errors import UserError
from takt.paths import shown
from takt.world.part_results import PartError, look_at
from takt.world.parts import PARTS, Part
from takt.world.parts.settings import Setting, SettingError

FOLDER = "parts"
KIND = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
QUANTITY = re.compile(r"[A-Za-z]\w*")
MODULE = "takt_own_part_"
STEPS = 5  # shown of the way to a mistake
RAISED = (Exception, SystemExit)  # by a part; not Ctrl-C


def kinds(folder: Path) -> dict[str, type[Part]]:
    """All parts by their names: Takt's, and those of a sketch folder."""
    found, where = dict(PARTS), {}
    for path in sorted((folder / FOLDER).glob("*.py")):
        source = _Source(path)
        cls, place = source.part(), source.line_of("kind")
        if cls.kind in where:
            what = f"two parts are named {cls.kind!r}; the other one is {where[cls.kind]}"
            raise PartError(what, place, "give one of them another name")
        if cls.kind in PARTS:
            fix = f'choose another name: kind = "my-{cls.kind}"'
            raise PartError(f"Takt has a part named {cls.kind!r}", place, fix)
        found[cls.kind], where[cls.kind] = cls, place
    return found


def is_own(cls: type) -> bool:
    """Whether a part's class comes from a sketch's folder."""
    return cls.__module__.startswith(MODULE)


def forgot_super(cls: type[Part]) -> PartError:
    """Its __init__ has not made it a part."""
    code = cls.__init__.__code__
    what = "__init__() does not call that of the class it is made from"
    fix = "begin it with super().__init__(name, values)"
    return PartError(what, f"{shown(code.co_filename)}:{code.co_firstlineno}", fix)


@contextmanager
def prints_beside() -> Iterator[None]:
    """What parts print meanwhile goes where messages go: stdout has what Takt says."""
    with redirect_stdout(sys.stderr):
        yield


@contextmanager
def told() -> Iterator[None]:
    """What a part of the sketch's own raises becomes a PartError."""
    try:
        with prints_beside():
            yield
    except RAISED as error:
        raise failure(error) from error


def failure(error: BaseException, when: str = "") -> PartError:
    """What has happened, if a part of the sketch's own is to blame; else it is raised again. when:
    that was, in words."""
    if isinstance(error, PartError):
        return error
    frames = list(_own_frames(error))
    if isinstance(error, UserError) or not frames:
        raise error
    return _told(error, frames, when)


def _own_frames(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    """Frames of parts' files on the way to where it was raised, and their lines."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith(MODULE):
            yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _told(error: BaseException, frames: list[tuple[FrameType, int]], when: str) -> PartError:
    first, (last, line) = frames[0][0], frames[-1]
    part = first.f_locals.get("self")
    name = getattr(part, "name", None) if isinstance(part, Part) else None
    whose = f"part {name!r} failed" if name else "the part failed"
    said = f": {error}" if str(error) else ""
    function = first.f_code.co_name
    at = f" in {function}()" if function.isidentifier() else ""
    what = f"{whose}{when}{at}: {type(error).__name__}{said}"
    fix = error.fix if isinstance(error, SettingError) else "mend the line named"
    way = frames[-1 - STEPS : -1]
    steps = [f"{_place(frame, at)} {frame.f_code.co_name}" for frame, at in way]
    detail = "\n".join(f"called from {step}" for step in reversed(steps))
    return PartError(what, _place(last, line), fix, detail=detail)


def _place(frame: FrameType, line: int) -> str:
    return f"{shown(frame.f_code.co_filename)}:{line}"


class _Source:
    """One file, with the class in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.tree = ast.parse(path.read_bytes(), str(path))
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            what = f"not Python: {getattr(error, 'msg', error)}"
            raise PartError(what, f"{shown(path)}:{line}", "mend the line named") from None
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
            raise PartError(what, shown(path), "make it a file that you may read") from None
        self.node: ast.ClassDef | None = None

    def _where(self, node: ast.AST | None) -> str:
        return f"{shown(self.path)}:{getattr(node, 'lineno', 1)}"

    def line_of(self, name: str) -> str:
        """Where the class gives an attribute its value, or begins."""
        for node in self.node.body if self.node else []:
            if name in _names(node):
                return self._where(node)
        return self._where(self.node)

    def part(self) -> type[Part]:
        """The part of the file, looked at."""
        cls = self._only_class(self._run())
        if not isinstance(cls.kind, str) or not KIND.fullmatch(cls.kind):
            what = f"{cls.kind!r} is no name of a part"
            fix = 'use lower-case letters and digits, with hyphens between: kind = "wind-vane"'
            raise PartError(what, self.line_of("kind"), fix)
        self._look_at_settings(cls)
        self._look_at_quantities(cls)
        for name, method in vars(cls).copy().items():
            self._look_at_method(cls, name, method)
        look_at(cls)
        return cls

    def _run(self) -> ModuleType:
        module = ModuleType(MODULE + re.sub(r"\W", "_", self.path.stem))
        module.__file__ = str(self.path)
        sys.modules[module.__name__] = module  # dataclasses look there
        with told():
            exec(compile(self.tree, str(self.path), "exec"), vars(module))
        return module

    def _only_class(self, module: ModuleType) -> type[Part]:
        own = [
            one
            for one in vars(module).values()
            if isinstance(one, type) and issubclass(one, Part) and one.__module__ == module.__name__
        ]
        named = {one.__name__: one for one in own if "kind" in vars(one)}
        nodes = [n for n in self.tree.body if isinstance(n, ast.ClassDef) and n.name in named]
        if len(nodes) == 1:
            self.node = nodes[0]
            return named[nodes[0].name]
        if nodes:
            what = f"two parts in one file: {nodes[0].name} and {nodes[1].name}"
            raise PartError(what, self._where(nodes[1]), "give each a file of its own")
        if own:
            line = next(n for n in ast.walk(self.tree) if getattr(n, "name", "") == own[0].__name__)
            what, fix = f"class {own[0].__name__} has no name for world.toml", 'kind = "my-part"'
            raise PartError(what, self._where(line), f"add a line to the class: {fix}")
        fix = "write class MyPart(Part), or move the file to another folder: docs/parts.md"
        raise PartError("the file has no part", self._where(None), fix)

    def _look_at_settings(self, cls: type[Part]) -> None:
        where = self.line_of("settings")
        example = 'settings = {"pin": Pin("the pin it hangs on", required=True)}'
        if not isinstance(cls.settings, Mapping):
            raise PartError("settings is not a dictionary", where, f"write {example}")
        for key, setting in cls.settings.items():
            if not isinstance(key, str) or not isinstance(setting, Setting):
                what = f"setting {key!r} is {setting!r}, not what a value may be"
                raise PartError(what, where, f"write {example}")
            if key == "type":
                what = "a setting is named 'type', which in world.toml is the part's name"
                raise PartError(what, where, "choose another name")

    def _look_at_quantities(self, cls: type[Part]) -> None:
        given = cls.quantities
        good = isinstance(given, tuple | list) and all(
            isinstance(name, str) and QUANTITY.fullmatch(name) for name in given
        )
        if not good:
            fix = 'write quantities = ("celsius",), with a comma after the last'
            what = f"quantities is {given!r}, not a tuple of names"
            raise PartError(what, self.line_of("quantities"), fix)

    def _look_at_method(self, cls: type[Part], name: str, method: Any) -> None:
        """Whether what Takt calls can be called as Takt does."""
        base = next((b for b in cls.__mro__[1:] if name in vars(b) and not is_own(b)), None)
        if base in (None, object) or not inspect.isfunction(vars(base)[name]):
            return
        where, given = self.line_of(name), vars(base)[name]
        parameters = list(inspect.signature(given).parameters)
        fix = f"write def {name}({', '.join(parameters)}):"
        if not inspect.isfunction(method):
            raise PartError(f"{name} is not a method", where, fix)
        try:
            inspect.signature(method).bind(*parameters)
        except TypeError as error:
            what = f"{name}() is called with ({', '.join(parameters)}): {error}"
            raise PartError(what, where, fix) from None


def _names(node: ast.stmt) -> set[str]:
    """What a statement of a class gives a value to."""
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return {node.name} if isinstance(node, ast.FunctionDef) else set()
