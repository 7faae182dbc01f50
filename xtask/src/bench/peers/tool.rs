//! The compared tools and their parameters.

/// A compared tool.
pub(super) struct Tool {
    /// Name in the tables.
    pub(super) name: &'static str,
    /// Name in the Python Package Index; none for lookalike.
    pub(super) package: Option<&'static str>,
    /// Program in `bench/peers` that runs it.
    pub(super) runner: &'static str,
    /// Its parameters.
    pub(super) parameters: &'static str,
}

/// The tool with which all are compared.
pub(super) const LOOKALIKE: Tool = Tool {
    name: "lookalike",
    package: None,
    runner: "",
    parameters: "`dedup` with output and report, and `pairs` for the pairs (not timed); all defaults: 20 bands of 7 rows, each \
                 candidate measured",
};

/// All others.
pub(super) const PEERS: [Tool; 7] = [
    Tool {
        name: "rensa, R-MinHash",
        package: Some("rensa"),
        runner: "rensa_full.py",
        parameters: "`RMinHashDeduplicator` as in its README, 128 permutations, its LSH, which checks candidates on the sketches",
    },
    Tool {
        name: "rensa, rho",
        package: Some("rensa"),
        runner: "rensa_rho.py",
        parameters: "128 permutations, 8 bands and 4 probes as in its own benchmark; it marks documents and reports no \
                     pairs, so marked documents are then looked up one by one in an index of those that are kept",
    },
    Tool {
        name: "gaoya",
        package: Some("gaoya"),
        runner: "gaoya_index.py",
        parameters: "`MinHashStringIndex`, 128 hashes of 32 bits, its own choice of bands, filled and queried with its \
                     parallel calls, which check candidates on the sketches",
    },
    Tool {
        name: "datasketch",
        package: Some("datasketch"),
        runner: "datasketch_lsh.py",
        parameters: "`MinHash.generator` with 128 permutations and xxHash in place of SHA-1, `MinHashLSH(threshold=0.8)`, \
                     candidates unchecked",
    },
    Tool {
        name: "text-dedup",
        package: Some("text-dedup"),
        runner: "text_dedup_minhash.py",
        parameters: "its MinHash script, 128 permutations, xxh3, two processes; connected components",
    },
    Tool {
        name: "datatrove",
        package: Some("datatrove"),
        runner: "datatrove_minhash.py",
        parameters: "its MinHash pipeline with its own 14 buckets of 8 hashes (it has no threshold), 64 bits, one file \
                     and one worker per core; connected components",
    },
    Tool {
        name: "FastSketchLSH",
        package: Some("FastSketchLSH"),
        runner: "fastsketchlsh_index.py",
        parameters: "128 slots, 16 bands as in its README, candidates unchecked",
    },
];
