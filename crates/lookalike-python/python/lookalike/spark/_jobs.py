"""``dedup`` and ``pairs`` on Spark: of a DataFrame, and ``dedup`` of paths as well."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, overload

from .. import __version__
from .. import dedup as dedup_here
from .. import pairs as pairs_here
from .._arguments import as_count
from .._errors import OptionError
from .._files import Inputs
from .._request import StrPath
from ._frames import Corpus
from ._options import TEXT, checked, order_columns
from ._paths import FilesResult, dedup_paths
from ._session import prepare, run
from ._stages import counts, numbered
from ._work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BATCH_BYTES = 64 << 20
FAMILY_BYTES = 1 << 30


class Result:
    """What was decided: DataFrames that are stored in the work folder, and counts."""

    def __init__(self, tables: dict[str, DataFrame], summary: dict[str, Any], order: list[str]) -> None:
        self._tables = tables
        self._order = order
        self.summary = summary

    @property
    def removed(self) -> DataFrame:
        """The removed rows with their evidence, as :func:`lookalike.dedup` returns them."""
        return self._tables["removed"].orderBy("removed_row")

    @property
    def rows(self) -> DataFrame:
        """Every row: its number in order, the columns of that order, its cluster, and whether it is kept."""
        return self._tables["rows"].orderBy("row")

    def select(self, frame: DataFrame) -> DataFrame:
        """The kept rows of the DataFrame that was deduplicated.

        :param frame: that DataFrame, or one with the same rows and more columns.
        """
        from pyspark.sql import functions as sql

        lost = self._tables["rows"].where("not kept").select(*(sql.col(name).alias(f"lost_{name}") for name in self._order))
        same = [frame[name].eqNullSafe(lost[f"lost_{name}"]) for name in self._order]
        return frame.join(lost, same, "left_anti")

    def __repr__(self) -> str:
        found = self.summary["found"]
        return f"<lookalike.spark.Result: {found['kept_count']:,} kept and {found['removed_count']:,} removed>"


@overload
def dedup(
    spark: SparkSession,
    inputs: Inputs,
    *,
    output: StrPath,
    work: StrPath,
    against: Inputs | None = None,
    archive: StrPath | None = None,
    resume: bool = False,
    unit_bytes: int | None = None,
    batch_bytes: int | None = None,
    family_bytes: int | None = None,
    **options: Any,
) -> FilesResult: ...


@overload
def dedup(
    spark: SparkSession,
    *,
    frame: DataFrame,
    work: StrPath,
    order: str | list[str] | None = None,
    against: DataFrame | None = None,
    archive: StrPath | None = None,
    resume: bool = False,
    partitions: int | None = None,
    batch_bytes: int | None = None,
    family_bytes: int | None = None,
    **options: Any,
) -> Result: ...


def dedup(
    spark: SparkSession,
    inputs: Inputs | None = None,
    *,
    work: StrPath,
    output: StrPath | None = None,
    frame: DataFrame | None = None,
    order: str | list[str] | None = None,
    against: Any = None,
    archive: StrPath | None = None,
    resume: bool = False,
    partitions: int | None = None,
    unit_bytes: int | None = None,
    batch_bytes: int | None = None,
    family_bytes: int | None = None,
    **options: Any,
) -> Result | FilesResult:
    """Removes near-duplicates on the workers of a cluster: from files, with the output of ``lookalike dedup`` byte for byte; or
    from a DataFrame, with the answer of :func:`lookalike.dedup` on the same rows in the same order.

    :param spark: the session, classic or Connect.
    :param inputs: files, folders, patterns and addresses, as for :func:`lookalike.dedup_files`; all workers reach them under the
        same names. Default: none, and ``frame`` is needed.
    :param work: a folder for every finished step, from which a run is resumed. With ``inputs``, one that the driver and all
        workers reach at the same path; with ``frame``, a path or an address that Spark can write to.
    :param output: with ``inputs``, the folder to write to, which is reached like ``work``. Default: none.
    :param frame: the rows, instead of ``inputs``. Default: none.
    :param order: with ``frame``, the columns whose values say in which order the rows are. No two rows may have the same.
        Default: none, and one is needed.
    :param against: paths or rows to compare with, which are not removed; rows have the same columns. Default: none.
    :param archive: what ``python -m lookalike.spark pack`` made, for workers on which lookalike is not installed. Default: none.
    :param resume: go on with the run in ``work``. Default: False.
    :param partitions: with ``frame``, number of tasks of a step that exchanges rows. Default: ``spark.sql.shuffle.partitions``.
    :param unit_bytes: with ``inputs``, about how many bytes of input a task reads. Default: 67,108,864.
    :param batch_bytes: text that a task decides at a time. Default: 67,108,864.
    :param family_bytes: the most text of documents that are linked by buckets, which one task decides. Default: 1,073,741,824
        with ``frame``, where a task holds it in memory; no limit with ``inputs``, where it can be in a temporary file.
    :param options: the options of :func:`lookalike.dedup_files`, or of :func:`lookalike.dedup` with ``frame``.
    """
    if frame is None:
        for name, value in (("order", order), ("partitions", partitions)):
            if value is not None:
                raise OptionError(f"{name}= needs frame=", option=name, kind="needs")
        if inputs is None:
            raise OptionError("inputs or frame= is missing: paths, or a DataFrame", option="inputs", kind="missing")
        if output is None:
            raise OptionError("output= is missing: the folder to write to", option="output", kind="missing")
        sizes = {"unit_bytes": unit_bytes, "batch_bytes": batch_bytes, "family_bytes": family_bytes}
        if against is not None:
            options["against"] = against
        return dedup_paths(spark, inputs, output, work, archive=archive, resume=resume, options=options, **sizes)
    for name, given in (("inputs", inputs), ("output", output), ("unit_bytes", unit_bytes)):
        if given is not None:
            raise OptionError(f"{name} is not possible with frame=: it is for files", option=name, kind="not_with")
    batch_bytes = BATCH_BYTES if batch_bytes is None else batch_bytes
    family_bytes = FAMILY_BYTES if family_bytes is None else family_bytes
    job = _Job(spark, "dedup", frame, against, work, order, archive, resume, partitions, batch_bytes, family_bytes, options)
    decisions, facts = job.decisions()
    removed, rows = _clusters(job, decisions)
    found = job.corpus.found
    counted = _counted(removed)
    summary = {
        "lookalike": __version__,
        "input": {name: found[name] for name in ("document_count", "empty_count", "null_count", "reference_document_count")},
        "found": {
            **counted,
            "kept_count": found["document_count"] - counted["removed_count"],
            "sharing_bucket_count": None if facts["is_whole"] else facts["sharing_count"],
            "largest_family": None if facts["is_whole"] else facts["largest_family"],
        },
        "seconds": {name: round(seconds, 3) for name, seconds in job.work.seconds.items()},
    }
    return Result({"removed": removed, "rows": rows}, summary, job.order)


def pairs(
    spark: SparkSession,
    *,
    frame: DataFrame,
    work: str | os.PathLike[str],
    order: str | list[str] | None = None,
    against: DataFrame | None = None,
    archive: str | os.PathLike[str] | None = None,
    resume: bool = False,
    partitions: int | None = None,
    batch_bytes: int = BATCH_BYTES,
    family_bytes: int = FAMILY_BYTES,
    **options: Any,
) -> DataFrame:
    """All pairs of near-duplicates of a DataFrame of Spark: those of :func:`lookalike.pairs` on the same rows in the same order.

    :param spark: the session, classic or Connect.
    :param frame: the rows.
    :param work: as for :func:`dedup`.
    :param order: as for :func:`dedup`. Default: none, and one is needed.
    :param against: rows to compare with, instead of comparing rows with each other. Default: none.
    :param archive: as for :func:`dedup`. Default: none.
    :param resume: go on with the run in ``work``. Default: False.
    :param partitions: as for :func:`dedup`. Default: ``spark.sql.shuffle.partitions``.
    :param batch_bytes: as for :func:`dedup`. Default: 67,108,864.
    :param family_bytes: as for :func:`dedup`. Default: 1,073,741,824.
    :param options: the options of :func:`lookalike.pairs`.
    """
    job = _Job(spark, "pairs", frame, against, work, order, archive, resume, partitions, batch_bytes, family_bytes, options)
    return job.decisions()[0].orderBy("left_row", "right_row")


class _Job:
    """A job that has checked what it was given, with its sketched documents."""

    def __init__(
        self,
        spark: SparkSession,
        name: str,
        frame: DataFrame,
        against: DataFrame | None,
        work: str | os.PathLike[str],
        order: str | list[str] | None,
        archive: str | os.PathLike[str] | None,
        resume: bool,
        partitions: int | None,
        batch_bytes: int,
        family_bytes: int,
        options: dict[str, Any],
    ) -> None:
        self.name = name
        self.options = checked(name, options)
        if self.options.get("only_against") and against is None:
            raise OptionError("only_against= needs against=", option="only_against", kind="needs")
        self.order = order_columns(order)
        self.batch_bytes = as_count(batch_bytes, "batch_bytes", 1)
        self.family_bytes = as_count(family_bytes, "family_bytes", 1)
        given = spark.conf.get("spark.sql.shuffle.partitions", "200") if partitions is None else partitions
        self.partitions = as_count(int(given or 200), "partitions", 1)
        # Refuses what is wrong before anything runs on a worker.
        self.sample = self._sample()
        prepare(spark, archive)
        plan = {
            "lookalike": __version__,
            "job": name,
            "order": self.order,
            "options": {name: str(value) for name, value in sorted(self.options.items())},
            "columns": frame.columns,
            "against": None if against is None else against.columns,
        }
        self.work = Work(spark, os.fspath(work), plan, resume)
        self.corpus = Corpus(self.work, frame, against, self.order, self.options)

    def decisions(self) -> tuple[DataFrame, dict[str, Any]]:
        """The decisions on all families, and facts about these."""
        assigned, facts = self.corpus.batches(self.partitions, self.batch_bytes, self.family_bytes)
        gathered = self.corpus.gathered(assigned, facts["sharing_count"], self.partitions)
        return self.corpus.decided(self.name, gathered, self.sample), facts

    def _sample(self) -> Any:
        """The result of the job on two equal rows: its columns are those of any result."""
        import pyarrow as pa

        words = ["one two three four five six"] * 2
        kept = {name: value for name, value in self.options.items() if name not in (*TEXT, "only_against")}
        columns = {name: ["1", "1"] for name in (kept.get("id"), kept.get("source"), _keep_column(kept)) if name is not None}
        data = pa.table({**columns, "sampled text": words})
        call: Any = dedup_here if self.name == "dedup" else pairs_here
        result = call(data, text="sampled text", progress=False, **kept)
        return pa.table(result.removed if self.name == "dedup" else result)


def _keep_column(options: dict[str, Any]) -> str | None:
    from .._request import keep_column

    return keep_column(options.get("keep", "longest"))


def _clusters(job: _Job, decisions: DataFrame) -> tuple[DataFrame, DataFrame]:
    """The removals and all rows, with the numbers that clusters have in the whole data."""
    from pyspark.sql import functions as sql

    corpus, work = job.corpus, job.work
    removed_rows = decisions.select("removed_row").withColumn("is_removed", sql.lit(True)).withColumn("reference", sql.lit(False))
    own = corpus.rows.join(removed_rows, (corpus.rows["row"] == removed_rows["removed_row"]) & ~corpus.rows["reference"], "left")
    own = own.select(corpus.rows["reference"], "row", sql.col("is_removed").isNull().alias("kept"), "tokens")
    # Clusters are numbered in the order of their kept rows, and those of reference rows follow.
    heads = numbered(work, "S8-clusters", own, ["reference", "row"], sql.expr("kept and tokens is not null"))
    heads = heads.select("reference", "row", "kept", "tokens", (sql.col("number") + 1).alias("own_cluster"))
    of_head = heads.where("kept").select(
        sql.col("reference").alias("head_reference"), sql.col("row").alias("head_row"), sql.col("own_cluster")
    )
    matches = (decisions["kept_row"] == of_head["head_row"]) & (decisions["kept_in"].isNotNull() == of_head["head_reference"])
    removed = decisions.join(of_head, matches).withColumn("cluster", sql.col("own_cluster")).select(*decisions.columns)
    removed = work.step("removed", removed)

    sizes = removed.groupBy("cluster").agg(sql.first("cluster_size").alias("size"), sql.first("copy_count").alias("copies"))
    its = removed.select(
        sql.col("removed_row").alias("row"), sql.col("cluster").alias("its_cluster"), "kept_row", "similarity", "kept_in"
    )
    mine = heads.where("not reference").join(its, "row", "left")
    is_document = sql.col("tokens").isNotNull()
    cluster = sql.when(is_document, sql.coalesce("its_cluster", "own_cluster"))
    mine = mine.withColumn("cluster", cluster).join(sizes, "cluster", "left")
    values = {name: f"value_{corpus.names.index(name)}" for name in dict.fromkeys([*_ids(job), *job.order])}
    named = corpus.rows.where("not reference").select("row", *(sql.col(value).alias(name) for name, value in values.items()))
    rows = mine.join(named, "row").select(
        "row",
        *values,
        "cluster",
        "kept",
        "kept_row",
        "similarity",
        sql.when(is_document, sql.coalesce("copies", sql.lit(1))).alias("copy_count"),
        sql.when(is_document, sql.coalesce("size", sql.lit(1))).alias("cluster_size"),
        sql.col("kept_in").isNotNull().alias("kept_in_reference"),
    )
    return removed, work.step("rows", rows)


def _ids(job: _Job) -> list[str]:
    return [job.options["id"]] if "id" in job.options else []


def _counted(removed: DataFrame) -> dict[str, Any]:
    """Counts of removals."""
    from pyspark.sql import functions as sql

    found = counts(
        removed,
        sql.count("*").alias("removed_count"),
        sql.count("kept_in").alias("removed_by_reference_count"),
        sql.count_if("exact_copy").alias("exact_copy_count"),
        sql.count_if("same_words").alias("same_words_count"),
        sql.count_if("different_numbers").alias("different_numbers_count"),
    )
    found["near_duplicate_count"] = found["removed_count"] - found["exact_copy_count"] - found["same_words_count"]
    found["cluster_count"] = run(removed.where("kept_in is null").select("cluster").distinct().count)
    return found
