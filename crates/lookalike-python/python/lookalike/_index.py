"""A saved index: documents that stay, and are searched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Unpack

from . import _native
from ._arguments import arguments, as_flag, as_id, as_path, as_text, wrong_type
from ._data import Data, by_row, to_input
from ._errors import OptionError
from ._progress import Watching
from ._request import RECALL, Extract, Measure, Method, More, Progress, Size, StrPath, columns, given
from ._table import Table


class Index:
    """A folder of documents that is added to, searched, and deleted from. What was added is on the disk when a call returns.

    >>> import lookalike, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> index = lookalike.Index.create(folder + "/news")
    >>> index.put("monday", "the storm hit the coast on Monday night")
    'added'
    >>> index.search("The storm hit the coast on Monday night!")["id"].to_list()
    ['monday']
    >>> "monday" in index, list(index), index["monday"]["text"]
    (True, ['monday'], 'the storm hit the coast on Monday night')
    >>> len(index), index.delete("monday"), len(index)
    (1, 1, 0)
    """

    def __init__(self, native: _native.Saved) -> None:
        self._native = native

    @classmethod
    @arguments
    def create(
        cls,
        path: StrPath,
        *,
        threshold: float = 0.8,
        shingle: str = "word:5",
        fold: str | Iterable[str] = (),
        measure: Measure = "jaccard",
        method: Method = "minhash",
        recall: float | None = RECALL,
        bands: int | None = None,
        rows: int | None = None,
        exact: bool = False,
        store: Literal["text", "features"] = "text",
        **more: Unpack[More],
    ) -> Index:
        """Makes an index in a folder that is new or empty. When documents are near-duplicates is fixed for its life.

        :param path: the folder.
        :param threshold: the minimum similarity of near-duplicates. Default: 0.8.
        :param shingle: what is compared, such as ``"word:5"`` (default) or ``"char:5"``.
        :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default:
            none.
        :param measure: ``"jaccard"`` (default) or ``"containment"``.
        :param method: ``"minhash"`` (default), ``"supershingle"``, ``"simhash"`` or ``"exact"``.
        :param recall: the probability of finding a pair exactly at the threshold. Default: 0.99.
        :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
        :param rows: rows per band. Default: chosen by ``recall``.
        :param exact: miss nothing, the same as ``method="exact"``. Default: False.
        :param store: ``"text"`` (default), or ``"features"`` to store hashes of shingles and no texts.
        :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.
        """
        options = given(locals())
        return cls(_native.Saved.create(as_path(path, "path"), options))

    @classmethod
    @arguments
    def open(cls, path: StrPath) -> Index:
        """Opens an index.

        :param path: the folder.
        """
        return cls(_native.Saved.open(as_path(path, "path")))

    @classmethod
    @arguments
    def upgrade(cls, path: StrPath) -> Index:
        """Brings an index that an earlier version made up to date, and opens it.

        :param path: the folder.
        """
        _native.Saved.upgrade(as_path(path, "path"))
        return cls.open(path)

    @property
    def path(self) -> Path:
        """Its folder."""
        return Path(self._native.folder)

    @property
    def scheme(self) -> str:
        """When documents are near-duplicates, in one line."""
        return self._native.scheme

    @arguments
    def add(
        self,
        data: Data,
        *,
        id: str,
        text: str = "text",
        html_field: str | None = None,
        extract: Extract = "text",
        alt: bool = False,
        links: bool = False,
        fields: str | Iterable[str] = (),
        unless_duplicate: bool = False,
        threads: int | None = None,
        memory: Size | None = None,
        max_record: Size | None = None,
        progress: Progress = None,
    ) -> dict[str, Any]:
        """Adds the rows of data under their ids. A row with an id that is there replaces the document.

        :param data: as for :func:`dedup`.
        :param id: the column of ids.
        :param text: the column of the texts. Default: ``"text"``.
        :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
        :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
        :param alt: descriptions of images are part of the text of a page. Default: False.
        :param links: targets of links are part of the text of a page. Default: False.
        :param fields: columns to store with the documents. Default: none.
        :param unless_duplicate: do not add a row with a near-duplicate in the index or among the rows before it. Default: False.
        :param threads: number of threads. Default: one per core.
        :param memory: memory limit, such as ``"2G"``. Default: half of the machine's memory.
        :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
        :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default:
            automatic.
        """
        options = given(locals())
        input = to_input(data, columns(text, id, html_field=html_field, fields=fields)).native
        with Watching(progress) as told:
            added = self._native.add(options, input, told)
        counts: dict[str, Any] = json.loads(added)
        by_row(counts["skipped"])
        return counts

    @arguments
    def put(
        self, id: str | int, text: str, fields: Mapping[str, Any] | None = None, *, unless_duplicate: bool = False
    ) -> Literal["added", "replaced", "unchanged", "duplicate"]:
        """Adds one document, and says what became of it.

        :param id: the id. A document that has it is replaced.
        :param text: the text.
        :param fields: more to store with the document, as JSON. Default: none.
        :param unless_duplicate: do not add it if a near-duplicate is in the index. Default: False.
        """
        if fields is not None and not isinstance(fields, Mapping):
            raise wrong_type("fields", "a dict", fields)
        written = "" if fields is None else json.dumps(dict(fields), default=str)
        document = (as_id(id), as_text(text, "text"), written)
        found = json.loads(self._native.put([document], as_flag(unless_duplicate, "unless_duplicate"))[0])
        result: Literal["added", "replaced", "unchanged", "duplicate"] = found["result"]
        return result

    @arguments
    def delete(self, ids: str | int | Iterable[str | int]) -> int:
        """Deletes documents by their ids, and says how many there were.

        :param ids: an id, or several.
        """
        several = ids if isinstance(ids, Iterable) and not isinstance(ids, str) else [ids]
        return self._native.delete([as_id(id, "ids") for id in several])

    @arguments
    def search(
        self,
        text: str | None = None,
        *,
        like: str | int | None = None,
        threshold: float | None = None,
        top: int = 10,
        max_candidates: int = 100_000,
    ) -> Table:
        """The documents most similar to a text, or to a stored document.

        Exact copies come first. ``match_count`` is the number of documents that are similar enough: if it is larger than the
        number of rows, ``top`` cut the rest.

        :param text: the text. Default: none, and ``like`` is needed.
        :param like: the id of a stored document, instead of a text. Default: none.
        :param threshold: the minimum similarity, not below that of the index. Default: that of the index.
        :param top: number of matches at most. Default: 10.
        :param max_candidates: number of candidates to measure at most, those with the most similar sketches first. Default:
            100,000.
        """
        options = given(locals())
        options["text"] = None if text is None else as_text(text, "text")
        options["like"] = None if like is None else as_id(like, "like")
        return Table(self._native.search(options))

    @arguments
    def search_many(
        self,
        data: Data,
        *,
        text: str = "text",
        html_field: str | None = None,
        extract: Extract = "text",
        alt: bool = False,
        links: bool = False,
        threshold: float | None = None,
        top: int = 10,
        max_candidates: int = 100_000,
        threads: int | None = None,
        memory: Size | None = None,
        max_record: Size | None = None,
        progress: Progress = None,
    ) -> Table:
        """The documents most similar to each row of data; ``query_row`` says which row, and ``match_count`` how many matches
        it has, of which at most ``top`` are listed.

        :param data: as for :func:`dedup`.
        :param text: the column of the texts. Default: ``"text"``.
        :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
        :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
        :param alt: descriptions of images are part of the text of a page. Default: False.
        :param links: targets of links are part of the text of a page. Default: False.
        :param threshold: the minimum similarity, not below that of the index. Default: that of the index.
        :param top: number of matches per row at most. Default: 10.
        :param max_candidates: number of candidates to measure per row at most. Default: 100,000.
        :param threads: number of threads. Default: one per core.
        :param memory: memory limit, such as ``"2G"``. Default: half of the machine's memory.
        :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
        :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default:
            automatic.
        """
        options = given(locals())
        of_search = {"threshold", "top", "max_candidates"}
        of_resources = {"threads", "memory", "max_record"}
        reading = {name: value for name, value in options.items() if name not in of_search | of_resources}
        resources = {name: value for name, value in options.items() if name in of_resources}
        options = {name: value for name, value in options.items() if name in of_search}
        input = to_input(data, columns(text, html_field=html_field)).native
        with Watching(progress) as told:
            return Table(self._native.search_many(options, reading, resources, input, told))

    @arguments
    def document(self, id: str | int) -> dict[str, Any] | None:
        """A stored document: id, text and fields; None if there is none.

        :param id: the id.
        """
        found = self._native.document(as_id(id))
        return None if found is None else json.loads(found)

    def stat(self) -> dict[str, Any]:
        """Statistics of the index: counts and sizes."""
        counts: dict[str, Any] = json.loads(self._native.stat())
        return counts

    @arguments
    def compact(self, *, purge: bool = False) -> None:
        """Joins segments and frees space.

        :param purge: also remove every byte of deleted documents. Default: False.
        """
        self._native.compact(as_flag(purge, "purge"))

    @arguments
    def verify(self, *, repair: bool = False) -> dict[str, Any]:
        """Checks every byte of the index; ``problems`` in the result lists what is damaged.

        :param repair: rebuild what is damaged from the stored texts. If these are damaged, everything else is saved:
            ``lost`` in the result names the rest, and the damaged file is kept in the folder ``damaged`` of the index.
            Default: False.
        """
        found: dict[str, Any] = json.loads(_native.Saved.verify(self._native.folder, as_flag(repair, "repair")))
        return found

    @arguments
    def snapshot(self, path: StrPath) -> Index:
        """Copies the index as it is now to a new folder, by hard links where possible, and opens the copy.

        :param path: the new folder.
        """
        self._native.snapshot(as_path(path, "path"))
        return Index.open(path)

    @arguments
    def merge(self, other: Index | StrPath) -> dict[str, Any]:
        """Adds the documents of another index with the same parameters, and says what became of them.

        :param other: the other index, or its folder.
        """
        folder = as_path(other.path if isinstance(other, Index) else other, "other")
        merged: dict[str, Any] = json.loads(self._native.merge(folder))
        return merged

    def export(self) -> Table:
        """All documents in the order in which they were added: id, text, and fields as JSON."""
        return Table(self._native.export())

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, id: object) -> bool:
        """Whether a document has this id."""
        try:
            return self._native.document(as_id(id)) is not None
        except OptionError:
            return False

    def __getitem__(self, id: str | int) -> dict[str, Any]:
        """The document with this id; ``KeyError`` if there is none."""
        found = self.document(id)
        if found is None:
            raise KeyError(id)
        return found

    def __delitem__(self, id: str | int) -> None:
        """Deletes the document with this id; ``KeyError`` if there is none."""
        if not self.delete(id):
            raise KeyError(id)

    def __iter__(self) -> Iterator[str]:
        """The ids of all documents, in the order in which they were added. What is added meanwhile is not among them."""
        return iter(self._native.ids())

    def __reduce__(self) -> tuple[Any, ...]:
        return Index.open, (str(self.path),)

    def __repr__(self) -> str:
        return f"<lookalike.Index {self.path} of {len(self):,} documents: {self.scheme}>"
