"""datasketch: MinHash in bulk, and its LSH index, whose candidates are taken as they come, as its documentation does.

A faster hash than SHA-1 is what its documentation recommends; lean sketches, too.
"""

from time import process_time

import xxhash
from datasketch import LeanMinHash, MinHash, MinHashLSH

import peer


def sketch(part: list[tuple[str, str]]) -> tuple[list[str], list[LeanMinHash], float]:
    tokens = [peer.shingles(text) for _, text in part]
    start = process_time()
    made = MinHash.generator(tokens, num_perm=peer.PERMUTATIONS, hashfunc=xxhash.xxh32_intdigest)
    sketches = [LeanMinHash(sketch) for sketch in made]
    return [identity for identity, _ in part], sketches, process_time() - start


def main() -> None:
    corpus, out = peer.arguments()
    index = MinHashLSH(threshold=peer.THRESHOLD, num_perm=peer.PERMUTATIONS)
    names: list[str] = []
    pairs: list[tuple[int, int]] = []
    library = 0.0
    for part_names, sketches, seconds in peer.by_parts(corpus, sketch):
        start = process_time()
        for place, made in enumerate(sketches, len(names)):
            pairs += [(before, place) for before in index.query(made)]
            index.insert(place, made, check_duplication=False)
        library += seconds + process_time() - start
        names += part_names
    peer.write_kept(corpus, out, (names[place] for place in peer.keep_first(len(names), pairs)))
    peer.write_pairs(out, names, pairs)
    peer.write_library_seconds(out, library)


if __name__ == "__main__":
    main()
