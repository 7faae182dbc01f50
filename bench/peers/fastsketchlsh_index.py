"""FastSketchLSH: sketches in batches and its LSH with 16 bands, as in its README; candidates are taken as they come."""

from time import process_time

import numpy as np
from FastSketchLSH import LSH, FastSimilaritySketch

import peer

BANDS = 16


def sketch(part: list[tuple[str, str]]) -> tuple[list[str], np.ndarray, float]:
    tokens = [peer.shingles(text) for _, text in part]
    start = process_time()
    # One thread here: the processes already keep the cores busy.
    sketches = FastSimilaritySketch(size=peer.PERMUTATIONS, seed=42).batch(tokens, num_threads=1)
    return [identity for identity, _ in part], np.asarray(sketches), process_time() - start


def main() -> None:
    corpus, out = peer.arguments()
    names: list[str] = []
    matrices: list[np.ndarray] = []
    library = 0.0
    for part_names, sketches, seconds in peer.by_parts(corpus, sketch):
        names += part_names
        matrices.append(sketches)
        library += seconds
    start = process_time()
    matrix = np.concatenate(matrices)
    index = LSH(num_perm=peer.PERMUTATIONS, num_bands=BANDS)
    index.insert(matrix)
    found, offsets = index.query(matrix, format="csr")
    library += process_time() - start
    askers = np.repeat(np.arange(len(names)), np.diff(np.asarray(offsets).astype(np.int64)))
    found = np.asarray(found).astype(np.int64)
    is_earlier = found < askers
    pairs = list(zip(found[is_earlier].tolist(), askers[is_earlier].tolist()))
    peer.write_kept(corpus, out, (names[place] for place in peer.keep_first(len(names), pairs)))
    peer.write_pairs(out, names, pairs)
    peer.write_library_seconds(out, library)


if __name__ == "__main__":
    main()
