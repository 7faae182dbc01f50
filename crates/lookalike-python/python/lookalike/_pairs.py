"""``pairs`` finds every near-duplicate pair, with its exact similarity."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, Unpack

from . import _native
from ._data import Data, existing, to_input
from ._errors import OptionError
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


class Pairs(Table):
    """Near-duplicate pairs: ``left_row`` before ``right_row``, their exact similarity, and both containments."""

    def __init__(
        self,
        native: _native.Columns,
        lengths: _native.Lengths | None,
        report: dict[str, Any],
        input: _native.Input | None,
        scheme: dict[str, Any],
    ) -> None:
        super().__init__(native)
        self._lengths = lengths
        # What resolve() shows texts of; none if the rows of a pair are of two tables.
        self._input = input
        self._scheme = scheme
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
    is_alone = against is None
    result = Pairs(native, lengths if is_alone else None, json.loads(report), input if is_alone else None, wanted)
    if result.report["input"]["skipped"]:
        note_input(result.report["input"])
    return result
