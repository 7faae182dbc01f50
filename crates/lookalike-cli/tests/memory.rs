//! A memory limit is a guarantee, which is checked against the memory that the kernel counts.
#![cfg(target_os = "linux")]

mod folder;

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use folder::Folder;

/// Small documents: what is kept of each is more than its text. Every fifth is nearly the one before.
fn corpus(documents: u64) -> String {
    let mut lines = String::new();
    for document in 0..documents {
        let base = if document % 5 == 4 { document - 1 } else { document };
        write!(lines, "{{\"id\":\"document-{document}\",\"text\":\"").unwrap();
        for at in 0..25_u64 {
            let word = if at == 0 { document } else { base };
            write!(lines, "{:x} ", (word * 64 + at).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).unwrap();
        }
        lines.push_str("\"}\n");
    }
    lines
}

fn peak(folder: &Folder, out: &str) -> u64 {
    let summary: serde_json::Value = serde_json::from_str(&folder.read(&format!("{out}/summary.json"))).unwrap();
    summary["peak_memory_bytes"].as_u64().unwrap()
}

#[test]
fn the_peak_stays_below_what_was_asked_for_and_a_tenth_at_any_number_of_documents() {
    let folder = Folder::new();
    let mib = 1 << 20;
    for (documents, memory) in [(50_000, 64), (200_000, 64), (200_000, 96)] {
        folder.write("corpus.jsonl", corpus(documents));
        let (limit, limited) = (format!("{memory}MiB"), format!("limited-{documents}-{memory}"));
        let common = ["dedup", "corpus.jsonl", "--id", "id", "--threshold", "0.7", "--dry-run", "--force", "-o"];
        let ran = folder.run(&[&common[..], &[&*limited, "--memory", &*limit]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(folder.run(&[&common[..], &["free"]].concat()).code, 0);
        assert_eq!(folder.read(&format!("{limited}/removed.jsonl")), folder.read("free/removed.jsonl"));
        let (limited, free) = (peak(&folder, &limited), peak(&folder, "free"));
        assert!(limited <= memory * mib * 11 / 10, "{documents} documents in {memory} MiB: {} MiB", limited / mib);
        let tuned =
            folder.run(&["tune", "corpus.jsonl", "--id", "id", "--threshold", "0.7", "--summary", "json", "-q"]);
        let tuned: serde_json::Value = serde_json::from_str(&tuned.stdout).unwrap();
        let planned = tuned["plan"]["memory_bytes"].as_u64().unwrap();
        assert!((free / 2..free * 3 / 2).contains(&planned), "{} MiB planned, {} used", planned / mib, free / mib);
        // Where all would fit, the limit would show nothing.
        assert!(documents < 200_000 || free > memory * mib * 11 / 10, "{documents} documents: {} MiB", free / mib);
    }
}

/// Output and peak memory of a run. `pairs` does not report its memory, so the kernel is asked until the run ends.
fn measured(folder: &Folder, arguments: &[&str]) -> (String, u64) {
    let output = fs::File::create(folder.0.path().join("output")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(arguments)
        .current_dir(folder.0.path())
        .stdout(output)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let code = loop {
        // A process that has just ended has no such line any more.
        let kilobytes = fs::read_to_string(&status).ok().and_then(|status| {
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok())
        });
        peak = kilobytes.map_or(peak, |kilobytes| kilobytes << 10);
        match child.try_wait().unwrap() {
            Some(code) => break code,
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    assert!(code.success(), "{code}");
    (folder.read("output"), peak)
}

#[test]
fn pairs_keep_to_the_memory_as_well() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus(200_000));
    let common = ["pairs", "corpus.jsonl", "--id", "id", "--threshold", "0.7", "-q"];
    let (limited, peak) = measured(&folder, &[&common[..], &["--memory", "64MiB"]].concat());
    let (free, free_peak) = measured(&folder, &common);
    assert!(limited == free && free.lines().count() > 20_000);
    let (most, mib) = ((64 << 20) * 11 / 10, 1 << 20);
    assert!(peak > 0 && peak <= most, "{} MiB", peak / mib);
    // Where all would fit, the limit would show nothing.
    assert!(free_peak > most, "{} MiB", free_peak / mib);
}

#[test]
fn a_family_that_is_too_large_for_the_memory_is_told_with_what_would_do() {
    let folder = Folder::new();
    let mut lines = String::new();
    for document in 0..200_000 {
        write!(lines, "{{\"text\":\"").unwrap();
        (0..40).for_each(|word| write!(lines, "w{word} ").unwrap());
        writeln!(lines, "{document:x}\"}}").unwrap();
    }
    folder.write("template.jsonl", lines);
    let common = ["dedup", "template.jsonl", "--dry-run", "--force", "-o", "out", "--memory"];
    let ran = folder.run(&[&common[..], &["64MiB"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    let needed = ran.stderr.split("give --memory ").nth(1).unwrap().trim().to_owned();
    let ran = folder.run(&[&common[..], &[&*needed]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bytes = 1_000_000 * needed.trim_end_matches('M').parse::<u64>().unwrap();
    assert!(peak(&folder, "out") <= bytes * 11 / 10, "{} of {bytes} bytes", peak(&folder, "out"));
}

#[test]
fn a_document_that_is_too_long_for_the_memory_is_refused_with_what_would_do() {
    let folder = Folder::new();
    let word = |at: u64| format!("{:x} ", at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (36 + at % 9));
    let lines = |words: u64, word: &dyn Fn(u64) -> String| {
        let mut lines = String::new();
        for document in 0..6_u64 {
            write!(lines, "{{\"id\":\"{document}\",\"text\":\"").unwrap();
            (0..words).for_each(|at| lines.push_str(&word((document / 3) << 40 | at)));
            writeln!(lines, "end{document}\"}}").unwrap();
        }
        lines
    };
    folder.write("long.jsonl", lines(2_100_000, &word));
    // As long, with many more words.
    let letter = |at: u64| format!("{} ", char::from(b'a' + (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u8 % 26));
    folder.write("letters.jsonl", lines(7_000_000, &letter));
    for name in ["long.jsonl", "letters.jsonl"] {
        let common = ["dedup", name, "--id", "id", "--dry-run", "--force", "-o", "out", "--memory"];
        let ran = folder.run(&[&common[..], &["256M"]].concat());
        assert_eq!(ran.code, 2, "{name}: {}", ran.stdout);
        assert!(ran.stderr.contains("too small for a document of 14."), "{}", ran.stderr);
        let needed = needed(&ran.stderr);
        let ran = folder.run(&[&common[..], &[&*needed]].concat());
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        assert!(folder.read("out/removed.jsonl").lines().count() >= 4);
        let bytes = 1_000_000 * needed.trim_end_matches('M').parse::<u64>().unwrap();
        assert!(peak(&folder, "out") <= bytes / 10 * 11, "{name}: {} of {needed}", peak(&folder, "out") / 1_000_000);
    }
}

#[test]
fn what_cannot_be_done_in_so_little_memory_is_told_with_what_would_do() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus(60_000));
    let ran = folder.run(&["dedup", "corpus.jsonl", "-o", "out", "--exact", "--memory", "64MiB"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("too small for method exact") && ran.stderr.contains("give --memory"),
        "{}",
        ran.stderr
    );
    let needed = ran.stderr.split("give --memory ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(folder.run(&["dedup", "corpus.jsonl", "-o", "out", "--exact", "--memory", &needed]).code, 0);
}

/// Customers with names, streets and birthdays by chance; every fourth is there twice, with a slip.
fn customers(count: u64) -> String {
    let word = |number: u64| format!("{:x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 36);
    let mut rows = "id,given_name,family_name,street,city,birth_date\n".to_owned();
    for row in 0..count {
        let person = if row % 4 == 3 { row - 1 } else { row };
        let slip = if row % 4 == 3 { "e" } else { "" };
        let (given, family) = (word(person % 3000), word(5000 + person / 3));
        let (street, city) = (word(90_000 + person / 2), word(70_000 + person % 500));
        let (year, month, day) = (1930 + person % 70, 1 + person % 12, 1 + person % 28);
        writeln!(rows, "{row},{given}{slip},{family},{} {street} Road,{city},{year}-{month:02}-{day:02}", person % 90)
            .unwrap();
    }
    rows
}

/// Value of `--memory` that the error message of a command suggests.
fn needed(said: &str) -> String {
    said.split("give --memory ").nth(1).unwrap().split([',', ' ', '\n']).next().unwrap().to_owned()
}

/// Peak memory of a command, as the kernel counts it.
fn peak_of(folder: &Folder, arguments: &[&str]) -> u64 {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(arguments)
        .current_dir(folder.0.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let now = std::fs::read_to_string(&status).unwrap_or_default();
        let line = now.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) * 1024);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    most
}

fn bytes_of(flag: &str) -> u64 {
    1_000_000 * flag.strip_suffix('M').unwrap().parse::<u64>().unwrap()
}

#[test]
fn link_says_beforehand_what_it_needs_and_keeps_to_it() {
    let folder = Folder::new();
    folder.write("customers.csv", customers(12_000));
    let common = ["link", "customers.csv", "--id", "id", "--force", "-o", "out"];
    let ran = folder.run(&[&common[..], &["--memory", "64MiB"]].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("link needs about ") && ran.stderr.contains(" for 12,000 rows, and may use 67.1 MB"));
    assert!(!folder.names().contains(&"out".to_owned()));
    let flag = needed(&ran.stderr);
    let ran = folder.run(&[&common[..], &["--memory", &*flag]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let peak = peak(&folder, "out");
    // These customers are like few others, and have fewer candidates than they might: less than is asked for is enough.
    assert!(peak <= bytes_of(&flag) && peak * 5 > bytes_of(&flag), "{peak} of {flag}");
}

#[test]
fn sets_say_beforehand_what_they_need_and_keep_to_it() {
    let folder = Folder::new();
    let mut lines = String::new();
    for set in 0..60_000_u64 {
        (0..20).for_each(|at| write!(lines, "{} ", (set * 64 + at).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44).unwrap());
        lines.push('\n');
    }
    folder.write("sets.txt", lines);
    let common = ["sets", "sets.txt", "--threshold", "0.8", "-q"];
    let ran = folder.run(&[&common[..], &["--memory", "64MiB"]].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains(" for 60,000 sets, and may use 67.1 MB: raise the memory limit"), "{}", ran.stderr);
    let flag = needed(&ran.stderr);
    let peak = peak_of(&folder, &[&common[..], &["--memory", &*flag]].concat());
    assert!(peak <= bytes_of(&flag) && peak * 2 > bytes_of(&flag), "{peak} of {flag}");
}

/// Sets that share ten elements with all others.
fn sharing(count: u64) -> String {
    let common: String = (0..10).map(|at| format!("s{at} ")).collect();
    (0..count).map(|set| format!("{common}{set}\n")).collect()
}

#[test]
fn more_pairs_of_sets_than_there_is_memory_for_are_written_set_by_set() {
    let folder = Folder::new();
    folder.write("sets.txt", sharing(2_000));
    let common = ["sets", "sets.txt", "--threshold", "0.5", "-q", "--memory"];
    let (limited, peak) = measured(&folder, &[&common[..], &["64MiB"]].concat());
    let (free, free_peak) = measured(&folder, &[&common[..], &["1GiB"]].concat());
    assert!(limited == free && free.lines().count() == 1_999_000);
    let (most, mib) = (64 << 20, 1 << 20);
    assert!(peak > 0 && peak <= most * 11 / 10, "{} MiB", peak / mib);
    // Where all would fit, the limit would show nothing.
    assert!(free_peak > most, "{} MiB", free_peak / mib);
}

#[test]
fn more_pairs_of_sketched_sets_than_there_is_memory_for_are_refused() {
    let folder = Folder::new();
    folder.write("sets.txt", sharing(3_000));
    let ran = folder.run(&[
        "sets",
        "sets.txt",
        "--threshold",
        "0.5",
        "--recall",
        "0.99",
        "-q",
        "-o",
        "out.jsonl",
        "--memory",
        "64MiB",
    ]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("too little for the very many pairs here: raise the memory limit, or ask for a higher threshold")
            && ran.stderr.trim_end().ends_with("; give --memory 135M"),
        "{}",
        ran.stderr
    );
    assert!(!folder.names().contains(&"out.jsonl".to_owned()));
}

#[test]
fn a_table_that_fills_the_memory_while_it_is_read_is_refused_with_what_all_of_it_would_need() {
    let folder = Folder::new();
    let row = format!("{},{}\n", "x".repeat(400), "y".repeat(400));
    folder.write("large.csv", format!("a,b\n{}", row.repeat(150_000)));
    let ran = folder.run(&["link", "large.csv", "-o", "out", "--memory", "64MiB"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    // About 150,000 rows, from those that were read.
    assert!(
        ran.stderr.contains("link needs about") && ran.stderr.contains(" rows, and may use 67.1 MB"),
        "{}",
        ran.stderr
    );
    let said: String = ran.stderr.split(" for ").nth(1).unwrap().chars().take_while(|c| *c != ' ').collect();
    let rows: f64 = said.replace(',', "").parse().unwrap();
    assert!((rows - 150_000.0).abs() < 15_000.0, "{rows}");
}

/// Lines that are all alike.
fn alike(count: u64) -> String {
    let common: String = (0..30).map(|word| format!("w{word} ")).collect();
    (0..count).map(|line| format!("{common}{line:x}\n")).collect()
}

#[test]
fn more_matches_than_fit_the_memory_go_to_disk() {
    let folder = Folder::new();
    // 1.9 million pairs, or two where each is compared with every other.
    folder.write("alike.txt", alike(2_000));
    let mib = 1 << 20;
    for method in ["minhash", "exact"] {
        let common = ["pairs", "alike.txt", "--split", "line", "--method", method, "--sample", "1000", "-q"];
        let (limited, peak) = measured(&folder, &[&common[..], &["--memory", "64MiB"]].concat());
        assert!(peak > 0 && peak <= 64 * mib * 11 / 10, "{} MiB", peak / mib);
        // In any order of the work, and wherever matches waited.
        let (free, free_peak) = measured(&folder, &[&common[..], &["--memory", "1GiB", "--threads", "1"]].concat());
        assert!(limited == free && free.lines().count() == 1000);
        // Where all would fit, the limit would show nothing.
        assert!(free_peak > 64 * mib * 11 / 10, "{} MiB", free_peak / mib);
    }
}

#[test]
fn evaluate_holds_a_few_matches_only() {
    let folder = Folder::new();
    folder.write("alike.txt", alike(2_000));
    let (said, peak) = measured(
        &folder,
        &["evaluate", "alike.txt", "--split", "line", "--methods", "minhash", "--summary", "json", "-q"],
    );
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let number = |at: &str| said.pointer(at).and_then(serde_json::Value::as_u64).unwrap();
    assert_eq!(number("/true_pairs/0/pair_count"), 1_999_000);
    assert!(number("/methods/0/right_count") > 1_500_000);
    let mib = 1 << 20;
    // 16 MiB for each of both at most, and what the program takes. 3.9 million matches would take 90 more.
    assert!(peak <= 80 * mib, "{} MiB", peak / mib);
}
