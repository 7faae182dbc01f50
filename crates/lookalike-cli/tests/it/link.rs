//! `lookalike link` as a person meets it.

use crate::folder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};

use crate::folder::{Folder, assert_refused};
use serde_json::{Value, json};

const CUSTOMERS: &str = include_str!("../../../../examples/customers.csv");

fn with_customers() -> Folder {
    let folder = Folder::new();
    folder.write("customers.csv", CUSTOMERS);
    folder
}

fn link(folder: &Folder, more: &[&str]) -> folder::Ran {
    let ran = folder.run(&[&["link", "customers.csv", "--id", "id", "-o", "out"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

/// The ids of each cluster of two or more.
fn clusters(text: &str) -> BTreeSet<Vec<String>> {
    let mut clusters: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in text.lines().skip(1) {
        let (id, cluster) = row.split_once(',').unwrap();
        clusters.entry(cluster).or_default().push(id.to_owned());
    }
    clusters.into_values().filter(|ids| ids.len() > 1).map(sorted).collect()
}

/// The header and the rows of a table without quotes.
fn table(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut rows = text.lines().map(|row| row.split(',').collect::<Vec<_>>());
    (rows.next().unwrap(), rows.collect())
}

/// The same, owned.
fn table_of(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let (names, rows) = table(text);
    let owned = |row: Vec<&str>| row.into_iter().map(str::to_owned).collect::<Vec<_>>();
    (owned(names), rows.into_iter().map(owned).collect())
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

#[test]
fn customers_are_found_again_and_every_field_has_its_points() {
    let folder = with_customers();
    let ran = link(&folder, &[]);
    for said in ["name    person-name", "phone   phone", "born    date", "id      ignored: it is the id", "identical"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    // What a person reads is no data.
    assert_eq!(ran.stdout, "");
    let matches = folder.read("out/matches.csv");
    let (names, rows) = table(&matches);
    assert_eq!(names[..8].join(","), "left_id,right_id,bits,probability,name_bits,name_points,name_left,name_right");
    // One letter and another area code; and a phone that one of the two does not have.
    let one = |left: &str, right: &str| {
        let found = rows.iter().find(|row| row[0] == left && row[1] == right).unwrap_or_else(|| panic!("{matches}"));
        names.iter().copied().zip(found.iter().copied()).collect::<BTreeMap<&str, &str>>()
    };
    let points = |row: &BTreeMap<&str, &str>| {
        ["name", "street", "city", "phone", "born"]
            .map(|field| row[format!("{field}_points").as_str()].parse::<u32>().unwrap())
    };
    let (slip, gap) = (one("1", "2"), one("5", "7"));
    assert_eq!((points(&slip), points(&gap)), ([90, 100, 100, 80, 100], [90, 100, 100, 40, 100]));
    assert_eq!((slip["name_left"], slip["name_right"]), ("Jeffrey Ullman", "Jeffery Ullman"));
    assert!(gap["phone_left"].is_empty() != gap["phone_right"].is_empty(), "{matches}");
    // Bits decide: a probability is even odds at none, and one more bit doubles the odds.
    for row in &rows {
        let (bits, probability): (f64, f64) = (row[2].parse().unwrap(), row[3].parse().unwrap());
        assert!((1.0 / (1.0 + (-bits).exp2()) - probability).abs() < 0.002, "{row:?}");
    }
    assert!(slip["name_bits"].parse::<f64>().unwrap() > gap["phone_bits"].parse::<f64>().unwrap(), "{matches}");
    let found = clusters(&folder.read("out/clusters.csv"));
    let expected = [["1", "2"], ["11", "12"], ["3", "4"], ["5", "7"], ["8", "9"]];
    assert_eq!(found, expected.map(|ids| ids.map(str::to_owned).to_vec()).into());
    let linked = folder.read("out/linked.csv");
    assert!(linked.starts_with("cluster,best,id,name,street,city,phone,born\n"), "{linked}");
    assert_eq!(linked.lines().count(), CUSTOMERS.lines().count());
    // A best record for each cluster, also of one.
    assert_eq!(linked.matches(",true,").count(), 16 - 5);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!((&summary["match_count"], &summary["cluster_count"]), (&5.into(), &5.into()));
}

#[test]
fn threads_and_the_order_of_rows_change_nothing() {
    let folder = with_customers();
    link(&folder, &["--threads", "1"]);
    let read =
        |out: &str| ["matches.csv", "clusters.csv", "linked.csv"].map(|name| folder.read(&format!("{out}/{name}")));
    let one = read("out");
    let ran = folder.run(&["link", "customers.csv", "--id", "id", "-o", "many", "--threads", "4", "-q"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    assert_eq!(read("many"), one);

    let mut rows: Vec<&str> = CUSTOMERS.lines().collect();
    rows[1..].reverse();
    folder.write("customers.csv", rows.join("\n"));
    folder.run(&["link", "customers.csv", "--id", "id", "-o", "reversed"]);
    let reversed = read("reversed");
    // Left and right may change places, and nothing else.
    let cells = |matches: &str| {
        matches.lines().map(|row| sorted(row.split(',').map(str::to_owned).collect())).collect::<Vec<_>>()
    };
    assert_eq!(cells(&reversed[0]), cells(&one[0]));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!((lines(&reversed[1]), lines(&reversed[2])), (lines(&one[1]), lines(&one[2])));
}

#[test]
fn the_same_records_come_from_every_format() {
    let folder = with_customers();
    link(&folder, &[]);
    let expected = folder.read("out/matches.csv");
    let rows: Vec<Vec<&str>> = CUSTOMERS.lines().map(|row| row.split(',').collect()).collect();
    let tabs: String = rows.iter().map(|row| row.join("\t") + "\n").collect();
    let object = |row: &Vec<&str>| {
        let fields = rows[0].iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        format!("{{{}}}\n", fields.map(|(name, cell)| format!("\"{name}\": \"{cell}\"")).collect::<Vec<_>>().join(", "))
    };
    let objects: String = rows[1..].iter().map(object).collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(CUSTOMERS.as_bytes()).unwrap();
    folder.write("c.tsv", &tabs).write("c.jsonl", &objects).write("c.csv.gz", packed.finish().unwrap());
    folder.write("bom.csv", format!("\u{FEFF}{}", CUSTOMERS.replace(',', ";").replace('\n', "\r\n")));
    for name in ["c.tsv", "c.jsonl", "c.csv.gz", "bom.csv"] {
        let ran = folder.run(&["link", name, "--id", "id", "-o", "other", "--force"]);
        assert_eq!((ran.code, folder.read("other/matches.csv")), (0, expected.clone()), "{name}: {}", ran.stderr);
    }
    let ran = folder.run_with(&["link", "-", "--id", "id", "-o", "piped"], CUSTOMERS.as_bytes());
    assert_eq!((ran.code, folder.read("piped/matches.csv")), (0, expected), "{}", ran.stderr);
}

#[test]
fn two_tables_are_linked_and_told_apart() {
    let folder = Folder::new();
    let rows: Vec<&str> = CUSTOMERS.lines().collect();
    // Those with an odd number in the one, those with an even one in the other.
    let half = |odd: bool| -> String {
        let mine = rows[1..].iter().enumerate().filter(|(at, _)| (at % 2 == 0) == odd).map(|(_, row)| *row);
        std::iter::once(rows[0]).chain(mine).collect::<Vec<_>>().join("\n")
    };
    // The same under other names, and with a column that only the second has.
    let second = half(false).replace("id,name,street,city,phone,born", "id,name,street,city,telephone,born");
    folder.write("a.csv", half(true)).write("b.csv", second);
    let ran = folder.run(&["link", "a.csv", "b.csv", "--id", "id", "--one-to-one", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let matches = folder.read("out/matches.csv");
    let ids: BTreeSet<String> =
        matches.lines().skip(1).map(|row| row.split(',').take(2).collect::<Vec<_>>().join(",")).collect();
    for pair in ["1,2", "3,4", "9,8", "11,12"] {
        assert!(ids.contains(pair), "{pair}: {matches}");
    }
    let linked = folder.read("out/linked.csv");
    assert!(linked.starts_with("cluster,best,table,id,name,street,city,phone,"), "{linked}");
    let (names, rows) = table(&linked);
    assert_eq!(rows.iter().filter(|row| row[2] == "1").count(), 8);
    // The telephone of the second is the phone of the first, and has no column of its own.
    assert_eq!(names[3..], ["id", "name", "street", "city", "phone", "born"]);
    assert!(ran.stderr.contains("phone   phone, 'telephone' in the second table"), "{}", ran.stderr);
}

#[test]
fn a_config_is_written_edited_and_given_back() {
    let folder = with_customers();
    let ran = folder.run(&["link", "config", "customers.csv", "--id", "id", "-o", "link.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let config = folder.read("link.toml");
    assert!(config.contains("name = \"phone\"\nkind = \"phone\""), "{config}");
    folder.write("link.toml", config.replace("kind = \"phone\"", "kind = \"ignored\""));
    link(&folder, &["--config", "link.toml"]);
    let matches = folder.read("out/matches.csv");
    assert!(matches.contains(",city_right,born_bits,") && !matches.contains("phone"), "{matches}");

    folder.write("link.toml", "id = \"id\"\n[[columns]]\nname = \"name\"\nkind = \"person\"\n");
    let with_config = ["link", "customers.csv", "--config", "link.toml", "-o", "refused"];
    assert_refused(
        &folder,
        &with_config,
        &["--config must be the text of a link.toml", "line 4", "unknown variant `person`"],
    );
    folder.write("link.toml", "[[columns]]\nname = \"nme\"\nkind = \"person-name\"\n");
    assert_refused(&folder, &with_config, &["no column 'nme'", "the columns are id, name"]);
}

#[test]
fn a_pair_is_explained() {
    let folder = with_customers();
    let ran = folder.run(&["link", "explain", "customers.csv", "1", "2", "--id", "id"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in ["1 and 2: +", " bits, probability 0.99", "one letter apart: jeffrey ullman | jeffery ullman"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("other or no area code"), "{}", ran.stdout);
    let gone = ["link", "explain", "customers.csv", "1", "99", "--id", "id"];
    assert_refused(&folder, &gone, &["no record has the id '99'"]);
}

#[test]
fn a_pair_is_explained_from_the_result_as_from_the_tables() {
    let folder = with_customers();
    link(&folder, &["--validate", "born"]);
    let both = |ids: [&str; 2]| {
        let tables = ["link", "explain", "customers.csv", ids[0], ids[1], "--id", "id", "--config", "out/link.toml"];
        let [anew, kept] = [&tables[..], &["link", "explain", "out", ids[0], ids[1]]].map(|run| folder.run(run));
        assert_eq!((anew.code, kept.code), (0, 0), "{} {}", anew.stderr, kept.stderr);
        assert_eq!(anew.stdout, kept.stdout);
        kept.stdout
    };
    let matched = both(["1", "2"]);
    for said in [
        "a match: the threshold",
        "brought together by\n",
        "part phone: 2 records with this key, all of them compared",
        "in one cluster",
    ] {
        assert!(matched.contains(said), "{said}: {matched}");
    }
    // Two people of one household.
    let apart = both(["8", "10"]);
    for said in ["not a match", "in two clusters"] {
        assert!(apart.contains(said), "{said}: {apart}");
    }
    let strangers = both(["13", "15"]);
    for said in ["not a match", "no key brought them together: they share none", "in two clusters"] {
        assert!(strangers.contains(said), "{said}: {strangers}");
    }
    assert_refused(&folder, &["link", "explain", "out", "1", "99"], &["no record has the id '99'"]);
    folder.write("out/frequencies.bin", "");
    assert_refused(
        &folder,
        &["link", "explain", "out", "1", "2"],
        &["cannot explain pairs of out", "link everything again"],
    );
}

#[test]
fn a_known_answer_judges_matches_and_clusters() {
    let folder = with_customers();
    // One that is not there to be found, and one that is found and not listed.
    folder.write("pairs.csv", "a,b\n1,2\n3,4\n5,7\n9,8\n6,16\n1,99\n");
    let ran = link(&folder, &["--labels", "pairs.csv"]);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    for of in ["matches", "clusters"] {
        let of = &summary["labels"][of];
        assert_eq!([&of["right_count"], &of["wrong_count"], &of["missed_count"]], [4, 1, 1], "{of}");
        assert!((of["precision"].as_f64().unwrap() - 0.8).abs() < 1e-9 && of["f1"] == of["recall"], "{of}");
    }
    assert_eq!(
        (&summary["labels"]["unknown_row_count"], &summary["labels"]["missed"]["not compared"]),
        (&1.into(), &1.into())
    );
    assert!(ran.stderr.contains("labels    matches   precision 0.8000, recall 0.8000"), "{}", ran.stderr);
    let (wrong, missed) = (folder.read("out/wrong.csv"), folder.read("out/missed.csv"));
    assert!(wrong.contains(",11,12,") && wrong.contains("born equal (+") && wrong.lines().count() == 2, "{wrong}");
    assert!(missed.contains("not compared: ") && missed.contains(",6,16,") && missed.lines().count() == 2, "{missed}");

    // Clusters say the same; of a record without one nothing is known.
    let mut answer = "id,cluster\n".to_owned();
    for (id, cluster) in [(1, "a"), (2, "a"), (3, "b"), (4, "b"), (5, "c"), (7, "c"), (8, "d"), (9, "d"), (11, "e")] {
        answer += &format!("{id},{cluster}\n");
    }
    folder.write("clusters.csv", &answer);
    link(&folder, &["--labels", "clusters.csv", "--force"]);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(
        (&summary["labels"]["matches"]["right_count"], &summary["labels"]["not_judged_count"]),
        (&4.into(), &1.into())
    );
    // The answer may be in the table itself, and is not compared then.
    let own: String = CUSTOMERS
        .lines()
        .enumerate()
        .map(|(at, row)| {
            let cluster = if at == 0 { "cluster".to_owned() } else { format!("c{}", at.min(2)) };
            format!("{row},{cluster}\n")
        })
        .collect();
    folder.write("own.csv", &own);
    let ran = folder.run(&["link", "own.csv", "--id", "id", "--labels", "own.csv", "-o", "own"]);
    assert!(ran.stderr.contains("cluster  ignored: it is the answer"), "{}", ran.stderr);
    let ran = folder.run(&["link", "explain", "own", "1", "2"]);
    assert!(ran.stdout.contains("a match"), "{} {}", ran.stdout, ran.stderr);
    // Labeled pairs: only those are judged.
    folder.write("labels.csv", "left,right,label\n1,2,1\n11,12,0\n6,16,0\n");
    link(&folder, &["--labels", "labels.csv", "--force"]);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    let of = &summary["labels"]["matches"];
    assert_eq!(
        [&of["right_count"], &of["wrong_count"], &of["missed_count"], &summary["labels"]["not_judged_count"]],
        [1, 1, 0, 3],
        "{of}"
    );
}

#[test]
fn ids_may_be_named_differently_and_one_common_column_is_a_warning() {
    let folder = with_customers();
    let second = CUSTOMERS.replace("id,name,street,city,phone,born", "nr,full_name,addr,town,telephone,birthday");
    folder.write("b.csv", second.replace("Jeffery", "Jefery"));
    let ran = folder.run(&["link", "customers.csv", "b.csv", "--id", "id", "--id-right", "nr", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in ["'full_name' in the second table", "'addr' in", "'town' in", "'telephone' in", "'birthday' in"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let (_, rows) = table_of(&folder.read("out/matches.csv"));
    assert!(rows.iter().filter(|row| row[0] == row[1]).count() >= 15, "{rows:?}");
    assert!(folder.read("out/linked.csv").starts_with("cluster,best,table,id,name,street,city,phone,born\n"));
    // And from the result.
    let ran = folder.run(&["link", "explain", "out", "2", "2"]);
    assert!(ran.stdout.contains("a match") && ran.stdout.contains("jeffery ullman | jefery ullman"), "{}", ran.stdout);

    let gone = ["link", "customers.csv", "b.csv", "--id", "id", "-o", "no"];
    assert_refused(&folder, &gone, &["no column 'id'", "the columns are nr, full_name"]);
    let names: String =
        CUSTOMERS.lines().map(|row| row.split(',').take(2).collect::<Vec<_>>().join(",") + "\n").collect();
    folder.write("names.csv", names);
    let ran = folder.run(&["link", "customers.csv", "names.csv", "--id", "id", "-o", "few"]);
    assert!(
        ran.stderr.contains("warning: the tables have only one column in common that is compared, name"),
        "{}",
        ran.stderr
    );
}

#[test]
fn several_tables_are_linked_and_deduplicated_together() {
    let folder = Folder::new();
    let rows: Vec<&str> = CUSTOMERS.lines().collect();
    let part = |header: &str, from: usize, to: usize| [&[header], &rows[from..to]].concat().join("\n");
    folder.write("a.csv", part(rows[0], 1, 5)).write("b.csv", part("id,name,addr,city,telephone,born", 5, 9));
    // Ids are unique in each table, and not among all.
    folder.write("c.csv", part(rows[0], 9, 17).replace("\n11,", "\n1,").replace("\n12,", "\n2,"));
    let ran = folder.run(&["link", "a.csv", "b.csv", "c.csv", "--id", "id", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("read      4 records and 4 records and 8 records"), "{}", ran.stderr);
    let (names, rows) = table_of(&folder.read("out/matches.csv"));
    assert_eq!(names[..5].join(","), "left_id,right_id,left_table,right_table,bits");
    let found: BTreeSet<String> = rows.iter().map(|row| row[..4].join(",")).collect();
    // Within the first, within the second, between the second and the third, within the third.
    assert_eq!(found, ["1,2,1,1", "3,4,1,1", "5,7,2,2", "8,9,2,3", "1,2,3,3"].map(str::to_owned).into());
    assert!(folder.read("out/linked.csv").starts_with("cluster,best,table,id,name,street,city,phone,born\n"));
    let ran = folder.run(&["link", "explain", "out", "3:1", "3:2"]);
    assert!(ran.stdout.contains("a match") && ran.stdout.contains("short form"), "{} {}", ran.stdout, ran.stderr);
    assert_refused(&folder, &["link", "explain", "out", "1", "5"], &["no record has the id '1'", "write 2:1"]);

    let ran = folder.run(&["link", "a.csv", "b.csv", "--id", "id", "--within", "-o", "two"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.read("two/matches.csv").lines().count(), 1 + 3);
}

#[test]
fn clusters_are_merged_to_one_record_each() {
    let folder = with_customers();
    folder.write(
        "customers.csv",
        "id,name,street,city,phone,born,seen\n\
         1,Jeffrey Ullman,12 Oak Street,Palo Alto,650-555-0114,1942-11-22,2020-01-01\n\
         2,Jeffery Ullman,12 Oak St.,Palo Alto,,1942-11-22,2023-05-05\n\
         3,Jeffrey Ullman,12 Oak St.,Palo Alto,650-555-0199,1942-11-22,2022-02-02\n\
         4,Maria Szczepanski,7 Elm Avenue,Cleveland,216-555-0187,1961-03-09,2020-01-01\n\
         5,Pedro Alvarez,77 Sunset Blvd,El Paso,915-555-0172,1969-08-17,2021-01-01\n",
    );
    let merged = |more: &[&str]| -> Vec<String> {
        link(&folder, &[&["--threshold", "0.5", "--force"], more].concat());
        let (_, rows) = table_of(&folder.read("out/merged.csv"));
        assert_eq!(rows.iter().map(|row| row[1].parse::<u32>().unwrap()).sum::<u32>(), 5);
        rows.into_iter().find(|row| row[3].ends_with("Ullman")).unwrap()[1..].to_vec()
    };
    folder.write("kinds.toml", "");
    let frequent = merged(&[]);
    assert_eq!(frequent[0], "3");
    assert_eq!(frequent[2..4], ["Jeffrey Ullman", "12 Oak St."]);
    let newest = merged(&["--newest", "seen"]);
    // The newest has no phone, and the one before has.
    assert_eq!(newest[2..6], ["Jeffery Ullman", "12 Oak St.", "Palo Alto", "650-555-0199"]);
}

#[test]
fn what_would_be_compared_is_shown_beforehand_and_effort_compares_more() {
    let folder = Folder::new();
    let given = ["Ann", "Anna", "Anne", "Hanna", "Susan", "Mary", "Linda"];
    let rows: String =
        (0..400).map(|at| format!("{at},{} Smith,{at} Oak Street,Springfield\n", given[at % 7])).collect();
    folder.write("a.csv", format!("id,name,street,city\n{rows}"));
    let ran = folder.run(&["link", "analyze", "a.csv", "--id", "id"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in [
        "read      400 records",
        "phonetic name: ",
        "400 records  smith\n",
        "oak st\n",
        "split",
        "--effort raises this",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let compared = |effort: &str| {
        let ran = folder.run(&["link", "a.csv", "--id", "id", "-o", "out", "--force", "--effort", effort]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
        summary["candidate_count"].as_u64().unwrap()
    };
    assert!(compared("1") < compared("100"));
    assert_eq!(compared("100"), 400 * 399 / 2);
}

#[test]
fn a_config_sets_weights_and_the_prior_and_an_edited_one_stays() {
    let folder = with_customers();
    let write = ["link", "config", "customers.csv", "--id", "id", "-o", "link.toml"];
    assert_eq!(folder.run(&write).code, 0);
    // The same again does no harm.
    assert_eq!(folder.run(&write).code, 0);
    let edited = folder.read("link.toml").replace(
        "name = \"phone\"\nkind = \"phone\"\n",
        "name = \"phone\"\nkind = \"phone\"\nweights = { equal = 1.25, different = -2.5 }\n",
    );
    folder.write("link.toml", format!("prior = -7.5\neffort = 2.0\n{edited}"));
    assert_refused(&folder, &write, &["link.toml exists, and may have been edited", "--force"]);
    assert!(folder.read("link.toml").contains("-7.5"));
    link(&folder, &["--config", "link.toml"]);
    let ran = folder.run(&["link", "explain", "out", "3", "4"]);
    let bits = |name: &str| -> f64 {
        let line = ran.stdout.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let model: Value = serde_json::from_str(&folder.read("out/model.json")).unwrap();
    let phone = model["model"]["fields"].as_array().unwrap().iter().find(|field| field["name"] == "phone").unwrap();
    let weights = phone["weights"].as_array().unwrap();
    assert_eq!((weights.last().unwrap(), &weights[2]), (&1.25.into(), &(-2.5).into()), "{phone}");
    // What is rare adds to it.
    assert!((bits("prior") + 7.5).abs() < 1e-9 && bits("phone") > 0.0, "{}", ran.stdout);
    folder.write("link.toml", edited.replace("equal = 1.25", "same = 1.25"));
    let refused = ["link", "customers.csv", "--config", "link.toml", "-o", "no"];
    assert_refused(&folder, &refused, &["column 'phone' has no level 'same': its levels are both missing"]);
}

#[test]
fn a_model_of_another_version_or_of_other_columns_is_refused() {
    let folder = with_customers();
    link(&folder, &[]);
    let mut model: Value = serde_json::from_str(&folder.read("out/model.json")).unwrap();
    let with = |model: &str| ["link", "customers.csv", "--id", "id", "--model", model, "-o", "no"].map(str::to_owned);
    let refused = |model: &str, said: &[&str]| {
        assert_refused(&folder, &with(model).each_ref().map(String::as_str), said);
    };
    refused("none.json", &["cannot use the model none.json", "give the model.json that an earlier run wrote"]);
    refused("customers.csv", &["cannot use the model customers.csv"]);
    folder.write("other.csv", "id,title\n1,a blue book\n2,a red book\n3,the sea\n");
    assert_eq!(folder.run(&["link", "other.csv", "--id", "id", "-o", "other"]).code, 0);
    refused("other/model.json", &["it compares title", "name the same columns"]);
    // One level less than there is now.
    model["model"]["fields"][0]["weights"].as_array_mut().unwrap().pop();
    folder.write("out/model.json", model.to_string());
    refused("out/model.json", &["its levels of column 'name' are not those of this version", "link its table again"]);
    assert_refused(&folder, &["link", "explain", "out", "1", "2"], &["its levels of column 'name'"]);
    folder.write("new.csv", "id,name,street,city,phone,born\n90,Ann Lee,1 Elm St,Reno,5550100,1990-01-01\n");
    assert_refused(&folder, &["link", "add", "out", "new.csv"], &["its levels of column 'name'"]);
}

#[test]
fn merges_of_all_additions_are_kept() {
    let folder = Folder::new();
    let header = "id,name,street,city,phone,born";
    let others: String = CUSTOMERS.lines().skip(3).map(|row| format!("{row}\n")).collect();
    folder.write("customers.csv", format!("{header}\n{others}"));
    link(&folder, &[]);
    let runs = |count: usize| {
        let merges = folder.read("out/merges.csv");
        assert!(merges.starts_with("run,from,into\n"), "{merges}");
        assert_eq!(merges.lines().skip(1).filter(|row| row.starts_with(&format!("{count},"))).count(), 1, "{merges}");
        merges
    };
    // A cluster that an earlier run merged.
    folder.write("out/merges.csv", "run,from,into\n1,99,98\n");
    folder.write("new.csv", format!("{header}\n100,Nobody Else,1 Far Road,Juneau,907-555-0111,1950-01-01\n"));
    assert_eq!(folder.run(&["link", "add", "out", "new.csv"]).code, 0);
    assert_eq!(runs(1), "run,from,into\n1,99,98\n");
}

#[test]
fn added_records_leave_clusters_their_numbers() {
    let folder = Folder::new();
    let rows: Vec<&str> = CUSTOMERS.lines().collect();
    folder.write("customers.csv", rows[..12].join("\n"));
    // Columns in another order.
    let turned = |row: &&str| row.split(',').rev().collect::<Vec<_>>().join(",");
    folder.write("new.csv", std::iter::once(&rows[0]).chain(&rows[12..]).map(turned).collect::<Vec<_>>().join("\n"));
    link(&folder, &[]);
    let before = folder.read("out/clusters.csv");
    let report = folder.0.path().join("out/report.html");
    assert!(report.exists());
    let ran = folder.run(&["link", "add", "out", "new.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!report.exists(), "it describes the result before");
    assert!(ran.stderr.contains("added     5 records; 0 clusters merged into another"), "{}", ran.stderr);
    let after = folder.read("out/clusters.csv");
    assert!(after.starts_with(&before) && after.lines().count() == rows.len(), "{before}\n{after}");
    let cluster_of = |id: &str| after.lines().find_map(|row| row.strip_prefix(&format!("{id},"))).unwrap().to_owned();
    assert_eq!(cluster_of("11"), cluster_of("12"));
    assert!(folder.read("out/matches.csv").contains("\n11,12,"));
    assert_eq!(folder.read("out/merges.csv"), "run,from,into\n");

    let again = ["link", "add", "out", "new.csv"];
    assert_refused(&folder, &again, &["cannot add records to out", "the result has the id '12' already"]);
    assert_eq!(folder.read("out/clusters.csv"), after);
    folder.write("other.csv", "id,name\n99,Ann Smith\n");
    assert_refused(&folder, &["link", "add", "out", "other.csv"], &["other.csv: there is no column 'street'"]);
    assert_refused(&folder, &["link", "add", "nowhere", "new.csv"], &["cannot add records to nowhere", "link.toml"]);
    let toml = folder.read("out/link.toml").replace("kind = \"phone\"", "kind = \"ignored\"");
    folder
        .write("out/link.toml", toml)
        .write("more.csv", "id,name,street,city,phone,born\n77,A B,1 X,Y,5,1999-01-01\n");
    assert_refused(&folder, &["link", "add", "out", "more.csv"], &["link.toml was changed", "link everything again"]);
}

#[test]
fn a_column_that_is_not_compared_validates_the_matches() {
    let folder = with_customers();
    let ran = link(&folder, &["--validate", "born"]);
    assert!(ran.stderr.contains("born    ignored: matches are checked against it"), "{}", ran.stderr);
    assert!(ran.stderr.contains("valid     random pairs differ by"), "{}", ran.stderr);
    assert!(!folder.read("out/matches.csv").lines().next().unwrap().contains("born"));
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    let right = &summary["validation"]["all"];
    assert!(right["right"].as_f64().unwrap() > 0.9 && right["low"].as_f64() < right["right"].as_f64(), "{right}");
}

#[test]
fn people_of_one_household_are_not_a_match() {
    let folder = with_customers();
    // Without birthdays: Wei, Zhang Wei and Li share a family name, a home and a phone.
    link(&folder, &["--validate", "born"]);
    assert!(!folder.read("out/matches.csv").contains("\n8,10,"), "{}", folder.read("out/matches.csv"));
    let found = clusters(&folder.read("out/clusters.csv"));
    assert!(found.contains(&vec!["8".to_owned(), "9".to_owned()]), "{found:?}");
    assert!(!found.iter().flatten().any(|id| id == "10"), "{found:?}");
}

#[test]
fn what_cannot_be_linked_is_refused_in_one_line() {
    let folder = with_customers();
    folder.write("norows.csv", "id,name\n").write("empty.csv", "").write("twice.csv", "id,name,name\n1,a,b\n");
    folder.write("sameid.csv", "id,name\n1,Ann Smith\n2,Bob Jones\n1,Karl May\n");
    folder.write("same.csv", "id,a,b\n1,x,\n2,x,\n3,x,\n");
    folder.write("short.csv", "id,name,city\n1,Ann\n2\n");
    for (arguments, said) in [
        (&["norows.csv", "-o", "out"][..], "norows.csv is not a table: it has no rows"),
        (&["customers.csv", "norows.csv", "-o", "out"], "norows.csv is not a table: it has no rows"),
        (&["empty.csv", "-o", "out"], "empty.csv is not a table: it is empty"),
        (&["twice.csv", "-o", "out"], "two of its columns are named 'name'"),
        (&["short.csv", "-o", "out"], "none of its 2 rows can be read"),
        (&["gone.csv", "-o", "out"], "cannot read gone.csv"),
        (&["customers.csv", "--id", "number", "-o", "out"], "no column 'number': the columns are id, name"),
        (&["customers.csv", "--validate", "age", "-o", "out"], "no column 'age'"),
        (&["sameid.csv", "--id", "id", "-o", "out"], "the id '1' is not unique: rows 1 and 3"),
        (&["same.csv", "--id", "id", "-o", "out"], "no column is left to compare"),
        (
            &["customers.csv", "--threshold", "1", "-o", "out"],
            "--threshold must be a probability above 0 and below 1, not 1",
        ),
        (&["customers.csv", "--one-to-one", "-o", "out"], "--one-to-one needs two tables"),
        (&["customers.csv", "--effort", "0", "-o", "out"], "--effort must be a factor above 0, such as 4, not 0"),
        (&["customers.csv", "--newest", "age", "-o", "out"], "no column 'age'"),
        (&["customers.csv", "--labels", "norows.csv", "-o", "out"], "norows.csv is not a table: it has no rows"),
        (
            &["customers.csv", "--labels", "sameid.csv", "--id", "name", "-o", "out"],
            "none of its ids is that of a record",
        ),
        (&["customers.csv"], "--output"),
    ] {
        assert_refused(&folder, &[&["link"], arguments].concat(), &[said]);
    }
}

#[test]
fn rows_that_cannot_be_read_are_counted_and_shown_with_their_place() {
    let folder = Folder::new();
    folder.write("customers.csv", format!("{CUSTOMERS}17,Ann\n18,Bob Jones,1 A St,Ulm,555,1999-01-01,more\n"));
    let ran = folder.run(&["link", "customers.csv", "--id", "id", "-o", "out"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped customers.csv, row 18: a row has 2 fields"), "{}", ran.stderr);
    assert!(ran.stderr.contains("row 19: a row has 7 fields where the table has 6 columns"), "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!((&summary["skipped_count"], &summary["skipped"][1]["position"]), (&2.into(), &19.into()));
    assert_eq!(summary["match_count"], 5);
}

#[test]
fn output_that_is_there_is_replaced_only_when_asked() {
    let folder = with_customers();
    link(&folder, &[]);
    let again = ["link", "customers.csv", "--id", "id", "-o", "out"];
    assert_refused(&folder, &again, &["out exists and is not empty", "--force"]);
    link(&folder, &["--force", "--threshold", "0.999"]);
    assert_eq!(folder.read("out/matches.csv").lines().count(), 1 + 3);
}

/// A web server that has one table, whatever it is asked for.
fn server(table: &'static str) -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4096];
            let count = client.read(&mut request).unwrap_or(0);
            let body = if request[..count].starts_with(b"HEAD") { "" } else { table };
            let length = table.len();
            let _ = write!(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
        }
    });
    at
}

#[test]
fn a_table_may_be_far_away() {
    let folder = with_customers();
    link(&folder, &[]);
    let url = format!("http://{}/customers.csv", server(CUSTOMERS));
    let ran = folder.run(&["link", &url, "--id", "id", "-o", "far"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.read("far/matches.csv"), folder.read("out/matches.csv"));
    let gone = ["link", "http://127.0.0.1:9/x.csv", "-o", "gone"];
    assert_eq!(folder.run(&gone).code, 2);
}

#[test]
fn a_table_may_be_a_folder_a_pattern_or_standard_input() {
    let folder = with_customers();
    link(&folder, &[]);
    let expected = folder.read("out/matches.csv");
    let rows: Vec<&str> = CUSTOMERS.lines().collect();
    let part = |from: usize, to: usize| [&rows[..1], &rows[from..to]].concat().join("\n");
    let objects: String = rows[11..]
        .iter()
        .map(|row| {
            let cells = rows[0].split(',').zip(row.split(','));
            let fields: Vec<String> = cells.map(|(name, cell)| format!("\"{name}\":\"{cell}\"")).collect();
            format!("{{{}}}\n", fields.join(","))
        })
        .collect();
    folder.write("parts/a.csv", part(1, 6)).write("parts/b.tsv", part(6, 11).replace(',', "\t"));
    folder.write("parts/more/c.jsonl", objects);
    for input in ["parts", "par*s/**/*.*"] {
        let ran = folder.run(&["link", input, "--id", "id", "-o", "other", "--force"]);
        assert_eq!((ran.code, folder.read("other/matches.csv")), (0, expected.clone()), "{input}: {}", ran.stderr);
    }
    // The output may lie in the folder, and is not read as a part of it.
    for _ in 0..2 {
        let ran = folder.run(&["link", "parts", "--id", "id", "-o", "parts/out", "--force"]);
        assert_eq!((ran.code, folder.read("parts/out/matches.csv")), (0, expected.clone()), "{}", ran.stderr);
    }
    std::fs::remove_dir_all(folder.0.path().join("parts/out")).unwrap();
    // Without ids records are numbered, file after file.
    let ran = folder.run(&["link", "parts", "-o", "numbered"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let numbered = folder.read("numbered/clusters.csv");
    let ids: Vec<&str> = numbered.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    assert_eq!(ids, (1..=16).map(|id: u32| id.to_string()).collect::<Vec<_>>());
    let two = folder.run_with(&["link", "-", "parts/b.tsv", "--id", "id", "-o", "two"], part(1, 6).as_bytes());
    assert_eq!(two.code, 0, "{}", two.stderr);
    assert!(folder.read("two/matches.csv").contains("\n5,7,"), "{}", folder.read("two/matches.csv"));

    folder.write("parts/notes.md", "To do.\n").write("other/x.csv", "product,price\na,1\n");
    let ran = folder.run(&["link", "parts", "--id", "id", "-o", "noted"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped parts/notes.md: neither its name nor its content"), "{}", ran.stderr);
    folder.write("parts/x.csv", "product,price\na,1\n");
    let mixed = ["link", "parts", "--id", "id", "-o", "mixed"];
    assert_refused(&folder, &mixed, &["parts/x.csv is not a table", "its columns (product, price) are none of those"]);
    assert_refused(&folder, &["link", "-", "-", "-o", "mixed"], &["standard input is given twice"]);
    assert_refused(&folder, &["link", "gone/*.csv", "-o", "mixed"], &["nothing matches gone/*.csv"]);
}

#[test]
fn a_page_has_scores_weights_and_pairs_and_does_not_change_the_result() {
    let folder = with_customers();
    let in_folder = || folder.0.path().join("out/report.html").exists();
    link(&folder, &["--no-report"]);
    assert!(!in_folder());
    let without = folder.read("out/matches.csv");
    let ran = link(&folder, &["--force"]);
    assert!(ran.stderr.contains("report.html (for your browser)"), "{}", ran.stderr);
    assert_eq!(folder.read("out/matches.csv"), without);
    let inside = folder.read("out/report.html");
    link(&folder, &["--force", "--report", "link.html"]);
    assert_eq!(folder.read("out/matches.csv"), without);
    let page = folder.read("link.html");
    // The last section has the seconds of the stages.
    let without_seconds = |page: &str| page.split("<section id=\"run\"").next().map(str::to_owned);
    assert!(without_seconds(&page) == without_seconds(&inside));
    assert!(!in_folder(), "a report has one place");
    for part in ["id=\"by-score\"", "id=\"match-weights\"", "id=\"pair-least-0\"", "id=\"keys\"", "id=\"by-size\""] {
        assert!(page.contains(part), "{part}");
    }
    let (names, rows) = table_of(&without);
    let bits = names.iter().position(|name| name == "bits").unwrap();
    // The surest match is shown with the bits that the table has.
    let shown = format!("{:+.1} bits, probability", rows[0][bits].parse::<f64>().unwrap());
    assert!(page.contains(&shown), "{shown}");
    let ran = folder.run(&["link", "customers.csv", "-o", "other", "--report", "link.html"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("link.html") && ran.stderr.contains("--force"), "{}", ran.stderr);
}

/// 120 products of two makers each, whose names differ in an edition, which only a person knows to be another product.
fn editions() -> String {
    let mut rows = "id,title,maker,price\n".to_owned();
    let words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "indigo", "juniper"];
    for at in 0..120 {
        let name = format!("{} {} {}", words[at % 10], words[at / 10 % 10], words[(at * 7 + at / 10) % 10]);
        rows += &format!("a{at},{name} photo studio,{} soft,{}.50\n", words[at % 7], 20 + at);
        let edition = if at % 2 == 0 { "photo studio" } else { "photo studio deluxe" };
        rows += &format!("b{at},{name} {edition},{} soft,{}.00\n", words[at % 7], 21 + at);
    }
    rows
}

fn labels_of(count: usize) -> String {
    let label = |at: usize| format!("a{at},b{at},{}\n", if at.is_multiple_of(2) { "same" } else { "different" });
    "left_id,right_id,label\n".to_owned() + &(0..count).map(label).collect::<String>()
}

#[test]
fn labeled_pairs_are_learned_from_and_what_they_say_is_so() {
    let folder = Folder::new();
    folder.write("products.csv", editions());
    folder.write("labels.csv", labels_of(30));
    let run = |more: &[&str]| {
        let ran = folder.run(&[&["link", "products.csv", "--id", "id", "--force", "-o", "out"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
        (ran, summary)
    };
    // How many of the pairs without a label are right.
    let right = || {
        let matches = folder.read("out/matches.csv");
        let found = |at: &usize| {
            matches
                .lines()
                .any(|row| row.starts_with(&format!("a{at},b{at},")) || row.starts_with(&format!("b{at},a{at},")))
        };
        (30..120).filter(|at| found(at) == (at % 2 == 0)).count()
    };
    run(&[]);
    let before = right();
    let (ran, summary) = run(&["--labels", "labels.csv", "--report", "page.html"]);
    assert!(right() > before + 20, "{before} {}", right());
    let learned = &summary["labels"]["learned"];
    assert_eq!(
        [&learned["same_count"], &learned["different_count"], &learned["used"]],
        [&json!(15), &json!(15), &json!(true)]
    );
    assert!(learned["right_count"].as_u64() > learned["right_before_count"].as_u64(), "{learned}");
    assert!(summary["labels"]["clusters"].is_null());
    assert!(ran.stderr.contains("30 labels: 15 same, 15 different"), "{}", ran.stderr);
    assert!(folder.read("page.html").contains("The weights are learned from all."));
    // The model keeps it, so that pairs are explained and added by the same weights.
    assert!(folder.read("out/model.json").contains("\"factor\""));
    let ran = folder.run(&["link", "explain", "out", "a100", "b100"]);
    assert!(ran.stdout.contains("a match: "), "{}", ran.stdout);

    // Too few to learn from: what they say is so all the same.
    folder.write("few.csv", "left_id,right_id,label\na1,b1,same\na1,b1,different\na2,b2,different\na3,b3,\n");
    let (ran, summary) = run(&["--labels", "few.csv"]);
    assert!(ran.stderr.contains("too few to learn from: label at least 5 of each"), "{}", ran.stderr);
    assert_eq!(summary["labels"]["learned"]["different_count"], 2);
    let clusters = clusters(&folder.read("out/clusters.csv"));
    for at in [1, 2] {
        let are_apart =
            |cluster: &Vec<String>| !(cluster.contains(&format!("a{at}")) && cluster.contains(&format!("b{at}")));
        assert!(clusters.iter().all(are_apart), "{at}");
    }
    folder.write("bad.csv", "left_id,right_id,label\na1,b1,maybe\n");
    assert_refused(
        &folder,
        &["link", "products.csv", "--id", "id", "--labels", "bad.csv", "-o", "no"],
        &["'maybe' is not a label"],
    );
}

#[test]
fn dates_that_have_no_partner_and_sheets_are_told_and_remedies_are_flags() {
    let folder = Folder::new();
    // The day of a birth, and that of an entry, lie in other years.
    let rows = |names: &str, first_year: usize| -> String {
        let row = |at: usize| {
            let day = format!("{}-0{}-1{}", first_year + at % 40, at % 9 + 1, at % 9);
            format!("{at},Person{} Name{at},{at} Oak Street,{day}\n", at % 7)
        };
        format!("{names}\n") + &(0..60).map(row).collect::<String>()
    };
    folder.write("a.csv", rows("id,name,street,opened", 1900));
    folder.write("b.csv", rows("id,name,street,wurde_gelistet", 1970));
    let ran = folder.run(&["link", "a.csv", "b.csv", "--id", "id", "-o", "out"]);
    assert!(
        ran.stderr.contains("both tables have a date without a partner, opened and wurde_gelistet")
            && ran.stderr.contains("; give --config FILE"),
        "{}",
        ran.stderr
    );
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert!(summary["warnings"].to_string().contains("; give config"), "{}", summary["warnings"]);
}
