"""Files to files, as the command does it: the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, Unpack

from . import _native
from ._arguments import arguments, as_path
from ._progress import Watching, note_input
from ._request import (
    Extract,
    Group,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    given,
    paths,
)

Inputs = StrPath | Iterable[StrPath]


class Summary(dict[str, Any]):
    """The summary of a run: what ``summary.json`` has."""

    def __repr__(self) -> str:
        found = self.get("found", {})
        return f"<lookalike.Summary: {found.get('kept_count', 0):,} kept and {found.get('removed_count', 0):,} removed>"


@arguments
def dedup_files(
    inputs: Inputs,
    output: StrPath,
    *,
    text: str = "text",
    html_field: str | None = None,
    id: str | None = None,
    source: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    ignore_boilerplate: bool | float | StrPath = False,
    keep: str = "longest",
    method: Method | None = None,
    recall: float | None = None,
    bands: int | None = None,
    rows: int | None = None,
    exact: bool = False,
    against: Inputs | None = None,
    against_index: StrPath | None = None,
    only_against: bool = False,
    add_kept: bool = False,
    group: Group = "independent",
    fail_if_source_loses: float | None = None,
    dry_run: bool = False,
    annotate: bool = False,
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
    work: StrPath | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Progress = None,
    **more: Unpack[More],
) -> Summary:
    """Removes near-duplicates from files, and writes what ``lookalike dedup`` writes to the folder ``output``: ``kept/``,
    ``removed.jsonl``, ``summary.json`` and ``report.html``.

    :param inputs: files, folders, patterns and addresses: JSONL, Parquet, CSV, WARC, HTML and plain text, also compressed.
    :param output: the folder to write to.
    :param text: the field of the texts. Default: ``"text"``.
    :param html_field: the field of the texts if they are HTML, instead of ``text``. Default: none.
    :param id: the field of ids. Default: documents are known by their file and position.
    :param source: the source of a document: ``"host"``, ``"file"``, or a field. Default: the host of a page, else the file or its
        folder.
    :param threshold: the minimum similarity of near-duplicates, above 0 and at most 1. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default: none.
    :param measure: ``"jaccard"`` (default), or ``"containment"`` of the smaller in the larger.
    :param ignore_boilerplate: ignore what a source says on most of its pages: ``True`` for text on more than 30 % of them,
        another share, or a file that ``lookalike boilerplate`` wrote. Default: False.
    :param keep: which of several is kept: ``"longest"`` (default), ``"first"``, ``"last"``, ``"max:FIELD"``, ``"min:FIELD"``,
        ``"source:A>B>*"``, or several with commas between them, which decide one after the other.
    :param method: how near-duplicates are found: ``"minhash"``, ``"simhash"``, ``"supershingle"``, ``"exact"`` or ``"copies"``.
        Default: ``"exact"`` for small data unless a parameter of a method is given, otherwise ``"minhash"``.
    :param recall: the probability of finding a pair exactly at the threshold. Default: 1 for small data, otherwise 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param exact: miss nothing, the same as ``method="exact"``. Default: False.
    :param against: files to compare with, which are neither removed nor written. Default: none.
    :param against_index: the folder of an :class:`Index` to compare with. Default: none.
    :param only_against: keep duplicates within the input, and remove only near-duplicates of ``against``. Default: False.
    :param add_kept: add the kept documents to the index. Default: False.
    :param group: ``"independent"`` (default) removes a row only for a kept near-duplicate of its own; ``"components"`` keeps one
        row of each connected component, however different the others are.
    :param fail_if_source_loses: fail if a source loses this share of its rows, or more. Default: none.
    :param dry_run: write the evidence and the summary, and no documents. Default: False.
    :param annotate: write all documents, with notes in fields of their own. Default: False.
    :param report: the file of the report. Default: ``report.html`` in the folder.
    :param no_report: write no report. Default: False.
    :param report_texts: how much of the documents the report shows: ``"none"``, ``"excerpt"`` (default) or ``"full"``.
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
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.
    """
    options = given(locals())
    options |= {"inputs": paths(inputs), "output": as_path(output, "output")}
    if against is not None:
        options["against"] = paths(against, "against")
    with Watching(progress) as told:
        summary = Summary(json.loads(_native.dedup_files(options, told)))
    note_input(summary["input"])
    return summary


@arguments
def pairs_files(
    inputs: Inputs,
    output: StrPath,
    *,
    text: str = "text",
    html_field: str | None = None,
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
    against: Inputs | None = None,
    copies: Literal["all", "star"] = "all",
    between: tuple[float, float] | None = None,
    sample: int | None = None,
    format: Literal["jsonl", "tsv", "csv"] = "jsonl",
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
    work: StrPath | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Progress = None,
    **more: Unpack[More],
) -> dict[str, Any]:
    """Writes every near-duplicate pair of files to the file ``output``, as ``lookalike pairs -o`` does.

    :param inputs: as for :func:`dedup_files`.
    :param output: the file to write to.
    :param text: the field of the texts. Default: ``"text"``.
    :param html_field: the field of the texts if they are HTML, instead of ``text``. Default: none.
    :param id: the field of ids. Default: documents are known by their file and position.
    :param source: for ``ignore_boilerplate``, the source of a document: ``"host"``, ``"file"``, or a field. Default: the host
        of a page, else the file or its folder.
    :param threshold: the minimum similarity of near-duplicates, above 0 and at most 1. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``.
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
    :param against: files to compare with, instead of comparing the documents of the input with each other. Default: none.
    :param copies: ``"all"`` (default), or ``"star"`` to pair each of several documents with the same words with the first only.
    :param between: find pairs in this range of similarity, such as ``(0.75, 0.85)``. Default: from ``threshold`` to 1.
    :param sample: write this many of the pairs, drawn at random. Default: all.
    :param format: how rows are written: ``"jsonl"`` (default), ``"tsv"`` or ``"csv"``.
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
    :param force: replace the file if it exists. Default: False.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.
    """
    options = given(locals())
    options |= {"inputs": paths(inputs), "output": as_path(output, "output")}
    if against is not None:
        options["against"] = paths(against, "against")
    with Watching(progress) as told:
        report: dict[str, Any] = json.loads(_native.pairs_files(options, told))
    note_input(report["input"])
    return report


@arguments
def extract_files(
    inputs: Inputs,
    output: StrPath,
    *,
    text: str = "text",
    html_field: str | None = None,
    id: str | None = None,
    format: Literal["jsonl", "tsv", "csv"] = "jsonl",
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    source: str | None = None,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    stopwords: Iterable[str] | None = None,
    ignore_boilerplate: bool | float | StrPath = False,
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
    """Writes the text by which each document of files is compared to the file ``output``, as ``lookalike extract -o`` does.

    :param inputs: as for :func:`dedup_files`.
    :param output: the file to write to.
    :param text: the field of the texts. Default: ``"text"``.
    :param html_field: the field of the texts if they are HTML, instead of ``text``. Default: none.
    :param id: the field of ids. Default: documents are known by their file and position.
    :param format: how rows are written: ``"jsonl"`` (default), ``"tsv"`` or ``"csv"``.
    :param extract: ``"article"`` writes the main content of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param source: the source of a document, for ``ignore_boilerplate``: ``"host"``, ``"file"`` or a field. Default: the host of
        a page, else the file or its folder.
    :param shingle: what is compared, for ``ignore_boilerplate``. Default: ``"word:5"``.
    :param fold: differences that are ignored, for the same. Default: none.
    :param stopwords: your own stop words, for the shingle ``"stopword"``. Default: those of the languages.
    :param ignore_boilerplate: leave out what a source says on most of its pages: ``True`` for text on more than 30 % of them,
        another share, or a file that ``lookalike boilerplate`` wrote. Default: False.
    :param split: one document of a text file: ``"file"`` (default), ``"paragraph"`` or ``"line"``.
    :param delimiter: separator of cells in CSV files. Default: detected.
    :param no_header: CSV files have no header row. Default: False.
    :param exclude: patterns of files and folders that are not read, such as ``"*.md"``. Default: none.
    :param max_record: documents longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: give up if the input has more text than this. Default: no limit.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"2G"``. Default: half of the machine's memory.
    :param force: replace the file if it exists. Default: False.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    """
    options = given(locals())
    options.pop("force", None)
    options |= {"inputs": paths(inputs), "output": as_path(output, "output")}
    with Watching(progress) as told:
        report: dict[str, Any] = json.loads(_native.extract_files(options, bool(force), told))
    return report
