//! `lookalike prints` as users see it.

use std::fs;

use crate::folder::{Folder, Ran, assert_refused};
use lookalike::core::prints::template::{parse_template, write_template};
use serde_json::Value;

/// Three impressions of each of eight fingers, named `finger1_1` to `finger8_3`.
const PRINTS: &str = include_str!("../../../../examples/prints.csv");
/// Two more impressions of these, and one of another finger.
const QUERIES: &str = include_str!("../../../../examples/queries.csv");
const TEMPLATE: &[u8] = include_bytes!("../../../../examples/templates/finger1_1.iso");

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("prints.csv", PRINTS).write("queries.csv", QUERIES);
    folder
}

/// The ids and score of each row.
fn rows(tsv: &str) -> Vec<(String, String, f64)> {
    tsv.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            (cells[0].to_owned(), cells[1].to_owned(), cells[2].parse().unwrap())
        })
        .collect()
}

fn finger(id: &str) -> &str {
    id.rsplit_once('_').unwrap().0
}

fn assert_done(ran: &Ran, code: i32, said: &[&str]) {
    assert_eq!(ran.code, code, "{}", ran.stderr);
    for said in said {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

#[test]
fn all_impressions_of_a_finger_are_found_and_nothing_else() {
    let folder = folder();
    let ran = folder.run(&["prints", "prints.csv", "--format", "tsv"]);
    assert_done(
        &ran,
        0,
        &["24 pairs among 24 prints (923 minutiae)", "measured recall of candidates 1.000: 24 prints"],
    );
    assert!(ran.stdout.starts_with("left_id\tright_id\tsimilarity\tpaired_count\n"), "{}", ran.stdout);
    let rows = rows(&ran.stdout);
    assert_eq!(rows.len(), 24);
    assert!(rows.iter().all(|(left, right, score)| left < right && finger(left) == finger(right) && *score >= 0.11));
    assert!(rows.is_sorted_by_key(|row| (row.0.clone(), row.1.clone())));
}

#[test]
fn rows_are_objects_unless_asked_otherwise() {
    let ran = folder().run(&["prints", "prints.csv", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str(), ran.stdout.lines().count()), (0, "", 24));
    let row: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&row["left_id"], &row["right_id"]), (&"finger1_1".into(), &"finger1_2".into()));
    assert!(row["similarity"].as_f64().unwrap() > 0.11 && row["paired_count"].as_u64().unwrap() > 5, "{row}");
}

#[test]
fn every_pair_has_its_score_when_asked_for() {
    let folder = folder();
    let ran = folder.run(&["prints", "prints.csv", "--all-pairs", "--format", "tsv"]);
    assert_done(&ran, 0, &["276 pairs among 24 prints"]);
    let rows = rows(&ran.stdout);
    let scores = |of_one: bool| {
        rows.iter().filter(move |(left, right, _)| (finger(left) == finger(right)) == of_one).map(|(.., score)| *score)
    };
    assert_eq!((rows.len(), scores(true).count()), (276, 24));
    assert!(scores(true).fold(1.0, f64::min) > scores(false).fold(0.0, f64::max));
    let some = folder.run(&["prints", "prints.csv", "--all-pairs", "--threshold", "0.11"]);
    assert_eq!(some.stdout.lines().count(), 24);
}

