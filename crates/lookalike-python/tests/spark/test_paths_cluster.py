"""Paths on a cluster whose workers have no lookalike: killed workers, settings, and workers that cannot run tasks."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cluster
import lookalike
import lookalike.spark
import pytest
from corpora import CORPORA, LARGE, SIZES, by_command, tree
from lookalike import tasks
from sessions import classic, wait_for

pytestmark = pytest.mark.filterwarnings("ignore:the largest family:RuntimeWarning")

long = pytest.mark.long
# Enough tasks that one runs whenever a process is killed.
MANY: dict[str, Any] = {"unit_bytes": 400, "batch_bytes": 200}
# Those that are read in different ways; the others are on Sail.
SHORT = ("mixed", "warc")
NAMES = [*SHORT, *(pytest.param(name, marks=long) for name in [*CORPORA, *LARGE] if name not in SHORT)]


@pytest.fixture(scope="module")
def session(running: cluster.Cluster) -> Iterator[Any]:
    started = classic(running.address)
    yield started
    started.stop()


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mixed corpus in the working folder."""
    monkeypatch.chdir(tmp_path)
    folder = Path("crawl")
    folder.mkdir()
    CORPORA["mixed"][0](folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_corpus_comes_out_as_the_command_writes_it(
    session: Any, package: Path, command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    inputs = Path("crawl")
    inputs.mkdir()
    make, options = (CORPORA | LARGE)[name]
    make(inputs)
    expected = by_command(command, inputs, **options)
    sizes = SIZES if name in CORPORA else {"unit_bytes": 200_000, "batch_bytes": 100_000}
    lookalike.spark.dedup(session, inputs, output="clean", work="work", archive=package, **options, **sizes)
    assert tree(Path("clean")) == expected


@long
@pytest.mark.parametrize(
    "settings",
    [{"spark.sql.adaptive.enabled": "false"}, {"spark.sql.execution.arrow.maxRecordsPerBatch": "1"}, {"workers": "3"}],
    ids=lambda settings: next(iter(settings)),
)
def test_settings_change_nothing(
    running: cluster.Cluster, session: Any, package: Path, command: Path, crawl: Path, settings: dict[str, str]
) -> None:
    options = CORPORA["mixed"][1]
    expected = by_command(command, crawl, **options)
    ((name, value),) = settings.items()
    more = running.add_worker() if name == "workers" else None
    before = None if more else session.conf.get(name)
    if before is not None:
        session.conf.set(name, value)
    try:
        lookalike.spark.dedup(session, crawl, output="clean", work="work", archive=package, **options, **SIZES)
    finally:
        if before is not None:
            session.conf.set(name, before)
        if more is not None:
            more.kill()
    assert tree(Path("clean")) == expected


@pytest.mark.parametrize("stage", ["S1", *(pytest.param(stage, marks=long) for stage in ("S3", "S6", "S7"))])
def test_a_killed_worker_changes_nothing(
    running: cluster.Cluster, session: Any, package: Path, command: Path, crawl: Path, stage: str
) -> None:
    options = CORPORA["mixed"][1]
    expected = by_command(command, crawl, **options)
    left: list[int] = []

    def kill() -> None:
        wait_for(Path("work", stage))
        running.workers[-1].kill()
        left.extend(tasks.missing("work", stage))

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        lookalike.spark.dedup(session, crawl, output="clean", work="work", archive=package, **options, **MANY)
        killer.join()
    finally:
        running.add_worker()
    assert left or stage not in tasks.PARALLEL, "the stage was over before the worker was killed"
    assert tree(Path("clean")) == expected


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "sitecustomize.py",
            "import sys\nclass V(tuple):\n    major, minor, micro = 3, 10, 1\nsys.version_info = V((3, 10, 1, 'final', 0))",
            r"the workers have Python 3\.10, and the driver has Python 3\.\d+: set PYSPARK_PYTHON",
        ),
        (
            "pyarrow.py",
            "raise ModuleNotFoundError(\"No module named 'pyarrow'\", name='pyarrow')",
            "the workers have no pyarrow that Spark can use: install pyarrow and pandas for their Python",
        ),
    ],
    ids=["another Python", "no pyarrow"],
)
def test_a_worker_that_cannot_run_tasks_is_one_clear_error(
    session: Any, package: Path, crawl: Path, monkeypatch: pytest.MonkeyPatch, name: str, change: str, message: str
) -> None:
    # An interpreter that is changed before it runs anything.
    folder = Path("changed").resolve()
    folder.mkdir()
    (folder / name).write_text(change, encoding="utf-8")
    interpreter = Path("python").resolve()
    interpreter.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}:$PYTHONPATH" exec "{sys.executable}" "$@"\n', encoding="utf-8")
    interpreter.chmod(0o755)
    monkeypatch.setattr(session.sparkContext, "pythonExec", str(interpreter))
    with pytest.raises(lookalike.LookalikeError, match=message):
        lookalike.spark.dedup(session, crawl, output="clean", work="work", archive=package)
    assert not Path("clean").exists()
