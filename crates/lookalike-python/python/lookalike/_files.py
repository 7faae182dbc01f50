"""Files to files, as the command does it: the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, Unpack

from . import _native
from ._progress import Watching, note_input
from ._request import (
    RECALL,
    Group,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    columns,
    dumps,
    paths,
    resources,
    scheme,
)

Inputs = StrPath | Iterable[StrPath]


class Summary(dict[str, Any]):
    """The summary of a run: what ``summary.json`` has."""

    def __repr__(self) -> str:
        found = self.get("found", {})
        return f"<lookalike.Summary: {found.get('kept', 0):,} kept and {found.get('removed', 0):,} removed>"


def dedup_files(
    inputs: Inputs,
    output: StrPath,
    *,
    text: str = "text",
    id: str | None = None,
    source: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    keep: str = "longest",
    method: Method = "minhash",
    recall: float | None = RECALL,
    bands: int | None = None,
    rows: int | None = None,
    exact: bool = False,
    against: Inputs | None = None,
    only_against: bool = False,
    group: Group = "independent",
    fail_if_source_loses: float | None = None,
    write: Literal["kept", "annotated", "none"] = "kept",
    report: Literal["none", "excerpt", "full"] | None = "excerpt",
    extract: Literal["text", "article"] = "text",
    split: Literal["file", "paragraph", "line"] = "file",
    delimiter: str | None = None,
    header: bool = True,
    max_record: Size | None = None,
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

    ``inputs`` are files, folders, patterns and addresses: JSONL, Parquet, CSV, WARC, HTML and plain text, also compressed.
    ``write="annotated"`` writes all documents with notes, ``write="none"`` only the evidence, and ``report=None`` no report.
    """
    request = {
        "read": {
            "inputs": paths(inputs),
            "text": text,
            "id": id,
            "source": source,
            "extract": extract,
            "split": split,
            "delimiter": delimiter,
            "header": header,
        },
        "dedup": {
            "scheme": scheme(
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
            ),
            "resources": resources(threads=threads, memory=memory, work=work, max_record=max_record, resume=resume, force=force),
            "columns": columns(text, id, None),
            "keep": keep,
            "group": group,
            "only_against": only_against,
            "fail_if_source_loses": fail_if_source_loses,
        },
        "output": paths(output)[0],
        "against": [] if against is None else paths(against),
        "write": write,
        "report": report,
    }
    with Watching(progress) as told:
        summary = Summary(json.loads(_native.dedup_files(dumps(request), told)))
    note_input(summary["input"])
    return summary


def pairs_files(
    inputs: Inputs,
    output: StrPath,
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
    against: Inputs | None = None,
    copies: Literal["all", "star"] = "all",
    between: tuple[float, float] | None = None,
    sample: int | None = None,
    format: Literal["jsonl", "tsv", "csv"] = "jsonl",
    extract: Literal["text", "article"] = "text",
    split: Literal["file", "paragraph", "line"] = "file",
    delimiter: str | None = None,
    header: bool = True,
    max_record: Size | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    force: bool = False,
    progress: Progress = None,
    **more: Unpack[More],
) -> dict[str, Any]:
    """Writes every near-duplicate pair of files to the file ``output``, as ``lookalike pairs -o`` does."""
    request = {
        "read": {
            "inputs": paths(inputs),
            "text": text,
            "id": id,
            "extract": extract,
            "split": split,
            "delimiter": delimiter,
            "header": header,
        },
        "pairs": {
            "scheme": scheme(
                threshold=threshold if between is None else between[0],
                shingle=shingle,
                fold=fold,
                measure=measure,
                method=method,
                recall=recall,
                bands=bands,
                rows=rows,
                exact=exact,
                more=more,
            ),
            "resources": resources(threads=threads, memory=memory, work=work, max_record=max_record, force=force),
            "columns": columns(text, id),
            "copies": copies,
            "between": between,
            "sample": sample,
        },
        "output": paths(output)[0],
        "against": [] if against is None else paths(against),
        "format": format,
    }
    with Watching(progress) as told:
        report: dict[str, Any] = json.loads(_native.pairs_files(dumps(request), told))
    note_input(report["input"])
    return report
