"""``sets`` finds similar sets, and ``prints`` fingerprints of one finger."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from . import _native
from ._arguments import arguments, as_column, as_text, wrong_type
from ._cells import is_path, is_whole, to_cells
from ._errors import OptionError
from ._progress import Watching
from ._request import Progress, Size, given, paths
from ._table import Table

SEPARATOR = "\x1f"
SetMeasure = Literal["jaccard", "containment", "cosine", "overlap"]


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
    # A call that names columns passes tables.
    has_columns = not options.keys().isdisjoint(("set", "element", "column", "weight"))
    is_sets = {name: _is_sets(of, has_columns) for name, of in collections.items()}
    if any(is_sets.values()):
        options |= {"set": "set", "column": "elements"}
    lists = options.get("column") if grams is None else None
    files = {name: paths(of, name) for name, of in collections.items() if is_path(of)}
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
        return _native.Cells.of_sets(names, sets, is_whole(keys), name)
    written: list[str | None] = [json.dumps(elements, ensure_ascii=False) for elements in sets]
    return _native.Cells.of_lists(["set", "elements"], [[*names], written], ["set"] if is_whole(keys) else [], name)


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
    :param exclude: as for :func:`sets`. Default: none.
    :param threads: as for :func:`sets`. Default: one per core.
    :param memory: as for :func:`sets`. Default: half of the machine's memory.
    :param max_record: as for :func:`sets`. Default: 256M, or a sixteenth of ``memory``.
    :param max_input: as for :func:`sets`. Default: no limit.
    :param progress: as for :func:`sets`. Default: automatic.
    """
    options = given(locals())

    def source(of: Any, name: str) -> tuple[list[str], list[_native.Cells]]:
        if of is None:
            return [], []
        return (paths(of, name), []) if is_path(of) else ([], [to_cells(of, name)])

    options["inputs"], in_memory = source(data, "data")
    options["against"], against_in_memory = source(against, "against")
    with Watching(progress) as told:
        return Table(_native.prints(options, in_memory, against_in_memory, told))
