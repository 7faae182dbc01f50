"""Tables of results: columns of Arrow, for every data frame library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

from . import _native
from ._arguments import arguments, as_count, no_column, wrong_type
from ._column import Column, row_numbers
from ._errors import OptionError

SHOWN_ROWS = 10


class Table:
    """A table of a result.

    It has Arrow's PyCapsule interface, so that ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and everything else that
    knows the interface take it without copying, any number of times.

    >>> import lookalike
    >>> pairs = lookalike.pairs(["a b c d e f", "A b c d e f!", "g h i"])
    >>> pairs.columns
    ['left_row', 'right_row', 'similarity', 'jaccard', 'containment_of_left', 'containment_of_right']
    >>> len(pairs), list(pairs["similarity"]), pairs[0]["right_row"]
    (1, [1.0], 1)
    """

    def __init__(self, native: _native.Columns) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.names

    @property
    def schema(self) -> dict[str, str]:
        """The type of each column by its name: ``"uint64"``, ``"float64"``, ``"bool"``, ``"string"`` and others."""
        return dict(zip(self._native.names, self._native.kinds, strict=True))

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, at: str) -> Column[Any]: ...
    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice | list[str]) -> Table: ...
    def __getitem__(self, at: str | int | slice | list[str]) -> Column[Any] | dict[str, Any] | Table:
        """A column by its name, which shares the memory of the table; a row by its number; rows by a slice; or some columns."""
        if isinstance(at, str):
            return Column(self._column(at))
        if isinstance(at, slice):
            rows = range(len(self))[at]
            return Table(self._native.slice(rows.start, len(rows))) if rows.step == 1 else self.take(rows)
        if isinstance(at, list):
            return Table(_native.Columns.of_columns([(name, self._column(name)) for name in at]))
        if hasattr(at, "__index__"):
            return self.take([at]).to_dicts()[0]
        raise wrong_type("table[...]", "the name of a column, a row number, a slice or a list of names", at)

    def _column(self, name: str) -> _native.Column:
        if name not in self.columns:
            raise no_column(name, self.columns)
        return self._native.column(name)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts."""
        names = self.columns
        for row in zip(*(self[name] for name in names), strict=True):
            yield dict(zip(names, row, strict=True))

    @arguments
    def take(self, rows: Iterable[int]) -> Table:
        """These rows, in this order.

        :param rows: their numbers, the first of which is 0; the last row is also -1.
        """
        return Table(self._native.take(row_numbers(rows, len(self))))

    @arguments
    def slice(self, start: int, length: int | None = None) -> Table:
        """Rows one after the other, without copying them.

        :param start: the number of the first row, which counts from the end if it is negative.
        :param length: number of rows at most. Default: all that follow.
        """
        first = range(len(self))[start:].start if hasattr(start, "__index__") else as_count(start, "start")
        count = len(self) if length is None else as_count(length, "length")
        return Table(self._native.slice(first, min(count, len(self) - first)))

    @arguments
    def filter(self, condition: Callable[[dict[str, Any]], object] | Sequence[bool]) -> Table:
        """The rows for which a condition holds.

        :param condition: a function of a row, which is a dict; or a flag for each row, such as a column of booleans.

        >>> import lookalike
        >>> found = lookalike.pairs(["a b c d e f", "A b c d e f!", "a b c d e"], threshold=0.3)
        >>> len(found), len(found.filter(lambda pair: pair["similarity"] == 1))
        (3, 1)
        """
        if callable(condition):
            return self.take([row for row, values in enumerate(self) if condition(values)])
        if not hasattr(condition, "__len__") or isinstance(condition, (str, bytes)):
            raise wrong_type("condition", "a function of a row, or a flag for each row", condition)
        if len(condition) != len(self):
            raise OptionError(
                f"condition= has {len(condition)} flags, and there are {len(self)} rows", option="condition", kind="out_of_range"
            )
        return self.take([row for row, flag in enumerate(condition) if flag])

    @arguments
    def head(self, count: int = SHOWN_ROWS) -> Table:
        """The first rows.

        :param count: number of rows at most. Default: 10.
        """
        return self.slice(0, as_count(count, "count"))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Rows as a list of dicts."""
        return list(self)

    def to_polars(self) -> Any:
        """As a polars data frame."""
        import polars

        # Versions before 1.3 do not know the capsule interface.
        knows = hasattr(polars.DataFrame, "__arrow_c_stream__")
        return polars.DataFrame(self if knows else {name: self[name].to_list() for name in self.columns})

    def to_pandas(self) -> Any:
        """As a pandas data frame. Numbers keep their type, unless some are missing."""
        import pandas

        def values(column: Column[Any]) -> Any:
            is_plain = column._native.dtype is not None and column._native.width is None and not column._native.null_count
            return column.to_numpy() if is_plain else column.to_list()

        return pandas.DataFrame({name: values(self[name]) for name in self.columns})

    def to_arrow(self) -> Any:
        """As a pyarrow table."""
        import pyarrow

        # Versions before 14 do not know the capsule interface.
        knows = hasattr(pyarrow.Table, "__arrow_c_stream__")
        return pyarrow.table(self if knows else {name: self[name].to_list() for name in self.columns})

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __getstate__(self) -> dict[str, Any]:
        own = {name: value for name, value in self.__dict__.items() if name != "_native"}
        return {**own, "_columns": [(name, self[name]) for name in self.columns]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        columns = state.pop("_columns")
        self.__dict__.update(state)
        self._native = _native.Columns.of_columns([(name, column._native) for name, column in columns])

    def __repr__(self) -> str:
        return f"<lookalike.{type(self).__name__} of {len(self):,} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from ._html import rows

        more = len(self) - SHOWN_ROWS
        note = f"<p>and {more:,} more rows</p>" if more > 0 else ""
        return rows(self.columns, [list(row.values()) for row in self.head()]) + note
