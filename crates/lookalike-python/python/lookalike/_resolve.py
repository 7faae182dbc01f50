"""``resolve`` decides on pairs, at any threshold, without finding them again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from . import _native
from ._arguments import arguments, as_count, plain, wrong_type
from ._column import Column
from ._dedup import Dedup
from ._errors import ColumnError, OptionError
from ._lists import as_list, is_missing
from ._pairs import Pairs
from ._table import Table

# Columns that pairs must have, and columns that are added to the evidence if present.
NEEDED = ("left_row", "right_row", "similarity")
IDS = ("left_id", "right_id")
EVIDENCE = ("jaccard", "containment_of_left", "containment_of_right", "hamming")
# Bands of similarity in the summary, as those of dedup.
BANDS = 20


@arguments
def resolve(
    pairs: Any,
    *,
    rows: int,
    threshold: float | None = None,
    keep: str | Sequence[float | None] | None = None,
) -> Dedup:
    """Decides about rows by their pairs: find pairs once at a low threshold, and try any threshold above it.

    The result is that of :func:`dedup`, without what only texts tell: there is no ``report``, and ``removed`` and ``rows``
    do not say what is an exact copy.

    :param pairs: what :func:`pairs` returned, or any table with ``left_row``, ``right_row`` and ``similarity``.
    :param rows: the number of rows of the data.
    :param threshold: ignore pairs below this similarity. Default: none are ignored.
    :param keep: ``"longest"`` (for what :func:`pairs` returned, where it is the default), ``"first"`` (the default
        otherwise), ``"last"``, or a number for each row, of which the largest is kept.

    >>> import lookalike
    >>> texts = ["a b c d e f g", "a b c d e f g h", "x y z"]
    >>> pairs = lookalike.pairs(texts, threshold=0.5)
    >>> list(lookalike.resolve(pairs, rows=3).kept), list(lookalike.resolve(pairs, rows=3, threshold=0.9).kept)
    ([1, 2], [0, 1, 2])
    >>> list(lookalike.resolve(pairs, rows=3).removed["similarity"])
    [0.75]
    """
    rows = as_count(rows, "rows")
    threshold = plain(threshold)
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, (int, float))):
        raise wrong_type("threshold", "a number", threshold)
    if isinstance(pairs, Pairs) and not pairs._is_alone:
        raise OptionError(
            "these pairs are of two tables, and resolve decides about the rows of one: use dedup with against=",
            option="pairs",
            kind="wrong_type",
        )
    table: dict[str, Any] = {name: _column(pairs, name) for name in NEEDED}
    table |= {name: _column_if_any(pairs, name) for name in EVIDENCE}
    ids = {name: _ids(pairs, name) for name in IDS}
    if threshold is not None:
        chosen = [at for at, value in enumerate(table["similarity"]) if value >= threshold]
        table = {name: column and [column[at] for at in chosen] for name, column in table.items()}
        ids = {name: None if column is None else column.take(chosen) for name, column in ids.items()}
    lengths: Column[int] | None = getattr(pairs, "_lengths", None)
    keep, values = _keep(keep, lengths)
    if lengths is not None and len(lengths) != rows:
        raise OptionError(
            f"the pairs are of {len(lengths)} rows, and rows={rows}", option="rows", kind="out_of_range", value=rows
        )
    table |= {name: None if column is None else column._native for name, column in ids.items()}
    native = _native.resolve(table, rows, keep, lengths._native if lengths is not None and keep == "longest" else None, values)
    given, scheme = getattr(pairs, "_given", None), getattr(pairs, "_scheme", None)
    compare = None if scheme is None else partial(_native.compare, scheme)
    return Dedup(native, given, compare, _summary(native, threshold, keep))


def _keep(keep: str | Sequence[float | None] | None, lengths: Column[int] | None) -> tuple[str, list[float | None] | None]:
    """The keep order by its name, and the value of each row if these decide."""
    if keep is None:
        return ("first" if lengths is None else "longest"), None
    if not isinstance(keep, str):
        if not hasattr(keep, "__iter__"):
            raise wrong_type("keep", '"longest", "first", "last", or a number for each row', keep)
        return "values", [None if is_missing(value) else _number(value) for value in keep]
    if keep == "longest" and lengths is None:
        raise OptionError(
            'the lengths of rows are not known here: give keep="first", or a number for each row',
            option="keep",
            kind="unknown_word",
            value=keep,
        )
    if keep not in ("longest", "first", "last"):
        raise OptionError(
            f'keep={keep!r} is not possible: give "longest", "first", "last", or a number for each row',
            option="keep",
            kind="unknown_word",
            value=keep,
        )
    return keep, None


def _number(value: Any) -> float:
    number = plain(value)
    if isinstance(number, str):
        raise wrong_type("keep", "a number for each row", value)
    try:
        return float(number)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type("keep", "a number for each row", value) from None


def _summary(native: _native.Resolved, threshold: float | None, keep: str) -> dict[str, Any]:
    """The parts of a summary that pairs tell."""
    removed = len(native.removed_rows())
    counts: dict[int, int] = {}
    for similarity in native.removed_table().column("similarity").to_list():
        band = min(int(similarity * BANDS), BANDS - 1)
        counts[band] = counts.get(band, 0) + 1
    return {
        "found": {"kept_count": native.rows - removed, "removed_count": removed, "cluster_count": native.clusters},
        "parameters": {"threshold": threshold, "keep": keep},
        "similarity": [
            {"from": band / BANDS, "to": (band + 1) / BANDS, "removed_count": counts.get(band, 0)}
            for band in range(min(counts, default=BANDS), BANDS)
        ],
    }


def _column(pairs: Any, name: str) -> list[Any]:
    """A column of any table as a list."""
    try:
        column = pairs[name]
    except Exception:
        # Every library has an error of its own for a column that is missing.
        column = None
    if column is None:
        raise ColumnError(
            f"pairs= has no column '{name}': give what pairs() returned, or a table with left_row, right_row and similarity",
            column=name,
            columns=[],
        )
    return as_list(column)


def _column_if_any(pairs: Any, name: str) -> list[Any] | None:
    """A column that need not be there; one with missing values is no evidence."""
    try:
        column = _column(pairs, name)
    except ColumnError:
        return None
    return None if any(value is None for value in column) else column


def _ids(pairs: Any, name: str) -> Column[Any] | None:
    """A column of ids with the type that it has."""
    if isinstance(pairs, Table):
        return pairs[name] if name in pairs.columns else None
    values = _column_if_any(pairs, name)
    if values is None:
        return None
    is_whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    kind = "int64" if is_whole and values else "large_string"
    return Column(_native.Column.of_list(kind, values if is_whole else [str(value) for value in values]))
