"""``decontaminate`` finds test items in a corpus, with their places."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from . import _native
from ._arguments import arguments, as_path, as_texts
from ._column import Column
from ._data import Data, Given, by_row, existing, to_input
from ._files import Inputs
from ._progress import Watching
from ._request import Extract, Progress, Size, StrPath, columns, given, paths
from ._select import select
from ._table import Table

T = TypeVar("T")

FIELDS = ("question", "choices", "answer")


class Decontaminated:
    """Where test items are: ``hits`` and ``items`` as tables, and the rows of the data without an item."""

    def __init__(
        self,
        native: tuple[_native.Columns, _native.Columns, _native.Column, _native.Column, str],
        given: Given | None,
    ) -> None:
        hits, items, kept, mask, summary = native
        self._given = given
        self.hits = Table(hits)
        """Every passage that a row shares with an item, with its place in bytes of the text."""
        self.items = Table(items)
        """Every item, and whether a row has it."""
        self.kept = Column[int](kept)
        """The numbers of the rows without an item."""
        self.mask = Column[bool](mask)
        """For every row, whether it has no item."""
        self.summary: dict[str, Any] = json.loads(summary)
        """Counts for each test set, common passages, and seconds and memory by stage."""
        by_row(self.summary["skipped"])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_given": None}

    def __repr__(self) -> str:
        contaminated = sum(test_set["contaminated_count"] for test_set in self.summary["sets"])
        rows = self.summary["contaminated_document_count"]
        return f"<lookalike.Decontaminated: {contaminated:,} of {len(self.items):,} items in {rows:,} of {len(self.mask):,} rows>"

    @arguments
    def select(self, data: T) -> T:
        """The rows without an item, as the type that the data is.

        :param data: what was searched.
        """
        return select(data, self.kept, self.mask, self._given)


@arguments
def decontaminate(
    data: Data,
    against: Data,
    *,
    text: str = "text",
    html_field: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    id: str | None = None,
    fields: str | Iterable[str] = FIELDS,
    item_id: str | None = None,
    ngram: int = 13,
    coverage: float = 0.5,
    common_share: float = 0.01,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
) -> Decontaminated:
    """Finds the items of a test set in data, however they are written there, with the place of each.

    Common text, such as instructions and public passages, accuses no row.

    :param data: the corpus, as for :func:`dedup`.
    :param against: the test set: a data frame, a dataset, a dict of columns, a list of dicts, or a list of questions.
    :param text: the column of the texts. Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` searches the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param id: the column of ids. Default: none.
    :param fields: the columns of an item, the question first and the answer last. Default: ``question``, ``choices`` and
        ``answer``, of which only the first is needed.
    :param item_id: the column of the ids of items. Default: ``id``, if the test set has it.
    :param ngram: number of words in a row that a row and an item share, from 4 to 60. Default: 13.
    :param coverage: the share of a question that a row must have, weighted by how rare its n-grams are. Default: 0.5.
    :param common_share: the share of the rows that makes a passage common, if ten or more have it. Default: 0.01.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit beside the data, such as ``"2G"``. Default: half of the machine's memory.
    :param work: folder for a copy of data that can be read only once. Default: the system's temporary folder.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.

    >>> import lookalike
    >>> question = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"
    >>> found = lookalike.decontaminate(["A quiet day.", question.upper()], [{"question": question, "answer": "3"}])
    >>> found.hits[0]["document_row"], found.kept.to_list()
    (1, [0])
    """
    options = given(locals())
    names = as_texts(fields, "fields", "names of columns")
    is_named = "fields" in options
    others = [name for name in names[1:] if is_named or existing(against, name) is not None]
    question = names[0] if names else FIELDS[0]
    options["fields"] = [question, *others]
    options.pop("item_id", None)
    own = item_id if item_id is not None else existing(against, id)
    given_data = to_input(data, columns(text, id, html_field=html_field), "data", work)
    items = to_input(against, columns(question, own, fields=others), "against", work)
    with Watching(progress) as told:
        native = _native.decontaminate(options, given_data.native, items.native, told)
    return Decontaminated(native, given_data)


@arguments
def decontaminate_files(
    inputs: Inputs,
    output: StrPath,
    *,
    against: Inputs,
    text: str = "text",
    html_field: str | None = None,
    id: str | None = None,
    fields: str | Iterable[str] = FIELDS,
    item_id: str | None = None,
    ngram: int = 13,
    coverage: float = 0.5,
    common_share: float = 0.01,
    action: Literal["report", "remove", "annotate", "cut"] = "report",
    fail_if_contaminated: float | None = None,
    report: StrPath | None = None,
    no_report: bool = False,
    report_texts: Literal["none", "excerpt", "full"] = "excerpt",
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
    """Finds test items in files, and writes what ``lookalike decontaminate`` writes to the folder ``output``: ``hits.jsonl``,
    ``items.jsonl``, ``summary.json`` and ``report.html``, and documents as ``action`` says. Returns the summary.

    :param inputs: the corpus: files, folders, patterns and addresses, as for :func:`dedup_files`.
    :param output: the folder to write to.
    :param against: the test sets, in the same ways.
    :param text: the field of the texts. Default: ``"text"``.
    :param html_field: the field of the texts if they are HTML, instead of ``text``. Default: none.
    :param id: the field of ids. Default: documents are known by their file and position.
    :param fields: the fields of an item, the question first and the answer last. Default: ``question``, ``choices``, ``answer``.
    :param item_id: the field of the ids of items. Default: ``id``, where items have it.
    :param ngram: number of words in a row that a document and an item share, from 4 to 60. Default: 13.
    :param coverage: the share of a question that a document must have, weighted by how rare its n-grams are. Default: 0.5.
    :param common_share: the share of a file's documents that makes a passage common, if ten or more have it. Default: 0.01.
    :param action: ``"report"`` (default) writes no documents, ``"remove"`` all without an item, ``"annotate"`` all with a note,
        and ``"cut"`` all without the passages.
    :param fail_if_contaminated: ``over_limit`` of the summary is true if this share of a test set's items is contaminated, or
        more. Default: none.
    :param report: the file of the report. Default: ``report.html`` in the folder.
    :param no_report: write no report. Default: False.
    :param report_texts: how much of the documents the report shows: ``"none"``, ``"excerpt"`` (default) or ``"full"``.
    :param extract: ``"article"`` searches the article of a page; the default ``"text"`` all its visible text.
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
    options |= {"inputs": paths(inputs), "output": as_path(output, "output"), "against": paths(against, "against")}
    with Watching(progress) as told:
        summary: dict[str, Any] = json.loads(_native.decontaminate_files(options, told))
    return summary
