"""What needs a real cluster: the archive alone, killed workers, and settings of Spark."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cluster
import lookalike
import lookalike.spark
import pytest
from lookalike.spark._session import explained
from sessions import check, classic, frame_of, rows_of, table_of, wait_for

OPTIONS: dict[str, Any] = {"id": "id", "method": "minhash"}
GIVEN: dict[str, Any] = {"order": "number", "partitions": 4, "batch_bytes": 5_000, **OPTIONS}
ROWS = rows_of(7, 500)


@pytest.fixture(scope="module")
def expected() -> lookalike.Dedup:
    return lookalike.dedup(table_of(ROWS), **OPTIONS)


@pytest.fixture(scope="module")
def session(running: cluster.Cluster) -> Iterator[Any]:
    """A classic session, whose workers have no lookalike."""
    started = classic(running.address)
    yield started
    started.stop()


def test_the_archive_alone_is_enough(session: Any, package: Path, tmp_path: Path, expected: lookalike.Dedup) -> None:
    with pytest.raises(lookalike.LookalikeError, match="lookalike is not on this worker"):
        lookalike.spark.dedup(session, frame=frame_of(session, ROWS), work=tmp_path / "without", **GIVEN)
    work = tmp_path / "work"
    check(lookalike.spark.dedup(session, frame=frame_of(session, ROWS), work=work, archive=package, **GIVEN), expected)


# Each of these runs a whole job on the cluster.
long = pytest.mark.long
SETTINGS = [("adaptive.enabled", "false"), ("execution.arrow.maxRecordsPerBatch", "1"), ("partitions", "64")]


@long
@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_change_nothing(
    session: Any, package: Path, tmp_path: Path, expected: lookalike.Dedup, setting: tuple[str, str]
) -> None:
    name, value = setting
    given = {**GIVEN, "partitions": int(value)} if name == "partitions" else GIVEN
    if name != "partitions":
        before = session.conf.get(f"spark.sql.{name}")
        session.conf.set(f"spark.sql.{name}", value)
    try:
        work = tmp_path / "work"
        check(lookalike.spark.dedup(session, frame=frame_of(session, ROWS), work=work, archive=package, **given), expected)
    finally:
        if name != "partitions":
            session.conf.set(f"spark.sql.{name}", before)


@long
@pytest.mark.parametrize("step", ["S1-sketch", "S4-forest", "S7-decisions"])
def test_a_killed_worker_changes_nothing(
    running: cluster.Cluster, session: Any, package: Path, tmp_path: Path, expected: lookalike.Dedup, step: str
) -> None:
    work = tmp_path / "work"
    killed = threading.Event()

    def kill() -> None:
        wait_for(work / step / "_temporary")
        running.workers[-1].kill()
        killed.set()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        result = lookalike.spark.dedup(session, frame=frame_of(session, ROWS), work=work, archive=package, **GIVEN)
        assert killed.is_set(), "the step was over before the worker was killed"
        check(result, expected)
    finally:
        running.add_worker()


def test_a_worker_with_another_python_is_one_clear_error() -> None:
    from pyspark.errors import PySparkRuntimeError

    versions = {"worker_version": "3.13", "driver_version": "3.11"}
    message = str(PySparkRuntimeError(errorClass="PYTHON_VERSION_MISMATCH", messageParameters=versions))
    error = explained(f"Job aborted due to stage failure\n{message}\n\tat org.apache.spark")
    assert error is not None
    assert "the workers have Python 3.13, and the driver has Python 3.11" in str(error)


def test_an_error_without_an_explanation_stays_what_it_is() -> None:
    assert explained("Job aborted due to stage failure: ExecutorLostFailure") is None
