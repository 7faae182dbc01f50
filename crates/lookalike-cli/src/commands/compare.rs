//! `lookalike compare`: two documents by all measures, with their differences.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use lookalike::{CompareOptions, CompareRequest, Comparison, Scheme, Silent, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::Done;
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::SettingArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::scheme::{IgnoreArguments, SchemeArguments};
use crate::show::{folded, harmless, numbers, one_line, streams};

/// Number of characters of a long passage that are shown at its start, and at its end.
const PASSAGE_END: usize = 120;

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A file, or the id of a document in --in
    left: String,
    /// A second file or id
    right: String,
    /// The corpus that holds the two documents
    #[arg(long = "in", value_name = "INPUT", help_heading = "Input")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    settings: SettingArguments,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    ignoring: IgnoreArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

impl CompareArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let ids = [self.left.clone(), self.right.clone()];
        let summary = self.summary;
        let options = self.options()?;
        let comparison = lookalike::compare_documents(&options, [&ids[0], &ids[1]], &Silent)?;
        // Without a corpus they are files or addresses, which may have secrets.
        let shown = |id: String| lookalike::io::remote::shown_path(Path::new(&id));
        let ids = if options.read().has_inputs() { ids } else { ids.map(shown) };
        let compared = Compared { left_id: &ids[0], right_id: &ids[1], comparison: &comparison };
        summary.print(&compared, RowsGo::ToFile, || {
            streams::show_painted(|out| as_text(out, &ids, &comparison, options.scheme()))
        })?;
        Ok(Done::All)
    }

    fn options(self) -> Result<CompareOptions> {
        let mut request = CompareRequest::default();
        request.read = self.settings.request(self.inputs);
        request.scheme = self.scheme.request()?;
        request.ignoring = self.ignoring.request();
        request.resources = self.resources.request();
        Ok(request.check()?)
    }
}

/// Writes what was measured, for a person.
fn as_text(out: &mut dyn Write, ids: &[String; 2], comparison: &Comparison, options: &Scheme) -> io::Result<()> {
    let Comparison { left, right, shared_shingle_count: shared, .. } = comparison;
    writeln!(out, "verdict              {}", verdict(comparison))?;
    let all = left.distinct_shingle_count + right.distinct_shingle_count - shared;
    writeln!(out, "jaccard              {:.6}  ({shared} of {all} shingles)", comparison.jaccard)?;
    writeln!(out, "containment_of_left  {:.6}  (of the first in the second)", comparison.containment_of_left)?;
    writeln!(out, "containment_of_right {:.6}  (of the second in the first)", comparison.containment_of_right)?;
    let edits = |edits: Option<u64>, left: usize, right: usize, unit: &str| match edits {
        Some(edits) => {
            let [left, right] = [left, right].map(|count| numbers::count(count as u64));
            format!("{}  (of {left} and {right} {unit}s)", numbers::of(edits, "edit"))
        }
        None => "not measured: the texts are too long and too different".to_owned(),
    };
    let words = edits(comparison.word_edit_count, left.token_count, right.token_count, "token");
    writeln!(out, "word_edit_count      {words}")?;
    let characters = edits(comparison.character_edit_count, left.character_count, right.character_count, "character");
    writeln!(out, "character_edit_count {characters}")?;
    if let (Some(estimate), Some(slots)) = (comparison.sketch_estimate, comparison.slots) {
        writeln!(out, "sketch_estimate      {estimate:.6}  ({slots} slots)")?;
    }
    if let (Some(simhash), Some(differing)) = (comparison.simhash, comparison.hamming) {
        writeln!(out, "simhash              {simhash:.6}  ({differing} of {} bits differ)", comparison.sketch_bits)?;
    }
    if let Some(chance) = comparison.chance_to_be_found {
        let how = options
            .method()
            .banding()
            .map_or(String::new(), |banding| format!("  ({} bands of {} rows)", banding.bands(), banding.rows()));
        writeln!(out, "chance_to_be_found   {chance:.6}{how}")?;
    }
    writeln!(out, "tokens               {} and {}", left.token_count, right.token_count)?;
    writeln!(
        out,
        "shingles             {} and {}, {} and {} distinct ({}{})",
        left.shingle_count,
        right.shingle_count,
        left.distinct_shingle_count,
        right.distinct_shingle_count,
        comparison.shingle,
        folded(&comparison.fold).trim_end_matches(',')
    )?;
    if left.ignored.is_some() || right.ignored.is_some() {
        let [left, right] = [left, right].map(|side| 100.0 * side.ignored.unwrap_or_default());
        writeln!(out, "ignored              {left:.1} % and {right:.1} % of the shingles, as boilerplate")?;
    }
    let is_terminal = io::stdout().is_terminal();
    for (id, side, marks) in [(&ids[0], left, ["[-", "-]"]), (&ids[1], right, ["[+", "+]"])] {
        let id = if is_terminal { one_line(id) } else { id.clone() };
        writeln!(out, "\n{id}, with text missing from the other in {}…{}:", marks[0], marks[1])?;
        writeln!(out, "{}", marked_passages(&side.passages, marks, is_terminal))?;
    }
    Ok(())
}

