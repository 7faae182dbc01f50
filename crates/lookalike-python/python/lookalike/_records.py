"""Records, sets and fingerprints: tables to tables."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from . import _native
from ._arguments import arguments, as_path, as_text, wrong_type
from ._data import ArrowArray, ArrowStream, Data, is_lazy, library_of, without_null_type
from ._errors import OptionError
from ._lists import as_list, check_lengths, is_missing
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
        check_lengths(data, name)
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
    ``folder`` is that of ``link_files``, whose tables are read when they are asked for.
    """

    def __init__(
        self,
        summary: dict[str, Any],
        model: str,
        tables: list[Table] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.summary = summary
        self.folder = folder
        self._model = model
        self._tables = tables

    def _table(self, at: int, typed: list[str]) -> Table:
        if self._tables is not None:
            return self._tables[at]
        assert self.folder is not None
        path = self.folder / ("matches.csv", "clusters.csv", "linked.csv")[at]
        return Table(_native.read_csv(path, ["left_id", "right_id", "id"], typed))

    @cached_property
    def matches(self) -> Table:
        """Pairs of records, the most probable first, with what each column says."""
        return self._table(0, [])

    @cached_property
    def clusters(self) -> Table:
        """The cluster of every record."""
        return self._table(1, ["cluster", "table"])

    @cached_property
    def linked(self) -> Table:
        """All rows as they came, with their cluster and whether each is the best of it."""
        return self._table(2, ["cluster", "best", "table"])

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
    threads: int | None = None,
    memory: Size | None = None,
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
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    """
    options = given(link, locals())
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
    force: bool = False,
    threads: int | None = None,
    memory: Size | None = None,
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
    :param force: replace what an earlier run wrote. Default: False.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    """
    options = given(link_files, locals())
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
    if not isinstance(model, (Link, str, os.PathLike, type(None))):
        raise wrong_type("model", "a result of link(), or the path of its model.json", model)
    if isinstance(model, Link):
        text = model._model
        del options["model"]
    with Watching(progress) as told:
        summary, weights, found = _native.link(options, in_memory, text, told)
    result = Link(json.loads(summary), weights, None if found is None else [Table(table) for table in found], folder)
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
    grams: int | None = None,
    set: str | None = None,
    element: str | None = None,
    column: str | None = None,
    weight: str | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    progress: Progress = None,
) -> Table:
    """Pairs of similar sets: baskets, sessions, fans of films.

    :param data: a dict of names and their elements, a list of sets, or a table with one element per row (``set``, ``element``)
        or one set per row (``column``).
    :param threshold: the minimum similarity of a pair, above 0 and up to 1. Default: none, and ``top`` is needed.
    :param top: number of most similar sets to return for each set. Default: all pairs that reach ``threshold``.
    :param measure: "jaccard" (the default), "containment", "cosine" or "overlap".
    :param idf: weight an element more the fewer sets have it. Default: False.
    :param recall: the probability of finding a pair at the threshold by sketches, such as 0.95. Default: none, and all pairs
        are found.
    :param against: a second collection, with which the sets of ``data`` are compared. Default: none, and they are compared
        with each other.
    :param transpose: turn elements into sets, and sets into their elements. Default: False.
    :param grams: split texts into runs of this many characters, which are the elements. Default: none.
    :param set: the column with the name of the set. Default: "set", or the first of two columns.
    :param element: the column of one element per row. Default: "element", or the second of two columns.
    :param column: the column with all elements of a set. Default: none.
    :param weight: the column of weights. Default: none, and every element counts the same.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.

    >>> import lookalike
    >>> baskets = {"ann": ["milk", "bread"], "bob": ["milk", "bread", "tea"], "cleo": ["nails"]}
    >>> lookalike.sets(baskets, threshold=0.5).to_dicts()
    [{'left_id': 'ann', 'right_id': 'bob', 'similarity': 0.6666666666666666, 'shared_count': 2}]
    """
    options = given(sets, locals())
    given_sets = [(name, of) for name, of in (("data", data), ("against", against)) if of is not None]
    if any(_is_sets(of) for _, of in given_sets):
        options |= {"set": "set", "column": "elements"}
    lists = options.get("column") if grams is None else None
    tables = [_collection(of, name, lists) for name, of in given_sets]
    if tables and all(table.is_joined for table in tables):
        options["delimiter"] = SEPARATOR
    elif any(table.is_joined for table in tables):
        # Lists of the one are told apart as the lists of the other are.
        tables = [_collection(of, name, None) for name, of in given_sets]
    with Watching(progress) as told:
        return Table(_native.sets(options, tables[:1], tables[1:], told))


def _is_sets(data: Any) -> bool:
    if isinstance(data, dict):
        return all(not isinstance(elements, str) for elements in data.values()) and not hasattr(data, "__arrow_c_stream__")
    return isinstance(data, (list, tuple)) and not (data and all(isinstance(row, Mapping) for row in data))


def _collection(data: Any, name: str, lists: str | None) -> _native.Cells:
    """A collection of sets. The lists of the column ``lists`` have a separator between elements, which is faster than JSON."""
    if not _is_sets(data):
        return to_cells(data, name, lists)
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
    id: str = "print",
    x: str = "x",
    y: str = "y",
    angle: str | None = None,
    angle_unit: Literal["degrees", "radians"] | None = None,
    type: str | None = None,
    clockwise: bool = False,
    size: tuple[int, int] | None = None,
    resolution: float | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    progress: Progress = None,
) -> Table:
    """Pairs of fingerprints that may be of one finger, with their similarity.

    :param data: a table with one minutia per row, or the path of one, or of templates.
    :param against: a second collection, in which each print of ``data`` is looked up. Default: none.
    :param top: number of prints of ``against`` to return for each print. Default: 5.
    :param all_pairs: compare and return every pair, not only candidates. Default: False.
    :param threshold: the minimum similarity of a pair, from 0 to 1. Default: 0.11, and none with ``against`` or ``all_pairs``.
    :param max_candidates: number of candidates to compare for each print. Default: 50.
    :param id: the column with the name of the print. Default: "print".
    :param x: the column of pixels from the left. Default: "x".
    :param y: the column of pixels from the top. Default: "y".
    :param angle: the column of angles. Default: one of the usual names, such as "angle".
    :param angle_unit: "degrees" or "radians". Default: what the name of the column or the angles show.
    :param type: the column that says what the ridge does. Default: "type", if there is one.
    :param clockwise: angles turn clockwise. Default: False.
    :param size: width and height of the images in pixels. Default: unknown.
    :param resolution: pixels per centimeter. Default: 197.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"4G"``. Default: half of the machine's memory.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    """
    options = given(prints, locals())

    def source(of: Any, name: str) -> tuple[list[str], list[_native.Cells]]:
        if of is None:
            return [], []
        return (paths(of), []) if isinstance(of, (str, Path)) else ([], [to_cells(of, name)])

    options["inputs"], in_memory = source(data, "data")
    options["against"], against_in_memory = source(against, "against")
    with Watching(progress) as told:
        return Table(_native.prints(options, in_memory, against_in_memory, told))
