"""A Spark session as the jobs use it: functions shipped to its workers, the archive, and errors in one sentence."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .. import __version__
from .._errors import ColumnError, InputError, LookalikeError, MemoryLimitError, OptionError
from . import _worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")

# From this version on, Spark has checksums of what it shuffles: a repeated task that returns other rows is noticed.
OLDEST = (4, 2)
# Rows of a function on the workers that only tries whether it runs.
TRIED = 8
KINDS = {kind.__name__: kind for kind in (ColumnError, InputError, MemoryLimitError, OptionError)}


def prepare(spark: SparkSession, archive: str | os.PathLike[str] | None) -> None:
    """Ships the package to the workers if there is an archive, and tries on some that they have what later tasks need."""
    refuse_old(spark)
    ship()
    if archive is not None:
        path = os.fspath(archive)
        if not os.path.exists(path):
            raise InputError(f"there is no archive {path}: `python -m lookalike.spark pack -o {path}` makes it", path=path)
        spark.addArtifacts(f"{path}#{_worker.ARCHIVE}", archive=True)
    tried = spark.range(0, TRIED, 1, TRIED).mapInArrow(_worker.check(__version__), "id long")
    run(tried.count)


def refuse_old(spark: SparkSession) -> None:
    """Refuses a version of Spark that is too old."""
    version = spark.version
    if tuple(int(number) for number in re.findall(r"\d+", version)[:2]) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise LookalikeError(f"this is Spark {version}, and lookalike.spark needs Spark {oldest} or newer")


def ship() -> None:
    """Functions for the workers are shipped by value: they have no package to import them from."""
    from pyspark import cloudpickle as untyped

    cloudpickle: Any = untyped
    cloudpickle.register_pickle_by_value(_worker)


def run(action: Callable[[], T]) -> T:
    """Calls an action of Spark. An error of a task is raised as the error that it was on the worker."""
    try:
        return action()
    except LookalikeError:
        raise
    except Exception as error:
        known = explained(str(error))
        if known is None:
            raise
        raise known from None


def explained(message: str) -> LookalikeError | None:
    """The error of a task by the message of Spark, if it is one that has an explanation."""
    marked = re.search(rf"{_worker.MARK} (\{{.*\}})", message)
    if marked is not None:
        fields = json.loads(marked.group(1))
        kind = KINDS.get(fields["kind"], LookalikeError)
        return kind(fields["message"])
    versions = re.search(r"different version: *([\d.]+) than that in driver:? *([\d.]+\d)", message)
    if versions is not None:
        return LookalikeError(
            f"the workers have Python {versions.group(1)}, and the driver has Python {versions.group(2)}: "
            "set PYSPARK_PYTHON, or spark.pyspark.python, to the same version"
        )
    lacking = re.search(r"No module named '(pyarrow|pandas|numpy)'|(PyArrow|Pandas) >= ([\d.]+) must be installed", message)
    if lacking is not None:
        name = (lacking.group(1) or lacking.group(2)).lower()
        return LookalikeError(f"the workers have no {name} that Spark can use: install pyarrow and pandas for their Python")
    return None


def mapped(frame: DataFrame, function: Callable[[Any], Any], schema: Any) -> DataFrame:
    """The rows that a function of the workers makes of batches of Arrow."""
    return frame.mapInArrow(function, schema)
