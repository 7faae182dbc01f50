//! `lookalike sets` as users see it.

use crate::folder::{Folder, assert_refused};

const BASKETS: &str = "milk bread beer\nbread milk beer\n\nmilk bread\ntea\n";

const RATINGS: &str = "user,film,stars\nann,alien,5\nann,brazil,1\nbob,alien,4\nbob,brazil,1\ncleo,casablanca,3\n";

/// The rows of a run that must succeed, without the header.
fn rows(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let ran = folder.run(&[&["sets"], arguments, &["--format", "tsv", "-q"]].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    ran.stdout.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn lines_are_sets_and_equal_ones_are_pairs() {
    let folder = Folder::new();
    folder.write("baskets.txt", BASKETS);
    let ran = folder.run(&["sets", "baskets.txt", "--threshold", "0.6"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "{\"left_id\":\"1\",\"right_id\":\"2\",\"similarity\":1.0,\"shared_count\":3}\n\
         {\"left_id\":\"1\",\"right_id\":\"4\",\"similarity\":0.6666666666666666,\"shared_count\":2}\n\
         {\"left_id\":\"2\",\"right_id\":\"4\",\"similarity\":0.6666666666666666,\"shared_count\":2}\n"
    );
    assert!(ran.stderr.starts_with("3 pairs among 5 sets, in"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 set without elements"), "{}", ran.stderr);
    let ran = folder.run(&["sets", "baskets.txt", "--threshold", "0.7", "--format", "tsv"]);
    assert_eq!(ran.stdout, "left_id\tright_id\tsimilarity\tshared_count\n1\t2\t1\t3\n");
}

#[test]
fn the_same_sets_are_read_in_every_form() {
    let folder = Folder::new();
    folder
        .write("lines.txt", "a x y z\nb y z\nc w\n")
        .write("separated.txt", "a|x|y|z\nb|y|z\nc|w\n")
        .write("pairs.csv", "who,what\na,x\nb,y\na,y\na,z\nb,z\nc,w\n")
        .write("wide.tsv", "n\tset\telement\n1\ta\tx\n2\tb\ty\n3\ta\ty\n4\ta\tz\n5\tb\tz\n6\tc\tw\n")
        .write("pairs.jsonl", "{\"set\":\"a\",\"element\":\"x\"}\n{\"set\":\"a\",\"element\":\"y\"}\n{\"set\":\"a\",\"element\":\"z\"}\n{\"set\":\"b\",\"element\":\"y\"}\n{\"set\":\"b\",\"element\":\"z\"}\n")
        .write("lists.jsonl", "{\"name\":\"a\",\"list\":[\"x\",\"y\",\"z\"]}\n{\"name\":\"b\",\"list\":[\"z\",\"y\"]}\n")
        .write("lists.csv", "name,list\na,x y z\nb,z y y\n");
    let threshold = &["--threshold", "0.5"][..];
    for arguments in [
        &["lines.txt", "--named"][..],
        &["separated.txt", "--named", "--delimiter", "|"],
        &["pairs.csv"],
        &["pairs.csv", "--set", "who", "--element", "what"],
        &["pairs.csv", "--element", "what"],
        &["wide.tsv"],
        &["pairs.jsonl"],
        &["lists.jsonl", "--set", "name", "--column", "list"],
        &["lists.csv", "--set", "name", "--column", "list"],
    ] {
        assert_eq!(rows(&folder, &[arguments, threshold].concat()), ["a\tb\t0.6666666666666666\t2"], "{arguments:?}");
    }
    assert_eq!(
        rows(&folder, &[&["pairs.csv", "--transpose"], threshold].concat()),
        ["x\ty\t0.5\t1", "x\tz\t0.5\t1", "y\tz\t1\t2"]
    );
}

#[test]
fn measures_differ_and_containment_tells_both_directions() {
    let folder = Folder::new();
    folder.write("in.txt", "small a b\nlarge a b c d e f g h\n");
    let measure = |name: &str, threshold: &str| {
        rows(&folder, &["in.txt", "--named", "--measure", name, "--threshold", threshold])
    };
    assert_eq!(measure("jaccard", "0.25"), ["small\tlarge\t0.25\t2"]);
    assert_eq!(measure("cosine", "0.5"), ["small\tlarge\t0.5\t2"]);
    assert_eq!(measure("overlap", "1"), ["small\tlarge\t1\t2"]);
    // Of the smaller one, as in dedup: a pair once, whichever comes first.
    assert_eq!(measure("containment", "1"), ["small\tlarge\t1\t2\t1\t0.25"]);
    assert_eq!(measure("containment", "0.25"), ["small\tlarge\t1\t2\t1\t0.25"]);
    folder.write("other.txt", "x a b c d\n");
    let ran =
        folder.run(&["sets", "other.txt", "--named", "--measure", "containment", "--top", "1", "--against", "in.txt"]);
    assert_eq!(
        ran.stdout,
        "{\"left_id\":\"x\",\"right_id\":\"small\",\"similarity\":1.0,\"shared_count\":2,\
         \"containment_of_left\":0.5,\"containment_of_right\":1.0}\n"
    );
}

#[test]
fn weights_make_a_difference() {
    let folder = Folder::new();
    folder.write("ratings.csv", RATINGS);
    // 4 + 1 over 5 + 1.
    let weighted = ["ratings.csv", "--weight", "stars", "--threshold", "0.1"];
    assert_eq!(rows(&folder, &weighted), ["ann\tbob\t0.8333333333333334\t5"]);
    // alien has 5 and 4, brazil 1 and 1.
    let transposed = ["ratings.csv", "--weight", "stars", "--transpose", "--top", "1"];
    assert_eq!(
        rows(&folder, &transposed),
        ["alien\tbrazil\t0.2222222222222222\t2", "brazil\talien\t0.2222222222222222\t2"]
    );
}

#[test]
fn the_nearest_come_first() {
    let folder = Folder::new();
    folder.write("in.txt", "a 1 2 3\nb 1 2 4\nc 1 2 3 4\nd 9\n").write("other.txt", "x 1 2\ny 4 9\nz 7\n");
    assert_eq!(
        rows(&folder, &["in.txt", "--named", "--top", "1"]),
        ["a\tc\t0.75\t3", "b\tc\t0.75\t3", "c\ta\t0.75\t3"]
    );
    assert_eq!(rows(&folder, &["in.txt", "--named", "--top", "2", "--threshold", "0.6"]).len(), 4);
    assert_eq!(
        rows(&folder, &["in.txt", "--named", "--against", "other.txt", "--top", "1"]),
        ["a\tx\t0.6666666666666666\t2", "b\tx\t0.6666666666666666\t2", "c\tx\t0.5\t2", "d\ty\t0.5\t1"]
    );
    assert_eq!(
        rows(&folder, &["in.txt", "--named", "--against", "other.txt", "--threshold", "0.6"]),
        ["a\tx\t0.6666666666666666\t2", "b\tx\t0.6666666666666666\t2"]
    );
}

#[test]
fn sketches_state_their_recall() {
    let folder = Folder::new();
    folder.write("in.txt", BASKETS);
    let ran = folder.run(&["sets", "in.txt", "--threshold", "0.6", "--recall", "0.99"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 3), "{}", ran.stderr);
    assert!(ran.stderr.contains("a pair at the threshold is found with a chance of 0.99"), "{}", ran.stderr);
    let refused = ["sets", "in.txt", "--threshold", "0.6", "--recall", "0.9", "--measure", "overlap"];
    assert_refused(&folder, &refused, &["overlap", "leave out --recall"]);
    assert_refused(&folder, &["sets", "in.txt", "--threshold", "0.6", "--recall", "1.5"], &["recall", "0.99"]);
}

#[test]
fn texts_are_sets_of_grams() {
    let folder = Folder::new();
    folder.write("titles.txt", "Salt Road\nsalt road\nNight Ferry\n").write("titles.csv", "n,title\n7,Ab\n8,ab \n");
    assert_eq!(rows(&folder, &["titles.txt", "--grams", "3", "--threshold", "0.9"]), ["1\t2\t1\t9"]);
    let csv = ["titles.csv", "--grams", "3", "--set", "n", "--column", "title", "--threshold", "0.9"];
    assert_eq!(rows(&folder, &csv), ["7\t8\t1\t2"]);
}

#[test]
fn what_is_bad_is_skipped_and_told() {
    let folder = Folder::new();
    folder.write(
        "in.csv",
        "user,film,stars\nann,alien,5\nbob,alien,many\nbob,alien,-1\ncleo,alien,5\n,alien,1\ndan,,1\nx\n",
    );
    let ran = folder.run(&["sets", "in.csv", "--weight", "stars", "--threshold", "0.5", "--format", "tsv"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
    for said in [
        "row 3: 'many' is not a weight",
        "row 4: '-1' is not a weight",
        "row 6: it has no set",
        "row 7: it has no element",
        "row 8: a row has 1 fields where the table has 3 columns",
    ] {
        assert!(ran.stderr.contains(&format!("skipped in.csv, {said}")), "{said}: {}", ran.stderr);
    }
}

#[test]
fn rows_of_different_lengths_get_a_hint_and_other_skipped_rows_none() {
    let folder = Folder::new();
    folder
        .write("ragged.csv", "set,element\nann,alien\nbob,alien\ncleo\n")
        .write("in/good.csv", "set,element\nann,alien\nbob,alien\n")
        .write("in/other.csv", "a,3 fields where the table has 4 columns,b\n1,2,3\n");
    let hint = "rows of different lengths: if each line of the file is a set, give --delimiter ','";
    for (input, skipped, is_hinted) in [
        ("ragged.csv", "a row has 1 fields where the table has 2 columns", true),
        ("in", "3 fields where the table has 4 columns", false),
    ] {
        let ran = folder.run(&["sets", input, "--threshold", "0.5"]);
        assert!(ran.code == 1 && ran.stderr.contains(skipped), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains(hint), is_hinted, "{}", ran.stderr);
    }
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let folder = Folder::new();
    folder
        .write("in.txt", BASKETS)
        .write("empty.txt", "")
        .write("blank.txt", "\n \n")
        .write("in.csv", RATINGS)
        .write("bad.csv", "user,film,stars\nann,alien,many\n");
    let refuse = |arguments: &[&str], said: &[&str]| assert_refused(&folder, &[&["sets"], arguments].concat(), said);
    refuse(&["in.txt", "--threshold", "0"], &["--threshold must be above 0 and at most 1, not 0"]);
    refuse(&["in.txt", "--threshold", "1.2"], &["--threshold must be above 0 and at most 1, not 1.2"]);
    refuse(&["gone.txt", "--threshold", "0.5"], &["gone.txt"]);
    refuse(&["empty.txt", "--threshold", "0.5"], &["empty.txt has no sets: give one set per line"]);
    refuse(&["blank.txt", "--threshold", "0.5"], &["blank.txt has no sets"]);
    refuse(&["in.csv", "--threshold", "0.5", "--set", "person"], &["no column 'person'", "user, film, stars"]);
    refuse(&["in.csv", "--threshold", "0.5", "--weight", "rating"], &["no column 'rating'", "user, film, stars"]);
    refuse(&["in.csv", "--threshold", "0.5"], &["give --set COLUMN or --delimiter ','", "user, film, stars"]);
    refuse(&["in.csv", "--threshold", "0.5", "--set", "user"], &["give --element COLUMN", "user, film, stars"]);
    refuse(&["in.csv", "--threshold", "0.5", "--grams", "3"], &["give --column COLUMN"]);
    refuse(
        &["bad.csv", "--threshold", "0.5", "--weight", "stars"],
        &["bad.csv has no sets that can be read (first: ", "'many' is not a weight"],
    );
    refuse(&["in.csv", "--threshold", "0.5", "--idf", "--recall", "0.9"], &["--idf", "--recall"]);
    refuse(&["in.txt", "--threshold", "0.5", "--delimiter", "::"], &["one character"]);
    refuse(&["in.txt", "--threshold", "0.5", "--threads", "0"], &["--threads"]);
    refuse(&["in.txt", "--threshold", "0.5", "--against", "gone.txt"], &["gone.txt"]);
    refuse(&["in.txt"], &["--threshold or --top must be given"]);
    refuse(&["in.txt", "--top", "0"], &["--top must be at least 1, not 0"]);
}

#[test]
fn commas_between_elements_are_recognized_or_asked_about() {
    let folder = Folder::new();
    folder
        .write("tight.txt", "milk,bread,beer\nbread, milk ,wine\n\neggs\n")
        .write("loose.txt", "citrus fruit,ready soups\nready soups,citrus fruit\n")
        .write("baskets.csv", "citrus fruit,bread,milk\nmilk,bread\nmilk,bread,citrus fruit,beer\n")
        .write("two.csv", "milk,bread\nbread,milk\nmilk,bread,beer\n");
    let ran = folder.run(&["sets", "tight.txt", "--threshold", "0.5", "--format", "tsv"]);
    assert_eq!((ran.code, ran.stdout.lines().nth(1)), (0, Some("1\t2\t0.5\t2")), "{}", ran.stderr);
    assert!(ran.stderr.contains("note: elements are separated by ','"), "{}", ran.stderr);
    let ran = folder.run(&["sets", "tight.txt", "--threshold", "0.5", "--delimiter", " "]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let ran = folder.run(&["sets", "loose.txt", "--threshold", "0.9"]);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("should it be --delimiter ','?"), "{}", ran.stderr);
    assert_eq!(rows(&folder, &["loose.txt", "--threshold", "0.9", "--delimiter", ","]), ["1\t2\t1\t2"]);
    // A table according to its file name, without a usable column name.
    assert_refused(&folder, &["sets", "baskets.csv", "--threshold", "0.5"], &["--delimiter ','"]);
    assert_eq!(rows(&folder, &["baskets.csv", "--threshold", "0.75", "--delimiter", ","]), ["1\t3\t0.75\t3"]);
    let ran = folder.run(&["sets", "two.csv", "--threshold", "0.5"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("give --delimiter ','"), "{}", ran.stderr);
}

#[test]
fn rows_come_as_csv_with_quotes_where_needed() {
    let folder = Folder::new();
    folder.write("in.txt", "Lee, Ann|alien|brazil\nthe \"Bob\"|brazil|alien\n");
    let arguments = ["sets", "in.txt", "--named", "--delimiter", "|", "--threshold", "0.5", "--format", "csv", "-q"];
    let expected = "left_id,right_id,similarity,shared_count\n\"Lee, Ann\",\"the \"\"Bob\"\"\",1,2\n";
    assert_eq!(folder.run(&arguments).stdout, expected);
    let ran = folder.run(&[&arguments[..], &["--measure", "containment"]].concat());
    assert!(
        ran.stdout.starts_with("left_id,right_id,similarity,shared_count,containment_of_left,containment_of_right\n")
    );
    assert!(ran.stdout.ends_with(",1,2,1,1\n"), "{}", ran.stdout);
}

#[test]
fn rare_elements_count_more_and_weights_make_vectors() {
    let folder = Folder::new();
    folder.write("in.txt", "x a\nx a\nx b\nx c\n");
    let plain = rows(&folder, &["in.txt", "--threshold", "0.01"]);
    let rare = rows(&folder, &["in.txt", "--threshold", "0.01", "--idf"]);
    assert_eq!((plain.len(), rare.len()), (6, 6));
    // ln 2 of all, of ln 2 + 2 ln 5 and ln 2 + ln 3 + ln 5.
    let similarity = |row: &String| row.split('\t').nth(2).unwrap().parse::<f64>().unwrap();
    let [two, three, five] = [2_f64, 3.0, 5.0].map(f64::ln);
    assert!((similarity(&rare[0]) - 1.0).abs() < 1e-12);
    assert!((similarity(&rare[1]) - two / (two + three + five)).abs() < 1e-12, "{rare:?}");
    assert!((similarity(&rare[5]) - two / (two + 2.0 * five)).abs() < 1e-12, "{rare:?}");
    folder.write("in.csv", "set,element,weight\na,x,3\na,y,4\nb,x,6\nb,y,8\nc,y,0.5\n");
    let weighted = ["in.csv", "--weight", "weight", "--measure", "cosine", "--threshold", "0.1"];
    assert_eq!(rows(&folder, &weighted), ["a\tb\t1\t50", "a\tc\t0.8\t2", "b\tc\t0.8\t4"]);
}

#[test]
fn output_is_complete_or_absent_and_not_replaced_by_accident() {
    let folder = Folder::new();
    folder.write("in.txt", BASKETS).write("kept.jsonl", "mine");
    assert_refused(&folder, &["sets", "in.txt", "--threshold", "0.6", "-o", "kept.jsonl"], &["kept.jsonl", "--force"]);
    assert_eq!(folder.read("kept.jsonl"), "mine");
    assert_refused(&folder, &["sets", "gone.txt", "--threshold", "0.6", "-o", "out.jsonl"], &["gone.txt"]);
    let ran = folder.run(&["sets", "in.txt", "--threshold", "0.6", "-o", "kept.jsonl", "--force"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(folder.read("kept.jsonl").lines().count(), 3);
}

#[test]
fn standard_input_is_read() {
    let folder = Folder::new();
    let ran = folder.run_with(&["sets", "-", "--threshold", "0.7", "--format", "tsv", "-q"], BASKETS.as_bytes());
    assert_eq!((ran.code, ran.stdout.lines().count(), ran.stderr.as_str()), (0, 2, ""));
}

#[test]
fn sets_come_from_folders_patterns_and_several_files() {
    let folder = Folder::new();
    folder.write("in/a.txt", "milk bread\n\nbeer wine\n").write("in/b.txt", "bread milk\n");
    for inputs in [&["in"][..], &["in/*.txt"], &["in/a.txt", "in/b.txt"]] {
        // Line numbers include the name of the file.
        let arguments = [inputs, &["--threshold", "0.9"]].concat();
        assert_eq!(rows(&folder, &arguments), ["a.txt:1\tb.txt:1\t1\t2"], "{inputs:?}");
    }
    let ran = folder.run(&["sets", "in", "--threshold", "0.9", "-o", "in/out.jsonl"]);
    assert!(ran.stderr.starts_with("1 pair among 4 sets, in"), "{}", ran.stderr);
    // A named set is one set across all files; and a file may be a table among files of lines.
    folder.write("named/a.txt", "ann milk\nbob milk bread\n").write("named/b.txt", "ann bread\n");
    assert_eq!(rows(&folder, &["named", "--named", "--threshold", "0.9"]), ["ann\tbob\t1\t2"]);
    folder.write("mixed/a.csv", "set,element\nann,milk\nann,bread\n").write("mixed/b.txt", "bread milk\n");
    assert_eq!(rows(&folder, &["mixed", "--threshold", "0.9"]), ["ann\tb.txt:1\t1\t2"]);
    let against = ["in/b.txt", "--against", "in/*.txt", "--threshold", "0.9"];
    assert_eq!(rows(&folder, &against), ["1\ta.txt:1\t1\t2", "1\tb.txt:1\t1\t2"]);
    folder.write("tables/a.csv", "who,what\nann,milk\nbob,milk\n").write("tables/b.csv", "x,y,z\n1,2,3\n");
    folder.write("tables/c.md", "nothing\n");
    let ran = folder.run(&["sets", "tables", "--set", "who", "--element", "what", "--threshold", "0.9"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1), "{}", ran.stderr);
    for said in ["skipped tables/b.csv: there is no column 'who'", "skipped tables/c.md: neither its name"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let refused = ["sets", "-", "--against", "-", "--threshold", "0.9"];
    assert_refused(&folder, &refused, &["standard input is given twice"]);
}

#[test]
fn the_examples_of_the_help_work() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let help = Folder::new().run(&["sets", "--help"]).stdout;
    let examples: Vec<&str> = help.lines().filter_map(|line| line.trim().strip_prefix("lookalike ")).collect();
    assert_eq!(examples.len(), 3, "{help}");
    for example in examples {
        let arguments: Vec<String> =
            example.split(' ').map(|word| word.replace("examples/", &format!("{root}/examples/"))).collect();
        let ran = Folder::new().run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(ran.code == 0 && ran.stdout.lines().count() > 1, "{example}: {}", ran.stderr);
    }
}

/// Every command in the guide prints the output shown there.
#[test]
fn the_guide_is_true() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let guide = std::fs::read_to_string(format!("{root}/docs/sets.md")).unwrap();
    let mut count = 0;
    for block in guide.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        for example in block.split("$ lookalike ").skip(1) {
            let (command, shown) = example.split_once('\n').unwrap();
            let arguments: Vec<String> =
                command.split(' ').map(|word| word.replace("examples/", &format!("{root}/examples/"))).collect();
            let ran = Folder::new().run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!((ran.code, ran.stdout.as_str()), (0, shown), "{command}: {}", ran.stderr);
            count += 1;
        }
    }
    assert!(count >= 5, "{count}");
}

#[test]
fn a_page_counts_pairs_by_similarity() {
    let folder = Folder::new();
    folder.write("baskets.txt", BASKETS);
    let ran = folder.run(&["sets", "baskets.txt", "--threshold", "0.6", "--report", "sets.html", "-q"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = folder.read("sets.html");
    assert!(page.contains("3 pairs among 5 sets."), "{page}");
    // Two pairs at two thirds, and one of equal sets.
    let row = |step: &str, pairs: u8| {
        format!("<th scope=\"row\" dir=\"auto\">{step}</th><td class=\"n\" data-v=\"{pairs}\">")
    };
    assert!(page.contains(&row("0.65", 2)) && page.contains(&row("1", 1)), "{page}");
    assert!(!page.contains(&row("0.55", 0)), "below the threshold nothing was looked for");
}
