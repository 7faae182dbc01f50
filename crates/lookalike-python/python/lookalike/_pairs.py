"""``pairs`` finds every near-duplicate pair; ``resolve`` decides on pairs, at any threshold, without finding them again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar, Unpack

from . import _native
from ._data import Data, Decision, existing, select, to_input
from ._errors import ColumnError, OptionError
from ._progress import Watching, note_input
from ._request import (
    RECALL,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    columns,
    dumps,
    resources,
    scheme,
)
from ._table import Table

T = TypeVar("T")


class Pairs(Table):
    """Near-duplicate pairs: ``left_row`` before ``right_row``, their exact similarity, and both containments."""

    def __init__(self, native: _native.Columns, lengths: _native.Lengths | None, report: dict[str, Any]) -> None:
        super().__init__(native)
        self._lengths = lengths
        self.report = report
        """What came in, and seconds and memory by stage."""


def pairs(
    data: Data,
    *,
    text: str = "text",
    id: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    method: Method = "minhash",
    recall: float | None = RECALL,
    bands: int | None = None,
    rows: int | None = None,
    exact: bool = False,
    against: Data | None = None,
    copies: Literal["all", "star"] = "all",
    between: tuple[float, float] | None = None,
    sample: int | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
    **more: Unpack[More],
) -> Pairs:
    """Every near-duplicate pair, with its exact similarity and both containments.

    With ``against``, left rows are of the data and right rows of ``against``. ``copies="star"`` pairs each of several rows with
    the same words with the first only. ``between=(0.75, 0.85)`` finds pairs in this range, and ``sample`` takes a few of them.
    All other arguments are those of :func:`dedup`.

    >>> import lookalike
    >>> texts = ["the storm hit the coast", "a quiet day", "The storm hit the coast!"]
    >>> lookalike.pairs(texts).to_dicts()[0]["right_row"]
    2
    """
    if between is not None:
        threshold = between[0]
    wanted = scheme(
        threshold=threshold,
        shingle=shingle,
        fold=fold,
        measure=measure,
        method=method,
        recall=recall,
        bands=bands,
        rows=rows,
        exact=exact,
        more=more,
    )
    if against is not None and against is data:
        raise OptionError("data and against are the same object: leave out against=", option="against", value=None)
    request = {
        "scheme": wanted,
        "resources": resources(threads=threads, memory=memory, work=work, max_record=max_record, force=True),
        "columns": columns(text, id),
        "copies": copies,
        "between": between,
        "sample": sample,
    }
    input = to_input(data, columns(text, id), "data", work)
    reference = None if against is None else to_input(against, columns(text, existing(against, id)), "against", work)
    with Watching(progress) as told:
        native, lengths, report = _native.pairs(dumps(request), input, reference, told)
    result = Pairs(native, lengths if against is None else None, json.loads(report))
    if result.report["input"]["skipped"]:
        note_input(result.report["input"])
    return result


class Resolved:
    """What was decided about every row, by pairs that were known.

    >>> import lookalike
    >>> texts = ["a b c d e f g", "a b c d e f g h", "x y z"]
    >>> pairs = lookalike.pairs(texts, threshold=0.5)
    >>> lookalike.resolve(pairs, rows=3).kept, lookalike.resolve(pairs, rows=3, threshold=0.9).kept
    ([1, 2], [0, 1, 2])
    """

    def __init__(self, kept_rows: list[int | None], similarities: list[float | None]) -> None:
        self._kept_rows = kept_rows
        self._similarities = similarities

    @cached_property
    def kept(self) -> list[int]:
        """The numbers of the rows that are kept."""
        return [row for row, by in enumerate(self._kept_rows) if by is None]

    @cached_property
    def removed_rows(self) -> list[int]:
        """The numbers of the rows that are removed."""
        return [row for row, by in enumerate(self._kept_rows) if by is not None]

    @cached_property
    def mask(self) -> list[bool]:
        """For every row, whether it is kept."""
        return [by is None for by in self._kept_rows]

    @property
    def kept_rows(self) -> list[int | None]:
        """For every row the one that is kept in its place; None if it is kept itself."""
        return self._kept_rows

    @property
    def similarities(self) -> list[float | None]:
        """For every removed row its similarity to the kept one."""
        return self._similarities

    def select(self, data: T) -> T:
        """The kept rows of the data, as the type that it is."""
        return select(data, self._decision)

    @cached_property
    def _decision(self) -> Decision:
        return Decision(len(self._kept_rows), bytes(by is None for by in self._kept_rows))

    def __len__(self) -> int:
        return len(self._kept_rows)

    def __repr__(self) -> str:
        return f"<lookalike.Resolved: {len(self.kept):,} kept and {len(self.removed_rows):,} removed>"


def resolve(
    pairs: Any,
    *,
    rows: int,
    threshold: float | None = None,
    keep: str | Sequence[float | None] | None = None,
) -> Resolved:
    """Decides about rows by their pairs: find pairs once at a low threshold, and try any threshold above it.

    :param pairs: what :func:`pairs` returned, or any table with ``left_row``, ``right_row`` and ``similarity``.
    :param rows: the number of rows of the data.
    :param threshold: ignore pairs below this similarity.
    :param keep: ``"longest"`` (for what :func:`pairs` returned, where it is the default), ``"first"`` (the default
        otherwise), ``"last"``, or a number for each row, of which the largest is kept.
    """
    if not isinstance(rows, int) or rows < 0:
        raise OptionError(f"rows={rows!r} is not a number of rows", option="rows", value=rows)
    left, right, similarity = (_column(pairs, name) for name in ("left_row", "right_row", "similarity"))
    if threshold is not None:
        chosen = [at for at, value in enumerate(similarity) if value >= threshold]
        left, right, similarity = ([column[at] for at in chosen] for column in (left, right, similarity))
    lengths = getattr(pairs, "_lengths", None)
    if keep is None:
        keep = "longest" if lengths is not None else "first"
    values = None
    if not isinstance(keep, str):
        values, keep = [None if value is None else float(value) for value in keep], "values"
    elif keep == "longest" and lengths is None:
        raise OptionError(
            'the lengths of rows are not known here: give keep="first", or a number for each row',
            option="keep",
            value=keep,
        )
    elif keep not in ("longest", "first", "last"):
        raise OptionError(
            f'keep={keep!r} is not possible: give "longest", "first", "last", or a number for each row',
            option="keep",
            value=keep,
        )
    if lengths is not None and len(lengths) != rows:
        raise OptionError(f"the pairs are of {len(lengths)} rows, and rows={rows}", option="rows", value=rows)
    return Resolved(*_native.resolve(left, right, similarity, rows, keep, lengths if keep == "longest" else None, values))


def _column(pairs: Any, name: str) -> list[Any]:
    """A column of any table as a list."""
    try:
        column = pairs[name]
    except (KeyError, IndexError, TypeError) as error:
        raise ColumnError(f"the pairs have no column '{name}'", column=name, columns=[]) from error
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            values: list[Any] = getattr(column, method)()
            return values
    return list(column)
