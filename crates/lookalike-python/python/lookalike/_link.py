"""``link``: records of the same person or thing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import _native
from ._arguments import arguments, as_count, as_id, as_path, wrong_type
from ._cells import to_cells
from ._data import Data
from ._errors import LookalikeError
from ._progress import Watching, note
from ._request import Progress, Size, StrPath, given, paths
from ._table import Table


class Link:
    """Which records are the same.

    ``matches`` are pairs with their probability, ``clusters`` is a row for each record, ``linked`` the rows as they came with
    their cluster, and ``summary`` says what was compared and learned. ``model`` has the weights, as ``model.json`` has them.
    ``folder`` is that of ``link_files``.
    """

    def __init__(
        self,
        summary: dict[str, Any],
        model: str,
        tables: Iterable[Table],
        asked: tuple[dict[str, Any], list[_native.Cells], str | None],
        folder: Path | None = None,
    ) -> None:
        self.summary = summary
        self.folder = folder
        self.matches: Table
        """Pairs of records, the most probable first, with what each column says."""
        self.clusters: Table
        """The cluster of every record."""
        self.linked: Table
        """All rows as they came, with their cluster and whether each is the best of it."""
        self.matches, self.clusters, self.linked = tables
        self._model = model
        # The options, the tables and the model of the call; None in a result that was pickled without a folder.
        self._asked: tuple[dict[str, Any], list[_native.Cells], str | None] | None = asked

    @arguments
    def explain(self, left: str | int, right: str | int) -> dict[str, Any]:
        """Why two records are a match, or are none: what each column says, whether they were compared, and their clusters.

        A result of ``link_files`` is explained from its folder. That of ``link`` is linked again, with the same outcome.

        :param left: the id of a record, or its row number if there are no ids; of two tables, one of the first.
        :param right: the same of the other record.
        """
        if self._asked is None:
            raise LookalikeError("a result that was pickled has no tables to explain: call link again")
        options, tables, model = self._asked
        ids = (self._id(left, "left"), self._id(right, "right"))
        found: dict[str, Any] = json.loads(_native.explain_link(options, tables, ids, model))
        return found

    def _id(self, id: str | int, name: str) -> str:
        """An id as the job knows it: rows are counted from 1 there."""
        assert self._asked is not None
        has_ids = self._asked[0].get("id") is not None
        return as_id(id, name) if has_ids else str(as_count(id, name) + 1)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ if self.folder is not None else {**self.__dict__, "_asked": None}

    @property
    def model(self) -> dict[str, Any]:
        """The threshold and the weights."""
        model: dict[str, Any] = json.loads(self._model)
        return model

    def __repr__(self) -> str:
        found = self.summary
        return f"<lookalike.Link: {found['match_count']:,} matches, {found['cluster_count']:,} clusters>"

    def _repr_html_(self) -> str:
        from ._html import facts, picture, rows

        found = self.summary
        shown = facts(
            [
                ("records", sum(found["record_counts"])),
                ("matches", found["match_count"]),
                ("clusters", found["cluster_count"]),
                ("threshold", found["threshold"]),
            ]
        )
        kinds = rows(["column", "taken for", "why"], [[c["name"], c["kind"], c["why"]] for c in found["columns"]])
        if not found["match_count"]:
            return shown + kinds
        title = "Matches by probability"
        bars = [(f"{band['from']:.2f}", band["match_count"]) for band in found["probabilities"]]
        svg = _native.bars(title, f"{found['match_count']:,} pairs are matches.", "matches", "probability", bars, [])
        return shown + picture(svg, title) + kinds + self.matches.head(5)._repr_html_()


@arguments
def link(
    left: Data,
    right: Data | None = None,
    *,
    id: str | None = None,
    id_right: str | None = None,
    within: bool = False,
    config: str | None = None,
    threshold: float | None = None,
    one_to_one: bool = False,
    effort: float | None = None,
    newest: str | None = None,
    labels: StrPath | None = None,
    expect: float | None = None,
    model: Link | StrPath | None = None,
    validate: str | None = None,
    report: StrPath | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: Size | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
) -> Link:
    """Finds records of the same person or thing, in one table or between two. Kinds of columns are recognized, and weights
    are learned from the data.

    :param left: the table, or the first of two: a data frame, a table of Arrow, a dict of columns, or a list of dicts.
    :param right: the second table, if matches between two are wanted. Default: none.
    :param id: the column of ids. Default: none, and a record is known by its row number, the first of which is 0.
    :param id_right: the same of the second table. Default: ``id``.
    :param within: link two tables within each table as well. Default: False.
    :param config: the kinds of columns, in the words of ``link.toml`` in the folder of a result. Default: recognized.
    :param threshold: the minimum probability of a match, above 0 and below 1. Default: chosen from the data.
    :param one_to_one: allow a record at most one match in the other table. Default: False.
    :param effort: how much more is compared, such as 2 for buckets with twice the pairs. Default: 1.
    :param newest: a column of dates, by which merged records have the newest values. Default: none.
    :param labels: a file of the true pairs or clusters; ``summary["labels"]`` says how right the result is. Default: none.
    :param expect: the share of records that have a match, above 0 and up to 1. Default: estimated.
    :param model: the weights of another result, or of its ``model.json``, for a table with few matches of its own. Default: none.
    :param validate: a column that is not compared, to check matches by. Default: none.
    :param report: HTML file to write as well, with scores, weights, and the pairs to look at. Default: none.
    :param force: replace the report if it exists. Default: False.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param max_record: rows longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    """
    options = given(locals())
    tables = [to_cells(left, "left")]
    if right is not None:
        tables.append(to_cells(right, "right"))
    return _link(options, tables, model, progress)


@arguments
def link_files(
    tables: StrPath | list[StrPath],
    output: StrPath,
    *,
    id: str | None = None,
    id_right: str | None = None,
    within: bool = False,
    config: str | None = None,
    threshold: float | None = None,
    one_to_one: bool = False,
    effort: float | None = None,
    newest: str | None = None,
    labels: StrPath | None = None,
    expect: float | None = None,
    model: Link | StrPath | None = None,
    validate: str | None = None,
    report: StrPath | None = None,
    no_report: bool = False,
    force: bool = False,
    exclude: str | Iterable[str] = (),
    threads: int | None = None,
    memory: Size | None = None,
    max_record: Size | None = None,
    max_input: Size | None = None,
    progress: Progress = None,
) -> Link:
    """Links tables in files, and writes what ``lookalike link`` writes to a folder.

    :param tables: a path, or a list of paths: files, folders, patterns or addresses.
    :param output: the folder to write to.
    :param id: as for :func:`link`. Default: none.
    :param id_right: as for :func:`link`. Default: ``id``.
    :param within: as for :func:`link`. Default: False.
    :param config: as for :func:`link`. Default: recognized.
    :param threshold: as for :func:`link`. Default: chosen from the data.
    :param one_to_one: as for :func:`link`. Default: False.
    :param effort: as for :func:`link`. Default: 1.
    :param newest: as for :func:`link`. Default: none.
    :param labels: as for :func:`link`. Default: none.
    :param expect: as for :func:`link`. Default: estimated.
    :param model: as for :func:`link`. Default: none.
    :param validate: as for :func:`link`. Default: none.
    :param report: HTML file with scores, weights, and the pairs to look at. Default: ``report.html`` in the folder.
    :param no_report: write no report. Default: False.
    :param force: replace what an earlier run wrote. Default: False.
    :param exclude: patterns of files and folders that are not read, such as ``"*.md"``. Default: none.
    :param threads: as for :func:`link`. Default: one per core.
    :param memory: as for :func:`link`. Default: half of the machine's memory.
    :param max_record: as for :func:`link`. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: give up if the input has more text than this. Default: no limit.
    :param progress: as for :func:`link`. Default: automatic.
    """
    options = given(locals())
    options |= {"inputs": paths(tables, "tables"), "output": as_path(output, "output")}
    return _link(options, [], model, progress, Path(output))


def _link(
    options: dict[str, Any],
    in_memory: list[_native.Cells],
    model: Link | StrPath | None,
    progress: Progress,
    folder: Path | None = None,
) -> Link:
    text = None
    if options.get("labels") is not None:
        options["labels"] = as_path(options["labels"], "labels")
    if not isinstance(model, (Link, str, os.PathLike, type(None))):
        raise wrong_type("model", "a result of link(), or the path of its model.json", model)
    if isinstance(model, Link):
        text = model._model
        del options["model"]
    with Watching(progress) as told:
        summary, weights, found = _native.link(options, in_memory, text, told)
    result = Link(json.loads(summary), weights, map(Table, found), (options, in_memory, text), folder)
    for skipped in result.summary["skipped"] if in_memory else []:
        skipped["table"], skipped["row"] = skipped.pop("file"), skipped.pop("position") - 1
    for warning in result.summary["warnings"]:
        note("%s", warning)
    return result
