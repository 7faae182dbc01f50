"""``dedup`` of paths: the stages of :mod:`lookalike.tasks`, whose tasks run on the workers of a cluster.

The driver makes the plan, accepts the results of tasks, and does the stages that have one task. Workers read and write
the files of their tasks themselves: only numbers of units, and one row for each, pass through Spark.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__, tasks
from .._arguments import as_path
from .._errors import InputError, MemoryLimitError
from .._files import Inputs, Summary
from .._request import StrPath, paths
from . import _worker
from ._session import prepare, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class FilesResult:
    """The result of :func:`dedup` of paths: the output folder, which has what ``lookalike dedup`` writes."""

    def __init__(self, spark: SparkSession, output: str, summary: Summary) -> None:
        self._spark = spark
        self.output = output
        self.summary = summary

    @property
    def removed(self) -> DataFrame:
        """The lines of ``removed.jsonl``."""
        return self._spark.read.json(Path(self.output, "removed.jsonl").as_uri())

    def __repr__(self) -> str:
        found = self.summary["found"]
        return f"<lookalike.spark.FilesResult: {found['kept_count']:,} kept and {found['removed_count']:,} removed>"


def dedup_paths(
    spark: SparkSession,
    inputs: Inputs,
    output: StrPath,
    work: StrPath,
    *,
    archive: StrPath | None,
    resume: bool,
    unit_bytes: int | None,
    batch_bytes: int | None,
    family_bytes: int | None,
    options: Mapping[str, Any],
) -> FilesResult:
    """Runs all stages. Those that are complete are not repeated."""
    folder, target = shared(work, "work"), shared(output, "output")
    if os.path.exists(os.path.join(folder, "plan.json")) and not resume:
        raise InputError(f"{folder} has a run: pass resume=True to go on with it, or name another folder", path=folder)
    given = dict(options)
    if given.get("against") is not None:
        given["against"] = absolute(given["against"], "against")
    boilerplate = given.get("ignore_boilerplate")
    if isinstance(boilerplate, (str, os.PathLike)):
        given["ignore_boilerplate"] = os.path.abspath(boilerplate)
    sizes = {"unit_bytes": unit_bytes, "batch_bytes": batch_bytes}
    tasks.plan(absolute(inputs, "inputs"), target, folder, **sizes, **given)
    prepare(spark, archive)
    threads = int(spark.conf.get("spark.task.cpus", "1") or 1)
    for stage in tasks.STAGES:
        if stage in tasks.PARALLEL:
            on_workers(spark, folder, stage, threads)
        else:
            tasks.stage(folder, stage, threads=os.cpu_count() or 1)
        if stage == "S5":
            check_families(folder, family_bytes)
    summary = json.loads(Path(target, "summary.json").read_text(encoding="utf-8"))
    return FilesResult(spark, target, Summary(summary))


def shared(path: StrPath, name: str) -> str:
    """The absolute path of a folder that the driver and all workers reach under this name."""
    given = as_path(path, name)
    if "://" in given:
        raise InputError(
            f"{name}= must be a folder that the driver and all workers reach at the same path, for example on NFS, Lustre or a "
            f"mounted bucket, not the address {given}: files of tasks are renamed when they are complete, which object stores "
            "cannot do. Inputs may be addresses, and with frame= work= may be one",
            path=given,
        )
    return os.path.abspath(given)


def absolute(inputs: Inputs, name: str) -> list[str]:
    """Inputs with absolute paths: the working folder of a worker is another one. Addresses stay what they are."""
    return [given if "://" in given else os.path.abspath(given) for given in paths(inputs, name)]


def on_workers(spark: SparkSession, work: str, stage: str, threads: int) -> None:
    """Does the tasks of a stage that have no result, each as a task of Spark."""
    take_finished(work, stage)
    units = tasks.missing(work, stage)
    if units:
        function = _worker.task(__version__, work, stage, units, threads)
        rows = spark.range(0, len(units), 1, len(units)).mapInArrow(function, "row string")
        tasks.accept(work, (json.loads(row[0]) for row in run(rows.collect)))
        take_finished(work, stage)


def take_finished(work: str, stage: str) -> None:
    """Accepts what tasks have finished for a driver that was lost before it accepted their rows.

    Rows of units with an accepted result are removed: of several attempts, one counts.
    """
    missing = set(tasks.missing(work, stage))
    for path in sorted(Path(work, stage).glob(f"*{_worker.FINISHED}")):
        row = json.loads(path.read_text(encoding="utf-8"))
        if row["unit"] in missing:
            tasks.accept(work, [row])
            missing.remove(row["unit"])
        path.unlink(missing_ok=True)


def check_families(work: str, most: int | None) -> None:
    """Refuses a family of more than `most` bytes before any text moves, and reports one that is larger than a batch."""
    if most is not None and (refused := tasks.large_family(work, most)) is not None:
        raise MemoryLimitError(f"{refused}. family_bytes= allows {most:,} bytes: raise it, and call again with resume=True")
    if (large := tasks.large_family(work)) is not None:
        warnings.warn(large, RuntimeWarning, stacklevel=4)
