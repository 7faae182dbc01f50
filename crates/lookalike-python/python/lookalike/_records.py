"""Records, sets and fingerprints: tables to tables."""

from __future__ import annotations

import json
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from . import _native
from ._data import ArrowArray, ArrowStream, Data
from ._errors import OptionError
from ._progress import Watching, note
from ._request import Progress, Size, StrPath, dumps, paths, resources
from ._table import Table

SetMeasure = Literal["jaccard", "containment", "cosine", "overlap"]


def spool_table(data: Any, name: str, folder: StrPath | None = None) -> _native.Input:
    """All columns of a table, copied to a file that the job reads."""
    library = type(data).__module__.split(".")[0]
    if library == "polars" and type(data).__name__ == "LazyFrame":
        raise OptionError("a LazyFrame has no rows yet: call collect() on it", option=name, value=None)
    if library == "datasets":
        data = data.with_format("arrow")[:]
    if library in ("duckdb", "_duckdb") and not isinstance(data, (ArrowStream, ArrowArray)):
        data = data.arrow()
    if isinstance(data, (ArrowStream, ArrowArray)):
        try:
            return _native.Input.spool_table(data, folder)
        except ImportError:
            pass
    if library == "pandas":
        data = {str(column): data[column].tolist() for column in data.columns}
    if isinstance(data, dict):
        import pyarrow

        return _native.Input.spool_table(pyarrow.table(data), folder)
    raise OptionError(f"{type(data).__name__} is not a table: give a data frame or a table of Arrow", option=name, value=None)


class Link:
    """Which records are the same.

    ``matches`` are pairs with their probability, ``clusters`` is a row for each record, ``linked`` the rows as they came with
    their cluster, and ``summary`` says what was compared and learnt.
    """

    def __init__(self, folder: Path, summary: dict[str, Any], temporary: Any = None) -> None:
        self.folder = folder
        self.summary = summary
        self._temporary = temporary

    def _read(self, name: str, typed: list[str]) -> Table:
        return Table(_native.read_csv(self.folder / name, ["left_id", "right_id", "id"], typed))

    @cached_property
    def matches(self) -> Table:
        """Pairs of records, the most probable first, with what each column says."""
        return self._read("matches.csv", [])

    @cached_property
    def clusters(self) -> Table:
        """The cluster of every record."""
        return self._read("clusters.csv", ["cluster", "table"])

    @cached_property
    def linked(self) -> Table:
        """All rows as they came, with their cluster and whether each is the best of it."""
        return self._read("linked.csv", ["cluster", "is_best", "table"])

    def __repr__(self) -> str:
        found = self.summary
        return f"<lookalike.Link: {found['matches']:,} matches, {found['clusters']:,} clusters>"

    def _repr_html_(self) -> str:
        from ._html import facts, picture, rows

        found = self.summary
        shown = facts(
            [
                ("records", sum(found["records"])),
                ("matches", found["matches"]),
                ("clusters", found["clusters"]),
                ("threshold", found["threshold"]),
            ]
        )
        kinds = rows(["column", "taken for", "why"], [[c["name"], c["kind"], c["why"]] for c in found["columns"]])
        if not found["matches"]:
            return shown + kinds
        title = "Matches by probability"
        bars = [(f"{band['from']:.2f}", band["matches"]) for band in found["probabilities"]]
        svg = _native.bars(title, f"{found['matches']:,} pairs are matches.", "matches", "probability", bars)
        return shown + picture(svg, title) + kinds + self.matches.head(5)._repr_html_()


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
    gold: StrPath | None = None,
    expect: float | None = None,
    model: Link | StrPath | None = None,
    validate: str | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    progress: Progress = None,
) -> Link:
    """Finds records that mean the same, in one table or between two. Nothing has to be told: kinds of columns are recognised,
    and weights learnt from the data.

    :param id: the column of ids; rows are numbered from 1 without it.
    :param config: the kinds of columns, in the words of ``link.toml`` in the folder of a result.
    :param threshold: the probability from which on a pair is a match; chosen from the data without it.
    :param gold: a file of the true pairs or clusters; ``summary["gold"]`` says how right the result is.
    :param model: the weights of another result, or of its ``model.json``, for a table with few matches of its own.
    """
    temporary = tempfile.TemporaryDirectory(prefix="lookalike-link-")
    inputs = [spool_table(left, "left", temporary.name)]
    if right is not None:
        inputs.append(spool_table(right, "right", temporary.name))
    folder = Path(temporary.name) / "result"
    summary = _link(
        [str(input.path) for input in inputs],
        folder,
        id=id,
        id_right=id_right,
        within=within,
        config=config,
        threshold=threshold,
        one_to_one=one_to_one,
        effort=effort,
        newest=newest,
        gold=_path(gold),
        expect=expect,
        model=_path(model),
        validate=validate,
        resources=resources(threads=threads, memory=memory),
        progress=progress,
    )
    return Link(folder, summary, temporary)


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
    gold: StrPath | None = None,
    expect: float | None = None,
    model: Link | StrPath | None = None,
    validate: str | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: Size | None = None,
    progress: Progress = None,
) -> Link:
    """Links tables in files, and writes what ``lookalike link`` writes to the folder ``output``."""
    summary = _link(
        paths(tables),
        Path(output),
        id=id,
        id_right=id_right,
        within=within,
        config=config,
        threshold=threshold,
        one_to_one=one_to_one,
        effort=effort,
        newest=newest,
        gold=_path(gold),
        expect=expect,
        model=_path(model),
        validate=validate,
        resources=resources(threads=threads, memory=memory, force=force),
        progress=progress,
    )
    return Link(Path(output), summary)


