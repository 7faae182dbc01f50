"""Paths on an engine in this process: the output is that of the command, whatever the corpus. ``test_paths_cluster.py`` has what
needs a cluster."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import lookalike
import lookalike.spark
import pytest
from corpora import CORPORA, LARGE, SIZES, by_command, tree
from lookalike import tasks
from lookalike.spark._paths import take_finished
from lookalike.spark._session import refuse_old

pytestmark = pytest.mark.filterwarnings("ignore:the largest family:RuntimeWarning")

MINHASH = {"method": "minhash"}
LONG = [pytest.param(name, marks=pytest.mark.long) for name in LARGE]


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Path, dict[str, Any]]]:
    """Makes a corpus in the folder `crawl` of the working folder; returns it with the options to use."""
    monkeypatch.chdir(tmp_path)

    def make(name: str) -> tuple[Path, dict[str, Any]]:
        folder = Path("crawl")
        folder.mkdir()
        write, options = (CORPORA | LARGE)[name]
        write(folder)
        return folder, options

    return make


@pytest.mark.parametrize("name", [*CORPORA, *LONG])
def test_every_corpus_comes_out_as_the_command_writes_it(sail: Any, command: Path, crawl: Any, name: str) -> None:
    inputs, options = crawl(name)
    expected = by_command(command, inputs, **options)
    result = lookalike.spark.dedup(sail, inputs, output="clean", work="work", **options, **SIZES)
    assert tree(Path("clean")) == expected
    assert result.summary["found"] == expected["summary.json"]["found"]


def test_the_removed_documents_are_a_frame(sail: Any, crawl: Any) -> None:
    inputs, options = crawl("mixed")
    result = lookalike.spark.dedup(sail, [inputs / "0.jsonl", inputs / "*.jsonl"], output="clean", work="work", **options)
    removed = [row.asDict() for row in result.removed.collect()]
    expected = [json.loads(line) for line in Path("clean/removed.jsonl").read_text(encoding="utf-8").splitlines()]
    by_place = lambda row: (row["removed_file"], row["removed_position"])  # noqa: E731
    assert sorted(removed, key=by_place) == sorted(expected, key=by_place)
    assert len(removed) == result.summary["found"]["removed_count"] > 0
    assert "removed" in repr(result)


def test_a_reference_and_other_options_are_those_of_the_command(sail: Any, command: Path, crawl: Any) -> None:
    inputs, _ = crawl("mixed")
    shutil.move(inputs / "2.jsonl", "reference.jsonl")
    given: dict[str, Any] = {**MINHASH, "against": "reference.jsonl", "keep": "first", "annotate": True, "threshold": 0.6}
    expected = by_command(command, inputs, **given)
    result = lookalike.spark.dedup(sail, inputs, output="clean", work="work", **given, **SIZES)
    assert tree(Path("clean")) == expected
    assert result.summary["found"]["removed_by_reference_count"] > 0


def accept_unless(real: Callable[..., None], lost: str, work: str, rows: Iterable[dict[str, Any]]) -> None:
    """Accepts rows, unless they are of this stage."""
    rows = list(rows)
    if rows and rows[0]["stage"] == lost:
        raise KeyboardInterrupt
    real(work, rows)


def stage_unless(real: Callable[..., Any], lost: str, work: str, name: str, **more: Any) -> Any:
    """Does the task of a stage, unless it is this one."""
    if name == lost:
        raise KeyboardInterrupt
    return real(work, name, **more)


def test_a_lost_driver_goes_on_at_every_stage(sail: Any, command: Path, crawl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, options = crawl("mixed")
    expected = by_command(command, inputs, **options)
    given: dict[str, Any] = {"output": "clean", "work": "work", **options, **SIZES}

    accept, alone = tasks.accept, tasks.stage
    for stage in tasks.STAGES:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            # Tasks have finished, and the driver is lost before it accepts a row; or while it does a task of its own.
            patch.setattr(tasks, "accept", partial(accept_unless, accept, stage))
            patch.setattr(tasks, "stage", partial(stage_unless, alone, stage))
            lookalike.spark.dedup(sail, inputs, resume=True, **given)
        if stage in tasks.PARALLEL:
            assert list(Path("work", stage).glob("*.finished"))
        assert not Path("clean/summary.json").exists() and not Path("clean/kept").exists(), "half an output"
    with pytest.raises(lookalike.InputError, match="resume=True"):
        lookalike.spark.dedup(sail, inputs, **given)
    lookalike.spark.dedup(sail, inputs, resume=True, **given)
    assert tree(Path("clean")) == expected
    # Calling it again changes nothing.
    lookalike.spark.dedup(sail, inputs, resume=True, **given)
    assert tree(Path("clean")) == expected


def test_of_several_attempts_one_counts(crawl: Any) -> None:
    inputs, options = crawl("mixed")
    tasks.plan(inputs, "clean", "work", **options, **SIZES)
    rows = [tasks.task("work", "S1", 0, attempt=attempt) for attempt in (3, 4)]
    for row in rows:
        Path(f"work/S1/000000-a{row['attempt']}.finished").write_text(json.dumps(row), encoding="utf-8")
    Path("work/S1/000001-a5.finished.part").write_text('{"stage"', encoding="utf-8")
    take_finished("work", "S1")
    assert tasks.missing("work", "S1") == list(range(1, tasks.units("work", "S1")))
    assert json.loads(Path("work/S1/000000.json").read_text(encoding="utf-8"))["attempt"] == 3
    assert not list(Path("work/S1").glob("*.finished"))


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file that can be opened, and not read")
def test_a_damaged_unit_is_skipped_counted_and_named(sail: Any, command: Path, crawl: Any) -> None:
    inputs, options = crawl("mixed")
    expected = by_command(command, inputs, **options)
    (inputs / "bad.jsonl").symlink_to("/proc/self/mem")
    result = lookalike.spark.dedup(sail, inputs, output="clean", work="work", **options, **SIZES)
    assert result.summary["input"]["skipped_count"] == 1
    assert result.summary["skipped"][0]["file"].endswith("bad.jsonl")
    found = tree(Path("clean"))
    assert {name: bytes for name, bytes in found.items() if name != "summary.json"} == {
        name: bytes for name, bytes in expected.items() if name != "summary.json"
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"work": "s3://bucket/work"}, "must be a folder that the driver and all workers reach at the same path"),
        ({"output": "s3://bucket/clean"}, "must be a folder that the driver and all workers reach at the same path"),
        ({"output": None}, "output= is missing"),
        ({"inputs": None}, "inputs or frame= is missing"),
        ({"order": "id"}, "order= needs frame="),
        ({"partitions": 3}, "partitions= needs frame="),
        ({"threshold": 7}, "threshold"),
        ({"treshold": 0.7}, "treshold"),
        ({"against_index": "index"}, "not supported"),
        ({"family_bytes": 100, **MINHASH}, "the largest family has .* texts with .*, joined by .* buckets"),
    ],
)
def test_what_is_refused_is_named(sail: Any, crawl: Any, options: dict[str, Any], message: str) -> None:
    inputs, _ = crawl("mixed")
    given: dict[str, Any] = {"inputs": inputs, "output": "clean", "work": "work", **options}
    with pytest.raises(lookalike.LookalikeError, match=message):
        lookalike.spark.dedup(sail, **given)
    assert not Path("clean").exists()


def test_an_output_that_is_there_is_refused_at_once(sail: Any, crawl: Any) -> None:
    inputs, _ = crawl("mixed")
    Path("clean").mkdir()
    Path("clean/mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(lookalike.LookalikeError, match="exists and is not empty"):
        lookalike.spark.dedup(sail, inputs, output="clean", work="work")
    assert not Path("work").exists()


def test_a_spark_that_is_too_old_is_refused() -> None:
    class Old:
        version = "4.1.3"

    with pytest.raises(lookalike.LookalikeError, match=r"this is Spark 4.1.3, and lookalike.spark needs Spark 4.2 or newer"):
        refuse_old(Old())  # type: ignore[arg-type]
    Old.version = "4.10.0.dev1"
    refuse_old(Old())  # type: ignore[arg-type]
