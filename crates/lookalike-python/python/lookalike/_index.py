"""A saved index: documents that stay, and are searched."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Unpack

from . import _native
from ._data import Data, to_input
from ._errors import OptionError
from ._progress import Watching
from ._request import RECALL, Measure, Method, More, Progress, StrPath, columns, dumps, scheme
from ._table import Table


class Index:
    """A folder of documents that is added to, searched, and deleted from. What was added is on the disk when a call returns.

    >>> import lookalike, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> index = lookalike.Index.create(folder + "/news")
    >>> index.put("monday", "the storm hit the coast on Monday night")
    'added'
    >>> index.search("The storm hit the coast on Monday night!")["id"]
    ['monday']
    >>> len(index), index.delete("monday"), len(index)
    (1, 1, 0)
    """

    def __init__(self, native: _native.Saved) -> None:
        self._native = native

    @classmethod
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
        store: Literal["text", "features"] = "text",
        **more: Unpack[More],
    ) -> Index:
        """Makes an index in a folder that is new or empty. When documents are alike is fixed for its life."""
        wanted = scheme(
            threshold=threshold,
            shingle=shingle,
            fold=fold,
            measure=measure,
            method=method,
            recall=recall,
            bands=bands,
            rows=rows,
            exact=False,
            more=more,
        )
        return cls(_native.Saved.create(os.fspath(path), dumps(wanted), store))

    @classmethod
    def open(cls, path: StrPath) -> Index:
        """Opens an index."""
        return cls(_native.Saved.open(os.fspath(path)))

    @property
    def path(self) -> Path:
        """Its folder."""
        return Path(self._native.folder)

    @property
    def scheme(self) -> str:
        """When documents are alike, in one line."""
        return self._native.scheme

    def add(
        self,
        data: Data,
        *,
        id: str,
        text: str = "text",
        unless_alike: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> dict[str, Any]:
        """Adds the rows of data under their ids. A row with an id that is there replaces the document.

        With ``unless_alike=True``, rows are left out that have a near-duplicate in the index, or among the rows before them.
        """
        wanted = columns(text, id)
        with Watching(progress) as told:
            added = self._native.add(to_input(data, wanted), dumps(wanted), unless_alike, threads, told)
        counts: dict[str, Any] = json.loads(added)
        return counts

    def put(
        self, id: str, text: str, fields: Mapping[str, Any] | None = None, *, unless_alike: bool = False
    ) -> Literal["added", "replaced", "unchanged", "alike"]:
        """Adds one document, and says what became of it."""
        written = "" if fields is None else json.dumps(dict(fields))
        found = json.loads(self._native.put([(id, text, written)], unless_alike)[0])
        result: Literal["added", "replaced", "unchanged", "alike"] = found["result"]
        return result

    def delete(self, ids: str | Iterable[str]) -> int:
        """Deletes documents by their ids, and says how many there were."""
        return self._native.delete([ids] if isinstance(ids, str) else list(ids))

    def search(self, text: str | None = None, *, id: str | None = None, threshold: float | None = None, limit: int = 10) -> Table:
        """The documents most like a text, or like the document with an id."""
        if (text is None) == (id is None):
            raise OptionError("give a text, or id= of a document of the index", option="id", value=id)
        return Table(self._native.search(text, id, threshold, limit))

    def search_many(
        self,
        data: Data,
        *,
        text: str = "text",
        threshold: float | None = None,
        limit: int = 10,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Table:
        """The documents most like each row of data; ``query_row`` says which row."""
        wanted = columns(text)
        with Watching(progress) as told:
            return Table(self._native.search_many(to_input(data, wanted), dumps(wanted), threshold, limit, threads, told))

    def document(self, id: str) -> dict[str, Any] | None:
        """A stored document: id, text and fields; None if there is none."""
        found = self._native.document(id)
        return None if found is None else json.loads(found)

    def stat(self) -> dict[str, Any]:
        """What the index has, in numbers."""
        counts: dict[str, Any] = json.loads(self._native.stat())
        return counts

    def compact(self, *, purge: bool = False) -> None:
        """Joins its files; ``purge=True`` also removes the bytes of what was deleted."""
        self._native.compact(purge)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<lookalike.Index {self.path} of {len(self):,} documents: {self.scheme}>"
