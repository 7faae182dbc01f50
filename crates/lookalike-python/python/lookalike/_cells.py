"""A table of any library as cells of text, for jobs on records, sets and fingerprints."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _native
from ._data import ArrowArray, ArrowStream, is_lazy, library_of, without_null_type
from ._errors import OptionError
from ._lists import as_list, check_table, is_missing


def to_cells(data: Any, name: str, lists: str | None = None) -> _native.Cells:
    """A table for a job, read in place if it is one of Arrow. ``lists`` is a column whose lists are sets."""
    library, kind = library_of(data), type(data).__name__
    if is_lazy(data):
        data = data.collect()
    if library == "polars" and type(data).__name__ == "DataFrame":
        data = without_null_type(data)
    if library == "datasets":
        if kind in ("DatasetDict", "IterableDatasetDict"):
            splits = ", ".join(data)
            raise OptionError(f"{name}= is a dict of datasets: give one of them, {splits}", option=name, kind="wrong_type")
        if kind == "Dataset":
            data = data.with_format("arrow")[:]
        elif kind == "IterableDataset":
            data = list(data)
    if library in ("duckdb", "_duckdb") and not isinstance(data, (ArrowStream, ArrowArray)):
        data = data.arrow()
    if library == "pyarrow" and hasattr(data, "to_batches") and hasattr(data, "to_table"):
        # A dataset, or a scanner of one.
        data = data.to_table()
    if isinstance(data, (ArrowStream, ArrowArray)):
        try:
            return _native.Cells.of_arrow(data, name, lists)
        except ImportError:
            # pandas makes Arrow by pyarrow, which need not be there.
            pass
    if library == "pandas" and hasattr(data, "columns"):
        data = {str(column): data[column].tolist() for column in data.columns}
    elif library in ("polars", "pyarrow") and hasattr(data, "columns"):
        # Versions that do not know the capsule interface.
        data = data.to_pydict() if library == "pyarrow" else data.to_dict(as_series=False)
    elif isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(column for row in data for column in row)
        data = {column: [row.get(column) for row in data] for column in names}
    if isinstance(data, Mapping):
        check_table(data, name)
        columns = {str(column): as_list(values) for column, values in data.items()}
        whole = [column for column, values in columns.items() if is_whole(values)]
        cells = [[_cell(value) for value in column] for column in columns.values()]
        return _native.Cells.of_lists(list(columns), cells, whole, name)
    raise OptionError(
        f"{name}= takes a data frame, a table of Arrow, a dict of columns or a list of dicts, not {kind}",
        option=name,
        kind="wrong_type",
    )


def is_whole(values: list[Any]) -> bool:
    """True if all values are whole numbers, so that they are returned as such."""
    return bool(values) and all(type(value) is int for value in values)


def _cell(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, frozenset)):
        return json.dumps(list(value), default=str)
    return None if is_missing(value) else str(value)


def is_path(data: Any) -> bool:
    """True if this is the name of a file, and not the data itself."""
    return isinstance(data, (str, os.PathLike))
