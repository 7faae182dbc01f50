"""Whatever holds rows, to what the native part reads; and rows of it, to the type that it was."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from . import _native
from ._column import Column
from ._errors import ColumnError, OptionError
from ._request import StrPath, dumps


@runtime_checkable
class ArrowStream(Protocol):
    """Exports a stream of Arrow: polars, pandas, pyarrow, duckdb, Daft and others do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """Exports one batch or array of Arrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


Data = ArrowStream | ArrowArray | Iterable[Any]
T = TypeVar("T")

# How many rows of a dataset are handed over together.
BATCH_ROWS = 10_000


def to_input(data: Data, columns: dict[str, Any], name: str = "data", work: StrPath | None = None) -> _native.Input:
    """Data for a job: held where it lies, or copied to a file if it can be read only once."""
    wanted = [column for column in columns.values() if column is not None]
    request = dumps(columns)
    if isinstance(data, (str, bytes)):
        raise OptionError(
            "a single text is not data: give a list of texts, or use dedup_files for files", option=name, kind="wrong_type"
        )
    if _library(data) in ("duckdb", "_duckdb"):
        data = _of_duckdb(data, wanted)
    library = _library(data)
    kind = type(data).__name__
    if library == "datasets":
        return _of_dataset(data, wanted, columns, request, name, work)
    if library == "pandas":
        return _of_pandas(data, columns, request, name)
    if library == "polars":
        if kind == "LazyFrame":
            raise OptionError("a LazyFrame has no rows yet: call collect() on it", option=name, kind="wrong_type")
        if kind == "DataFrame":
            frame: Any = data
            _check(wanted, list(frame.columns))
            data = frame.select(list(dict.fromkeys(wanted)))
        if not isinstance(data, ArrowStream):
            frame = data
            return _of_lists(
                {column: (frame[column] if kind == "DataFrame" else frame).to_list() for column in wanted},
                columns,
                name,
            )
    if library == "pyarrow" and kind in ("Table", "RecordBatch"):
        table: Any = data
        _check(wanted, list(table.schema.names))
        if _is_old_batch(data):
            return _of_old_batches([data], wanted, columns, name)
        data = table.select(list(dict.fromkeys(wanted)))
    elif library == "pyarrow" and hasattr(data, "to_batches"):
        # A dataset, or a scanner of one.
        dataset: Any = data
        batches = dataset.to_batches(columns=list(dict.fromkeys(wanted))) if kind != "Scanner" else dataset.to_batches()
        return _of_iterator(iter(batches), columns, request, name, work)
    elif library == "pyarrow" and not isinstance(data, (ArrowStream, ArrowArray)) and hasattr(data, "to_pylist"):
        return _of_lists({columns["text"]: data.to_pylist()}, columns, name)
    if hasattr(data, "__next__") or hasattr(data, "read_next_batch"):
        return _of_iterator(iter(data), columns, request, name, work)  # type: ignore[arg-type]
    if isinstance(data, (ArrowStream, ArrowArray)):
        return _native.Input.of_arrow(data, request, name)
    if isinstance(data, (list, tuple)):
        return _of_sequence(data, columns, request, name)
    if hasattr(data, "tolist") and hasattr(data, "dtype"):
        array: Any = data
        return _of_sequence(array.tolist(), columns, request, name)
    if isinstance(data, Iterable):
        return _of_iterator(iter(data), columns, request, name, work)
    raise OptionError(
        f"{type(data).__name__} is not data: give a data frame, a table or batches of Arrow, a dataset, or a list of texts",
        option=name,
        kind="wrong_type",
    )


def existing(data: Any, column: str | None) -> str | None:
    """A column, if the data has it: a reference need not have ids."""
    names: Any = getattr(data, "column_names", None)
    if names is None:
        names = getattr(data, "columns", None)
    return column if names is not None and column in list(names) else None


def _check(wanted: Iterable[str], existing: Sequence[Any]) -> None:
    """Every column that is asked for is there, once."""
    for column in wanted:
        count = sum(1 for name in existing if name == column)
        if count == 0:
            shown = ", ".join(str(name) for name in existing[:30])
            raise ColumnError(f"there is no column '{column}': the columns are {shown}", column=column, columns=list(existing))
        if count > 1:
            raise ColumnError(f"{count} columns are called '{column}': rename all but one", column=column, columns=list(existing))


def _of_pandas(data: Any, columns: dict[str, Any], request: str, name: str) -> _native.Input:
    wanted = list(dict.fromkeys(column for column in columns.values() if column is not None))
    if type(data).__name__ in ("Series", "Index"):
        return _of_lists({columns["text"]: data.tolist()}, columns, name)
    _check(wanted, list(data.columns))
    part = data[wanted]
    # Strings of Python are read where they lie; to make Arrow of them would copy them.
    if part.dtypes.astype(str).isin(["object"]).any() or not hasattr(part, "__arrow_c_stream__"):
        return _of_lists({column: part[column].tolist() for column in wanted}, columns, name)
    try:
        return _native.Input.of_arrow(part, request, name)
    except ImportError:
        # pandas makes Arrow by pyarrow, which need not be there.
        return _of_lists({column: part[column].tolist() for column in wanted}, columns, name)


def _of_duckdb(data: Any, wanted: Iterable[str]) -> Any:
    _check(wanted, list(data.columns))
    quoted = ('"' + column.replace('"', '""') + '"' for column in dict.fromkeys(wanted))
    part = data.project(", ".join(quoted))
    return part if isinstance(part, (ArrowStream, ArrowArray)) else part.arrow()


def _of_dataset(
    data: Any, wanted: list[str], columns: dict[str, Any], request: str, name: str, work: StrPath | None
) -> _native.Input:
    kind = type(data).__name__
    if kind in ("DatasetDict", "IterableDatasetDict"):
        raise OptionError(f"this is a dict of datasets: give one of {', '.join(data)}", option=name, kind="wrong_type")
    distinct = list(dict.fromkeys(wanted))
    if data.column_names is not None:
        _check(wanted, data.column_names)
    if kind == "IterableDataset":
        batches = iter(data.with_format("arrow").iter(batch_size=BATCH_ROWS))
        return _of_iterator(batches, columns, request, name, work)
    # Not data.data: a dataset that was filtered or shuffled has rows that its table has not, in another order.
    batches = data.with_format("arrow", columns=distinct).iter(batch_size=BATCH_ROWS)
    return _of_sequence(list(batches), columns, request, name)


def _of_sequence(data: Sequence[Any], columns: dict[str, Any], request: str, name: str) -> _native.Input:
    first = next((item for item in data if item is not None), None)
    if isinstance(first, (ArrowStream, ArrowArray)):
        return _native.Input.of_batches(data, request, name)
    if _is_old_batch(first):
        return _of_old_batches(data, [column for column in columns.values() if column is not None], columns, name)
    return _of_lists({columns["text"]: data}, columns, name)


def _of_iterator(data: Iterator[Any], columns: dict[str, Any], request: str, name: str, work: StrPath | None) -> _native.Input:
    first = next(data, None)
    rest = itertools.chain([] if first is None else [first], data)
    if isinstance(first, (ArrowStream, ArrowArray)):
        return _native.Input.spool(rest, request, work)
    if _is_old_batch(first):
        return _of_old_batches(rest, [column for column in columns.values() if column is not None], columns, name)
    if first is None or isinstance(first, str):
        return _of_lists({columns["text"]: list(rest)}, columns, name)
    raise OptionError(
        f"items of the type {type(first).__name__} are not data: give batches of Arrow or texts",
        option=name,
        kind="wrong_type",
    )


def _library(data: object) -> str:
    return type(data).__module__.split(".")[0]


def _is_old_batch(data: object) -> bool:
    """A table or batch of a pyarrow before 14, which does not know the capsule interface."""
    return _library(data) == "pyarrow" and hasattr(data, "schema") and not isinstance(data, (ArrowStream, ArrowArray))


def _of_old_batches(batches: Iterable[Any], wanted: list[str], columns: dict[str, Any], name: str) -> _native.Input:
    lists: dict[str, list[Any]] = {column: [] for column in wanted}
    for batch in batches:
        _check(wanted, list(batch.schema.names))
        for column in lists:
            lists[column] += batch.column(batch.schema.get_field_index(column)).to_pylist()
    return _of_lists(lists, columns, name)


def _of_lists(lists: Mapping[str, Sequence[Any]], columns: dict[str, Any], name: str) -> _native.Input:
    for role in ("id", "source", "value"):
        if columns[role] is not None and columns[role] not in lists:
            raise ColumnError(
                f"a list of texts has no column '{columns[role]}': give a data frame, or leave out the name",
                column=columns[role],
                columns=[],
            )

    def names(column: str | None) -> list[str | None] | None:
        if column is None:
            return None
        return [None if is_missing(value) else value if isinstance(value, str) else str(value) for value in lists[column]]

    texts = lists[columns["text"]]
    plain = texts if isinstance(texts, list) else list(texts)
    try:
        given = _native.Input.of_lists(
            plain,
            names(columns["id"]),
            names(columns["source"]),
            None if columns["value"] is None else [_value(value) for value in lists[columns["value"]]],
            name,
        )
    except TypeError:
        given = _native.Input.of_lists(
            [_text(row, text, columns["text"]) for row, text in enumerate(plain)],
            names(columns["id"]),
            names(columns["source"]),
            None if columns["value"] is None else [_value(value) for value in lists[columns["value"]]],
            name,
        )
    return given


def _text(row: int, text: Any, column: str) -> str | None:
    if text is None or isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if is_missing(text):
        return None
    raise ColumnError(
        f"row {row} of '{column}' has the type {type(text).__name__}, and texts are needed",
        column=column,
        columns=[],
        row=row,
    )


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls NA and NaT."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")


def _value(value: Any) -> Any:
    if is_missing(value):
        return None
    return value.item() if hasattr(value, "item") else value


def select(data: T, kept: Column[int], mask: Column[bool]) -> T:
    """The kept rows of data, as the type that it is."""
    frame: Any = data
    library = type(data).__module__.split(".")[0]
    _check_length(frame, library, len(mask))
    if library == "polars":
        import polars

        return frame.filter(polars.Series("kept", _flags(mask), dtype=polars.Boolean))  # type: ignore[no-any-return]
    if library == "pandas":
        return frame[mask.to_numpy()]  # type: ignore[no-any-return]
    if library == "pyarrow":
        import pyarrow

        return frame.filter(pyarrow.array(_flags(mask), pyarrow.bool_()))  # type: ignore[no-any-return]
    if library == "datasets":
        return frame.select(kept.to_numpy().astype("int64"))  # type: ignore[no-any-return]
    if library in ("duckdb", "_duckdb"):
        return _select_duckdb(frame, mask)  # type: ignore[no-any-return]
    if isinstance(data, (list, tuple)):
        return _select_sequence(data, kept, mask)  # type: ignore[return-value]
    if hasattr(data, "dtype") and hasattr(data, "__getitem__"):
        return frame[kept.to_numpy()]  # type: ignore[no-any-return]
    raise OptionError(
        f"rows cannot be selected from {type(data).__name__}: use kept, removed_rows or mask", option="data", kind="wrong_type"
    )


def _flags(mask: Column[bool]) -> Any:
    """One boolean for each row: an array of numpy if it is there, which is a hundred times as fast to read as a list."""
    try:
        return mask.to_numpy()
    except ImportError:
        return mask.to_list()


def _check_length(data: Any, library: str, rows: int) -> None:
    if library in ("duckdb", "_duckdb"):
        return
    try:
        length = len(data)
    except TypeError:
        return
    is_batches = isinstance(data, (list, tuple)) and data and _is_batch(data[0])
    if not is_batches and length != rows:
        raise OptionError(
            f"this has {length} rows, and the result is about {rows}: give the data that was deduplicated",
            option="data",
            kind="out_of_range",
            value=length,
        )


def _is_batch(item: object) -> bool:
    return isinstance(item, (ArrowStream, ArrowArray)) or _is_old_batch(item)


def _select_sequence(data: Sequence[Any], kept: Column[int], mask: Column[bool]) -> Sequence[Any]:
    if data and _is_batch(data[0]):
        import pyarrow

        start, parts = 0, []
        for batch in data:
            part = pyarrow.array(_flags(mask[start : start + len(batch)]), pyarrow.bool_())
            parts.append(batch.filter(part))
            start += len(batch)
        return type(data)(parts)  # type: ignore[call-arg]
    return type(data)(data[row] for row in kept)  # type: ignore[call-arg]


def _select_duckdb(data: Any, mask: Column[bool]) -> Any:
    import duckdb
    import pyarrow

    table = data.arrow()
    table = table.read_all() if hasattr(table, "read_all") else table
    kept = table.filter(pyarrow.array(_flags(mask), pyarrow.bool_()))
    return duckdb.from_arrow(kept)