#[test]
fn queries_are_found_among_reference_prints() {
    let folder = folder();
    let ran = folder.run(&["prints", "--against", "prints.csv", "queries.csv", "--top", "5", "--format", "tsv"]);
    assert_done(
        &ran,
        0,
        &["15 pairs among 3 prints (117 minutiae) and 24 reference prints", "recall of candidates 1.000"],
    );
    assert!(ran.stdout.starts_with("left_id\tright_id\tsimilarity\tpaired_count\trank\n"), "{}", ran.stdout);
    let rows = rows(&ran.stdout);
    assert_eq!(rows.len(), 15);
    for (query, mate) in [(&rows[..3], "finger3"), (&rows[5..8], "finger7")] {
        assert!(query.iter().all(|(_, known, score)| finger(known) == mate && *score > 0.11), "{query:?}");
    }
    assert!(rows[10..].iter().all(|(query, _, score)| query == "stranger" && *score < 0.11));
    // With a threshold, the stranger matches no one.
    let sure = folder.run(&["prints", "--against", "prints.csv", "queries.csv", "--threshold", "0.11"]);
    assert_eq!(sure.stdout.lines().count(), 6);
    // Only one candidate is aligned.
    let one = folder.run(&["prints", "--against", "prints.csv", "queries.csv", "--max-candidates", "1"]);
    assert_done(&one, 0, &["3 pairs", "3 of 72 pairs were aligned; measured recall of candidates 0.333"]);
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = folder();
    for flags in [
        &["prints", "prints.csv"][..],
        &["prints", "prints.csv", "--all-pairs"],
        &["prints", "prints.csv", "--grid", "40"],
        &["prints", "--against", "prints.csv", "queries.csv"],
    ] {
        let with = |threads| folder.run(&[flags, &["--threads", threads]].concat());
        let (one, two) = (with("1"), with("2"));
        assert_eq!((one.code, one.stdout.is_empty()), (0, false), "{flags:?}: {}", one.stderr);
        assert_eq!(one.stdout, two.stdout, "{flags:?}");
    }
}

#[test]
fn a_grid_finds_prints_that_lie_alike_and_says_what_it_promises() {
    let folder = folder();
    // The same print again, in the same position, except for two minutiae.
    let again: String = PRINTS
        .lines()
        .skip(3)
        .take_while(|line| line.starts_with("finger1_1"))
        .fold(String::new(), |all, line| all + &line.replace("finger1_1", "again_1") + "\n");
    folder.write("alike.csv", format!("{PRINTS}{again}"));
    let ran =
        folder.run(&["prints", "alike.csv", "--grid", "20", "--margin", "3", "--size", "300x400", "--format", "tsv"]);
    assert_done(
        &ran,
        0,
        &["grid: 300 squares", "1,024 triples", "by the model", "not hold for prints that are shifted or rotated"],
    );
    assert!(ran.stdout.starts_with("left_id\tright_id\tsimilarity\tshared_bucket_count\n"), "{}", ran.stdout);
    let best = rows(&ran.stdout).into_iter().max_by(|one, other| one.2.total_cmp(&other.2)).unwrap();
    assert_eq!((best.0.as_str(), best.1.as_str()), ("finger1_1", "again_1"));
    assert!(best.2 > 0.85, "{best:?}");
}

#[test]
fn columns_can_be_named_and_angles_turn_either_way() {
    let folder = folder();
    let expected = folder.run(&["prints", "prints.csv"]).stdout;
    let mut renamed = "wer;links;oben;winkel;art\n".to_owned();
    for line in PRINTS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let clockwise = (360 - cells[3].parse::<i32>().unwrap()) % 360;
        renamed += &format!("{};{};{};{clockwise};{}\n", cells[0], cells[1], cells[2], cells[4]);
    }
    folder.write("renamed.csv", renamed);
    let names = ["--id", "wer", "--x", "links", "--y", "oben", "--angle", "winkel", "--type", "art"];
    let ran = folder.run(&[&["prints", "renamed.csv", "--clockwise"], &names[..]].concat());
    assert_eq!((ran.code, ran.stdout), (0, expected));
    // Without kinds there is less to distinguish prints by, but enough.
    let bare: String = PRINTS.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect();
    let ran = folder.run_with(&["prints", "-"], bare.as_bytes());
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 24), "{}", ran.stderr);
}

