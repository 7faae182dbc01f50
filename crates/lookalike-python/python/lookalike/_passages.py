"""``passages`` finds lines, paragraphs and runs of words that several rows have, with their places."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal

from . import _native
from ._arguments import arguments, as_path
from ._data import Data, by_row, to_input
from ._files import Inputs
from ._progress import Watching, note
from ._request import Extract, Progress, Size, StrPath, columns, given, paths
from ._table import Table


class Passages(Table):
    """Repeated passages: ``row``, ``start`` and ``end`` in bytes of the text as UTF-8, ``first_row`` and ``first_start`` (the
    first occurrence of its beginning), ``copies``, and ``id`` and ``first_id`` if there are ids."""

    def __init__(self, native: _native.Columns, husks: _native.Columns, summary: dict[str, Any], given: _native.Input) -> None:
        super().__init__(native)
        self._given: _native.Input | None = given
        self.husks = Table(husks)
        """Rows with passages of which few words are left: ``row``, ``word_count`` and ``cut_bytes``."""
        self.summary = summary
        """What came in, what was found, sources, and the passages that take most."""

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_given": None}

    def cut(self) -> list[str | None]:
        """The texts of all rows without their passages, in order; None where a row has no text."""
        if self._given is None:
            raise ValueError("the texts are not at hand: a result that was pickled has none")
        texts = self._given.texts(list(range(self._given.rows)))
        places: dict[int, list[tuple[int, int]]] = {}
        for row, start, end in zip(self["row"], self["start"], self["end"], strict=True):
            places.setdefault(row, []).append((start, end))
        for row, of_row in places.items():
            content, last, left = (texts[row] or "").encode(), 0, b""
            for start, end in of_row:
                left += content[last:start]
                last = end
            texts[row] = (left + content[last:]).decode()
        return texts


@arguments
def passages(
    data: Data,
    *,
    text: str = "text",
    html_field: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    id: str | None = None,
    unit: str = "run:50",
    tokens: str = "words",
    keep: Literal["first", "none"] = "first",
    at_least: int = 2,
    within: bool = False,
    gap: int | None = None,
    husk: int = 10,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
) -> Passages:
    """Lines, paragraphs and runs of words that several rows have, with their places.

    :param data: as for :func:`dedup`.
    :param text: the column of the texts. Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` takes the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param id: the column of ids, which are in the result then. Default: none.
    :param unit: what is found: ``"line"``, ``"paragraph"``, or ``"run:N"`` for at least N words in a row. Default: ``"run:50"``.
    :param tokens: tokens of a run: ``"words"`` (default), or ``"code"`` or ``"code:python"`` for the tokens of source code.
    :param keep: which copy is not in the result: ``"first"`` (default), or ``"none"`` to list all copies.
    :param at_least: how many rows must have a passage. Default: 2.
    :param within: also find what one row repeats; ``at_least`` then counts places. Default: False.
    :param gap: passages with at most so many words between them are joined. Default: 3 for runs, 0 for lines and paragraphs.
    :param husk: a row with passages that keeps fewer words is in ``husks``. Default: 10.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit beside the data and the result, such as ``"2G"``. Default: half of the machine's memory.
    :param work: folder for a copy of what can be read only once. Default: the system's temporary folder.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.

    >>> import lookalike
    >>> pages = ["Home\\nThe river rose.", "Home\\nThe market opens.", "A quiet day."]
    >>> found = lookalike.passages(pages, unit="line")
    >>> found[0]["row"], found[0]["start"], found[0]["end"], found[0]["first_row"]
    (1, 0, 5, 0)
    >>> found.cut()
    ['Home\\nThe river rose.', 'The market opens.', 'A quiet day.']
    """
    options = given(locals())
    # A copy of what can be read only once is all that is put there.
    options.pop("work", None)
    input = to_input(data, columns(text, id, html_field=html_field), "data", work).native
    with Watching(progress) as told:
        native, husks, told_summary = _native.passages(options, input, told)
    summary: dict[str, Any] = json.loads(told_summary)
    by_row(summary["skipped"])
    if summary["input"]["skipped_count"]:
        note("%d rows were skipped: summary['skipped'] has the first of them and why", summary["input"]["skipped_count"])
    return Passages(native, husks, summary, input)


@arguments
def passages_files(
    inputs: Inputs,
    output: StrPath,
    *,
    text: str = "text",
    html_field: str | None = None,
    id: str | None = None,
    unit: str = "run:50",
    tokens: str = "words",
    keep: Literal["first", "none"] = "first",
    at_least: int = 2,
    within: bool = False,
    action: Literal["report", "cut", "annotate"] = "report",
    gap: int | None = None,
    husk: int = 10,
    remove_husks: bool = False,
    source: str | None = None,
    report: StrPath | None = None,
    format: Literal["jsonl", "sarif"] = "jsonl",
    baseline: StrPath | None = None,
    fail_if_repeated: float | None = None,
    no_report: bool = False,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    split: Literal["file", "paragraph", "line"] = "file",
    delimiter: str | None = None,
    no_header: bool = False,
    exclude: str | Iterable[str] = (),
    max_record: Size | None = None,
    max_input: Size | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    force: bool = False,
    progress: Progress = None,
) -> dict[str, Any]:
    """Finds passages that several documents of files have, and writes what ``lookalike passages`` writes to the folder
    ``output``: ``cuts.jsonl``, ``husks.jsonl``, ``summary.json`` and ``report.html``. Returns the summary.

    :param inputs: files, folders, patterns and addresses: JSONL, Parquet, CSV, WARC, HTML and plain text, also compressed.
    :param output: the folder to write to.
    :param text: the field of the texts. Default: ``"text"``.
    :param html_field: the field of the texts if they are HTML, instead of ``text``. Default: none.
    :param id: the field of ids. Default: documents are known by their file and position.
    :param unit: what is found: ``"line"``, ``"paragraph"``, or ``"run:N"`` for at least N words in a row. Default: ``"run:50"``.
    :param tokens: tokens of a run: ``"words"`` (default), or ``"code"`` or ``"code:python"`` for the tokens of source code.
    :param keep: which copy is kept: ``"first"`` (default) or ``"none"``.
    :param at_least: how many documents must have a passage. Default: 2.
    :param within: also find what one document repeats; ``at_least`` then counts places. Default: False.
    :param action: ``"report"`` (default), ``"cut"`` to also write documents without passages, or ``"annotate"`` to also write
        them with a list of passages.
    :param gap: passages with at most so many words between them are joined. Default: 3 for runs, 0 for lines and paragraphs.
    :param husk: a document with passages that keeps fewer words is a husk. Default: 10.
    :param remove_husks: leave husks out of what is written. Default: False.
    :param source: the source of a document: ``"host"``, ``"file"``, or a field. Default: the host of a page, else the file or its
        folder.
    :param report: the file of the report. Default: ``report.html`` in the folder.
    :param format: ``"jsonl"`` (default), or ``"sarif"`` to write ``cuts.sarif`` for code hosts and editors.
    :param baseline: ``cuts.jsonl`` or ``cuts.sarif`` of an earlier run: passages that it lacks are marked as new. Default: none.
    :param fail_if_repeated: ``over_limit`` of the summary is true if passages are more than this share of the text; with
        ``baseline``, new passages. Default: never, or 0 with ``baseline``.
    :param no_report: write no report. Default: False.
    :param extract: ``"article"`` takes the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param split: one document of a text file: ``"file"`` (default), ``"paragraph"`` or ``"line"``.
    :param delimiter: separator of cells in CSV files. Default: detected.
    :param no_header: CSV files have no header row. Default: False.
    :param exclude: patterns of files and folders that are not read, such as ``"*.md"``. Default: none.
    :param max_record: documents longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: give up if the input has more text than this. Default: no limit.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"2G"``. Default: half of the machine's memory.
    :param force: replace what an earlier run wrote. Default: False.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    """
    options = given(locals())
    options |= {"inputs": paths(inputs), "output": as_path(output, "output")}
    with Watching(progress) as told:
        summary: dict[str, Any] = json.loads(_native.passages_files(options, told))
    return summary
