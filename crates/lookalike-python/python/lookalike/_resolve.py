"""``resolve`` decides on pairs, at any threshold, without finding them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _native
from ._dedup import Dedup
from ._errors import ColumnError, OptionError
from ._pairs import Pairs

# What a pair has to have, and what goes into the evidence if it has it.
NEEDED = ("left_row", "right_row", "similarity")
EVIDENCE = ("left_id", "right_id", "jaccard", "containment_of_left", "containment_of_right", "hamming")
# Bands of similarity in the summary, as those of dedup.
BANDS = 20


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
    if not isinstance(rows, int) or rows < 0:
        raise OptionError(f"rows={rows!r} is not a number of rows", option="rows", kind="out_of_range", value=rows)
    if isinstance(pairs, Pairs) and pairs._input is None:
        raise OptionError(
            "these pairs are of two tables, and resolve decides about the rows of one: use dedup with against=",
            option="pairs",
            kind="wrong_type",
        )
    table: dict[str, list[Any] | None] = {name: _column(pairs, name) for name in NEEDED}
    table |= {name: _column_if_any(pairs, name) for name in EVIDENCE}
    if threshold is not None:
        similarity = table["similarity"] or []
        chosen = [at for at, value in enumerate(similarity) if value >= threshold]
        table = {name: column and [column[at] for at in chosen] for name, column in table.items()}
    lengths = getattr(pairs, "_lengths", None)
    keep, values = _keep(keep, lengths)
    if lengths is not None and len(lengths) != rows:
        raise OptionError(
            f"the pairs are of {len(lengths)} rows, and rows={rows}", option="rows", kind="out_of_range", value=rows
        )
    native = _native.resolve(table, rows, keep, lengths if keep == "longest" else None, values)
    input, scheme = getattr(pairs, "_input", None), getattr(pairs, "_scheme", None)
    return Dedup(native, input, scheme, _summary(native, threshold, keep))


def _keep(keep: str | Sequence[float | None] | None, lengths: _native.Lengths | None) -> tuple[str, list[float | None] | None]:
    """The keep order by its name, and the value of each row if these decide."""
    if keep is None:
        return ("first" if lengths is None else "longest"), None
    if not isinstance(keep, str):
        return "values", [None if value is None else float(value) for value in keep]
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
    except Exception as error:
        # Every library has an error of its own for a column that is missing.
        raise ColumnError(f"the pairs have no column '{name}'", column=name, columns=[]) from error
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            values: list[Any] = getattr(column, method)()
            return values
    return list(column)


def _column_if_any(pairs: Any, name: str) -> list[Any] | None:
    """A column that need not be there; one with missing values is no evidence."""
    try:
        column = _column(pairs, name)
    except ColumnError:
        return None
    return None if any(value is None for value in column) else column
