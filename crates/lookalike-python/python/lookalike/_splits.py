"""``splits`` finds documents of a split that have a near-duplicate in an earlier one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from . import _native
from ._arguments import arguments, as_path, wrong_type
from ._data import Data, to_input
from ._files import Inputs
from ._progress import Watching, note_input
from ._request import Extract, Measure, Method, More, Progress, Size, StrPath, columns, given, paths
from ._table import Table


class Splits(Table):
    """Leaks: ``split`` and ``row`` of a document, ``other_split`` and ``other_row`` of the most similar one of an earlier split,
    their ``similarity``, and whether they have the ``same_words``."""

    def __init__(self, native: _native.Columns, report: dict[str, Any]) -> None:
        super().__init__(native)
        self.report = report
        """Documents of each split, and for each pair of splits how many leak."""

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Every split with every earlier one: documents, leaks and their share."""
        pairs: list[dict[str, Any]] = self.report["pairs"]
        return pairs


@arguments
def splits(
    data: Mapping[str, Data],
    *,
    text: str = "text",
    html_field: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    id: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    method: Method | None = None,
    recall: float | None = None,
    bands: int | None = None,
    rows: int | None = None,
    exact: bool = False,
    passages: str | None = None,
    fail_if_leaks: float | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
    **more: Unpack[More],
) -> Splits:
    """Documents of a split that have a near-duplicate in an earlier one.

    :param data: a dict of splits, training data first, or a ``datasets.DatasetDict``; each as for :func:`dedup`.
    :param text: the column of the texts. Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param id: the column of ids. Default: none.
    :param threshold: the minimum similarity of near-duplicates, above 0 and at most 1. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``, ``"token:5"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``. Default: none.
    :param measure: ``"jaccard"`` (default), or ``"containment"`` of the smaller in the larger.
    :param method: how near-duplicates are found: ``"minhash"``, ``"simhash"``, ``"supershingle"``, ``"exact"`` or ``"copies"``.
        Default: ``"exact"`` for small data unless a parameter of a method is given, otherwise ``"minhash"``.
    :param recall: the probability of finding a pair exactly at the threshold. Default: 1 for small data, otherwise 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param exact: miss nothing, the same as ``method="exact"``. Default: False.
    :param passages: count shared passages as leaks too: ``"line"``, ``"paragraph"`` or ``"run:N"``. Default: none.
    :param fail_if_leaks: ``report["failed"]`` says whether a pair of splits has a larger share of leaks. Default: none.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit beside the data, such as ``"2G"``; what does not fit goes to ``work``. Default: half of the
        machine's memory.
    :param work: folder for what does not fit in memory. Default: the system's temporary folder.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.

    >>> import lookalike
    >>> found = lookalike.splits({"train": ["a b c d e f", "x y z"], "test": ["A b c d e f!", "g h i"]})
    >>> found[0]["split"], found[0]["row"], found[0]["other_row"], found.pairs[0]["share"]
    ('test', 0, 0, 0.5)
    """
    if not isinstance(data, Mapping):
        raise wrong_type("data", "a dict of splits", data)
    options = given(locals())
    named = columns(text, id, html_field=html_field, shingle=shingle)
    inputs = [(str(name), to_input(split, named, "data", work).native) for name, split in data.items()]
    with Watching(progress) as told:
        native, report = _native.splits({**options, "force": True}, inputs, told)
    result = Splits(native, json.loads(report))
    if result.report["input"]["skipped_count"]:
        note_input(result.report["input"], "report")
    return result


@arguments
def splits_files(
    inputs: Inputs,
    output: StrPath | None = None,
    *,
    text: str = "text",
    html_field: str | None = None,
    id: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    method: Method | None = None,
    recall: float | None = None,
    bands: int | None = None,
    rows: int | None = None,
    exact: bool = False,
    passages: str | None = None,
    fail_if_leaks: float | None = None,
    group: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    split: str = "file",
    delimiter: str | None = None,
    no_header: bool = False,
    exclude: str | Iterable[str] = (),
    max_record: Size | None = None,
    max_input: Size | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    resume: bool = False,
    force: bool = False,
    report: StrPath | None = None,
    no_report: bool = False,
    progress: Progress = None,
    **more: Unpack[More],
) -> dict[str, Any]:
    """Finds leaks between splits of files, and writes what ``lookalike splits`` writes to the folder ``output``.

    Returns the summary.

    :param inputs: the splits, training data first: files, folders, patterns and addresses.
    :param output: the folder to write to. Default: nothing is written.
    :param text: the field of the texts. Default: ``"text"``.
    :param html_field: the field of the texts if they are HTML, instead of ``text``. Default: none.
    :param id: the field of ids. Default: documents are known by their file and position.
    :param threshold: the minimum similarity of near-duplicates, above 0 and at most 1. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``. Default: none.
    :param measure: ``"jaccard"`` (default), or ``"containment"`` of the smaller in the larger.
    :param method: how near-duplicates are found: ``"minhash"``, ``"simhash"``, ``"supershingle"``, ``"exact"`` or ``"copies"``.
        Default: ``"exact"`` for a small input unless a parameter of a method is given, otherwise ``"minhash"``.
    :param recall: the probability of finding a pair exactly at the threshold. Default: 1 for a small input, otherwise 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param exact: miss nothing, the same as ``method="exact"``. Default: False.
    :param passages: count shared passages as leaks too: ``"line"``, ``"paragraph"`` or ``"run:N"``. Default: none.
    :param fail_if_leaks: ``failed`` of the result says whether a pair of splits has a larger share of leaks. Default: none.
    :param group: write all documents with the number of their cluster in this field. Default: none.
    :param extract: ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param split: one document of a text file: ``"file"`` (default), ``"paragraph"`` or ``"line"``.
    :param delimiter: separator of cells in CSV files. Default: detected.
    :param no_header: CSV files have no header row. Default: False.
    :param exclude: patterns of files and folders that are not read, such as ``"*.md"``. Default: none.
    :param max_record: documents longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: give up if the input has more text than this. Default: no limit.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"2G"``; what does not fit goes to ``work``. Default: half of the machine's memory.
    :param work: folder for what does not fit in memory, from which an interrupted run is resumed. Default: the system's temporary
        folder, from which none is.
    :param resume: resume an unfinished run from its ``work`` folder. Default: False.
    :param force: replace what an earlier run wrote. Default: False.
    :param report: the file of the report. Default: ``report.html`` in the folder.
    :param no_report: write no report. Default: False.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.
    """
    options = given(locals())
    options["inputs"] = paths(inputs)
    if output is not None:
        options["output"] = as_path(output, "output")
    with Watching(progress) as told:
        result: dict[str, Any] = json.loads(_native.splits_files(options, told))
    note_input(result["input"])
    return result
