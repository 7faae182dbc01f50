//! `cargo xtask bench tables`: updates the numbers of README and docs from the files in `bench/results`.
//!
//! Each section is between `<!-- name -->` and `<!-- /name -->`. A test checks that the pages agree with the files, so
//! that no number is edited by hand or stated twice. A section without a file is left unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

use super::report;
use super::results::{Record, newest, with_section};
use crate::bench::peers::{edits_report, report as peers_report};
use crate::bench::timed::{
    blowup, decontaminate, growth, headline, index, index_growth, link, passages, prints, python, serve, sets,
};
use crate::table::Table;
use crate::workspace::Workspace;

/// Options of `cargo xtask bench tables`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// Change nothing, and exit with 1 if a page differs from the result files
    #[arg(long)]
    check: bool,
}

/// Generates a text from the result files below the root; none if nothing was measured.
type Make = fn(&Path) -> Result<Option<String>>;

/// A section of a page: the file, the name in its markers, and its generator.
const SECTIONS: [(&str, &str, Make); 18] = [
    ("README.md", "speed", speed),
    ("docs/benchmarks.md", "headline", |root| made(root, "headline", headline::section)),
    ("docs/benchmarks.md", "growth", |root| made(root, "growth", growth::section)),
    ("docs/benchmarks.md", "growth-containment", |root| made(root, "growth-containment", growth::containment_section)),
    ("docs/benchmarks.md", "decontaminate", |root| made(root, "decontaminate", decontaminate::section)),
    ("docs/benchmarks.md", "passages", |root| made(root, "passages", passages::section)),
    ("docs/benchmarks.md", "blowup", |root| made(root, "blowup", blowup::section)),
    ("docs/benchmarks.md", "peers", |root| made(root, "peers", peers_report::section)),
    ("docs/benchmarks.md", "edits", |root| made(root, "edits", edits_report::section)),
    ("docs/benchmarks.md", "link", |root| made(root, "link", link::section)),
    ("docs/benchmarks.md", "sets", |root| made(root, "sets", sets::section)),
    ("docs/benchmarks.md", "index", |root| made(root, "index", index::section)),
    ("docs/benchmarks.md", "serve", |root| made(root, "serve", serve::section)),
    ("docs/benchmarks.md", "python", |root| made(root, "python", python::section)),
    ("docs/benchmarks.md", "index-growth", |root| made(root, "index-growth", index_growth::section)),
    ("docs/benchmarks.md", "prints", |root| made(root, "prints", prints::section)),
    ("docs/performance.md", "dedup", |root| made(root, "dedup", report::section)),
    ("docs/performance.md", "crawl-stages", |root| made(root, "headline", headline::stages_section)),
];

/// Files that are generated as a whole.
const PICTURES: [(&str, Make); 2] = [
    ("docs/benchmarks-peers.svg", |root| made(root, "peers", peers_report::chart)),
    ("docs/benchmarks-index.svg", |root| made(root, "index", index::chart)),
];

/// Updates the pages, or compares them.
pub(in crate::bench) fn run(workspace: &Workspace, options: Options) -> Result<()> {
    if !options.check {
        return refresh(workspace.root());
    }
    let changed = changes(workspace.root())?;
    if changed.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = changed.iter().map(|(path, _)| path.display().to_string()).collect();
    bail!("{} not made from bench/results: run `cargo xtask bench tables`", names.join(", "))
}

/// Writes the pages whose numbers have changed, and lists them.
pub(in crate::bench) fn refresh(root: &Path) -> Result<()> {
    for (path, text) in changes(root)? {
        fs::write(root.join(&path), text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("updated {}", path.display());
    }
    Ok(())
}

/// The files that are outdated, with their new contents.
fn changes(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut pages: Vec<(PathBuf, String, String)> = Vec::new();
    for (path, name, make) in SECTIONS {
        if !pages.iter().any(|(known, ..)| known == Path::new(path)) {
            let text = fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
            pages.push((path.into(), text.clone(), text));
        }
        let page = pages.iter_mut().find(|(known, ..)| known == Path::new(path)).context("the page was just added")?;
        if let Some(text) = make(root).with_context(|| format!("the section {name} of {path}"))? {
            page.2 = with_section(&page.2, name, &text).with_context(|| path.to_owned())?;
        }
    }
    for (path, make) in PICTURES {
        if let Some(text) = make(root)? {
            pages.push((path.into(), fs::read_to_string(root.join(path)).unwrap_or_default(), text));
        }
    }
    Ok(pages.into_iter().filter(|(_, old, new)| old != new).map(|(path, _, new)| (path, new)).collect())
}

fn made<T: DeserializeOwned>(root: &Path, name: &str, make: fn(&Record<T>) -> String) -> Result<Option<String>> {
    Ok(newest(root, name)?.map(|record| make(&record)))
}

/// The table of the README: three jobs, each with a comparison.
fn speed(root: &Path) -> Result<Option<String>> {
    let (Some(peers), Some(crawl), Some(service)) =
        (newest(root, "peers")?, newest(root, "headline")?, newest(root, "serve")?)
    else {
        return Ok(None);
    };
    let mut table = Table::new(&["job", "lookalike", "beside it"]);
    table.row(peers_report::speed_row(&peers));
    table.row(headline::speed_row(&crawl));
    table.row(serve::speed_row(&service));
    Ok(Some(format!("Measured on {}:\n\n{}", service.machine, table.to_markdown())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_say_what_the_result_files_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let changed: Vec<PathBuf> = changes(root).unwrap().into_iter().map(|(path, _)| path).collect();
        assert!(changed.is_empty(), "{changed:?}: run `cargo xtask bench tables`");
    }

    #[test]
    fn every_dry_run_in_the_readme_is_marked() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let crawl: Record<headline::Headline> = newest(root, "headline").unwrap().unwrap();
        let [job, ..] = headline::speed_row(&crawl);
        assert_eq!(job.contains("dry run"), !crawl.results.is_written());
    }
}
