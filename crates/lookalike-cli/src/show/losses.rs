//! Losses of sources, for people: a table of the sources that lose the most, and a note on those that lose nearly all.
//!
//! Names of sources come from the input, so they are shortened and kept on one line.

use std::io::{self, Write};

use lookalike::{NearlyLost, Source, Summary};

use crate::commands::dedup::Dedup;
use crate::show::streams::talk;
use crate::show::{numbers, one_line, shown_path};

/// Maximum number of characters of a name to show.
const NAME_LENGTH: usize = 60;

/// Maximum number of sources losing nearly all to name; the summary has them all.
const SHOWN_LOST: usize = 3;

/// Writes the sources that lose the most, if there is more than one source.
pub(crate) fn table(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let count = summary.sources.len() as u64 + summary.more_source_count;
    if count < 2 || summary.losing_most.is_empty() {
        return Ok(());
    }
    let header = ["losing the most", "documents", "removed", "share"].map(str::to_owned);
    let row = |source: &Source| {
        let share = format!("{:.1} %", 100.0 * source.share);
        [name(&source.source), numbers::count(source.document_count), numbers::count(source.removed_count), share]
    };
    let rows: Vec<[String; 4]> = std::iter::once(header).chain(summary.losing_most.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    for (at, [source, documents, removed, share]) in rows.iter().enumerate() {
        let label = if at == 0 { "sources" } else { "" };
        writeln!(
            out,
            "{label:<10}{source:<0$}  {documents:>1$}  {removed:>2$}  {share:>3$}",
            widths[0], widths[1], widths[2], widths[3]
        )?;
    }
    match count - summary.losing_most.len() as u64 {
        0 => Ok(()),
        more => writeln!(out, "          and {}", numbers::of(more, "more source")),
    }
}

/// Names the sources that lose nearly all they have, the sources this is in favor of, and what to do.
pub(crate) fn note_nearly_lost(lost: &[NearlyLost], dedup: &Dedup) {
    if lost.is_empty() {
        return;
    }
    for lost in lost.iter().take(SHOWN_LOST) {
        talk!("note: {}", sentence(lost));
    }
    match lost.len().saturating_sub(SHOWN_LOST) as u64 {
        0 => {}
        1 => talk!("note: 1 more source loses 95 % or more"),
        more => talk!("note: {} more sources lose 95 % or more", numbers::count(more)),
    }
    let evidence = match (dedup.options.removed(), dedup.options.folder()) {
        (Some(removed), _) => shown_path(removed),
        (None, Some(_)) => "removed.jsonl".to_owned(),
        (None, None) => "what --removed FILE writes".to_owned(),
    };
    talk!("      look at {evidence}; --fail-if-source-loses 0.95 would stop such a run");
}

fn sentence(lost: &NearlyLost) -> String {
    let Source { source, document_count: documents, removed_count: removed, share, .. } = &lost.source;
    let other = match (&lost.mostly_for, lost.mostly_for_reference) {
        (other, true) => format!("the reference's {}", name(other)),
        (other, false) if other == source => "the same source".to_owned(),
        (other, false) => name(other),
    };
    let most = if 2 * lost.mostly_for_removed_count > *removed {
        "most".to_owned()
    } else {
        format!("{} of them, more than for any other source,", numbers::count(lost.mostly_for_removed_count))
    };
    format!(
        "{:.1} % of {} of {} are removed, {most} as near-duplicates of documents of {other}",
        100.0 * share,
        numbers::of(*documents, "document"),
        name(source)
    )
}

/// Returns a source's name on one line, shortened.
fn name(source: &str) -> String {
    let name = one_line(source);
    if name.chars().count() <= NAME_LENGTH {
        return name;
    }
    name.chars().take(NAME_LENGTH - 1).chain(['…']).collect()
}