#[test]
fn angles_that_turn_the_wrong_way_are_noticed() {
    let folder = folder();
    let right = folder.run(&["prints", "prints.csv"]);
    let wrong = folder.run(&["prints", "prints.csv", "--clockwise"]);
    assert!(!right.stderr.contains("wrong direction"), "{}", right.stderr);
    assert!(wrong.stderr.contains("angles seem to have the wrong direction"), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("leave out --clockwise"), "{}", wrong.stderr);
    // Prints that are slightly rotated still match, and reveal the direction of their angles.
    assert!(wrong.stderr.contains(" match as given"), "{}", wrong.stderr);
}

#[test]
fn angles_in_radians_are_noticed() {
    let folder = folder();
    let expected = folder.run(&["prints", "prints.csv", "--format", "tsv"]).stdout;
    let mut radians = "print,x,y,theta,type\n".to_owned();
    for line in PRINTS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let angle = cells[3].parse::<f64>().unwrap().to_radians();
        radians += &format!("{},{},{},{angle},{}\n", cells[0], cells[1], cells[2], cells[4]);
    }
    folder.write("radians.csv", radians);
    let ran = folder.run(&["prints", "radians.csv", "--format", "tsv"]);
    assert_eq!(ran.stdout, expected);
    assert!(ran.stderr.contains("note: the angles of radians.csv are read as radians"), "{}", ran.stderr);
    let told = folder.run(&["prints", "radians.csv", "--format", "tsv", "--angle-unit", "radians"]);
    assert!(told.stdout == expected && !told.stderr.contains("read as radians"), "{}", told.stderr);
    assert_ne!(folder.run(&["prints", "radians.csv", "--format", "tsv", "--angle-unit", "degrees"]).stdout, expected);
}

#[test]
fn an_input_without_a_print_is_refused_whatever_else_is_in_it() {
    let folder = Folder::new();
    folder
        .write("notes/read.me", "nothing\n")
        .write("notes/other.csv", "a,b\n1,2\n")
        .write("empty.csv", "print,x,y,angle\na,,,\n");
    assert_refused(&folder, &["prints", "notes"], &["no print in notes that can be read (first: "]);
    assert_refused(&folder, &["prints", "empty.csv"], &["no print in empty.csv", "'a' has no minutiae"]);
}

#[test]
fn a_finer_scan_of_the_same_prints_gives_the_same_pairs() {
    let folder = folder();
    let mut finer = "print,x,y,angle,type\n".to_owned();
    for line in PRINTS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let doubled = |cell: &str| 2 * cell.parse::<u32>().unwrap();
        finer += &format!("{},{},{},{},{}\n", cells[0], doubled(cells[1]), doubled(cells[2]), cells[3], cells[4]);
    }
    folder.write("finer.csv", finer);
    let expected = folder.run(&["prints", "prints.csv"]).stdout;
    assert_eq!(folder.run(&["prints", "finer.csv", "--resolution", "394"]).stdout, expected);
}

#[test]
fn templates_are_read_from_files_and_folders() {
    let folder = Folder::new();
    let view = parse_template(TEMPLATE).unwrap().remove(0);
    let both = write_template(&[view.clone(), view]).unwrap();
    folder.write("t/one.iso", TEMPLATE).write("t/both.fmr", both);
    let ran = folder.run(&["prints", "t", "--format", "tsv"]);
    assert_done(&ran, 0, &["3 pairs among 3 prints"]);
    let ids: Vec<(String, String)> = rows(&ran.stdout).into_iter().map(|row| (row.0, row.1)).collect();
    let expected = [("both.fmr:1", "both.fmr:2"), ("both.fmr:1", "one.iso"), ("both.fmr:2", "one.iso")];
    assert_eq!(ids, expected.map(|(left, right)| (left.to_owned(), right.to_owned())));
}