/// Describes in words how two documents are related.
fn verdict(comparison: &Comparison) -> String {
    let threshold = comparison.threshold;
    match comparison.verdict {
        Verdict::NothingToCompare => "nothing to compare: one of them has no words".to_owned(),
        Verdict::ExactCopies => "exact copies".to_owned(),
        Verdict::SameWords if comparison.fold == "none" => {
            "the same words: only case, punctuation, symbols or white space differ".to_owned()
        }
        Verdict::SameWords => {
            let folded = comparison.fold.replace(',', " and ");
            format!("the same words: only case, punctuation, symbols, white space or folded {folded} differ")
        }
        Verdict::NearDuplicates => format!("near-duplicates, at a threshold of {threshold}"),
        Verdict::NotNearDuplicates => format!("not near-duplicates, at a threshold of {threshold}"),
    }
}

/// The measurements, for programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct Compared<'a> {
    /// The id of the first document.
    left_id: &'a str,
    /// The id of the second.
    right_id: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// A text with what is not shared between marks, and long passages shortened.
fn marked_passages(passages: &[lookalike::Passage], [open, close]: [&str; 2], is_terminal: bool) -> String {
    let [color, plain] = if is_terminal { ["\x1b[33m", "\x1b[0m"] } else { ["", ""] };
    let passage = |passage: &lookalike::Passage| {
        let all = if is_terminal { harmless::lines(&passage.text) } else { passage.text.as_str().into() };
        let text = all.trim_end();
        let space = &all[text.len()..];
        match (passage.shared, text) {
            (true, text) => format!("{}{space}", shortened(text)),
            // Nothing but white space is lacking, and shows itself by signs.
            (false, "") => {
                let line_end = if space.contains('\n') { "\n" } else { "" };
                format!("{color}{open}{}{close}{plain}{line_end}", shortened(&visible(space)))
            }
            (false, text) => format!("{color}{open}{}{close}{plain}{space}", shortened(text)),
        }
    };
    passages.iter().map(passage).collect::<String>().trim().to_owned()
}

/// White space by signs that can be seen.
fn visible(space: &str) -> String {
    let sign = |c: char| match c {
        ' ' => "·".to_owned(),
        '\t' => "⇥".to_owned(),
        '\n' => "⏎".to_owned(),
        '\r' => "␍".to_owned(),
        other => format!("<U+{:04X}>", u32::from(other)),
    };
    space.chars().map(sign).collect()
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= 3 * PASSAGE_END {
        return text.to_owned();
    }
    let start: String = text.chars().take(PASSAGE_END).collect();
    let end: String = text.chars().skip(count - PASSAGE_END).collect();
    format!("{start} … ({} more) … {end}", numbers::of((count - 2 * PASSAGE_END) as u64, "character"))
}

#[cfg(test)]
mod tests {
    use lookalike::Passage;

    use super::*;

    #[test]
    fn texts_that_are_compared_do_nothing_to_a_terminal_and_stay_as_they_are_elsewhere() {
        let hostile = "\u{1b}]0;title\u{7}\u{202e} red\n";
        let passages = [("same ", true), (hostile, false)];
        let passages = passages.map(|(text, shared)| Passage::new(shared, text)).to_vec();
        let shown = marked_passages(&passages, ["[-", "-]"], true);
        assert_eq!(shown, "same \x1b[33m[-␛]0;title␇\\u{202e} red-]\x1b[0m");
        assert_eq!(marked_passages(&passages, ["[-", "-]"], false), format!("same [-{}-]", hostile.trim_end()));
    }
}
