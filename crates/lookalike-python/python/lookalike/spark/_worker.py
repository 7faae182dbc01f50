"""What runs on the workers of a cluster.

These functions are shipped by value: a worker needs no installed ``lookalike``, since they find the package in the unpacked
archive (:func:`found`). They therefore import everything where it is used, and use nothing else of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

# The folder of the unpacked archive: `--archives lookalike.zip#lookalike`.
ARCHIVE = "lookalike"
# How an error of the package is marked in the message of a failed task.
MARK = "lookalike-error:"
# The end of the names of rows that tasks of paths leave in the work folder.
FINISHED = ".finished"
# Edges that a task collects before it reduces them.
MOST_EDGES = 1 << 22

Batches = Iterable[Any]


def found(version: str) -> Any:
    """Imports the package: from the archive of the session if there is one, otherwise the installed one."""
    import os
    import sys

    folders = [os.getcwd()]
    try:
        from pyspark.core.files import SparkFiles

        folders.insert(0, SparkFiles.getRootDirectory())
    except Exception:
        # Without a folder of files: on an engine that is not Spark, or a client without the classic session.
        pass
    for folder in folders:
        place = os.path.join(folder, ARCHIVE)
        if os.path.exists(os.path.join(place, ARCHIVE, "__init__.py")) and place not in sys.path:
            sys.path.insert(0, place)
    try:
        import lookalike
    except ImportError as error:
        raise ImportError(f"lookalike is not on this worker ({error}): pass archive=, or install it there") from None
    if getattr(lookalike, "__version__", None) != version:
        own = getattr(lookalike, "__version__", "unknown")
        raise ImportError(
            f"this worker has lookalike {own}, and the driver {version}: install the same version, or pass archive="
        )
    return lookalike


def reporting(function: Callable[[Batches], Iterator[Any]]) -> Callable[[Batches], Iterator[Any]]:
    """The same function, whose errors the driver recognizes in the message of a failed task."""

    def call(batches: Batches) -> Iterator[Any]:
        import json

        try:
            yield from function(batches)
        except Exception as error:
            if type(error).__module__.startswith("lookalike") or isinstance(error, ImportError):
                fields = {"kind": type(error).__name__, "message": str(error)}
                raise RuntimeError(f"{MARK} {json.dumps(fields)}") from None
            raise

    return call


def check(version: str) -> Callable[[Batches], Iterator[Any]]:
    """Tries what later tasks need, one row each."""

    def call(batches: Batches) -> Iterator[Any]:
        found(version)
        yield from batches

    return reporting(call)


def task(version: str, work: str, stage: str, units: list[int], threads: int) -> Callable[[Batches], Iterator[Any]]:
    """Does tasks of :mod:`lookalike.tasks`: a row for each `id`, which is a place in `units`."""

    def call(batches: Batches) -> Iterator[Any]:
        import os
        import secrets

        import pyarrow as pa

        lookalike = found(version)
        from lookalike._native import Staged

        staged = None
        for batch in batches:
            rows = []
            for at in batch.column("id").to_pylist():
                if staged is None:
                    if not os.path.exists(os.path.join(work, "plan.json")):
                        raise lookalike.InputError(f"a worker has no {work}: work= must be a folder that all of them reach")
                    staged = Staged(work, threads)
                # No two attempts have the same number, not even one that a driver started before it was killed.
                attempt = secrets.randbits(31)
                row = staged.task(stage, units[at], attempt)
                # For a driver that is killed before it has all rows.
                path = os.path.join(work, stage, f"{units[at]:06}-a{attempt}{FINISHED}")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(f"{path}.part", "w", encoding="utf-8") as file:
                    file.write(row)
                os.replace(f"{path}.part", path)
                rows.append(row)
            yield pa.RecordBatch.from_arrays([pa.array(rows, pa.string())], names=["row"])

    return reporting(call)


def first_node() -> int:
    """The number of the first document of this task: no two tasks of a step have numbers in common."""
    import random

    from pyspark import TaskContext

    context = TaskContext.get()
    # An engine without task contexts runs few tasks: that two of them draw the same of 2³⁸ numbers does not happen.
    return random.getrandbits(38) << 24 if context is None else context.partitionId() << 40


def sketch(version: str, names: list[str], text: dict[str, Any], scheme: dict[str, Any]) -> Callable[[Batches], Iterator[Any]]:
    """Sketches documents: columns `reference` and the values named by `names`."""

    def call(batches: Batches) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        lookalike = found(version)
        node = first_node()
        for batch in batches:
            count = batch.num_rows
            if count == 0:
                continue
            values = [batch.column(f"value_{at}") for at in range(len(names))]
            table = pa.Table.from_batches([pa.RecordBatch.from_arrays(values, names=names)])
            found_here = pa.table(lookalike.sketch(table, progress=False, threads=1, **text, **scheme))
            columns = {name: found_here.column(name).combine_chunks() for name in found_here.column_names}
            nodes = pa.array(range(node, node + count), pa.int64())
            node += count
            keys = columns["keys"]
            # The bits of unsigned numbers, which Spark does not have.
            flat = keys.values.view(pa.int64())
            keys = pa.FixedSizeListArray.from_arrays(flat, keys.type.list_size, mask=keys.is_null()).cast(pa.list_(pa.int64()))
            lengths = [
                pc.fill_null(pc.binary_length(value), 0).cast(pa.int64())
                for value in values
                if pa.types.is_string(value.type) or pa.types.is_large_string(value.type) or pa.types.is_binary(value.type)
            ]
            size = pa.array([64] * count, pa.int64())
            for length in lengths:
                size = pc.add(size, length)
            made = {
                "node": nodes,
                "reference": batch.column("reference"),
                "bytes": size,
                "tokens": columns["token_count"].cast(pa.int64()),
                "features": columns["feature_count"].cast(pa.int64()),
                "text_hash": columns["text_hash"].cast(pa.binary()),
                "keys": keys,
            }
            arrays = [*made.values(), *values]
            yield pa.RecordBatch.from_arrays(arrays, names=[*made, *(f"value_{at}" for at in range(len(names)))])

    return reporting(call)


def forest(version: str) -> Callable[[Batches], Iterator[Any]]:
    """Reduces the edges of a partition, `head` and `member`, to the fewest with the same groups."""

    def call(batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        found(version)
        from lookalike._native import forest_of_edges

        heads: list[bytes] = []
        members: list[bytes] = []
        held, most = 0, MOST_EDGES

        def column(values: bytes) -> Any:
            return pa.Array.from_buffers(pa.int64(), len(values) // 8, [None, pa.py_buffer(values)])

        def reduce() -> int:
            left, right = forest_of_edges(b"".join(heads), b"".join(members))
            heads[:], members[:] = [left], [right]
            return len(left) // 8

        for batch in batches:
            for name, into in (("head", heads), ("member", members)):
                values = batch.column(name).cast(pa.int64())
                into.append(values.buffers()[1].slice(8 * values.offset, 8 * len(values)).to_pybytes() if len(values) else b"")
            held += batch.num_rows
            if held >= most:
                held = reduce()
                most = max(most, 2 * held)
        reduce()
        if heads[0]:
            yield pa.RecordBatch.from_arrays([column(heads[0]), column(members[0])], names=["head", "member"])

    return reporting(call)


def whole_forest(version: str) -> Callable[[Any], Any]:
    """The same for the edges of all partitions, as one table."""

    def call(table: Any) -> Any:
        import pyarrow as pa

        schema = pa.schema([("head", pa.int64()), ("member", pa.int64())])
        return pa.Table.from_batches(list(forest(version)(table.select(schema.names).to_batches())), schema)

    return call


def resolve(version: str, job: str, names: list[str], schema: Any, options: dict[str, Any]) -> Callable[[Any], Any]:
    """Decides a batch, which is whole families: what the package does with these rows alone."""

    def call(batch: Any) -> Any:
        import pyarrow as pa

        lookalike = found(version)
        table = batch.sort_by([("reference", "ascending"), ("row", "ascending")])
        values = {name: table.column(f"value_{at}") for at, name in enumerate(names)}
        flags = table.column("reference")
        data = pa.table({**values, "row number": table.column("row")})
        own, others = data.filter(pa.compute.invert(flags)), data.filter(flags)
        if len(own) == 0 or len(own) + len(others) < 2 or (options.get("only_against") and len(others) == 0):
            return schema.empty_table()
        rows, references = (part.column("row number").combine_chunks() for part in (own, others))
        own, others = (part.drop_columns(["row number"]) for part in (own, others))
        against = others if len(others) > 0 else None
        given = with_values(own, options)
        if job == "dedup":
            result = pa.table(lookalike.dedup(own, against=against, progress=False, threads=1, **given).removed)
            kept_in = result.column("kept_in").combine_chunks()
            result = in_whole(result, "removed_row", rows, rows, None)
            result = in_whole(result, "kept_row", rows, references, kept_in)
        else:
            result = pa.table(lookalike.pairs(own, against=against, progress=False, threads=1, **given))
            result = in_whole(result, "left_row", rows, rows, None)
            result = in_whole(result, "right_row", rows, references, None if against is None else True)
        return result.select(schema.names).cast(schema)

    def with_values(own: Any, given: dict[str, Any]) -> dict[str, Any]:
        """The options without a keep order by a column in which these rows have no value: others of the data have one."""
        orders = [order for order in str(given.get("keep", "")).split(",") if order]
        left = [order for order in orders if not order.startswith(("max:", "min:")) or has_values(own, order[4:])]
        return given if left == orders else {**given, "keep": ",".join(left) or "first"}

    def has_values(own: Any, name: str) -> bool:
        column = own.column(name)
        return bool(column.null_count < len(column))

    def in_whole(table: Any, name: str, rows: Any, references: Any, in_reference: Any) -> Any:
        """A column of row numbers of the batch as those of the whole data."""
        import pyarrow as pa
        import pyarrow.compute as pc

        local = table.column(name).combine_chunks().cast(pa.int64())
        at = table.column_names.index(name)
        if in_reference is True:
            whole = references.take(local)
        elif in_reference is None or len(references) == 0:
            whole = rows.take(local)
        else:
            is_reference = in_reference.is_valid()
            first = rows.take(pc.if_else(is_reference, 0, local))
            second = references.take(pc.if_else(is_reference, local, 0))
            whole = pc.if_else(is_reference, second, first)
        return table.set_column(at, name, whole)

    def told(batch: Any) -> Any:
        (result,) = reporting(lambda _: iter([call(batch)]))([])
        return result

    return told


def signed(schema: Any) -> Any:
    """A schema of Arrow with signed numbers in place of unsigned ones, which Spark does not have."""
    import pyarrow as pa

    fields = []
    for field in schema:
        kind = pa.int64() if pa.types.is_unsigned_integer(field.type) else field.type
        fields.append(pa.field(field.name, pa.string() if pa.types.is_large_string(kind) else kind))
    return pa.schema(fields)


def sketched(version: str, column: str, options: dict[str, Any]) -> Callable[[Batches], Iterator[Any]]:
    """Adds the columns of sketches to batches of rows."""

    def call(batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        lookalike = found(version)
        for batch in batches:
            if batch.num_rows == 0:
                continue
            texts = pa.table({column: batch.column(column)})
            made = pa.table(lookalike.sketch(texts, progress=False, threads=1, **options))
            keys, sketches = (made.column(name).combine_chunks() for name in ("keys", "sketch"))
            size = sketches.type.list_size
            sketches = pa.FixedSizeBinaryArray.from_buffers(
                pa.binary(size), len(sketches), [sketches.is_valid().buffers()[1], sketches.values.buffers()[1]]
            )
            keys = pa.FixedSizeListArray.from_arrays(keys.values.view(pa.int64()), keys.type.list_size, mask=keys.is_null())
            hashes = [made.column(name).combine_chunks().cast(pa.binary()) for name in ("text_hash", "content_hash")]
            sizes = [made.column(name).combine_chunks().cast(pa.int64()) for name in ("token_count", "feature_count")]
            arrays = [*batch.columns, sketches.cast(pa.binary()), keys.cast(pa.list_(pa.int64())), *hashes, *sizes]
            names = ["sketch", "keys", "text_hash", "content_hash", "token_count", "feature_count"]
            yield pa.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, *names])

    return reporting(call)
