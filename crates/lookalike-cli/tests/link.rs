//! `lookalike link` as a person meets it.

mod folder;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};

use folder::{Folder, assert_refused};
use serde_json::Value;

const CUSTOMERS: &str = include_str!("../../../examples/customers.csv");

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
    assert!(linked.starts_with("cluster,is_best,id,name,street,city,phone,born\n"), "{linked}");
    assert_eq!(linked.lines().count(), CUSTOMERS.lines().count());
    // A best record for each cluster, also of one.
    assert_eq!(linked.matches(",true,").count(), 16 - 5);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!((&summary["matches"], &summary["clusters"]), (&5.into(), &5.into()));
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
    assert!(linked.starts_with("cluster,is_best,table,id,name,street,city,phone,"), "{linked}");
    assert_eq!((linked.matches(",first,").count(), linked.matches(",second,").count()), (8, 8));
}

#[test]
fn a_config_is_written_edited_and_given_back() {
    let folder = with_customers();
    let ran = folder.run(&["link", "customers.csv", "--id", "id", "--write-config", "link.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let config = folder.read("link.toml");
    assert!(config.contains("name = \"phone\"\nkind = \"phone\""), "{config}");
    folder.write("link.toml", config.replace("kind = \"phone\"", "kind = \"ignored\""));
    link(&folder, &["--config", "link.toml"]);
    let matches = folder.read("out/matches.csv");
    assert!(matches.contains(",city_right,born_bits,") && !matches.contains("phone"), "{matches}");

    folder.write("link.toml", "id = \"id\"\n[[columns]]\nname = \"name\"\nkind = \"person\"\n");
    let with_config = ["link", "customers.csv", "--config", "link.toml", "-o", "refused"];
    assert_refused(&folder, &with_config, &["link.toml, line 4", "unknown variant `person`", "--write-config"]);
    folder.write("link.toml", "[[columns]]\nname = \"nme\"\nkind = \"person-name\"\n");
    assert_refused(&folder, &with_config, &["no column 'nme'", "the columns are id, name"]);
}

#[test]
fn a_pair_is_explained() {
    let folder = with_customers();
    let ran = folder.run(&["link", "customers.csv", "--id", "id", "--explain", "1", "2"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in ["1 and 2: +", " bits, probability 0.99", "one letter apart: jeffrey ullman | jeffery ullman"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("other or no area code"), "{}", ran.stdout);
    let gone = ["link", "customers.csv", "--id", "id", "--explain", "1", "99"];
    assert_refused(&folder, &gone, &["no record has the id '99'"]);
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
    let ran = folder.run(&["link", "--add", "new.csv", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("added     5 records; 0 clusters merged into another"), "{}", ran.stderr);
    let after = folder.read("out/clusters.csv");
    assert!(after.starts_with(&before) && after.lines().count() == rows.len(), "{before}\n{after}");
    let cluster_of = |id: &str| after.lines().find_map(|row| row.strip_prefix(&format!("{id},"))).unwrap().to_owned();
    assert_eq!(cluster_of("11"), cluster_of("12"));
    assert!(folder.read("out/matches.csv").contains("\n11,12,"));
    assert_eq!(folder.read("out/merges.csv"), "from,into\n");

    let again = ["link", "--add", "new.csv", "out"];
    assert_refused(&folder, &again, &["cannot add records to out", "the result has the id '12' already"]);
    assert_eq!(folder.read("out/clusters.csv"), after);
    folder.write("other.csv", "id,name\n99,Ann Smith\n");
    assert_refused(&folder, &["link", "--add", "other.csv", "out"], &["other.csv: there is no column 'street'"]);
    assert_refused(&folder, &["link", "--add", "new.csv", "nowhere"], &["cannot add records to nowhere", "link.toml"]);
    let toml = folder.read("out/link.toml").replace("kind = \"phone\"", "kind = \"ignored\"");
    folder
        .write("out/link.toml", toml)
        .write("more.csv", "id,name,street,city,phone,born\n77,A B,1 X,Y,5,1999-01-01\n");
    assert_refused(&folder, &["link", "--add", "more.csv", "out"], &["link.toml was changed", "link everything again"]);
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
fn one_weak_link_does_not_chain_clusters_together() {
    let folder = with_customers();
    // Without birthdays one of two who share a home and a family name matches the other, but not the other's second record.
    let ran = link(&folder, &["--validate", "born"]);
    assert!(folder.read("out/matches.csv").contains("\n8,10,"), "{}", folder.read("out/matches.csv"));
    assert!(ran.stderr.contains("1 of the matches do not join their clusters"), "{}", ran.stderr);
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
        (&["customers.csv", "--threshold", "1", "-o", "out"], "give a probability above 0 and below 1"),
        (&["customers.csv", "--one-to-one", "-o", "out"], "required arguments were not provided: <B>"),
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
    assert_eq!((&summary["skipped"], &summary["skipped_rows"][1]["position"]), (&2.into(), &19.into()));
    assert_eq!(summary["matches"], 5);
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
