"""Lance's MinHash-LSH index: a dataset written and indexed, then each query looked up. All defaults.

Called as `index_lance.py CORPUS QUERIES OUT`. Writes OUT/pairs.tsv (query and what was found: those whose estimated similarity reaches
the threshold, of the first hundred) and OUT/seconds.json.
"""

import shutil
import sys
from pathlib import Path
from time import perf_counter

import lance
import pyarrow
from lance.query import MinHashQuery

import peer

LIMIT = 100


def read(path: Path) -> tuple[list[str], list[str]]:
    ids, texts = zip(*peer.documents(path, 0, path.stat().st_size))
    return list(ids), list(texts)


def main() -> None:
    corpus, queries, out = map(Path, sys.argv[1:4])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    start = perf_counter()
    ids, texts = read(corpus)
    dataset = lance.write_dataset(pyarrow.table({"id": ids, "text": texts}), out / "data.lance")
    dataset.create_scalar_index("text", "MINHASHLSH")
    added = perf_counter() - start
    ids, texts = read(queries)
    pairs = []
    start = perf_counter()
    for identity, text in zip(ids, texts):
        found = dataset.to_table(columns=["id", "_distance"], nearest=MinHashQuery(text, "text"), limit=LIMIT)
        near = zip(found["id"].to_pylist(), found["_distance"].to_pylist())
        pairs.extend((identity, other) for other, distance in near if distance <= 1 - peer.THRESHOLD)
    searched = perf_counter() - start
    peer.write_searched(out, pairs, added, searched)


if __name__ == "__main__":
    main()
