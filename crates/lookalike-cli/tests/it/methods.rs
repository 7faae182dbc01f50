//! Methods, `tune` and `evaluate` as users see them.

use crate::folder::{Folder, assert_refused, lines, text};
use serde_json::Value;

#[test]
fn every_method_removes_with_evidence() {
    for (flags, said) in [
        (&["--method", "minhash", "--sketch", "classic"][..], "20 bands of 7 rows: recall 0.9910"),
        (&["--bands", "125", "--rows", "3", "--rows-random"], "125 bands of 3 rows drawn from 128 slots"),
        (&["--method", "supershingle"], "super-shingles: 6 bands of 14 rows, 2 of which agree: recall 0.0258"),
        (&["--method", "simhash", "--bits", "8"], "sketches of 64 bits, weights count, that differ in at most 8 bits"),
        (
            &["--method", "simhash", "--sketch-bits", "128", "--shingle-weights", "idf", "--bits", "12", "--verify"],
            "weights idf",
        ),
        (&["--exact"], "by an exact join: recall 1"),
        (
            &["--measure", "containment", "--recall", "0.99"],
            "of which a share of at least 0.8 is contained in another, by 3 shingles of each document",
        ),
        (&["--shingle", "word:2", "--measure", "containment", "--exact"], "by an exact join"),
    ] {
        let folder = Folder::new();
        folder.write("in.jsonl", lines());
        let ran = folder.run(&[&["dedup", "in.jsonl", "--id", "id", "-o", "out"], flags].concat());
        assert_eq!(ran.code, 0, "{flags:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{flags:?}: {}", ran.stderr);
        let removed = folder.read("out/removed.jsonl");
        assert!(removed.lines().count() == 2 || flags.contains(&"supershingle"), "{flags:?}: {removed}");
    }
}

#[test]
fn stop_words_can_be_your_own() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("stop.txt", "w1003\nw1010\n");
    let ran = folder.run(&["pairs", "in.jsonl", "--shingle", "stopword", "--stopwords", "stop.txt", "--format", "tsv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("left_id\tright_id\tsimilarity\tjaccard"), "{}", ran.stdout);
    assert_refused(&folder, &["pairs", "in.jsonl", "--stopwords", "stop.txt"], &["--shingle stopword"]);
    let gone = ["pairs", "in.jsonl", "--shingle", "stopword", "--stopwords", "gone.txt"];
    assert_refused(&folder, &gone, &["cannot read", "gone.txt"]);
}

#[test]
fn checksums_and_bits_have_their_columns() {
    let folder = Folder::new();
    folder.write("in.jsonl", "{\"text\":\"Tropical fish\"}\n{\"text\":\"Tropical fish\"}\n");
    // The columns except the last four, which are the positions of both.
    let columns = |line: &str| line.rsplitn(5, '\t').last().unwrap().to_owned();
    let header = |flags: &[&str]| {
        let ran = folder.run(&[&["pairs", "in.jsonl", "--format", "tsv"], flags].concat());
        ran.stdout.lines().map(columns).collect::<Vec<_>>()
    };
    let lines = header(&["--method", "copies", "--checksum", "sum"]);
    assert_eq!(lines[0], "left_id\tright_id\tsimilarity\tjaccard\tcontainment_of_left\tcontainment_of_right\tchecksum");
    assert!(lines[1].ends_with("\t508"), "{}", lines[1]);
    assert_eq!(
        header(&["--method", "simhash"])[..2],
        ["left_id\tright_id\tsimilarity\thamming", "in.jsonl:1\tin.jsonl:2\t1\t0"]
    );
    let containment = header(&["--measure", "containment"]);
    assert_eq!(containment[0], "left_id\tright_id\tsimilarity\tjaccard\tcontainment_of_left\tcontainment_of_right");
}

#[test]
fn compare_shows_what_the_method_measures() {
    let folder = Folder::new();
    folder.write("a.txt", text(1)).write("b.txt", text(2));
    for weights in ["count", "idf", "none"] {
        let ran = folder.run(&["compare", "a.txt", "b.txt", "--method", "simhash", "--shingle-weights", weights]);
        let line = ran.stdout.lines().find(|line| line.starts_with("simhash")).unwrap();
        let differing: u32 = line.split('(').nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((10..55).contains(&differing), "{weights}: {line}");
        assert!(
            ran.stdout.contains("not near-duplicates") && !ran.stdout.contains("sketch_estimate"),
            "{}",
            ran.stdout
        );
    }
    let ran = folder.run(&["compare", "a.txt", "a.txt", "--exact"]);
    assert!(
        ran.stdout.contains("exact copies") && ran.stdout.contains("chance_to_be_found   1.000000"),
        "{}",
        ran.stdout
    );
}

#[test]
fn parameters_of_another_method_are_refused() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    for (flags, said) in [
        (&["--bits", "3"][..], &["--bits needs --method simhash"][..]),
        (&["--method", "exact", "--recall", "0.9"], &["--recall", "--method minhash"]),
        (&["--method", "copies", "--bands", "6", "--rows", "14"], &["--bands needs --method minhash or supershingle"]),
        (&["--checksum", "md5"], &["--method copies"]),
        (&["--method", "simhash", "--bits", "17"], &["at most 16"]),
        (&["--method", "simhash", "--sketch-bits", "32"], &["64 or 128"]),
        (&["--rows-random"], &["--rows-random needs --bands"]),
        (&["--rows-random", "--bands", "5", "--rows", "9", "--slots", "8"], &["--slots", "9"]),
        (&["--agree", "3", "--bands", "2", "--rows", "2"], &["1 to 2"]),
        (&["--slots", "8"], &["--rows-random"]),
        (
            &["--measure", "containment", "--method", "simhash"],
            &["--method cannot be combined with --measure containment"],
        ),
        (
            &["--measure", "containment", "--bands", "5", "--rows", "5"],
            &["--bands cannot be combined with --measure containment"],
        ),
        (
            &["--measure", "containment", "--threshold", "0.01"],
            &["containment of 0.01", "144 shingles", "0.0315 or more", "--exact"],
        ),
        (&["--shingle", "stopword:xx"], &["--shingle must be stopword with languages among ", "en", "not stopword:xx"]),
        (&["--exact", "--method", "minhash"], &["--exact"]),
    ] {
        assert_refused(&folder, &[&["pairs", "in.jsonl"], flags].concat(), said);
    }
    let kept = ["dedup", "in.jsonl", "-o", "out", "--measure", "containment", "--keep", "first"];
    assert_refused(&folder, &kept, &["--keep"]);
}

