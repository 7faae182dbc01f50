"""Whatever holds rows, to what the native part reads."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from . import _native
from ._errors import OptionError
from ._lists import check_columns, of_lists, of_records, of_table
from ._request import StrPath, wanted


@runtime_checkable
class ArrowStream(Protocol):
    """Exports a stream of Arrow: polars, pandas, pyarrow, duckdb, Daft and others do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """Exports one batch or array of Arrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


Data = ArrowStream | ArrowArray | Iterable[Any]

# Number of rows of a dataset to pass on at once.
BATCH_ROWS = 10_000


class Given:
    """Data for a job.

    What is computed anew each time, such as a relation of duckdb, may have other rows the next time, or the same in another
    order. It is read once: ``computed`` is the object, and ``rows`` are the rows that it had.
    """

    def __init__(self, native: _native.Input, computed: object | None = None, rows: Any = None) -> None:
        self.native = native
        self.computed = computed
        self.rows = rows


def to_input(data: Data, columns: dict[str, Any], name: str = "data", work: StrPath | None = None) -> Given:
    """Data for a job: held where it lies, or copied to a file if it can be read only once."""
    if is_lazy(data):
        frame: Any = data
        # Before it is computed, which may take long.
        check_columns(columns, _lazy_columns(frame))
        rows = frame.collect()
        note_read_once("LazyFrame")
        return Given(_to_native(rows, columns, name, work), data, rows)
    if library_of(data) in ("duckdb", "_duckdb"):
        relation: Any = data
        check_columns(columns, list(relation.columns))
        note_read_once("relation")
        try:
            rows = _arrow_table(relation)
        except ImportError:
            # duckdb makes tables of Arrow by pyarrow, which need not be there. A stream can be read without it, but not kept.
            return Given(_native.Input.of_arrow(relation, columns, name), data)
        return Given(_to_native(rows, columns, name, work), data, rows)
    return Given(_to_native(data, columns, name, work))


def by_row(skipped: list[dict[str, Any]]) -> None:
    """Names entries that were skipped by their rows, the first of which is 0. The name of a copy on the disk says nothing."""
    for entry in skipped:
        entry.pop("file", None)
        entry["row"] = entry.pop("position") - 1


def note_read_once(kind: str) -> None:
    """Says that rows are held which might be others the next time."""
    import logging

    logging.getLogger("lookalike").info("the %s was computed once: select() returns the rows that it had", kind)


def _to_native(data: Any, columns: dict[str, Any], name: str, work: StrPath | None) -> _native.Input:
    if isinstance(data, (str, bytes)):
        raise OptionError(
            f"{name}= cannot be a single text: give a list of texts, or use dedup_files for files", option=name, kind="wrong_type"
        )
    if _is_nothing(data):
        return of_lists({column: [] for column in wanted(columns)}, columns, name)
    library, kind = library_of(data), type(data).__name__
    if library == "datasets":
        return _of_dataset(data, columns, name, work)
    if library == "pandas":
        return _of_pandas(data, columns, name)
    if library == "polars":
        if kind == "DataFrame":
            check_columns(columns, list(data.columns))
            data = data.select(list(wanted(columns)))
        data = without_null_type(data)
        if len(data) == 0 and kind == "DataFrame":
            return of_lists({column: [] for column in wanted(columns)}, columns, name)
        if not isinstance(data, ArrowStream):
            lists = {column: (data[column] if kind == "DataFrame" else data).to_list() for column in wanted(columns)}
            return of_lists(lists, columns, name)
    if library == "pyarrow" and kind in ("Table", "RecordBatch"):
        check_columns(columns, list(data.schema.names))
        if is_old_batch(data):
            return _of_old_batches([data], columns, name)
        data = data.select(list(wanted(columns)))
    elif library == "pyarrow" and hasattr(data, "to_batches"):
        # A dataset, or a scanner of one.
        batches = data.to_batches(columns=list(wanted(columns))) if kind != "Scanner" else data.to_batches()
        return _of_iterator(iter(batches), columns, name, work)
    elif library == "pyarrow" and not isinstance(data, (ArrowStream, ArrowArray)) and hasattr(data, "to_pylist"):
        return of_lists({columns["text"]: data.to_pylist()}, columns, name)
    if hasattr(data, "__next__") or hasattr(data, "read_next_batch"):
        return _of_iterator(iter(data), columns, name, work)
    if isinstance(data, (ArrowStream, ArrowArray)):
        return _native.Input.of_arrow(data, columns, name)
    if isinstance(data, Mapping):
        return of_table(data, columns, name)
    if isinstance(data, (list, tuple)):
        return _of_sequence(data, columns, name)
    if hasattr(data, "tolist") and hasattr(data, "dtype"):
        return _of_sequence(data.tolist(), columns, name)
    if isinstance(data, Iterable):
        return _of_iterator(iter(data), columns, name, work)
    raise OptionError(
        f"{name}= takes a data frame, a table or batches of Arrow, a dataset, a dict of columns, or a list of texts or dicts, "
        f"not {kind}",
        option=name,
        kind="wrong_type",
    )


def existing(data: Any, column: str | None) -> str | None:
    """A column, if the data has it: a reference need not have ids."""
    if column is None:
        return None
    if isinstance(data, Mapping):
        return column if column in data else None
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
        return column if column in data[0] else None
    if is_lazy(data):
        return column if column in _lazy_columns(data) else None
    names: Any = getattr(data, "column_names", None)
    if names is None:
        names = getattr(data, "columns", None)
    return column if names is not None and column in list(names) else None


def library_of(data: object) -> str:
    """The package that a type comes from."""
    return type(data).__module__.split(".")[0]


def is_lazy(data: object) -> bool:
    """True if this is a query of polars, which has no rows yet."""
    return library_of(data) == "polars" and type(data).__name__ == "LazyFrame"


def without_null_type(data: Any) -> Any:
    """A frame or series of polars whose columns of nothing but nulls are texts: its export of such a column cannot be read."""
    import polars

    if type(data).__name__ == "Series":
        return data.cast(polars.String) if data.dtype == polars.Null else data
    empty = [column for column, dtype in zip(data.columns, data.dtypes, strict=True) if dtype == polars.Null]
    return data.with_columns(polars.col(empty).cast(polars.String)) if empty else data


def is_batch(item: object) -> bool:
    """True if this is a table or batch of Arrow."""
    return isinstance(item, (ArrowStream, ArrowArray)) or is_old_batch(item)


def is_old_batch(data: object) -> bool:
    """True if this is a table or batch of a pyarrow before 14, which lacks the capsule interface."""
    return library_of(data) == "pyarrow" and hasattr(data, "schema") and not isinstance(data, (ArrowStream, ArrowArray))


def _is_nothing(data: Any) -> bool:
    """True if this is a table without rows and columns, which libraries create from an empty list."""
    names = getattr(data, "column_names", None)
    if names is None:
        names = getattr(data, "columns", None)
    if isinstance(data, Mapping) and not data:
        return True
    try:
        return names is not None and not callable(names) and len(names) == 0 and len(data) == 0
    except TypeError:
        return False


def _lazy_columns(data: Any) -> list[str]:
    """The names of the columns of a query, which versions of polars before 1.0 tell in another way."""
    return list(data.collect_schema().names() if hasattr(data, "collect_schema") else data.columns)


def _arrow_table(relation: Any) -> Any:
    """The rows of a duckdb relation, computed once."""
    for method in ("to_arrow_table", "fetch_arrow_table", "arrow"):
        if hasattr(relation, method):
            table = getattr(relation, method)()
            return table.read_all() if hasattr(table, "read_all") else table
    raise OptionError("this version of duckdb cannot export Arrow: update it", option="data", kind="wrong_type")


def _of_pandas(data: Any, columns: dict[str, Any], name: str) -> _native.Input:
    if not hasattr(data, "columns"):
        return of_lists({columns["text"]: data.tolist()}, columns, name)
    names = list(wanted(columns))
    check_columns(columns, list(data.columns))
    part = data[names]
    if not len(part):
        # The type of a column without values says nothing.
        return of_lists({column: [] for column in names}, columns, name)
    # Strings of Python are read where they lie; to make Arrow of them would copy them.
    if part.dtypes.astype(str).isin(["object"]).any() or not hasattr(part, "__arrow_c_stream__"):
        return of_lists({column: part[column].tolist() for column in names}, columns, name)
    try:
        return _native.Input.of_arrow(part, columns, name)
    except ImportError:
        # pandas makes Arrow by pyarrow, which need not be there.
        pass
    return of_lists({column: part[column].tolist() for column in names}, columns, name)


def _of_dataset(data: Any, columns: dict[str, Any], name: str, work: StrPath | None) -> _native.Input:
    kind = type(data).__name__
    if kind in ("DatasetDict", "IterableDatasetDict"):
        splits = ", ".join(data)
        raise OptionError(f"{name}= is a dict of datasets: give one of them, {splits}", option=name, kind="wrong_type")
    if kind in ("Column", "IterableColumn"):
        # The value that a dataset returns for the name of a column: the texts alone.
        if kind == "IterableColumn" or not isinstance(data.column_name, str) or type(data.source).__name__ != "Dataset":
            return of_lists({columns["text"]: list(data)}, columns, name)
        check_columns({**columns, "text": None}, [])
        alone = data.source.with_format("arrow", columns=[data.column_name]).iter(batch_size=BATCH_ROWS)
        return _of_sequence([batch[data.column_name] for batch in alone], columns, name)
    if data.column_names is not None:
        check_columns(columns, data.column_names)
    if kind == "IterableDataset":
        batches = iter(data.with_format("arrow").iter(batch_size=BATCH_ROWS))
        return _of_iterator(batches, columns, name, work)
    # Not data.data: a dataset that was filtered or shuffled has rows that its table has not, in another order.
    batches = data.with_format("arrow", columns=list(wanted(columns))).iter(batch_size=BATCH_ROWS)
    return _of_sequence(list(batches), columns, name)


def _of_sequence(data: Sequence[Any], columns: dict[str, Any], name: str) -> _native.Input:
    first = next((item for item in data if item is not None), None)
    if first is None and not data:
        return of_lists({column: [] for column in wanted(columns)}, columns, name)
    if isinstance(first, (ArrowStream, ArrowArray)):
        return _native.Input.of_batches(data, columns, name)
    if is_old_batch(first):
        return _of_old_batches(data, columns, name)
    if isinstance(first, Mapping):
        return of_records(data, columns, name)
    return of_lists({columns["text"]: data}, columns, name)


def _of_iterator(data: Iterator[Any], columns: dict[str, Any], name: str, work: StrPath | None) -> _native.Input:
    first = next(data, None)
    if first is None:
        return _of_sequence(list(data), columns, name)
    rest = itertools.chain([first], data)
    if isinstance(first, (ArrowStream, ArrowArray)):
        return _native.Input.spool(rest, columns, work)
    if is_old_batch(first) or isinstance(first, (str, Mapping)) or (columns["tokens"] and isinstance(first, (list, tuple))):
        return _of_sequence(list(rest), columns, name)
    raise OptionError(
        f"{name}= has items of the type {type(first).__name__}: give batches of Arrow, texts or dicts",
        option=name,
        kind="wrong_type",
    )


def _of_old_batches(batches: Iterable[Any], columns: dict[str, Any], name: str) -> _native.Input:
    lists: dict[str, list[Any]] = {column: [] for column in wanted(columns)}
    for batch in batches:
        check_columns(columns, list(batch.schema.names))
        for column in lists:
            lists[column] += batch.column(batch.schema.get_field_index(column)).to_pylist()
    return of_lists(lists, columns, name)
