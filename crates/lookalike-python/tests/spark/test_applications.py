"""Programs that are killed and started again, and a Connect server. Each has the cluster for itself: an application of a
standalone cluster takes all cores, and the next one waits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cluster
import lookalike
import lookalike.spark
import pytest
from corpora import CORPORA, SIZES, by_command, tree
from lookalike import tasks
from sessions import check, classic, frame_of, rows_of, table_of, wait_for

long = pytest.mark.long
HERE = Path(__file__).parent
OPTIONS: dict[str, Any] = {"id": "id", "method": "minhash"}
GIVEN: dict[str, Any] = {"order": "number", "partitions": 4, "batch_bytes": 5_000, **OPTIONS}
ROWS = rows_of(7, 500)


@pytest.fixture(scope="module")
def expected() -> lookalike.Dedup:
    return lookalike.dedup(table_of(ROWS), **OPTIONS)


@pytest.mark.parametrize("stage", ["S7", *(pytest.param(stage, marks=long) for stage in tasks.STAGES if stage != "S7")])
def test_a_killed_program_goes_on(
    running: cluster.Cluster, package: Path, command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    monkeypatch.chdir(tmp_path)
    crawl = Path("crawl")
    crawl.mkdir()
    CORPORA["mixed"][0](crawl)
    expected = by_command(command, crawl, **CORPORA["mixed"][1])
    arguments = ["dedup", "crawl", "-o", "clean", "--work", "work", "--method", "minhash", "--threshold", "0.6"]
    program = [sys.executable, "-m", "lookalike.spark", *arguments, "--unit-bytes", "400", "--batch-bytes", "200"]
    program += ["--resume", "--archive", str(package), "--master", running.address]
    program += [f"--conf={name}={value}" for name, value in cluster.configuration().items()]
    driver = subprocess.Popen(program, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        wait_for(Path("work", stage))
    finally:
        os.killpg(driver.pid, 9)
        driver.wait()
    assert not Path("clean/summary.json").exists() or stage == "commit", "the run was over before it was killed"
    assert not Path("clean/kept").exists() or stage == "commit", "half an output"
    said = subprocess.run(program, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    assert "documents kept" in said
    assert tree(Path("clean")) == expected


@long
@pytest.mark.parametrize("step", ["S1-sketch", "S4-forest", "S7-decisions", "rows"])
def test_a_killed_driver_goes_on_where_it_was(
    running: cluster.Cluster, package: Path, tmp_path: Path, expected: lookalike.Dedup, step: str
) -> None:
    work = tmp_path / "work"
    path = os.pathsep.join([str(HERE), *sys.path])
    command = [sys.executable, str(HERE / "driver.py"), running.address, str(package), str(work)]
    driver = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, start_new_session=True)
    try:
        wait_for(work / step / "_temporary")
    finally:
        os.killpg(driver.pid, 9)
        driver.wait()
    finished = {entry.name for entry in (work / "manifests").iterdir()}
    assert step not in finished
    session = classic(running.address)
    given = {**GIVEN, "work": work, "archive": package, "resume": True}
    try:
        result = lookalike.spark.dedup(session, frame=frame_of(session, ROWS), **given)
        check(result, expected)
    finally:
        session.stop()
    assert not finished & result.summary["seconds"].keys(), "a finished step was computed again"


@long
def test_connect_decides_the_same(running: cluster.Cluster, package: Path, tmp_path: Path, expected: lookalike.Dedup) -> None:
    from pyspark.sql import SparkSession

    with running.connect_server(cluster.configuration()) as address:
        session = SparkSession.builder.remote(address).create()
        try:
            work = tmp_path / "work"
            check(lookalike.spark.dedup(session, frame=frame_of(session, ROWS), work=work, archive=package, **GIVEN), expected)
        finally:
            session.stop()


@long
def test_paths_come_out_the_same_by_connect(
    running: cluster.Cluster, package: Path, command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.chdir(tmp_path)
    inputs = Path("crawl")
    inputs.mkdir()
    make, options = CORPORA["mixed"]
    make(inputs)
    with running.connect_server(cluster.configuration()) as address:
        session = SparkSession.builder.remote(address).create()
        try:
            lookalike.spark.dedup(session, inputs, output="clean", work="work", archive=package, **options, **SIZES)
        finally:
            session.stop()
    assert tree(Path("clean")) == by_command(command, inputs, **options)
