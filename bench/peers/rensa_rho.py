"""rensa, the rho pipeline: the parameters of its own benchmark (8 bands, 4 probes).

The pipeline marks documents that have a likeness somewhere, the first of them included, and does not say with whom. To keep
one of each, the marked ones are then shown one by one to an index of those that stay.
"""

from time import process_time

import numpy as np
from rensa import RMinHash, RMinHashLSH

import peer

BANDS = 8
PROBES = 4


def hashes(part: list[tuple[str, str]]) -> tuple[list[str], list[np.ndarray], float]:
    # Python's own hashes of strings, the same in all processes that were forked: `hash_token_sets` gives lists of numbers,
    # which take longer to be carried over than to be made.
    rows = []
    for _, text in part:
        shingles = peer.shingles(text)
        rows.append(np.fromiter(map(hash, shingles), np.int64, len(shingles)).view(np.uint64))
    return [identity for identity, _ in part], rows, 0.0


def sketch(rows: list[np.ndarray]):
    offsets = np.zeros(len(rows) + 1, dtype=np.uint64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return RMinHash.digest_matrix_from_flat_token_hashes_rho(
        np.concatenate(rows), offsets, num_perm=peer.PERMUTATIONS, seed=42, probes=PROBES
    )


def main() -> None:
    corpus, out = peer.arguments()
    names: list[str] = []
    rows: list[np.ndarray] = []
    library = 0.0
    for part_names, part_rows, seconds in peer.by_parts(corpus, hashes):
        names += part_names
        rows += part_rows
        library += seconds

    start = process_time()
    index = RMinHashLSH(threshold=peer.THRESHOLD, num_perm=peer.PERMUTATIONS, num_bands=BANDS)
    marks = index.query_duplicate_flags_matrix_one_shot(sketch(rows))
    kept: list[str] = []
    for place, is_marked in enumerate(marks):
        if is_marked:
            row = sketch([rows[place]])
            if index.query_duplicate_flags_matrix_one_shot(row)[0]:
                continue
            index.insert_matrix(row, start_key=place)
        kept.append(names[place])
    library += process_time() - start
    peer.write_kept(corpus, out, kept)
    peer.write_library_seconds(out, library)


if __name__ == "__main__":
    main()
