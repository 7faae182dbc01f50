"""The work folder of a run on Spark: the rows of every finished step as Parquet, with a manifest that is written last.

A folder counts only if its manifest stands beside it: what a killed driver left behind is written again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._errors import InputError, LookalikeError
from ._session import run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PLAN = "plan"
MANIFESTS = "manifests"


class Work:
    """A folder that Spark can write to, at a path or an address, with the finished steps of one run."""

    def __init__(self, spark: SparkSession, folder: str, plan: dict[str, Any], resume: bool) -> None:
        self.spark = spark
        self.folder = folder.rstrip("/")
        self.seconds: dict[str, float] = {}
        self._finished = self._read()
        earlier = self._finished.get(PLAN)
        if earlier is None:
            self._finish(PLAN, plan)
        elif not resume:
            raise InputError(f"{folder} has a run: pass resume=True to go on with it, or name another folder", path=folder)
        elif earlier != plan:
            different = sorted(name for name in {*earlier, *plan} if earlier.get(name) != plan.get(name))
            raise LookalikeError(f"{folder} has a run that differs in {', '.join(different)}: name another folder")

    def step(self, name: str, rows: DataFrame, measure: Callable[[DataFrame], Any] | None = None) -> DataFrame:
        """Computes the rows of a step, unless an earlier attempt did, and returns them as they are stored.

        What `measure` finds in them is :meth:`measured`: small numbers on which later steps depend.
        """
        if name not in self._finished:
            start = time.monotonic()
            run(lambda: rows.write.mode("overwrite").parquet(f"{self.folder}/{name}"))
            measured = None if measure is None else measure(self._stored(name, rows))
            self.seconds[name] = time.monotonic() - start
            self._finish(name, measured)
        return self._stored(name, rows)

    def measured(self, name: str) -> Any:
        """What was measured of a finished step."""
        return self._finished[name]

    def _stored(self, name: str, rows: DataFrame) -> DataFrame:
        return self.spark.read.schema(rows.schema).parquet(f"{self.folder}/{name}")

    def _finish(self, name: str, facts: Any) -> None:
        manifest = json.dumps({"step": name, "facts": facts})
        row = self.spark.createDataFrame([(manifest,)], "manifest string")
        run(lambda: row.coalesce(1).write.mode("overwrite").parquet(f"{self.folder}/{MANIFESTS}/{name}"))
        self._finished[name] = json.loads(manifest)["facts"]

    def _read(self) -> dict[str, Any]:
        """The manifests of an earlier attempt. One whose writer was killed has no rows."""
        from pyspark.errors import AnalysisException

        try:
            rows = self.spark.read.schema("manifest string").parquet(f"{self.folder}/{MANIFESTS}/*").collect()
        except AnalysisException:
            return {}
        manifests = [json.loads(row[0]) for row in rows]
        return {manifest["step"]: manifest["facts"] for manifest in manifests}
