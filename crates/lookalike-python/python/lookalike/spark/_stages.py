"""The exchange between tasks, in SQL: buckets, families and numbers. No text is in any of these rows.

Nothing here depends on how rows are distributed: numbers come from sorting by unique values, and families from edges
whose reduction has the same result for any partition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import __version__
from .._errors import OptionError
from . import _worker
from ._session import mapped, run

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from ._work import Work

# Partitions of edges that become one in the next round.
FAN_IN = 8


def numbered(work: Work, name: str, rows: DataFrame, by: list[str], counted: Column, meaning: str | None = None) -> DataFrame:
    """Rows in the order of the columns `by`, each with the number of counted ones before it, as the column `number`.

    With `meaning`, rows that are equal in all of these columns are refused: that is what the caller calls them.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    names = rows.columns
    # A sort puts ranges into partitions, and equal rows into the same. Their numbers are stored, since another sort may
    # cut other ranges.
    placed = rows.orderBy(*by).select("*", sql.spark_partition_id().alias("sorted_part"), counted.cast("long").alias("counted"))
    ordered = Window.partitionBy("sorted_part").orderBy(*by)
    before = sql.sum("counted").over(ordered.rowsBetween(Window.unboundedPreceding, Window.currentRow)) - sql.col("counted")
    key = sql.struct(*by)
    repeated = sql.lag(key).over(ordered).eqNullSafe(key) if meaning else sql.lit(False)

    def measure(stored: DataFrame) -> dict[str, Any]:
        parts = stored.groupBy("sorted_part").agg(sql.sum("counted").alias("count"), sql.count_if("repeated").alias("repeated"))
        found = sorted(tuple(row) for row in run(parts.collect))
        return {"parts": [(part, count) for part, count, _ in found], "repeated": sum(row[2] for row in found)}

    stored = work.step(name, placed.select("*", before.alias("number"), repeated.alias("repeated")), measure)
    facts = work.measured(name)
    if facts["repeated"]:
        message = f"{meaning} must be unique: {facts['repeated']:,} rows have the values of another row"
        raise OptionError(message, option="order", kind="not_unique")
    offsets, before_part = [], 0
    for part, count in facts["parts"]:
        offsets.append((part, before_part))
        before_part += count
    offset = work.spark.createDataFrame(offsets or [(0, 0)], "sorted_part int, offset long")
    whole = stored.join(sql.broadcast(offset), "sorted_part")
    return whole.select(*names, (sql.col("number") + sql.col("offset")).alias("number"))


def edges(documents: DataFrame) -> DataFrame:
    """An edge from the first document of every bucket to each of its others."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    # Band and key are compared apart: the same key in another band is no agreement.
    entries = documents.select("node", sql.posexplode("keys").alias("band", "key"))
    bucket = Window.partitionBy("band", "key").orderBy("node").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return entries.select(sql.first("node").over(bucket).alias("head"), sql.col("node").alias("member")).where("head < member")


def families(work: Work, found: DataFrame, partitions: int) -> DataFrame:
    """The documents that share a bucket with another, each with the first of its family: `node` and `family`."""
    from pyspark.sql import functions as sql

    schema = "head long, member long"
    left = mapped(found, _worker.forest(__version__), schema)
    while partitions > FAN_IN:
        partitions = -(-partitions // FAN_IN)
        left = mapped(left.repartition(partitions, sql.col("head")), _worker.forest(__version__), schema)
    # What is left is one group, so that one call of the function has all of it on every engine.
    whole = left.withColumn("whole", sql.col("head") * 0).groupBy("whole")
    left = work.step("S4-forest", whole.applyInArrow(_worker.whole_forest(__version__), schema))
    members = left.select(sql.col("member").alias("node"), sql.col("head").alias("family"))
    return members.union(left.select(sql.col("head").alias("node"), sql.col("head").alias("family")).distinct())


def counts(frame: DataFrame, *aggregates: Any) -> dict[str, Any]:
    """The only row of an aggregation, with 0 in place of nulls."""
    (row,) = run(frame.agg(*aggregates).collect)
    return {name: value or 0 for name, value in row.asDict().items()}
