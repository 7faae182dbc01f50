"""Deduplication on Apache Spark: files with the output of ``lookalike dedup``, and DataFrames with the decisions of
:func:`lookalike.dedup`, computed by the workers of a cluster.

``pyspark`` 4.2 or newer is needed, and is imported only when a job runs.
"""

from __future__ import annotations

from ._jobs import Result, dedup, pairs
from ._pack import pack
from ._paths import FilesResult
from ._sketch import sketch

__all__ = ["FilesResult", "Result", "dedup", "pack", "pairs", "sketch"]
