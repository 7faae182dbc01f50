"""text-dedup: its MinHash script with its own reading, sketching and clusters, on as many processes as there are cores.

It counts what stands between two signs as an empty word; here it gets the words that the others get.
"""

import datasets
from text_dedup import minhash

import peer


class Words:
    """Stands in for the expression by which the script cuts a text."""

    @staticmethod
    def split(text: str) -> list[str]:
        return peer.words(text)


def main() -> None:
    corpus, out = peer.arguments()
    minhash.NON_ALPHA = Words
    options = {
        "--path": "json",
        "--data_files": corpus,
        "--split": "train",
        "--cache_dir": out / "cache",
        "--output": out / "result",
        "--column": "text",
        "--ngram": 5,
        "--min_length": 1,
        "--num_perm": peer.PERMUTATIONS,
        "--threshold": peer.THRESHOLD,
        # By its own help the faster of the two.
        "--hash_func": "xxh3",
        "--num_proc": peer.PROCESSES,
    }
    minhash.main([str(word) for option in options.items() for word in option], standalone_mode=False)
    # Its script has written the documents.
    peer.write_kept_ids(out, datasets.load_from_disk(str(out / "result"))["id"])
    names = peer.ids(corpus)
    peer.write_clusters(out, ((names[place], minhash.uf.find(place)) for place in sorted(minhash.uf.parent)))


if __name__ == "__main__":
    main()
