"""gaoya: its string index with its own word shingles, filled and asked by its parallel calls.

It cuts words at ASCII signs only, so it gets the words with blanks between them. Bands and rows are its own choice for 128
hashes, and what it answers is checked by it against the threshold on the sketches.
"""

from gaoya.minhash import MinHashStringIndex

import peer


def clean(part: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(identity, " ".join(peer.words(text.lower()))) for identity, text in part]


def main() -> None:
    corpus, out = peer.arguments()
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
    names: list[str] = []
    texts: list[str] = []
    for part in peer.by_parts(corpus, clean):
        names += [identity for identity, _ in part]
        texts += [text for _, text in part]
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    answers = index.par_bulk_query(texts)
    pairs = {(min(at, like), max(at, like)) for at, alike in enumerate(answers) for like in alike if like != at}
    peer.write_kept(corpus, out, (names[place] for place in peer.keep_first(len(names), pairs)))
    peer.write_pairs(out, names, pairs)


if __name__ == "__main__":
    main()
