"""C declarations parsed once and kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import declared

TEXT = "struct pair { int one, two; }; int abs(int);"


def test_it_is_kept_and_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(declared, "FOLDER", tmp_path)
    for _ in range(2):
        ffi = declared.declared(TEXT)
        assert ffi.new("struct pair *", (3, 4)).two == 4
        assert ffi.dlopen(None).abs(-5) == 5
    assert len(list(tmp_path.glob("*.py"))) == 1
    assert capfd.readouterr() == ("", "")
    declared.declared(TEXT.replace("two", "three"))
    assert len(list(tmp_path.glob("*.py"))) == 2
