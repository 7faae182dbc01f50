//! Examples in `--help`: every one is run as it stands.

use std::path::Path;
use std::process::Command;

use crate::folder::{Folder, Ran};

const COMMANDS: [&str; 19] = [
    "dedup",
    "report",
    "audit",
    "pairs",
    "decontaminate",
    "passages",
    "splits",
    "index",
    "search",
    "serve",
    "link",
    "sets",
    "prints",
    "tune",
    "evaluate",
    "compare",
    "boilerplate",
    "extract",
    "schema",
];

/// Commands with subcommands.
const INNER: [&[&str]; 11] = [
    &["index", "create"],
    &["index", "add"],
    &["index", "delete"],
    &["link", "explain"],
    &["link", "add"],
    &["link", "review"],
    &["link", "analyze"],
    &["link", "config"],
    &["serve", "keys", "new"],
    &["serve", "keys", "list"],
    &["serve", "keys", "revoke"],
];

/// Commands that a user has run before the examples of a command.
fn done_before(command: &[&str]) -> &'static [&'static str] {
    match command {
        ["report"] => &["lookalike dedup examples/news -o out"],
        ["audit"] => &["lookalike dedup examples/news --id id -o out"],
        ["search"] | ["index", "delete"] => {
            &["lookalike index create archive", "lookalike index add archive examples/news --id id"]
        }
        ["index", "add"] => &["lookalike index create archive"],
        ["link", "explain" | "review"] => &["lookalike link examples/customers.csv --id id -o linked"],
        ["link", "add"] => &[
            "lookalike link examples/customers.csv --id id -o linked",
            "printf 'id,name,street,city,phone,born\n90,Ann Lee,1 Elm St,Reno,5550100,1990-01-01\n' > new-customers.csv",
        ],
        ["serve"] => &["lookalike index create archive", "lookalike dedup examples/news -o out"],
        ["serve", "keys", "list" | "revoke"] => &["lookalike serve keys new ingest --scope write --keys keys.jsonl"],
        _ => &[],
    }
}

/// Extracts the examples from a help text.
fn examples(help: &str) -> Vec<&str> {
    let (_, after) = help.split_once("\nExample").unwrap_or_else(|| panic!("no example: {help}"));
    let lines = after.lines().skip(1).take_while(|line| line.starts_with("  "));
    lines.map(str::trim).inspect(|line| assert!(line.starts_with("lookalike "), "{line}")).collect()
}

/// Runs a line in a folder with the examples, in a shell that can find the program.
fn run(folder: &Folder, line: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_lookalike")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    // A service does not end by itself, and its port may be taken.
    let is_service = line.starts_with("lookalike serve") && !line.starts_with("lookalike serve keys")
        || line.starts_with("lookalike link review");
    let until_it_listens = "for i in $(seq 200); do grep -qs http served && break; sleep 0.05; done; kill $!; wait $!";
    let line = if is_service {
        format!("rm -f served; {line} --listen 127.0.0.1:0 > served 2>&1 & {until_it_listens}")
    } else {
        line.to_owned()
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder.0.path()).env("PATH", path);
    Ran::new(shell.output().unwrap())
}

#[cfg(unix)]
#[test]
fn every_command_has_an_example_that_works() {
    let examples_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    let inner = INNER.iter().map(|command| command.to_vec());
    for command in COMMANDS.iter().map(|command| vec![*command]).chain(inner).chain([Vec::new()]) {
        let folder = Folder::new();
        std::os::unix::fs::symlink(&examples_folder, folder.0.path().join("examples")).unwrap();
        let help = folder.run(&[&command[..], &["--help"]].concat());
        assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{command:?}");
        done_before(&command).iter().for_each(|line| assert_eq!(run(&folder, line).code, 0, "{line}"));
        for example in examples(&help.stdout) {
            let ran = run(&folder, example);
            assert_eq!(ran.code, 0, "{example}: {}", ran.stderr);
            count += 1;
        }
    }
    assert!(count > 12, "{count} examples");
}

#[test]
fn the_commands_that_are_shown_are_those_that_are_tested() {
    let help = Folder::new().run(&["--help"]).stdout;
    let (_, after) = help.split_once("Commands:\n").unwrap();
    let lines = after.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> =
        lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty()).collect();
    assert_eq!(names, COMMANDS);
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = Folder::new();
    let ran = folder.run(&["assets", "assets"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(folder.read("assets/completions/lookalike.bash").contains("--one-to-one"));
    assert!(folder.read("assets/completions/_lookalike").contains("transpose"));
    let page = folder.read("assets/man/lookalike-link.1");
    assert!(page.contains(".TH") && page.contains("id\\-right"), "{page}");
    assert!(folder.read("assets/man/lookalike.1").contains("lookalike\\-dedup(1)"));
}
