"""``pairs`` finds every near-duplicate pair, with its exact similarity."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, Unpack

from . import _native
from ._arguments import arguments
from ._column import Column
from ._data import Data, Given, by_row, existing, to_input
from ._errors import OptionError
from ._progress import Watching, note_input
from ._request import (
    Extract,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    columns,
    given,
    scheme_of,
)
from ._table import Table


class Pairs(Table):
    """Near-duplicate pairs: ``left_row`` before ``right_row``, their exact similarity, and both containments."""

    def __init__(
        self,
        native: _native.Columns,
        lengths: Column[int] | None,
        report: dict[str, Any],
        given: Given | None,
        scheme: dict[str, Any] | None,
        is_alone: bool,
    ) -> None:
        super().__init__(native)
        self._lengths = lengths
        # The data that resolve() selects from and shows texts of.
        self._given = given
        self._scheme = scheme
        # True if both rows of a pair are from one table.
        self._is_alone = is_alone
        self.report = report
        """Input counts, and seconds and memory by stage."""

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_given": None}


@arguments
def pairs(
    data: Data,
    *,
    text: str = "text",
    html_field: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    id: str | None = None,
    source: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    ignore_boilerplate: bool | float | StrPath = False,
    method: Method | None = None,
    recall: float | None = None,
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

    With ``against``, left rows are of the data and right rows of ``against``.

    :param data: as for :func:`dedup`.
    :param text: the column of the texts. Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param id: the column of ids. Default: none.
    :param source: the column of the sources of rows, for ``ignore_boilerplate``. Default: none.
    :param threshold: the minimum similarity of near-duplicates, above 0 and at most 1. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``, ``"token:5"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default: none.
    :param measure: ``"jaccard"`` (default), or ``"containment"`` of the smaller in the larger.
    :param ignore_boilerplate: ignore what a source says on most of its pages: ``True`` for text on more than 30 % of them,
        another share, or a file that ``lookalike boilerplate`` wrote. Default: False.
    :param method: how near-duplicates are found: ``"minhash"``, ``"simhash"``, ``"supershingle"``, ``"exact"`` or ``"copies"``.
        Default: ``"exact"`` for small data unless a parameter of a method is given, otherwise ``"minhash"``.
    :param recall: the probability of finding a pair exactly at the threshold. Default: 1 for small data, otherwise 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param exact: miss nothing, the same as ``method="exact"``. Default: False.
    :param against: rows to compare with, instead of comparing the rows of the data with each other. Default: none.
    :param copies: ``"all"`` (default), or ``"star"`` to pair each of several rows with the same words with the first only.
    :param between: find pairs in this range of similarity, such as ``(0.75, 0.85)``. Default: from ``threshold`` to 1.
    :param sample: return this many of the pairs, drawn at random. Default: all.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit beside the data, such as ``"2G"``; what does not fit goes to ``work``. Default: half of the
        machine's memory.
    :param work: folder for what does not fit in memory. Default: the system's temporary folder.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.

    >>> import lookalike
    >>> texts = ["the storm hit the coast", "a quiet day", "The storm hit the coast!"]
    >>> lookalike.pairs(texts).to_dicts()[0]["right_row"]
    2
    """
    options = given(locals())
    if against is not None and against is data:
        raise OptionError("data and against are the same object: leave out against=", option="against", kind="not_with")
    given_data = to_input(data, columns(text, id, source, html_field=html_field, shingle=shingle, more=more), "data", work)
    reference = None
    if against is not None:
        reference = to_input(
            against,
            columns(text, existing(against, id), existing(against, source), html_field=html_field, shingle=shingle, more=more),
            "against",
            work,
        )
    with Watching(progress) as told:
        tables = None if reference is None else reference.native
        native, lengths, report = _native.pairs({**options, "force": True}, given_data.native, tables, told)
    counts: dict[str, Any] = json.loads(report)
    wanted = scheme_of(options)
    if between is not None:
        wanted["threshold"] = options["between"][0]
    is_alone = against is None
    known = None if lengths is None or not is_alone else Column[int](lengths)
    # The text of a page is not at hand to be compared again.
    scheme = wanted if html_field is None else None
    by_row(counts["skipped"])
    result = Pairs(native, known, counts, given_data if is_alone else None, scheme, is_alone)
    if result.report["input"]["skipped_count"]:
        note_input(result.report["input"], "report")
    return result