def _path(of: Link | StrPath | None) -> str | None:
    """The file that is meant; of a result, its model."""
    if of is None:
        return None
    return str(of.folder / "model.json") if isinstance(of, Link) else str(of)


def _link(tables: list[str], folder: Path, *, progress: Progress, **options: Any) -> dict[str, Any]:
    request = {"tables": tables, "folder": str(folder), **options}
    with Watching(progress) as told:
        summary: dict[str, Any] = json.loads(_native.link(dumps(request), told))
    for warning in summary["warnings"]:
        note("%s", warning)
    return summary


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
    weights: str | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    progress: Progress = None,
) -> Table:
    """Pairs of sets that are alike: baskets, sessions, fans of films.

    ``data`` is a dict of names and their elements, a list of sets, or a table with one element per row (``set``, ``element``)
    or one set per row (``column``).

    >>> import lookalike
    >>> baskets = {"ann": ["milk", "bread"], "bob": ["milk", "bread", "tea"], "cleo": ["nails"]}
    >>> lookalike.sets(baskets, threshold=0.5).to_dicts()
    [{'left_id': 'ann', 'right_id': 'bob', 'jaccard': 0.6666666666666666, 'shared': 2}]
    """
    with tempfile.TemporaryDirectory(prefix="lookalike-sets-") as folder:
        inputs: list[str] = []
        held = []
        for name, given in (("data", data), ("against", against)):
            if given is None:
                continue
            if _is_sets(given):
                path = Path(folder) / f"{name}.jsonl"
                _write_sets(given, path)
                inputs.append(str(path))
                set, column = "set", "elements"
            else:
                held.append(spool_table(given, name, folder))
                inputs.append(str(held[-1].path))
        request = {
            "inputs": inputs[:1],
            "against": inputs[1:],
            "resources": resources(threads=threads, memory=memory),
            "threshold": threshold,
            "top": top,
            "measure": measure,
            "idf": idf,
            "recall": recall,
            "transpose": transpose,
            "grams": grams,
            "set": set,
            "element": element,
            "column": column,
            "weights": weights,
        }
        with Watching(progress) as told:
            return Table(_native.sets(dumps(request), told))


def _is_sets(data: Any) -> bool:
    if isinstance(data, dict):
        return all(not isinstance(elements, str) for elements in data.values()) and not hasattr(data, "__arrow_c_stream__")
    return isinstance(data, (list, tuple))


def _write_sets(data: Any, path: Path) -> None:
    named = data.items() if isinstance(data, dict) else enumerate(data)
    with path.open("w", encoding="utf-8") as file:
        for name, elements in named:
            file.write(json.dumps({"set": str(name), "elements": [str(element) for element in elements]}) + "\n")


def prints(
    data: Any,
    *,
    gallery: Any = None,
    top: int | None = None,
    all_pairs: bool = False,
    threshold: float | None = None,
    candidates: int | None = None,
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
    """Pairs of fingerprints that may be of one finger, with their scores. ``data`` is a table with one minutia per row, or the
    path of one, or of templates."""
    with tempfile.TemporaryDirectory(prefix="lookalike-prints-") as folder:
        held: list[_native.Input] = []

        def source(given: Any, name: str) -> list[str]:
            if isinstance(given, (str, Path)):
                return paths(given)
            held.append(spool_table(given, name, folder))
            return [str(held[-1].path)]

        request = {
            "inputs": source(data, "data"),
            "gallery": [] if gallery is None else source(gallery, "gallery"),
            "resources": resources(threads=threads, memory=memory),
            "top": top,
            "all_pairs": all_pairs,
            "threshold": threshold,
            "candidates": candidates,
            "id": id,
            "x": x,
            "y": y,
            "angle": angle,
            "angle_unit": angle_unit,
            "type": type,
            "clockwise": clockwise,
            "size": size,
            "resolution": resolution,
        }
        with Watching(progress) as told:
            return Table(_native.prints(dumps(request), told))