#[test]
fn bad_minutiae_and_prints_are_told_and_skipped() {
    let folder = Folder::new();
    let bad = "bad,500,10,0,end\nbad,-1,10,0,end\nbad,10,400,0,end\nbad,nan,10,0,end\nbad,ten,10,0,end\nbad,10,10,,end\n\
               nothing,,,,\n,10,10,10,end\nbad,10,10,10,end,more\nbad,10,10,inf,end\n";
    folder.write("in.csv", format!("{PRINTS}{bad}"));
    let ran = folder.run(&["prints", "in.csv", "--size", "300x400"]);
    let first = PRINTS.lines().count() + 1;
    assert_done(
        &ran,
        1,
        &[
            &format!("skipped in.csv, row {first}: 500, 10 is off the image of 300x400 pixels"),
            "-1, 10 is off the image",
            "10, 400 is off the image",
            "NaN, 10 is off the image",
            "x is 'ten', and no number",
            "angle is '', and no number",
            "it does not say which print it is of",
            &format!("row {}: ", first + 8),
            "inf is not an angle",
            "24 pairs among 24 prints (923 minutiae)",
            // Both prints that have no minutiae, or none left.
            "print 25: 'bad' has no minutiae",
            "skipped 1 more",
        ],
    );
    assert_eq!(ran.stdout.lines().count(), 24);
    let few = folder.write("few.csv", "print,x,y,angle\na,1,1,1\na,50,50,2\nb,1,1,1\n").run(&["prints", "few.csv"]);
    assert_done(&few, 0, &["0 pairs among 2 prints", "2 prints with fewer than 4 minutiae"]);
}

