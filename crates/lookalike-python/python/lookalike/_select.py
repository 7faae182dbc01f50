"""The kept rows of data, as the type that it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ._column import Column
from ._data import Given, is_batch, is_lazy, library_of
from ._errors import OptionError
from ._lists import check_table

T = TypeVar("T")

# Types that can be read only once, or have other rows each time, and what to pass instead.
ONCE = {
    "Dataset": "read it with to_table(), and give the table to both calls",
    "Scanner": "read it with to_table(), and give the table to both calls",
    "RecordBatchReader": "read it with read_all(), and give the table to both calls",
    "IterableDataset": "load it as a Dataset, and give that to both calls",
    "IterableColumn": "load it as a Dataset, and give that to both calls",
}


def select(data: T, kept: Column[int], mask: Column[bool], given: Given | None) -> T:
    """The kept rows of data."""
    computed = None if given is None else given.computed
    if is_computed(data) or computed is not None:
        return _select_computed(data, kept, mask, given)
    _refuse_once(data)
    _check_length(data, len(mask))
    selected: T = _select(data, kept, mask)
    return selected


def is_computed(data: object) -> bool:
    """True if the rows are computed anew each time."""
    return is_lazy(data) or library_of(data) in ("duckdb", "_duckdb")


def _select_computed(data: T, kept: Column[int], mask: Column[bool], given: Given | None) -> T:
    """The rows that were compared: to compute them again could give others, or the same in another order."""
    if given is None or given.computed is not data:
        kind = type(data if given is None or given.computed is None else given.computed).__name__
        raise OptionError(
            f"a {kind} is computed anew each time, perhaps with its rows in another order: "
            "give select() the very object that was deduplicated, or compute its rows first and give these to both calls",
            option="data",
            kind="wrong_type",
        )
    if given.rows is None:
        raise OptionError(
            "the rows of a relation are held by pyarrow, which is not installed: install it, or use kept, removed_rows or mask",
            option="data",
            kind="wrong_type",
        )
    rows = _select(given.rows, kept, mask)
    if not is_lazy(data):
        import duckdb

        rows = duckdb.from_arrow(rows)
    selected: T = rows.lazy() if is_lazy(data) else rows
    return selected


def _refuse_once(data: object) -> None:
    kind, library = type(data).__name__, library_of(data)
    advice = ONCE.get(kind) if library in ("pyarrow", "datasets") else None
    if library == "pyarrow" and advice is None and hasattr(data, "to_batches") and hasattr(data, "scanner"):
        advice = ONCE["Dataset"]
    if library == "datasets" and kind == "Dataset":
        return
    if advice is None and hasattr(data, "__next__"):
        advice = "make a list of it, and give that to both calls"
    if advice is not None:
        raise OptionError(
            f"rows cannot be selected from a {kind}, which is read only once: {advice}; or use kept, removed_rows or mask",
            option="data",
            kind="wrong_type",
        )


def _select(data: Any, kept: Column[int], mask: Column[bool]) -> Any:
    from ._table import Table

    library = library_of(data)
    if library == "polars":
        import polars

        return data.filter(polars.Series("kept", _flags(mask), dtype=polars.Boolean))
    if library == "pandas":
        return data[mask.to_numpy()]
    if library == "pyarrow" and hasattr(data, "filter"):
        import pyarrow

        return data.filter(pyarrow.array(_flags(mask), pyarrow.bool_()))
    if library == "datasets":
        if type(data).__name__ == "Column":
            return data.source.select(kept.to_numpy().astype("int64"))[data.column_name]
        return data.select(kept.to_numpy().astype("int64"))
    if isinstance(data, Table):
        return data.take(kept)
    if isinstance(data, Mapping):
        return {name: _select_column(column, kept) for name, column in data.items()}
    if isinstance(data, (list, tuple)):
        return _select_sequence(data, kept, mask)
    if hasattr(data, "dtype") and hasattr(data, "__getitem__"):
        return data[kept.to_numpy()]
    raise OptionError(
        f"rows cannot be selected from {type(data).__name__}: use kept, removed_rows or mask", option="data", kind="wrong_type"
    )


def _flags(mask: Column[bool]) -> Any:
    """One boolean for each row: an array of numpy if it is there, which is a hundred times as fast to read as a list."""
    try:
        return mask.to_numpy()
    except ImportError:
        return mask.to_list()


def _check_length(data: Any, rows: int) -> None:
    if isinstance(data, Mapping):
        length = check_table(data, "data")
    else:
        try:
            length = len(data)
        except TypeError:
            return
    if isinstance(data, (list, tuple)) and data and is_batch(data[0]):
        length = sum(len(batch) if hasattr(batch, "__len__") else batch.num_rows for batch in data)
    if length != rows:
        raise OptionError(
            f"this has {length} rows, and the result is about {rows}: give the data that was deduplicated",
            option="data",
            kind="out_of_range",
            value=length,
        )


def _select_column(column: Any, kept: Column[int]) -> Any:
    if isinstance(column, Column):
        return column.take(kept)
    if isinstance(column, (list, tuple)):
        return type(column)(column[row] for row in kept)
    if library_of(column) == "pyarrow":
        return column.take(kept.to_list())
    if library_of(column) == "pandas":
        return column.iloc[kept.to_numpy()]
    return column[kept.to_numpy()] if hasattr(column, "dtype") else [column[row] for row in kept]


def _select_sequence(data: Sequence[Any], kept: Column[int], mask: Column[bool]) -> Sequence[Any]:
    if data and is_batch(data[0]):
        import pyarrow

        start, parts = 0, []
        for batch in data:
            part = pyarrow.array(_flags(mask[start : start + len(batch)]), pyarrow.bool_())
            parts.append(batch.filter(part))
            start += len(batch)
        return type(data)(parts)  # type: ignore[call-arg]
    return type(data)(data[row] for row in kept)  # type: ignore[call-arg]
