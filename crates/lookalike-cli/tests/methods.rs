//! Methods, `tune` and `evaluate` as a person meets them.

mod folder;

use folder::{Folder, assert_refused, lines, text};
use serde_json::Value;

#[test]
fn every_method_removes_with_evidence() {
    for (flags, said) in [
        (&["--method", "minhash", "--sketch", "classic"][..], "20 bands of 7 rows: recall 0.9910"),
        (&["--bands", "125", "--rows", "3", "--rows-random"], "125 bands of 3 rows drawn from 128 slots"),
        (&["--method", "supershingle"], "super-shingles: 6 bands of 14 rows, 2 of which agree: recall 0.0258"),
        (&["--method", "simhash", "--bits", "8"], "sketches of 64 bits, weights count, that differ in 8 bits at most"),
        (
            &["--method", "simhash", "--sketch-bits", "128", "--weights", "idf", "--bits", "12", "--verify"],
            "weights idf",
        ),
        (&["--exact"], "by an exact join: recall 1.0000"),
        (&["--measure", "containment"], "of which 0.8 or more lies inside of another, by 3 shingles of each document"),
        (&["--shingle", "word:2", "--measure", "containment", "--exact"], "by an exact join"),
    ] {
        let folder = Folder::new();
        folder.write("in.jsonl", lines());
        let ran = folder.run(&[&["dedup", "in.jsonl", "--id", "id", "-o", "out"], flags].concat());
        assert_eq!(ran.code, 0, "{flags:?}: {}", ran.stderr);
        assert!(ran.stdout.contains(said), "{flags:?}: {}", ran.stdout);
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
    assert!(ran.stdout.starts_with("left_id\tright_id\tjaccard"), "{}", ran.stdout);
    assert_refused(&folder, &["pairs", "in.jsonl", "--stopwords", "stop.txt"], &["--shingle stopword"]);
    let gone = ["pairs", "in.jsonl", "--shingle", "stopword", "--stopwords", "gone.txt"];
    assert_refused(&folder, &gone, &["cannot read", "gone.txt"]);
}

#[test]
fn checksums_and_bits_have_their_columns() {
    let folder = Folder::new();
    folder.write("in.jsonl", "{\"text\":\"Tropical fish\"}\n{\"text\":\"Tropical fish\"}\n");
    // The columns but for the last four, which say where both are.
    let columns = |line: &str| line.rsplitn(5, '\t').last().unwrap().to_owned();
    let header = |flags: &[&str]| {
        let ran = folder.run(&[&["pairs", "in.jsonl", "--format", "tsv"], flags].concat());
        ran.stdout.lines().map(columns).collect::<Vec<_>>()
    };
    let lines = header(&["--method", "copies", "--checksum", "sum"]);
    assert_eq!(lines[0], "left_id\tright_id\tjaccard\tcontainment_left\tcontainment_right\tchecksum");
    assert!(lines[1].ends_with("\t508"), "{}", lines[1]);
    assert_eq!(
        header(&["--method", "simhash"])[..2],
        ["left_id\tright_id\tsimhash\thamming", "in.jsonl:1\tin.jsonl:2\t1\t0"]
    );
    let containment = header(&["--measure", "containment"]);
    assert_eq!(containment[0], "left_id\tright_id\tcontainment\tjaccard\tcontainment_left\tcontainment_right");
}

#[test]
fn compare_shows_what_the_method_measures() {
    let folder = Folder::new();
    folder.write("a.txt", text(1)).write("b.txt", text(2));
    for weights in ["count", "idf", "none"] {
        let ran = folder.run(&["compare", "a.txt", "b.txt", "--method", "simhash", "--weights", weights]);
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
        (&["--bits", "3"][..], &["--bits", "--method simhash", "this is minhash"][..]),
        (&["--method", "exact", "--recall", "0.9"], &["--recall", "--method minhash"]),
        (&["--method", "copies", "--bands", "6", "--rows", "14"], &["--bands", "minhash and supershingle"]),
        (&["--checksum", "md5"], &["--method copies"]),
        (&["--method", "simhash", "--bits", "17"], &["at most 16"]),
        (&["--method", "simhash", "--sketch-bits", "32"], &["64 or 128"]),
        (&["--rows-random"], &["--bands 125 --rows 3"]),
        (&["--rows-random", "--bands", "5", "--rows", "9", "--slots", "8"], &["--slots", "9"]),
        (&["--agree", "3", "--bands", "2", "--rows", "2"], &["1 to 2"]),
        (&["--slots", "8"], &["--rows-random"]),
        (&["--measure", "containment", "--method", "simhash"], &["minhash", "exact"]),
        (&["--measure", "containment", "--bands", "5", "--rows", "5"], &["--recall"]),
        (&["--shingle", "stopword:xx"], &["'xx'", "en", "--stopwords FILE"]),
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
    for said in ["20 bands of 5 rows: 100 slots", "0.50        0.47005", "┊", "near-duplicates", "memory", "more rows"]
    {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(folder.read("curve.svg").starts_with("<svg "));
    let again = ["tune", "--svg", "curve.svg"];
    assert_refused(&folder, &again, &["curve.svg", "--force"]);

    let ran = folder.run(&["tune", "--budget", "64B", "--format", "json"]);
    let tuning: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&tuning["bands"], &tuning["sketch_bytes"]), (&Value::from(8), &Value::from(64)));
    assert_eq!(tuning["budget"][0]["rows"], tuning["rows"]);
    assert_refused(&folder, &["tune", "--budget", "7"], &["8B to 32kB"]);
    assert_refused(&folder, &["tune", "--method", "simhash"], &["no bands"]);
}

#[test]
fn evaluate_holds_methods_against_the_exact_join_or_a_file() {
    let folder = Folder::new();
    // Two pairs of near-duplicates, one of copies, and some that are alone.
    let near = |seed: usize, more: &str| format!("{{\"id\":\"{seed}{more}\",\"text\":\"{} {more}\"}}\n", text(seed));
    let corpus: String =
        [near(1, "a"), near(1, "b"), near(2, "a"), near(2, "b"), near(3, ""), near(4, "a"), near(4, "a")].concat();
    folder.write("in.jsonl", corpus).write("truth.tsv", "1a\t1b\n2a\t9\n3\t4a\t0.1\n");
    let ran = folder.run(&[
        "evaluate",
        "in.jsonl",
        "--id",
        "id",
        "--methods",
        "minhash,supershingle,exact",
        "-o",
        "out.json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let table = |name: &str| ran.stdout.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(table("truth").contains("2 pairs by exact join"), "{}", ran.stdout);
    assert!(table("minhash").contains("1.0000    1.0000   1.0000"), "{}", ran.stdout);
    assert!(ran.stdout.contains("6-sim") && ran.stdout.contains("band 20:"), "{}", ran.stdout);
    let evaluation: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(evaluation["methods"][2]["recall"], 1.0);
    assert_eq!(evaluation["bands"].as_array().unwrap().len(), 20);
    assert_eq!(evaluation["texts"], 6);

    let ran = folder.run(&["evaluate", "in.jsonl", "--id", "id", "--methods", "exact", "--truth", "truth.tsv"]);
    assert!(
        ran.stdout.contains("truth: 1 pair by truth.tsv (1 pair of documents that are not there)"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("2   1.0000    0.5000   0.6667"), "{}", ran.stdout);
    assert_refused(
        &folder,
        &["evaluate", "in.jsonl", "--methods", "simhash:bit=3"],
        &["simhash:bit=3", "not a method"],
    );
    assert_refused(
        &folder,
        &["evaluate", "in.jsonl", "--methods", "minhash:bits=3"],
        &["minhash:bits=3", "--method simhash"],
    );
    assert_refused(&folder, &["evaluate", "in.jsonl", "--truth", "gone"], &["gone"]);
}
