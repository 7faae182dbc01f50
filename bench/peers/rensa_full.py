"""rensa, full-set R-MinHash: the deduplicator of its README, which keeps a document that is like none before it."""

from time import process_time

from rensa import RMinHash, RMinHashDeduplicator

import peer


def sketch(part: list[tuple[str, str]]) -> tuple[list[tuple[str, RMinHash]], float]:
    tokens = [peer.shingles(text) for _, text in part]
    start = process_time()
    sketches = RMinHash.from_token_sets(tokens, num_perm=peer.PERMUTATIONS, seed=42)
    seconds = process_time() - start
    return [(identity, made) for (identity, _), made in zip(part, sketches)], seconds


def main() -> None:
    corpus, out = peer.arguments()
    deduplicator = RMinHashDeduplicator(threshold=peer.THRESHOLD, num_perm=peer.PERMUTATIONS, use_lsh=True)
    kept: list[str] = []
    library = 0.0
    for entries, seconds in peer.by_parts(corpus, sketch):
        start = process_time()
        is_new = deduplicator.add_pairs(entries)
        library += seconds + process_time() - start
        kept += [identity for (identity, _), new in zip(entries, is_new) if new]
    peer.write_kept(corpus, out, kept)
    peer.write_library_seconds(out, library)


if __name__ == "__main__":
    main()
