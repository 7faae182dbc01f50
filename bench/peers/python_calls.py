"""One tool called from Python on the same strings in memory: how long the call takes, and how right its answer is.

Called as `python_calls.py TOOL CORPUS TRUTH`; prints one JSON object. What is timed starts with a list of strings (or a frame, where
the name says so) and ends with the answer; cutting words is part of it for those that take words.
"""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter

import judged
import peer

Pairs = Iterable[tuple[int, int]]


def by_list(texts: list[str]) -> Pairs:
    import lookalike

    removed = lookalike.dedup(texts, progress=False).removed
    return list(zip(removed["removed_row"], removed["kept_row"], strict=True))


def of_frame(texts: list[str]) -> Callable[[], Pairs]:
    import lookalike
    import polars

    frame = polars.DataFrame({"text": texts})

    def run() -> Pairs:
        removed = lookalike.dedup(frame, progress=False).removed
        return list(zip(removed["removed_row"], removed["kept_row"], strict=True))

    return run


def of_hand_over(texts: list[str]) -> Callable[[], Pairs]:
    import polars
    from lookalike import _native

    frame = polars.DataFrame({"text": texts})
    columns = json.dumps({"text": "text", "id": None, "source": None, "value": None})

    def run() -> Pairs:
        assert _native.Input.of_arrow(frame, columns, "data").rows == len(texts)
        return []

    return run


def rensa(texts: list[str]) -> Pairs:
    from rensa import RMinHash, RMinHashDeduplicator

    deduplicator = RMinHashDeduplicator(threshold=peer.THRESHOLD, num_perm=peer.PERMUTATIONS, use_lsh=True)
    sketches = RMinHash.from_token_sets([peer.shingles(text) for text in texts], num_perm=peer.PERMUTATIONS, seed=42)
    is_new = deduplicator.add_pairs([(str(row), sketch) for row, sketch in enumerate(sketches)])
    # It does not name whom a document is like.
    return [(row, -1) for row, new in enumerate(is_new) if not new]


def datasketch(texts: list[str]) -> Pairs:
    import xxhash
    from datasketch import MinHash, MinHashLSH

    tokens = [[shingle.encode() for shingle in peer.shingles(text)] for text in texts]
    sketches = list(MinHash.generator(tokens, num_perm=peer.PERMUTATIONS, hashfunc=xxhash.xxh32_intdigest))
    index = MinHashLSH(threshold=peer.THRESHOLD, num_perm=peer.PERMUTATIONS)
    found = []
    for row, sketch in enumerate(sketches):
        found += [(row, other) for other in index.query(sketch)]
        index.insert(row, sketch, check_duplication=False)
    return found


def gaoya(texts: list[str]) -> Pairs:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=peer.THRESHOLD,
        num_bands=None,
        band_size=None,
        num_hashes=peer.PERMUTATIONS,
        analyzer="word",
        lowercase=False,
        ngram_range=(5, 5),
        id_container="smallvec",
    )
    clean = [" ".join(peer.words(text.lower())) for text in texts]
    index.par_bulk_insert_docs(list(range(len(clean))), clean)
    return [(row, other) for row, others in enumerate(index.par_bulk_query(clean)) for other in others if other < row]


def fastsketchlsh(texts: list[str]) -> Pairs:
    import numpy as np
    from FastSketchLSH import LSH, FastSimilaritySketch

    tokens = [peer.shingles(text) for text in texts]
    matrix = np.asarray(FastSimilaritySketch(size=peer.PERMUTATIONS, seed=42).batch(tokens, num_threads=peer.PROCESSES))
    index = LSH(num_perm=peer.PERMUTATIONS, num_bands=16)
    index.insert(matrix)
    found, offsets = index.query(matrix, format="csr")
    askers = np.repeat(np.arange(len(texts)), np.diff(np.asarray(offsets).astype(np.int64)))
    found = np.asarray(found).astype(np.int64)
    is_earlier = found < askers
    return list(zip(askers[is_earlier].tolist(), found[is_earlier].tolist(), strict=True))


ON_LISTS: dict[str, Callable[[list[str]], Pairs]] = {
    "lookalike": by_list,
    "rensa": rensa,
    "datasketch": datasketch,
    "gaoya": gaoya,
    "FastSketchLSH": fastsketchlsh,
}
PREPARED: dict[str, Callable[[list[str]], Callable[[], Pairs]]] = {
    "lookalike, polars frame": of_frame,
    "hand-over of Arrow": of_hand_over,
}


def main() -> None:
    tool, corpus, truth = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    texts = [text for _, text in peer.documents(corpus, 0, corpus.stat().st_size)]
    call = PREPARED[tool](texts) if tool in PREPARED else lambda: ON_LISTS[tool](texts)
    start = perf_counter()
    pairs = list(call())
    seconds = perf_counter() - start
    near: set[tuple[int, int]] = set()
    for line in truth.read_text().splitlines():
        left, right, _ = line.split("\t")
        near.add((int(right), int(left)))
        near.add((int(left), int(right)))
    named = [pair for pair in pairs if pair[1] >= 0]
    removed = {row for row, _ in pairs}
    print(
        json.dumps(
            {
                "tool": tool,
                "seconds": seconds,
                "bytes": sum(len(text.encode()) for text in texts),
                "documents": len(texts),
                "removed": len(removed),
                "lost": judged.lost(removed, near),
                "without_any": len(removed - {row for row, _ in near}),
                "pair_precision": sum(pair in near for pair in named) / len(named) if named else None,
            }
        )
    )


if __name__ == "__main__":
    main()