#[test]
fn columns_of_angles_are_known_by_their_usual_names() {
    let folder = folder();
    let run = |more: &[&str]| {
        let ran = folder.run(&[&["prints", "named.csv", "--all-pairs", "--format", "tsv"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    folder.write("named.csv", QUERIES);
    let expected = run(&[]);
    for name in ["angle_deg", "Angle_Degrees", "theta_deg", "direction"] {
        folder.write("named.csv", QUERIES.replacen("angle", name, 1));
        assert_eq!(run(&[]), expected, "{name}");
    }
    // In radians if the column's name says so, even if the name is given as an option.
    let mut lines = QUERIES.lines();
    let mut radians = lines.next().unwrap().replacen("angle", "angle_rad", 1) + "\n";
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let angle = cells[3].parse::<f64>().unwrap().to_radians().to_string();
        radians += &format!("{}\n", [cells[0], cells[1], cells[2], &angle, cells[4]].join(","));
    }
    folder.write("named.csv", &radians);
    assert_eq!(rows(&run(&[])).len(), rows(&expected).len());
    let scores = |tsv: &str| rows(tsv).into_iter().map(|row| (row.2 * 1000.0).round()).collect::<Vec<_>>();
    assert_eq!(scores(&run(&[])), scores(&expected));
    folder.write("named.csv", radians.replacen("angle_rad", "turn_rad", 1));
    assert_eq!(scores(&run(&["--angle", "turn_rad"])), scores(&expected));
}

#[test]
fn bad_templates_are_told_and_skipped() {
    let folder = Folder::new();
    let mut off = TEMPLATE.to_vec();
    // The upper bits of y of the first minutia.
    off[30] |= 0x20;
    let mut newer = TEMPLATE.to_vec();
    newer[5] = b'3';
    let empty = write_template(&[lookalike::core::prints::Print::new(Vec::new())]).unwrap();
    folder.write("t/a.iso", TEMPLATE).write("t/cut.iso", &TEMPLATE[..100]).write("t/stub.iso", &TEMPLATE[..2]);
    folder.write("t/empty.iso", empty).write("t/off.iso", off).write("t/newer.iso", newer);
    folder.write("t/README.md", "Templates.\n").write("t/zero", "");
    let ran = folder.run(&["prints", "t"]);
    assert_done(
        &ran,
        1,
        &[
            "t/cut.iso: the template is cut short",
            "t/stub.iso: the template is cut short",
            "t/empty.iso, print 1: 'empty.iso' has no minutiae",
            "t/off.iso, minutia 1: ",
            "t/newer.iso: not a template of ISO/IEC 19794-2:2005: only version 20",
            "t/README.md: neither its name nor its content shows a table",
            "t/zero: neither its name nor its content shows a table",
            "1 pair among 2 prints",
        ],
    );
    // Alone it leaves no print.
    assert_refused(&folder, &["prints", "t/cut.iso"], &["no print in t/cut.iso", "the template is cut short"]);
}

#[test]
fn what_cannot_be_done_is_refused_in_one_line() {
    let folder = folder();
    folder.write("empty.csv", "").write("header.csv", "print,x,y,angle,type\n").write("other.csv", "id,text\n1,one\n");
    for (arguments, said) in [
        (&["prints"][..], &["prints --help"][..]),
        (&["prints", "gone.csv"], &["cannot read", "gone.csv"]),
        (&["prints", "empty.csv"], &["empty.csv is not a table: it is empty"]),
        (&["prints", "header.csv"], &["no print in header.csv", "templates"]),
        (&["prints", "--against", "header.csv", "queries.csv"], &["no print in header.csv"]),
        (&["prints", "other.csv"], &["other.csv has no column 'print'", "--id", "id, text"]),
        (&["prints", "prints.csv", "--angle", "theta"], &["no column 'theta'", "--angle", "print, x, y, angle, type"]),
        (&["prints", "prints.csv", "--type", "kind"], &["no column 'kind'", "--type"]),
        (&["prints", "prints.csv", "--threshold", "1.5"], &["--threshold must be a score from 0 to 1, not 1.5"]),
        (&["prints", "prints.csv", "--threshold", "nan"], &["--threshold must be a score from 0 to 1, not NaN"]),
        (&["prints", "prints.csv", "--max-candidates", "0"], &["--max-candidates must be at least 1, not 0"]),
        (&["prints", "prints.csv", "--top", "3"], &["--top needs --against"]),
        (&["prints", "--against", "prints.csv", "queries.csv", "--top", "0"], &["--top must be at least 1, not 0"]),
        (&["prints", "prints.csv", "--all-pairs", "--grid", "20"], &["--all-pairs", "--grid"]),
        (&["prints", "prints.csv", "--grid", "0"], &["--grid must be the side of a square, above 0 pixels, not 0"]),
        (&["prints", "prints.csv", "--grid", "20", "--margin", "15"], &["margin of half a square"]),
        (&["prints", "prints.csv", "--grid", "20", "--buckets", "0"], &["--buckets must be at least 1, not 0"]),
        (&["prints", "prints.csv", "--size", "300"], &["'300'", "--size", "300x400"]),
        (&["prints", "prints.csv", "--resolution", "0"], &["--resolution must be above 0"]),
        (&["prints", "prints.csv", "-o", "prints.csv", "--force"], &["prints.csv would be overwritten"]),
    ] {
        assert_refused(&folder, arguments, said);
    }
    let piped = folder.run_with(&["prints", "-"], b"id,text\n1,one\n");
    assert_done(&piped, 2, &["standard input has no column 'print'"]);
}

#[test]
fn an_output_file_is_whole_or_absent_and_replaced_only_by_force() {
    let folder = folder();
    let ran = folder.run(&["prints", "prints.csv", "-o", "out/pairs.jsonl"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let written = folder.read("out/pairs.jsonl");
    assert_eq!(written, folder.run(&["prints", "prints.csv"]).stdout);

    assert_refused(&folder, &["prints", "prints.csv", "-o", "out/pairs.jsonl"], &["--force"]);
    let ran = folder.run(&["prints", "prints.csv", "-o", "out/pairs.jsonl", "--force", "--threshold", "0.99"]);
    assert_eq!((ran.code, folder.read("out/pairs.jsonl").as_str()), (0, ""));
    // A failed run leaves no output and no temporary files.
    assert_eq!(folder.run(&["prints", "prints.csv", "--x", "gone", "-o", "out/more.jsonl"]).code, 2);
    assert_eq!(fs::read_dir(folder.0.path().join("out")).unwrap().count(), 1);
}
