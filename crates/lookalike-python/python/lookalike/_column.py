"""A column of a result: Arrow's memory, used as a sequence of Python or as an array of numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar, overload

from . import _native
from ._arguments import arguments, wrong_type

T_co = TypeVar("T_co", covariant=True)

# Number of values to convert to Python objects at once.
CHUNK = 10_000
SHOWN_VALUES = 10


class Column(Sequence[T_co]):
    """One column of a result. It is used as a list, and its values become objects of Python only when they are read.

    ``to_numpy()`` and Arrow's PyCapsule interface share its memory: ``numpy.asarray(column)``, ``pyarrow.array(column)``,
    ``polars.Series(column)``.

    >>> import lookalike
    >>> kept = lookalike.dedup(["the storm hit the coast", "The storm hit the coast!", "a quiet day"]).kept
    >>> kept
    <lookalike.Column of 2 values: 0, 2>
    >>> kept == [0, 2], kept[-1], len(kept), list(kept)
    (True, 2, 2, [0, 2])
    """

    __slots__ = ("_native",)
    # It is equal to lists, which have no hash.
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, native: _native.Column) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, at: int) -> T_co: ...
    @overload
    def __getitem__(self, at: slice) -> Column[T_co]: ...
    def __getitem__(self, at: int | slice) -> T_co | Column[T_co]:
        if isinstance(at, slice):
            rows = range(len(self))[at]
            if rows.step == 1:
                return Column(self._native.slice(rows.start, len(rows)))
            return self.take(rows)
        try:
            row = range(len(self))[at]
        except IndexError:
            raise IndexError(f"there is no value {at}: there are {len(self)} values, the first of which is 0") from None
        value: T_co = self._native.slice(row, 1).to_list()[0]
        return value

    def __iter__(self) -> Iterator[T_co]:
        for start in range(0, len(self), CHUNK):
            yield from self._native.slice(start, CHUNK).to_list()

    def __eq__(self, other: object) -> bool:
        """True if another sequence has the same values in the same order."""
        if isinstance(other, (str, bytes)) or not (hasattr(other, "__len__") and hasattr(other, "__getitem__")):
            return NotImplemented
        values: Any = other
        return len(self) == len(values) and all(mine == its for mine, its in zip(self, values, strict=True))

    @property
    def type(self) -> str:
        """The name of the type, as numpy or Arrow has it: ``"uint64"``, ``"float64"``, ``"bool"``, ``"string"`` and others."""
        return self._native.kind

    @arguments
    def take(self, rows: Iterable[int]) -> Column[T_co]:
        """The values of these rows, in this order.

        :param rows: their numbers, the first of which is 0; the last row is also -1.
        """
        return Column(self._native.take(row_numbers(rows, len(self))))

    def to_list(self) -> list[T_co]:
        """The values as a list; a null is None."""
        return self._native.to_list()

    def to_numpy(self) -> Any:
        """The values as an array of numpy, which shares the memory of the column and cannot be written to.

        Texts, and columns with nulls, are copied: numbers with nulls become floats with NaN, and all else objects. A column of
        lists, such as that of the sketches, becomes an array with a row for each; a list that is missing is all zeros.
        """
        import numpy

        dtype, width, buffer = self._native.dtype, self._native.width, self._native.buffer()
        if buffer is not None and (width is not None or not self._native.null_count):
            array = numpy.frombuffer(buffer, dtype=dtype)
            return array if width is None else array.reshape(len(self), width)
        if dtype is not None and dtype != "bool":
            return numpy.array(self.to_list(), dtype="float64")
        return numpy.array(self.to_list(), dtype=object)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy

        array = self.to_numpy()
        converted = array if dtype is None else array.astype(dtype, copy=False)
        if copy is False and not numpy.shares_memory(converted, array):
            raise ValueError(f"a column of {array.dtype} becomes {converted.dtype} only by copying")
        return numpy.array(converted) if copy else converted

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._native.__arrow_c_array__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._native.kind, self.to_list())

    def __repr__(self) -> str:
        shown = [repr(value) for value in self[:SHOWN_VALUES]]
        more = ["..."] if len(self) > SHOWN_VALUES else []
        values = f": {', '.join(shown + more)}" if shown else ""
        return f"<lookalike.Column of {len(self):,} values{values}>"


def _unpickle(kind: str, values: list[Any]) -> Column[Any]:
    return Column(_native.Column.of_list(kind, values))


def row_numbers(rows: Iterable[Any], count: int) -> list[int]:
    """Row numbers as a list; negative ones count from the end, as in a list."""
    every = range(count)
    try:
        return [every[row] for row in rows]
    except IndexError:
        wrong = next(row for row in rows if not -count <= row < count)
        raise IndexError(f"there is no row {wrong}: there are {count} rows, the first of which is 0") from None
    except TypeError:
        raise wrong_type("rows", "a list of row numbers", rows) from None
