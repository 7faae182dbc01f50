"""Tables of results: columns of Arrow, for every data frame library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _native
from ._column import Column

SHOWN_ROWS = 10


class Table:
    """A table of a result.

    It has Arrow's PyCapsule interface, so that ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and everything else that
    knows the interface take it without copying, any number of times.

    >>> import lookalike
    >>> pairs = lookalike.pairs(["a b c d e f", "A b c d e f!", "g h i"])
    >>> pairs.columns
    ['left_row', 'right_row', 'similarity', 'jaccard', 'containment_of_left', 'containment_of_right']
    >>> len(pairs), list(pairs["similarity"])
    (1, [1.0])
    """

    def __init__(self, native: _native.Columns) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.names

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> Column[Any]:
        """A column, which shares the memory of the table."""
        return Column(self._native.column(column))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts."""
        names = self.columns
        for row in zip(*(self[name] for name in names), strict=True):
            yield dict(zip(names, row, strict=True))

    def take(self, rows: list[int]) -> Table:
        """These rows, in this order.

        :param rows: their numbers, the first of which is 0.
        """
        return Table(self._native.take(rows))

    def head(self, count: int = SHOWN_ROWS) -> Table:
        """The first rows.

        :param count: number of rows at most. Default: 10.
        """
        return Table(self._native.slice(0, count))

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
        """As a pandas data frame."""
        import pandas

        return pandas.DataFrame({name: self[name].to_list() for name in self.columns})

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

    def __repr__(self) -> str:
        return f"<lookalike.Table of {len(self):,} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from ._html import rows

        more = len(self) - SHOWN_ROWS
        note = f"<p>and {more:,} more rows</p>" if more > 0 else ""
        return rows(self.columns, [list(row.values()) for row in self.head()]) + note
