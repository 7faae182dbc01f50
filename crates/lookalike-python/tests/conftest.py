"""A small corpus with copies and near-duplicates, and the command to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpora import ROOT as ROOT
from corpora import WORDS as WORDS
from corpora import texts_of as texts_of

# Those on Spark have an environment of their own, with what requirements-spark.txt lists, and are named to be run.
collect_ignore = ["spark"]


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return texts_of(7, 400)


@pytest.fixture(scope="session")
def command() -> Path:
    """The command, built from the same sources."""
    path = Path(os.environ.get("LOOKALIKE_COMMAND", ROOT / "target" / "debug" / "lookalike"))
    if not path.exists():
        pytest.fail(f"{path} is not there: build it with cargo build, or name it in LOOKALIKE_COMMAND")
    return path


@pytest.fixture
def by_command(command: Path, tmp_path: Path) -> Callable[..., tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Decisions of the command about rows: its evidence and its summary."""

    def run(rows: Iterable[dict[str, Any]], *arguments: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        output = folder / "out"
        subprocess.run(
            [command, "dedup", folder / "data.jsonl", "-o", output, "-q", "--no-report", "--dry-run", *arguments],
            check=True,
        )
        removed = [json.loads(line) for line in (output / "removed.jsonl").read_text(encoding="utf-8").splitlines()]
        return removed, json.loads((output / "summary.json").read_text(encoding="utf-8"))

    return run


def same(result: Any, removed: Sequence[dict[str, Any]]) -> None:
    """The evidence of a result is that of the command."""
    mine = result.removed.to_dicts()
    assert len(mine) == len(removed)
    for own, other in zip(mine, removed, strict=True):
        assert own["removed_row"] == other["removed_position"] - 1
        assert own["kept_row"] == other["kept_position"] - 1
        for name in ("similarity", "jaccard", "containment_of_removed", "containment_of_kept", "hamming"):
            assert own.get(name) == other.get(name), name
        for name in ("exact_copy", "same_words", "cluster", "cluster_size", "copy_count"):
            assert own[name] == other[name], name
