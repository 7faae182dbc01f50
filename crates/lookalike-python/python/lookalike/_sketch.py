"""``sketch``: what is kept of each text, as columns, to find candidates elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Unpack

from . import _native
from ._arguments import arguments
from ._data import Data, by_row, to_input
from ._progress import Watching, note
from ._request import RECALL, Extract, Measure, Method, More, Progress, Size, StrPath, columns, given
from ._table import Table


class Sketches(Table):
    """The sketch of every row, in its order: ``row``, ``id`` if there is one, ``sketch``, ``keys``, ``text_hash``,
    ``content_hash``, ``token_count`` and ``feature_count``. ``report`` has what came in."""

    def __init__(self, native: _native.Columns, report: dict[str, Any]) -> None:
        super().__init__(native)
        self.report = report
        """Counts of documents, of rows without a text, and of rows that were skipped."""


@arguments
def sketch(
    data: Data,
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
    method: Method = "minhash",
    recall: float | None = RECALL,
    bands: int | None = None,
    rows: int | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
    **more: Unpack[More],
) -> Sketches:
    """The sketch of every row, its keys, a hash of its text, and the number of its features, as columns of Arrow.

    A text has the same sketch in every call with the same arguments, on every machine. So data of any length is sketched in
    batches, one call each, and sketches are stored and compared elsewhere.

    ``sketch`` has a byte per slot: the share of equal bytes of two rows estimates their Jaccard similarity. ``keys`` has a number
    per band: rows with an equal number in one place are candidates, found with the recall of the bands. ``text_hash`` is equal
    for texts with the same words, and ``content_hash`` for exact copies. A row without a text has nulls, and one without words
    has no sketch.

    :param data: as for :func:`dedup`.
    :param text: the column of the texts. Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param id: the column of ids, which are in the result then. Default: none.
    :param threshold: the similarity that bands and rows are chosen for. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``, ``"token:5"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default: none.
    :param measure: ``"jaccard"`` (default) or ``"containment"``.
    :param method: ``"minhash"`` (default), ``"supershingle"`` or ``"simhash"``.
    :param recall: the probability that a pair exactly at the threshold has an equal key. Default: 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit beside the data and the result, such as ``"2G"``. Default: half of the machine's memory.
    :param work: folder for a copy of what can be read only once. Default: the system's temporary folder.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.

    >>> import lookalike
    >>> sketches = lookalike.sketch(["the storm hit the coast", "The storm hit the coast!", "a quiet day", None])
    >>> sketches.schema["sketch"], sketches.schema["keys"]
    ('uint8[140]', 'uint64[20]')
    >>> sketches["keys"][0] == sketches["keys"][1], sketches["text_hash"][0] == sketches["text_hash"][2]
    (True, False)
    >>> list(sketches["feature_count"])
    [1, 1, 1, None]
    """
    options = given(locals())
    # A copy of what can be read only once is all that is put there.
    options.pop("work", None)
    input = to_input(data, columns(text, id, html_field=html_field, shingle=shingle), "data", work).native
    with Watching(progress) as told:
        native, report = _native.sketch(options, input, told)
    counts = json.loads(report)
    by_row(counts["skipped"])
    result = Sketches(native, counts)
    if result.report["skipped_count"]:
        note("%d rows were skipped: report['skipped'] has the first of them and why", result.report["skipped_count"])
    return result
