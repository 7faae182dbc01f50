"""Jobs on a DataFrame: every step is stored in the work folder, and only documents that share a bucket move.

    sketch → rows → forest → families → batches → decisions → clusters

The decisions are those of :func:`lookalike.dedup` on the same rows: a batch is whole families, and families are
independent of each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import __version__, _native
from .._arguments import no_column
from .._errors import ColumnError, MemoryLimitError
from .._request import keep_column
from . import _worker
from ._options import of_sketch, of_text, read_columns
from ._session import mapped, run
from ._stages import counts, edges, families, numbered
from ._work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Sharing documents of which every worker can hold the list; with more, texts of others move as well.
MOST_BROADCAST = 10_000_000


class Corpus:
    """The documents of a job: sketched, numbered in order, and their texts at hand by partition."""

    def __init__(
        self, work: Work, frame: DataFrame, against: DataFrame | None, order: list[str], options: Mapping[str, Any]
    ) -> None:
        from pyspark.sql import functions as sql

        self.work, self.options = work, options
        self.order = order
        self.names = list(dict.fromkeys([*read_columns(options), *order]))
        self.types = {field.name: field.dataType for field in frame.schema}
        rows = self._values(frame, False)
        if against is not None:
            rows = rows.unionByName(self._values(against, True))
        function = _worker.sketch(__version__, self.names, of_text(options), of_sketch(options))
        values = ", ".join(f"value_{at} {self.types[name].simpleString()}" for at, name in enumerate(self.names))
        facts = "node long, reference boolean, bytes long, tokens long, features long, text_hash binary, keys array<long>"
        self.documents = work.step("S1-sketch", mapped(rows, function, f"{facts}, {values}"), self._found)
        self.found: dict[str, Any] = work.measured("S1-sketch")
        if options.get("method") == "copies":
            self.documents = self.documents.withColumn("keys", sql.when(sql.col("tokens") > 0, _halves("text_hash")))
        valued = keep_column(str(options.get("keep", "")))
        if valued is not None and self.found["document_count"] and not self.found["valued_count"]:
            raise no_value(valued)
        self.rows = self._numbered()

    def _values(self, frame: DataFrame, is_reference: bool) -> DataFrame:
        from pyspark.sql import functions as sql

        lacking = next((name for name in self.names if name not in frame.columns), None)
        if lacking is not None:
            raise no_column(lacking, frame.columns)
        values = [sql.col(f"`{name}`").alias(f"value_{at}") for at, name in enumerate(self.names)]
        return frame.select(sql.lit(is_reference).alias("reference"), *values)

    def _numbered(self) -> DataFrame:
        """All rows with their number: those of the reference follow the others, and are numbered from 0 again."""
        from pyspark.sql import functions as sql

        by = ["reference", *(f"value_{self.names.index(name)}" for name in self.order)]
        facts = ["node", "bytes", "tokens", *by]
        named = self.names.index(self.options["id"]) if "id" in self.options else None
        if named is not None and f"value_{named}" not in facts:
            facts.append(f"value_{named}")
        rows = self.documents.select(*facts)
        placed = numbered(self.work, "S2-rows", rows, by, sql.lit(1), f"the values of order={', '.join(self.order)}")
        row = sql.when(sql.col("reference"), sql.col("number") - self.found["row_count"]).otherwise(sql.col("number"))
        return placed.select(*facts, row.alias("row"))

    def _found(self, documents: DataFrame) -> dict[str, Any]:
        """What came in, and whether it is so small that it is joined exactly, which does not depend on copies."""
        from pyspark.sql import functions as sql

        is_own, is_document = ~sql.col("reference"), sql.col("tokens").isNotNull()
        valued = keep_column(str(self.options.get("keep", "")))
        has_value = sql.lit(False) if valued is None else sql.col(f"value_{self.names.index(valued)}").isNotNull()
        found = counts(
            documents,
            sql.count_if(is_own).alias("row_count"),
            sql.count_if(is_own & is_document).alias("document_count"),
            sql.count_if(is_own & (sql.col("tokens") == 0)).alias("empty_count"),
            sql.count_if(is_own & ~is_document).alias("null_count"),
            sql.count_if(is_own & is_document & has_value).alias("valued_count"),
            sql.count_if(~is_own & is_document).alias("reference_document_count"),
        )
        texts = documents.where("tokens > 0").groupBy("text_hash").agg(sql.max("features").alias("features"))
        small = counts(texts, sql.count("*").alias("texts"), sql.sum("features").alias("features"))
        return {**found, "is_small": _native.is_small(small["texts"], small["features"])}

    def is_exact(self) -> bool:
        """True if all documents are joined exactly, in one task: because they are few, or because that is asked for."""
        method = self.options.get("method")
        return bool(self.options.get("exact") or method == "exact" or (method is None and self.found["is_small"]))

    def batches(self, partitions: int, batch_bytes: int, family_bytes: int) -> tuple[DataFrame, dict[str, Any]]:
        """The documents that share a bucket, with `family` and `batch`; and facts about families."""
        from pyspark.sql import functions as sql

        is_whole = self.is_exact()
        if is_whole:
            members = self.documents.where("tokens is not null").select("node", sql.lit(0).cast("long").alias("family"))
        else:
            keyed = self.documents.where("keys is not null").select("node", "keys")
            members = families(self.work, edges(keyed), partitions)
        members = members.join(self.rows.select("node", "reference", "row", "bytes"), "node")
        members = self.work.step("S5-members", members, _measured_families)
        facts: dict[str, Any] = {**self.work.measured("S5-members"), "is_whole": is_whole}
        if facts["largest_bytes"] > family_bytes:
            joined = "" if is_whole else f", joined by {self._bucket_count(members):,} buckets"
            raise MemoryLimitError(
                f"the largest family has {facts['largest_family']:,} documents with {facts['largest_bytes']:,} bytes{joined}, "
                f"which one task must hold, and family_bytes= allows {family_bytes:,}: give the workers more memory and this "
                "limit with it, or run these documents on one machine with the command, which spills",
                needed=facts["largest_bytes"],
            )
        # One task decides a batch: small families share one, and a large family has one of its own.
        count = max(1, -(-int(facts["sharing_bytes"]) // batch_bytes))
        own = sql.when(sql.sum("bytes") > batch_bytes, -1 - sql.col("family"))
        batch = own.otherwise(sql.pmod(sql.xxhash64("family"), sql.lit(count)))
        by_family = members.groupBy("family").agg(batch.alias("batch"))
        return members.join(by_family, "family").select("node", "reference", "row", "batch"), facts

    def _bucket_count(self, members: DataFrame) -> int:
        """The number of buckets that join the family with the most text."""
        from pyspark.sql import functions as sql

        sizes = members.groupBy("family").agg(sql.sum("bytes").alias("bytes"))
        largest = sizes.orderBy(sql.desc("bytes"), "family").limit(1).select("family")
        nodes = members.join(largest, "family").select("node")
        entries = self.documents.join(nodes, "node").select(sql.posexplode("keys").alias("band", "key"))
        shared = entries.groupBy("band", "key").agg(sql.count("*").alias("size")).where("size > 1")
        return int(run(shared.count))

    def gathered(self, assigned: DataFrame, sharing_count: int, partitions: int) -> DataFrame:
        """The texts of documents that share a bucket, by batch. No other text moves."""
        from pyspark.sql import functions as sql

        if sharing_count <= MOST_BROADCAST:
            assigned = sql.broadcast(assigned)
        values = [f"value_{at}" for at in range(len(self.names))]
        texts = self.documents.select("node", *values).join(assigned, "node").select("batch", "reference", "row", *values)
        return texts.repartition(partitions, "batch")

    def decided(self, job: str, gathered: DataFrame, sample: Any) -> DataFrame:
        """The decisions on all batches: rows with the columns of `sample`, a table that the job returns."""
        options = dict(self.options)
        if not self.is_exact():
            # A batch is small, and the data are not.
            options.setdefault("method", "minhash")
        function = _worker.resolve(__version__, job, self.names, _worker.signed(sample.schema), options)
        return self.work.step("S7-decisions", gathered.groupBy("batch").applyInArrow(function, schema_of(sample)))


def no_value(column: str) -> ColumnError:
    """A column of a keep order that would decide nothing."""
    return ColumnError(f"no row has a value in the column '{column}' of keep=", column=column, option="keep")


def _measured_families(members: DataFrame) -> dict[str, Any]:
    """The numbers and bytes of families, of which the largest decides how much memory a task needs."""
    from pyspark.sql import functions as sql

    by_family = members.groupBy("family").agg(sql.sum("bytes").alias("bytes"), sql.count("*").alias("size"))
    return counts(
        by_family,
        sql.count("*").alias("family_count"),
        sql.sum("size").alias("sharing_count"),
        sql.sum("bytes").alias("sharing_bytes"),
        sql.max("bytes").alias("largest_bytes"),
        sql.max("size").alias("largest_family"),
    )


def schema_of(table: Any) -> Any:
    """The schema of Spark for a table of Arrow, with signed numbers in place of unsigned ones."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(_worker.signed(table.schema))


def _halves(name: str) -> Any:
    """A hash as the only key of a document: equal texts share a bucket, and so do a few others in 2⁶⁴."""
    from pyspark.sql import functions as sql

    return sql.array(sql.xxhash64(name))
