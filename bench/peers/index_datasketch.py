"""datasketch as an index: documents in one by one, then each query looked up. In memory, or on a redis server.

Called as `index_datasketch.py CORPUS QUERIES OUT [PORT]`; with a port, keys go to the redis server there. Writes OUT/pairs.tsv (query and
what was found, as it comes: datasketch measures nothing) and OUT/seconds.json.
"""

import sys
from pathlib import Path
from time import perf_counter

import xxhash
from datasketch import MinHash, MinHashLSH

import peer


def sketches(path: Path) -> list[tuple[str, MinHash]]:
    documents = list(peer.documents(path, 0, path.stat().st_size))
    tokens = [[shingle.encode() for shingle in peer.shingles(text)] for _, text in documents]
    made = MinHash.generator(tokens, num_perm=peer.PERMUTATIONS, hashfunc=xxhash.xxh32_intdigest)
    return [(identity, sketch) for (identity, _), sketch in zip(documents, made)]


def main() -> None:
    corpus, queries, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    storage = None
    if len(sys.argv) > 4:
        storage = {"type": "redis", "basename": b"lookalike", "redis": {"host": "127.0.0.1", "port": int(sys.argv[4])}}
    start = perf_counter()
    index = MinHashLSH(threshold=peer.THRESHOLD, num_perm=peer.PERMUTATIONS, storage_config=storage)
    with index.insertion_session() as session:
        for identity, sketch in sketches(corpus):
            session.insert(identity, sketch, check_duplication=False)
    added = perf_counter() - start
    start = perf_counter()
    pairs = [(identity, found) for identity, sketch in sketches(queries) for found in index.query(sketch)]
    searched = perf_counter() - start
    peer.write_searched(out, pairs, added, searched)


if __name__ == "__main__":
    main()
