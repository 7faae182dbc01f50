"""Records, sets and fingerprints: tables to tables."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from . import _native
from ._arguments import arguments, as_column, as_count, as_id, as_path, as_text, wrong_type
from ._data import ArrowArray, ArrowStream, Data, is_lazy, library_of, without_null_type
from ._errors import LookalikeError, OptionError
from ._lists import as_list, check_table, is_missing
from ._progress import Watching, note
from ._request import Progress, Size, StrPath, given, paths
from ._table import Table

SEPARATOR = "\x1f"
SetMeasure = Literal["jaccard", "containment", "cosine", "overlap"]


def to_cells(data: Any, name: str, lists: str | None = None) -> _native.Cells:
    """A table for a job, read in place if it is one of Arrow. ``lists`` is a column whose lists are sets."""
    library, kind = library_of(data), type(data).__name__
    if is_lazy(data):
        data = data.collect()
    if library == "polars" and type(data).__name__ == "DataFrame":
        data = without_null_type(data)
    if library == "datasets":
        if kind in ("DatasetDict", "IterableDatasetDict"):
            splits = ", ".join(data)
            raise OptionError(f"{name}= is a dict of datasets: give one of them, {splits}", option=name, kind="wrong_type")
        if kind == "Dataset":
            data = data.with_format("arrow")[:]
        elif kind == "IterableDataset":
            data = list(data)
    if library in ("duckdb", "_duckdb") and not isinstance(data, (ArrowStream, ArrowArray)):
        data = data.arrow()
    if library == "pyarrow" and hasattr(data, "to_batches") and hasattr(data, "to_table"):
        # A dataset, or a scanner of one.
        data = data.to_table()
    if isinstance(data, (ArrowStream, ArrowArray)):
        try:
            return _native.Cells.of_arrow(data, name, lists)
        except ImportError:
            # pandas makes Arrow by pyarrow, which need not be there.
            pass
    if library == "pandas" and hasattr(data, "columns"):
        data = {str(column): data[column].tolist() for column in data.columns}
    elif library in ("polars", "pyarrow") and hasattr(data, "columns"):
        # Versions that do not know the capsule interface.
        data = data.to_pydict() if library == "pyarrow" else data.to_dict(as_series=False)
    elif isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(column for row in data for column in row)
        data = {column: [row.get(column) for row in data] for column in names}
    if isinstance(data, Mapping):
        check_table(data, name)
        columns = {str(column): as_list(values) for column, values in data.items()}
        whole = [column for column, values in columns.items() if _is_whole(values)]
        cells = [[_cell(value) for value in column] for column in columns.values()]
        return _native.Cells.of_lists(list(columns), cells, whole, name)
    raise OptionError(
        f"{name}= takes a data frame, a table of Arrow, a dict of columns or a list of dicts, not {kind}",
        option=name,
        kind="wrong_type",
    )


def _is_whole(values: list[Any]) -> bool:
    """Whether all values are whole numbers, so that they come back as such."""
    return bool(values) and all(type(value) is int for value in values)


def _cell(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, frozenset)):
        return json.dumps(list(value), default=str)
    return None if is_missing(value) else str(value)


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
    :param force: replace what an earlier run wrote. Default: False.
    :param exclude: patterns of files and folders that are not read, such as ``"*.md"``. Default: none.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param max_record: rows longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: give up if the input has more text than this. Default: no limit.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
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


@arguments
def sets(
    data: Any,
    *,
    threshold: float | None = None,
    top: int | None = None,
    measure: SetMeasure = "jaccard",
    idf: bool = False,
    recall: float | None = None,
    against: Any = None,
    transpose: bool = False,
    named: bool = False,
    delimiter: str | None = None,
    grams: int | None = None,
    set: str | None = None,
    element: str | None = None,
    column: str | None = None,
    weight: str | None = None,
    exclude: str | Iterable[str] = (),
    threads: int | None = None,
    memory: Size | None = None,
    max_record: Size | None = None,
    max_input: Size | None = None,
    progress: Progress = None,
) -> Table:
    """Pairs of similar sets: baskets, sessions, fans of films.

    :param data: a dict of names and their elements, a list of sets, or a table with one element per row (``set``, ``element``)
        or one set per row (``column``); or the path of such a table, or of a file with one set per line.
    :param threshold: the minimum similarity of a pair, above 0 and up to 1. Default: none, and ``top`` is needed.
    :param top: number of most similar sets to return for each set. Default: all pairs that reach ``threshold``.
    :param measure: "jaccard" (the default), "containment", "cosine" or "overlap".
    :param idf: weight an element more the fewer sets have it. Default: False.
    :param recall: the probability of finding a pair at the threshold by sketches, such as 0.95. Default: none, and all pairs
        are found.
    :param against: a second collection, with which the sets of ``data`` are compared. Default: none, and they are compared
        with each other.
    :param transpose: turn elements into sets, and sets into their elements. Default: False.
    :param named: in a file with one set per line, the first element is the name of the set. Default: False, and a set is known by
        the number of its line, the first of which is 1.
    :param delimiter: separator of elements in lines, and in cells that are texts: a character, or ``"tab"``. Default: blanks, or
        what lines without blanks have instead.
    :param grams: split texts into runs of this many characters, which are the elements. Default: none.
    :param set: the column with the name of the set. Default: "set", or the first of two columns.
    :param element: the column of one element per row. Default: "element", or the second of two columns.
    :param column: the column with all elements of a set. Default: none.
    :param weight: the column of weights. Default: none, and every element counts the same.
    :param exclude: patterns of files and folders that are not read, such as ``"*.md"``. Default: none.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param max_record: rows longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: give up if the input has more text than this. Default: no limit.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.

    >>> import lookalike
    >>> baskets = {"ann": ["milk", "bread"], "bob": ["milk", "bread", "tea"], "cleo": ["nails"]}
    >>> lookalike.sets(baskets, threshold=0.5).to_dicts()
    [{'left_id': 'ann', 'right_id': 'bob', 'similarity': 0.6666666666666666, 'shared_count': 2}]
    """
    options = given(locals())
    for name in ("set", "element", "column", "weight"):
        if options.get(name) is not None:
            as_column(options[name], name)
    collections = {"data": data, "against": against}
    # Who names columns has tables.
    has_columns = not options.keys().isdisjoint(("set", "element", "column", "weight"))
    is_sets = {name: _is_sets(of, has_columns) for name, of in collections.items()}
    if any(is_sets.values()):
        options |= {"set": "set", "column": "elements"}
    lists = options.get("column") if grams is None else None
    files = {name: paths(of, name) for name, of in collections.items() if _is_path(of)}
    given_sets = {name: of for name, of in collections.items() if of is not None and name not in files}

    def cells(lists: str | None) -> dict[str, _native.Cells]:
        return {name: (_of_sets if is_sets[name] else to_cells)(of, name, lists) for name, of in given_sets.items()}

    tables = cells(lists)
    joined = [table.is_joined for table in tables.values()]
    if any(joined) and all(joined) and not files:
        options["delimiter"] = SEPARATOR
    elif any(joined) and delimiter is not None:
        raise OptionError(
            "delimiter= separates elements in texts, and one of the two collections has lists: give lists for both",
            option="delimiter",
            kind="not_with",
        )
    elif any(joined):
        # Lists of the one are told apart as the lists of the other are.
        tables = cells(None)
    options |= {"inputs": files.get("data", []), "against": files.get("against", [])}
    in_memory, others = ([tables[name]] if name in tables else [] for name in ("data", "against"))
    with Watching(progress) as told:
        return Table(_native.sets(options, in_memory, others, told))


def _is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def _is_sets(data: Any, has_columns: bool) -> bool:
    if isinstance(data, dict):
        return (
            not has_columns
            and all(not isinstance(elements, str) for elements in data.values())
            and not hasattr(data, "__arrow_c_stream__")
        )
    return isinstance(data, (list, tuple)) and not (data and all(isinstance(row, Mapping) for row in data))


def _of_sets(data: Any, name: str, lists: str | None) -> _native.Cells:
    """Sets with their elements. With a column of ``lists``, elements have a separator between them, which is faster than JSON."""
    keys: list[Any] = []
    sets: list[list[str]] = []
    for key, elements in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(elements, (str, bytes)) or not hasattr(elements, "__iter__"):
            raise wrong_type(name, f"a collection of sets, each a list of elements: that of {key!r} is", elements)
        keys.append(key)
        sets.append([element if isinstance(element, str) else str(element) for element in elements])
    names = [as_text(str(key), name) for key in keys]
    if lists is not None:
        return _native.Cells.of_sets(names, sets, _is_whole(keys), name)
    written: list[str | None] = [json.dumps(elements, ensure_ascii=False) for elements in sets]
    return _native.Cells.of_lists(["set", "elements"], [[*names], written], ["set"] if _is_whole(keys) else [], name)


@arguments
def prints(
    data: Any,
    *,
    against: Any = None,
    top: int | None = None,
    all_pairs: bool = False,
    threshold: float | None = None,
    max_candidates: int | None = None,
    grid: float | None = None,
    margin: float | None = None,
    buckets: int | None = None,
    id: str = "print",
    x: str = "x",
    y: str = "y",
    angle: str | None = None,
    angle_unit: Literal["degrees", "radians"] | None = None,
    type: str | None = None,
    clockwise: bool = False,
    size: tuple[int, int] | None = None,
    resolution: float | None = None,
    exclude: str | Iterable[str] = (),
    threads: int | None = None,
    memory: Size | None = None,
    max_record: Size | None = None,
    max_input: Size | None = None,
    progress: Progress = None,
) -> Table:
    """Pairs of fingerprints that may be of one finger, with their similarity.

    :param data: a table with one minutia per row, or the path of one, or of templates.
    :param against: a second collection, in which each print of ``data`` is looked up. Default: none.
    :param top: number of prints of ``against`` to return for each print. Default: 5.
    :param all_pairs: compare and return every pair, not only candidates. Default: False.
    :param threshold: the minimum similarity of a pair, from 0 to 1. Default: 0.11, and none with ``against``, ``all_pairs`` or
        ``grid``.
    :param max_candidates: number of candidates to compare for each print. Default: 50.
    :param grid: for prints that are already aligned: find pairs that share a random triple of squares with sides of this many
        pixels. Default: none.
    :param margin: with ``grid``, a minutia within this many pixels of the next square counts in it too. Default: 0.
    :param buckets: with ``grid``, number of random triples of squares. Default: 1024.
    :param id: the column with the name of the print. Default: "print".
    :param x: the column of pixels from the left. Default: "x".
    :param y: the column of pixels from the top. Default: "y".
    :param angle: the column of angles. Default: one of the usual names, such as "angle".
    :param angle_unit: "degrees" or "radians". Default: what the name of the column or the angles show.
    :param type: the column that says what the ridge does. Default: "type", if there is one.
    :param clockwise: angles turn clockwise. Default: False.
    :param size: width and height of the images in pixels. Default: unknown.
    :param resolution: pixels per centimeter. Default: 197.
    :param exclude: patterns of files and folders that are not read, such as ``"*.md"``. Default: none.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param max_record: rows longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: give up if the input has more text than this. Default: no limit.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    """
    options = given(locals())

    def source(of: Any, name: str) -> tuple[list[str], list[_native.Cells]]:
        if of is None:
            return [], []
        return (paths(of, name), []) if _is_path(of) else ([], [to_cells(of, name)])

    options["inputs"], in_memory = source(data, "data")
    options["against"], against_in_memory = source(against, "against")
    with Watching(progress) as told:
        return Table(_native.prints(options, in_memory, against_in_memory, told))
