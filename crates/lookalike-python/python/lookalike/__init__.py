"""Find near-duplicates, verify each exactly, and remove them with evidence.

>>> import lookalike
>>> texts = ["the storm hit the coast", "The storm hit the coast!", "a quiet day"]
>>> lookalike.dedup(texts).select(texts)
['the storm hit the coast', 'a quiet day']
"""

from __future__ import annotations

from ._column import Column
from ._compare import Comparison, compare
from ._data import ArrowArray, ArrowStream, Data
from ._decontaminate import Decontaminated, decontaminate, decontaminate_files
from ._dedup import Dedup, dedup
from ._errors import ColumnError, InputError, LookalikeError, MemoryLimitError, OptionError, UnknownOptionError
from ._files import Summary, dedup_files, extract_files, pairs_files
from ._index import Index
from ._link import Link, link, link_files
from ._native import VERSION as __version__
from ._pairs import Pairs, pairs
from ._passages import Passages, passages, passages_files
from ._removals import Explanation, Removals
from ._resolve import resolve
from ._sets import prints, sets
from ._sketch import Sketches, sketch
from ._splits import Splits, splits, splits_files
from ._table import Table
from ._tune import Evaluation, Tuning, evaluate, tune

__all__ = [
    "ArrowArray",
    "ArrowStream",
    "Column",
    "ColumnError",
    "Comparison",
    "Data",
    "Decontaminated",
    "Dedup",
    "Evaluation",
    "Explanation",
    "Index",
    "InputError",
    "Link",
    "LookalikeError",
    "MemoryLimitError",
    "OptionError",
    "Pairs",
    "Passages",
    "Removals",
    "Sketches",
    "Splits",
    "Summary",
    "Table",
    "Tuning",
    "UnknownOptionError",
    "__version__",
    "compare",
    "decontaminate",
    "decontaminate_files",
    "dedup",
    "dedup_files",
    "evaluate",
    "extract_files",
    "link",
    "link_files",
    "pairs",
    "pairs_files",
    "passages",
    "passages_files",
    "prints",
    "resolve",
    "sets",
    "sketch",
    "splits",
    "splits_files",
    "tune",
]
