"""``pack``: the package as an archive, from Python and by its command."""

from __future__ import annotations

import zipfile
from pathlib import Path

import lookalike
import lookalike.spark
import pytest
from lookalike.spark.__main__ import main


def test_the_archive_has_the_package_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lookalike.zip"
    assert main(["pack", "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    assert "lookalike/__init__.py" in names
    assert any(name.startswith("lookalike/_native") and name.endswith((".so", ".pyd")) for name in names)
    assert not [name for name in names if not name.startswith("lookalike/") or "__pycache__" in name]
    before = path.read_bytes()
    assert lookalike.spark.pack(path, force=True).read_bytes() == before


def test_an_archive_is_not_replaced_and_has_a_name_that_spark_unpacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lookalike.zip").write_bytes(b"mine")
    with pytest.raises(lookalike.InputError, match="exists"):
        lookalike.spark.pack(tmp_path / "lookalike.zip")
    assert (tmp_path / "lookalike.zip").read_bytes() == b"mine"
    assert main(["pack", "-o", str(tmp_path / "lookalike.tar")]) == 2
    assert "must end in .zip" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["lookalike.zip"]
