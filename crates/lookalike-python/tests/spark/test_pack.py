"""``pack``: the package as an archive, from Python and by its command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def test_the_program_is_a_file_that_spark_submit_can_run(tmp_path: Path) -> None:
    import lookalike.spark.__main__ as program

    # Its own folder comes first on the path, as with spark-submit.
    said = subprocess.run([sys.executable, program.__file__, "dedup", "--help"], capture_output=True, text=True, check=True)
    assert "--threshold" in said.stdout and "--work" in said.stdout
    # The driver is on a machine that has nothing but the archive, unpacked in the working folder.
    unpacked = tmp_path / "lookalike" / "lookalike"
    shutil.copytree(Path(lookalike.__file__).parent, unpacked)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, program.__file__, "dedup", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert "--threshold" in said.stdout


def test_an_archive_is_not_replaced_and_has_a_name_that_spark_unpacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lookalike.zip").write_bytes(b"mine")
    with pytest.raises(lookalike.InputError, match="exists"):
        lookalike.spark.pack(tmp_path / "lookalike.zip")
    assert (tmp_path / "lookalike.zip").read_bytes() == b"mine"
    assert main(["pack", "-o", str(tmp_path / "lookalike.tar")]) == 2
    assert "must end in .zip" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["lookalike.zip"]