#[test]
fn tune_draws_the_curve_and_plans_a_corpus() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    let ran = folder.run(&["tune", "in.jsonl", "--bands", "20", "--rows", "5", "--svg", "curve.svg"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in ["20 bands of 5 rows: 100 slots", "0.50        0.47005", "┊", "candidate pair", "memory", "more rows"]
    {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(folder.read("curve.svg").starts_with("<svg "));
    let again = ["tune", "--svg", "curve.svg"];
    assert_refused(&folder, &again, &["curve.svg", "--force"]);

    let ran = folder.run(&["tune", "--budget", "64B", "--summary", "json"]);
    let tuning: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&tuning["bands"], &tuning["sketch_bytes"]), (&Value::from(8), &Value::from(64)));
    assert_eq!(tuning["budget"][0]["rows"], tuning["rows"]);
    assert_refused(&folder, &["tune", "--budget", "7"], &["8B to 32kB"]);
    assert_refused(
        &folder,
        &["tune", "--method", "simhash"],
        &["--method must be a method with bands: minhash or supershingle, not simhash"],
    );
}

#[test]
fn tune_begins_with_pairs_by_similarity_and_a_threshold() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    let ran = folder.run(&["tune", "in.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let begin = "\
all 4 documents were read
  similarity    pairs  95 % interval  removed, at most  95 % interval
  0.50 or more      2         2 to 2                 2         2 to 2
";
    assert!(ran.stdout.starts_with(begin), "{}", ran.stdout);
    let place = |said: &str| ran.stdout.find(said).unwrap_or_else(|| panic!("{said}: {}", ran.stdout));
    assert!(place("suggested threshold: 0.8\n") < place("20 bands of 7 rows"), "{}", ran.stdout);
    assert!(ran.stdout.contains("lookalike pairs INPUT --between 0.75,0.85 --show"), "{}", ran.stdout);

    let ran = folder.run(&["tune", "in.jsonl", "--summary", "json"]);
    let tuning: Value = serde_json::from_str(&ran.stdout).unwrap();
    let last = &tuning["sample"]["pairs"][10];
    assert_eq!((&last["similarity"], &last["pair_count"]["value"]), (&1.0.into(), &1.0.into()));
    assert_eq!(tuning["sample"]["suggestion"]["valley"], false);

    // Part of a larger one.
    folder.write("in.jsonl", (0..2000).map(|at| format!("{{\"text\":\"{}\"}}\n", text(at))).collect::<String>());
    let ran = folder.run(&["tune", "in.jsonl", "--sample-bytes", "200k"]);
    assert!(ran.stdout.contains(" documents were read, in parts from all over the input"), "{}", ran.stdout);
    assert!(ran.stdout.contains("0.50 or more") && !ran.stdout.contains("0 to 0\n"), "{}", ran.stdout);
    assert_refused(
        &folder,
        &["tune", "in.jsonl", "--sample-bytes", "none"],
        &["--sample-bytes must be a size such as 500M or 4G, not none"],
    );

    // Skipped entries are reported.
    folder.write("in.jsonl", lines() + "{oops\n");
    let ran = folder.run(&["tune", "in.jsonl"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("skipped 1, the first in in.jsonl: not a document"), "{}", ran.stderr);
}

/// Two pairs of near-duplicates, one pair of copies, and some single documents.
fn to_evaluate() -> String {
    let near = |seed: usize, more: &str| format!("{{\"id\":\"{seed}{more}\",\"text\":\"{} {more}\"}}\n", text(seed));
    [near(1, "a"), near(1, "b"), near(2, "a"), near(2, "b"), near(3, ""), near(4, "a"), near(4, "a")].concat()
}

#[test]
fn evaluate_holds_methods_against_the_exact_join_or_a_file() {
    let folder = Folder::new();
    folder.write("in.jsonl", to_evaluate()).write("truth.tsv", "1a\t1b\n2a\t9\n3\t4a\t0.1\n");
    let evaluate = ["evaluate", "in.jsonl", "--id", "id", "--methods", "minhash,supershingle,exact"];
    let ran = folder.run(&[&evaluate[..], &["-o", "out.json", "--histograms"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("\ntrue pairs: 2 by exact join"), "{}", ran.stderr);
    let row = ran.stdout.lines().find(|line| line.starts_with("minhash")).unwrap();
    assert!(row.contains("1.0000    1.0000   1.0000"), "{row}");
    assert!(ran.stdout.contains("6-sim") && ran.stdout.contains("band 20:"), "{}", ran.stdout);
    let evaluation: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(evaluation["methods"][2]["recall"], 1.0);
    assert_eq!(evaluation["bands"].as_array().unwrap().len(), 20);
    assert_eq!(evaluation["text_count"], 6);

    let ran = folder.run(&["evaluate", "in.jsonl", "--id", "id", "--methods", "exact", "--labels", "truth.tsv"]);
    assert!(ran.stderr.contains("true pairs: 2 by truth.tsv (3 given: 1 name unknown documents)"), "{}", ran.stderr);
    assert!(ran.stdout.contains("2   0.5000    0.5000   0.5000"), "{}", ran.stdout);
    // Not all of the input was used.
    assert_eq!(ran.code, 1);
    folder.write("other.tsv", "x\ty\nx\tz\n");
    assert_refused(
        &folder,
        &["evaluate", "in.jsonl", "--id", "id", "--labels", "other.tsv"],
        &["other.tsv: all 2 pairs name documents that the input does not have"],
    );
    assert_refused(
        &folder,
        &["evaluate", "in.jsonl", "--methods", "simhash:bit=3"],
        &[
            "--methods must be a list of methods such as simhash:bits=6:verify",
            "did you mean bits?",
            "not simhash:bit=3",
        ],
    );
    assert_refused(
        &folder,
        &["evaluate", "in.jsonl", "--methods", "minhash:bits=3"],
        &["bits needs method simhash", "not minhash:bits=3"],
    );
    assert_refused(&folder, &["evaluate", "in.jsonl", "--labels", "gone"], &["gone"]);
}

#[test]
fn evaluate_prints_a_line_for_each_method_and_nothing_else() {
    let folder = Folder::new();
    folder.write("in.jsonl", to_evaluate());
    let ran = folder.run(&["evaluate", "in.jsonl", "--id", "id"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let firsts: Vec<&str> = ran.stdout.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let methods = ["method", "minhash", "minhash:sketch=classic", "supershingle", "simhash", "simhash:bits=6:verify"];
    assert_eq!(firsts, methods);
    let ran = folder.run(&["evaluate", "in.jsonl", "--id", "id", "-q", "--methods", "minhash"]);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (2, ""));
}

#[test]
fn evaluate_compares_thresholds_and_shingles_too() {
    let folder = Folder::new();
    // One word of 61 differs: 56 of 58 shingles of five words, 60 of 62 words.
    folder.write("in.jsonl", to_evaluate()).write("gold.tsv", "1a\t1b\n3\t4a\n");
    let evaluate = ["evaluate", "in.jsonl", "--id", "id", "--methods", "minhash,exact", "-o", "out.json", "--force"];
    let run = |more: &[&str]| {
        let ran = folder.run(&[&evaluate[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let evaluation: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
        (ran, evaluation)
    };
    let (ran, evaluation) = run(&["--thresholds", "0.9,0.966", "--shingles", "word:5,word:1"]);
    let table: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().take(4).collect()).collect();
    let expected: [[&str; 4]; 9] = [
        ["shingle", "threshold", "method", "pairs"],
        ["word:5", "0.9", "minhash", "2"],
        ["word:5", "0.9", "exact", "2"],
        ["word:5", "0.966", "minhash", "0"],
        ["word:5", "0.966", "exact", "0"],
        ["word:1", "0.9", "minhash", "2"],
        ["word:1", "0.9", "exact", "2"],
        ["word:1", "0.966", "minhash", "2"],
        ["word:1", "0.966", "exact", "2"],
    ];
    assert_eq!(table, expected);
    assert!(
        evaluation["methods"].as_array().unwrap().iter().all(|row| row["recall"] == 1.0 && row["precision"] == 1.0)
    );
    // One set of true pairs for each shingle and threshold.
    let truth: Vec<(&str, f64, u64)> = evaluation["true_pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| {
            (of["shingle"].as_str().unwrap(), of["threshold"].as_f64().unwrap(), of["pair_count"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(truth, [("word:5", 0.9, 2), ("word:5", 0.966, 0), ("word:1", 0.9, 2), ("word:1", 0.966, 2)]);
    assert!(ran.stderr.contains("true pairs with word:5 at 0.966: 0 by"), "{}", ran.stderr);

    // Known pairs are the same for all: one of two is found if the threshold allows it.
    let (_, evaluation) = run(&["--thresholds", "0.9,0.966", "--labels", "gold.tsv"]);
    let recalls: Vec<&Value> = (0..4).map(|row| &evaluation["methods"][row]["recall"]).collect();
    assert_eq!(recalls, [0.5, 0.5, 0.0, 0.0]);
    // Whatever their similarity, and even if a shingle makes two documents equal.
    folder.write("gold.tsv", "1a\t1b\t0.95\n2a\t2b\t0.99\n1b\t1a\t0.95\n");
    let (_, evaluation) = run(&["--thresholds", "0.9,0.96", "--shingles", "word:5,word:1", "--labels", "gold.tsv"]);
    for truth in evaluation["true_pairs"].as_array().unwrap() {
        let counts = ["given_count", "pair_count", "unknown_count", "unusable_count"].map(|name| &truth[name]);
        assert_eq!(counts, [3, 2, 0, 1], "{truth}");
    }
    // Stop words of several languages have commas of their own.
    let (ran, _) = run(&["--shingles", "stopword:en,de,word:2"]);
    assert!(ran.stdout.contains("\nstopword:en,de ") && ran.stdout.contains("\nword:2 "), "{}", ran.stdout);
    assert_refused(
        &folder,
        &["evaluate", "in.jsonl", "--thresholds", "0.8,2"],
        &["--thresholds must be above 0 and at most 1, not 2"],
    );
    assert_refused(&folder, &["evaluate", "in.jsonl", "--shingles", "word:5,line:3"], &["line:3", "word:K or char:K"]);
}
