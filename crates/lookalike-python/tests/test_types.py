"""The package is typed: its stub says what the native part has, and users' code is checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]

GOOD = """
import lookalike
import polars as pl

df = pl.DataFrame({"text": ["a", "b"]})
result = lookalike.dedup(df, threshold=0.8, memory="2G", bits=3, keep="max:score", against=["c"])
clean: pl.DataFrame = result.select(df)
kept: lookalike.Column[int] = result.kept
first: int = result.kept[0]
later: lookalike.Column[int] = result.kept[1:]
listed: list[int] = result.kept.to_list()
similar = [value for value in result.removed["similarity"]]
table: lookalike.Table = result.removed
texts: list[str] = lookalike.dedup(["a"]).select(["a"])
pairs: lookalike.Pairs = lookalike.pairs(df)
counts = {t: len(lookalike.resolve(pairs, rows=2, threshold=t).kept) for t in (0.7, 0.8)}
index: lookalike.Index = lookalike.Index.create("x")
hits: lookalike.Table = index.search("a", top=3)
linked: lookalike.Link = lookalike.link(df)
try:
    lookalike.dedup_files(["a.jsonl"], "out", dry_run=True, against_index="archive", add_kept=True)
except lookalike.ColumnError as error:
    print(error.columns)
"""

# Each line is wrong.
BAD = """
import lookalike

lookalike.dedup(["a"], treshold=0.8)
lookalike.dedup(["a"], threshold="high")
lookalike.dedup(["a"], measure="cosine")
lookalike.dedup(7)
kept: lookalike.Column[str] = lookalike.dedup(["a"]).kept
"""


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    return folder


def test_mypy_accepts_what_is_right_and_every_line_of_what_is_wrong_fails(samples: Path) -> None:
    pytest.importorskip("mypy")
    good = run("mypy", "--strict", "good.py", folder=samples)
    assert good.returncode == 0, good.stdout
    bad = run("mypy", "--strict", "bad.py", folder=samples)
    failed = {line.split(":")[1] for line in bad.stdout.splitlines() if ": error:" in line}
    assert failed == {"4", "5", "6", "7", "8"}, bad.stdout


def test_pyright_agrees(samples: Path) -> None:
    pytest.importorskip("pyright")
    good = run("pyright", "--pythonpath", sys.executable, "good.py", folder=samples)
    assert good.returncode == 0, good.stdout
    bad = run("pyright", "--pythonpath", sys.executable, "bad.py", folder=samples)
    failed = {line.split(":")[1] for line in bad.stdout.splitlines() if " error:" in line}
    assert failed == {"4", "5", "6", "7", "8"}, bad.stdout


def test_the_package_itself_is_strictly_typed() -> None:
    pytest.importorskip("mypy")
    checked = run("mypy", "--config-file", "../pyproject.toml", "-p", "lookalike", folder=PACKAGE / "python")
    assert checked.returncode == 0, checked.stdout


def test_the_stub_is_what_the_native_part_has(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    checked = run("mypy.stubtest", "lookalike._native", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
