//! Results for a person.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use lookalike::core::resolve::passed_over::PassedOverEstimate;
use lookalike::io::input::discover::{LeftOut, Names};
use lookalike::io::read::{HEADER, NO_TEXT_FIELD, NULL_TEXT, remedies};
use lookalike::{
    Comparison, Input, Output, PairsReport, Parameters, ReadOptions, Remedy, SimilarityOptions, SkippedEntry, Summary,
    Verdict,
};
use serde::Serialize;

use crate::args::{Arguments, Dedup};
use crate::harmless;
pub(crate) use crate::harmless::one_line;
use crate::streams::{self, talk};
use crate::{number, remedy, sources};

/// How many skipped entries are shown; the summary has more of them.
const SHOWN_SKIPPED: usize = 10;

/// How many names of files are shown that were left out; the summary has more of them.
const SHOWN_NAMES: usize = 3;

/// How much of a long passage is shown at its start and at its end.
const PASSAGE_END: usize = 120;

/// A wrong call: one line with the remedy. Help and version are not errors.
pub(crate) fn usage_error(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Styled where standard output is a terminal, as clap would print it.
            let text = error.render();
            let is_terminal = io::stdout().is_terminal();
            let text = if is_terminal { text.ansi().to_string() } else { text.to_string() };
            return match streams::show_painted(|out| out.write_all(text.as_bytes())) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    talk!("lookalike: {error:#}");
                    ExitCode::from(2)
                }
            };
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(2);
        }
        _ => {}
    }
    let text = error.to_string();
    let message = text.split("\n\nUsage").next().unwrap_or(&text).split("\n\nFor more").next().unwrap_or(&text);
    let message = message.trim_start_matches("error: ").replace("\n\n  tip: ", "; ");
    let words: Vec<String> = message.split_whitespace().map(without_secrets).collect();
    // Help on the command that was meant, if one was.
    let typed = std::env::args_os().nth(1).unwrap_or_default();
    let program = Arguments::command();
    let command = program.get_subcommands().map(clap::Command::get_name).find(|name| *name == typed);
    let help = command.map_or("lookalike --help".to_owned(), |command| format!("lookalike {command} --help"));
    talk!("lookalike: {}; see {help}", words.join(" "));
    ExitCode::from(2)
}

/// A word of a message, which may quote an address.
fn without_secrets(word: &str) -> String {
    let Some(at) = word.find("://") else { return word.to_owned() };
    let scheme = word[..at].chars().rev().take_while(char::is_ascii_alphanumeric).count();
    let (start, end) = (at - scheme, word.rfind('\'').filter(|end| *end > at).unwrap_or(word.len()));
    format!("{}{}{}", &word[..start], lookalike::io::remote::shown_path(Path::new(&word[start..end])), &word[end..])
}

/// The path or address of an output, on one line and without secrets.
pub(crate) fn shown_path(path: &Path) -> String {
    one_line(&lookalike::io::remote::shown_path(path))
}

/// What is probably not as the user thinks.
pub(crate) fn doubts(input: &Input, read: &ReadOptions, keep: Option<&str>) {
    // One document has a field and is known by its place; several have it and are.
    let documents = |count: u64, one: &str, several: &str| match count {
        1 => format!("1 document {one}"),
        count => format!("{} documents {several}", number::count(count)),
    };
    if let Some(id) = &read.settings.fields.id
        && input.without_id > 0
    {
        let said = |verbs: [&str; 2]| format!("{} no field '{id}', and {} named by file and line", verbs[0], verbs[1]);
        talk!("note: {}", documents(input.without_id, &said(["has", "is"]), &said(["have", "are"])));
    }
    if let Some(field) = keep
        && input.without_value > 0
    {
        let said = |verbs: [&str; 2]| format!("{} no field '{field}', and {} kept last", verbs[0], verbs[1]);
        talk!("note: {}", documents(input.without_value, &said(["has", "is"]), &said(["have", "are"])));
    }
    if let Some(field) = &read.settings.fields.source
        && input.without_source > 0
    {
        let said = |verbs: [&str; 2]| format!("{} no field '{field}', and {} to '(no source)'", verbs[0], verbs[1]);
        talk!("note: {}", documents(input.without_source, &said(["has", "counts"]), &said(["have", "count"])));
    }
    if input.repeated_ids > 0 {
        let documents = documents(input.repeated_ids, "has", "have");
        talk!("note: {documents} the id of another document: tell them apart by file and position");
    }
    let LeftOut { hidden, links, work_folders } = &input.left_out;
    if work_folders.count > 0 {
        let (folders, names) = (number::of(work_folders.count, "folder"), some_names(work_folders));
        talk!("note: {folders} with an unfinished run left out ({names}): name the files in it to read them");
    }
    if hidden.count > 0 {
        let were = if hidden.count == 1 { "file or folder was" } else { "files or folders were" };
        let count = number::count(hidden.count);
        talk!("note: {count} hidden {were} left out ({}): name them to read them", some_names(hidden));
    }
    if links.count > 0 {
        let (are, were) = if links.count == 1 { ("file is a link", "was") } else { ("files are links", "were") };
        let (count, names) = (number::count(links.count), some_names(links));
        talk!("note: {count} {are} to files that are read under another name, and {were} left out ({names})");
    }
    if input.documents == 0 && !input.carried.is_empty() {
        let carried = match input.carried.values().sum() {
            1 => "1 entry of another kind".to_owned(),
            count => format!("{} entries of other kinds", number::count(count)),
        };
        talk!("note: no document, but {carried} ({})", kinds(input.carried.iter()));
    }
}

/// What notes took the place of.
pub(crate) fn replaced_fields(documents: u64) {
    let had = match documents {
        0 => return,
        1 => "1 document already had a field".to_owned(),
        documents => format!("{} documents already had a field", number::count(documents)),
    };
    talk!("note: {had} that --annotate writes (cluster, kept, kept_id, similarity): it was replaced in the output");
}

/// The first names, and how many there are besides.
fn some_names(names: &Names) -> String {
    let mut shown: Vec<String> = names.first.iter().take(SHOWN_NAMES).map(|name| one_line(name)).collect();
    let more = names.count - shown.len() as u64;
    if more > 0 {
        shown.push(format!("{} more", number::count(more)));
    }
    shown.join(", ")
}

/// Kinds of what was passed over, each with its number.
fn kinds<'a>(kinds: impl Iterator<Item = (&'a String, &'a u64)>) -> String {
    let kinds = kinds.map(|(kind, count)| format!("{} {kind}", number::count(*count)));
    kinds.collect::<Vec<_>>().join(", ")
}

/// What was skipped, with its place.
pub(crate) fn skipped(skipped: &[SkippedEntry], count: u64) {
    for SkippedEntry { file, entry, position, reason, .. } in skipped.iter().take(SHOWN_SKIPPED) {
        match *entry {
            "file" => talk!("skipped {}: {}", one_line(file), one_line(reason)),
            entry => talk!("skipped {}, {entry} {position}: {}", one_line(file), one_line(reason)),
        }
    }
    let more = count.saturating_sub(skipped.iter().take(SHOWN_SKIPPED).map(|entry| entry.count).sum());
    if more > 0 {
        talk!("skipped {} more", number::count(more));
    }
    let mut remedies: Vec<Remedy> = skipped.iter().flat_map(|entry| remedies(&entry.reason)).collect();
    remedies.sort_by_key(|remedy| format!("{remedy:?}"));
    remedies.dedup();
    if let Some(remedies) = remedy::worded(&remedies) {
        talk!("note: to read more of this, {remedies}");
    }
}

/// What `dedup` did.
pub(crate) fn summary(out: &mut impl Write, summary: &Summary, dedup: &Dedup) -> io::Result<()> {
    let Summary { input, found, parameters, .. } = summary;
    let mut notes = Vec::new();
    if input.empty > 0 {
        notes.push(format!("{} without words", number::count(input.empty)));
    }
    if input.without_text() > 0 {
        notes.push(format!("{} without text", number::count(input.without_text())));
    }
    let is_other = |kind: &str| ![NULL_TEXT, NO_TEXT_FIELD, HEADER].contains(&kind);
    let others = kinds(input.carried.iter().filter(|(kind, _)| is_other(kind)));
    if !others.is_empty() {
        notes.push(format!("passed over: {others}"));
    }
    if input.skipped > 0 {
        notes.push(format!("{} skipped", number::count(input.skipped)));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let files = number::of(input.files, "file");
    writeln!(
        out,
        "read      {} in {files}, {}{notes}",
        number::of(input.documents, "document"),
        number::bytes(input.bytes)
    )?;
    reference(out, summary)?;

    let share = 100.0 * found.removed as f64 / input.documents.max(1) as f64;
    let copies = match found.exact_copies {
        1 => "1 exact copy".to_owned(),
        copies => format!("{} exact copies", number::count(copies)),
    };
    let near = number::of(found.near_duplicates, "near-duplicate");
    let same_words = match found.same_words {
        0 => " and".to_owned(),
        count => format!(", {} with the same words, and", number::count(count)),
    };
    let kept = if input.reference_files > 0 { "a kept or a reference document" } else { "a kept document" };
    let removed = number::count(found.removed);
    writeln!(out, "removed   {removed} ({share:.1} %): {near}{same_words} {copies} of {kept}")?;
    // Exact copies of a document that is itself removed go for the same kept one.
    match found.repeated_texts - found.exact_copies {
        0 => {}
        1 => writeln!(out, "          1 of them is an exact copy of another one removed")?,
        copies => writeln!(out, "          {} of them are exact copies of another one removed", number::count(copies))?,
    }
    if !summary.wrote.removed_along.is_empty() {
        let kinds = summary.wrote.removed_along.iter().map(|(kind, count)| format!("{} {kind}", number::count(*count)));
        writeln!(out, "          with them, records that belong to them: {}", kinds.collect::<Vec<_>>().join(", "))?;
    }
    if parameters.group == "components" {
        writeln!(
            out,
            "          by connected components: {} less similar to the kept one than {}",
            number::of(found.removed_below_threshold, "document"),
            parameters.threshold
        )?;
    }
    if found.checksum_collisions > 0 {
        let texts = match found.checksum_collisions {
            1 => "1 text has the checksum of another text without being its copy, and stays".to_owned(),
            count => {
                format!(
                    "{} texts have the checksum of another text without being its copy, and stay",
                    number::count(count)
                )
            }
        };
        writeln!(out, "          {texts}")?;
    }
    if found.passed_over.pairs > 0 {
        writeln!(out, "          {}", passed_over(&found.passed_over))?;
    }
    writeln!(out, "kept      {} in {}", number::count(found.kept), kept_in(summary))?;
    if !summary.least_alike.is_empty() {
        writeln!(out, "          the least similar removals:")?;
        for removal in summary.least_alike.iter().take(3) {
            let [removed, kept] = [&removal.removed_id, &removal.kept_id].map(|id| one_line(id));
            writeln!(out, "          {:.3}  {removed}  →  {kept}", removal.similarity)?;
        }
    }
    sources::table(out, summary)?;
    writeln!(out, "found by  {}", found_by(parameters))?;
    let speed = number::bytes((input.bytes as f64 / summary.seconds.max(1e-9)) as u64);
    let memory =
        summary.peak_memory_bytes.map_or(String::new(), |bytes| format!(", {} of memory", number::bytes(bytes)));
    writeln!(out, "took      {} ({speed}/s){memory}", number::seconds(summary.seconds))?;
    if let Some(folder) = &dedup.options.folder {
        let documents = match dedup.options.output {
            _ if input.is_all_skipped => "",
            Output::Kept => "kept/ (kept documents), ",
            Output::Annotated => "annotated/ (all documents, with notes), ",
            Output::DryRun => "",
        };
        writeln!(
            out,
            "wrote     {}: {documents}removed.jsonl (removals and reasons), summary.json",
            shown_path(folder)
        )?;
    }
    if let Some(removed) = &dedup.removed {
        writeln!(out, "wrote     {} (removals and reasons)", shown_path(removed))?;
    }
    Ok(())
}

/// What was compared, how, and how much of it that finds.
fn found_by(parameters: &Parameters) -> String {
    let Parameters { shingle, measure, threshold, method, recall_at_threshold, .. } = parameters;
    let alike = match (*measure, method.name) {
        (_, "copies") => return format!("exact copies only, by {}", method.checksum.unwrap_or("text")),
        (_, "simhash") if method.verified == Some(false) => String::new(),
        ("containment", _) => format!(" of which a share of {threshold} or more lies within another"),
        _ => format!(" at a similarity of {threshold} or more"),
    };
    let number = |number: Option<usize>| number.unwrap_or_default();
    let how = match method.name {
        "minhash" if method.taken.is_some() => {
            format!("by {} of each document", number::of(number(method.taken) as u64, "shingle"))
        }
        "simhash" => format!(
            "sketches of {} bits, weights {}, that differ in at most {} bits",
            method.sketch_bits.unwrap_or_default(),
            method.weights.as_deref().unwrap_or_default(),
            method.bits.unwrap_or_default()
        ),
        "exact" => "by an exact join".to_owned(),
        name => {
            let agree = method.agree.map_or(String::new(), |agree| format!(", {agree} of which agree"));
            let random = method.random_slots.map_or(String::new(), |slots| format!(" drawn from {slots} slots"));
            let super_shingles = if name == "supershingle" { "super-shingles: " } else { "" };
            format!("{super_shingles}{} bands of {} rows{random}{agree}", number(method.bands), number(method.rows))
        }
    };
    let recall = recall_at_threshold.map_or(String::new(), |recall| format!(": recall {recall:.4} at the threshold"));
    format!("{shingle} shingles{}{alike}, {how}{recall}", folded(&parameters.fold))
}

/// What the input was compared with, if anything.
fn reference(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let Summary { input, found, parameters, .. } = summary;
    if input.reference_files == 0 {
        return Ok(());
    }
    let skipped = match input.reference_skipped {
        0 => String::new(),
        skipped => format!(" ({} skipped)", number::count(skipped)),
    };
    let like = match (parameters.group, found.removed_by_reference) {
        ("components", 1) => "is linked to one of them",
        ("components", _) => "are linked to one of them",
        (_, 1) => "is similar to one of them",
        _ => "are similar to one of them",
    };
    writeln!(
        out,
        "reference {} in {}{skipped}; {} of the input {like}",
        number::of(input.reference_documents, "document"),
        number::of(input.reference_files, "file"),
        number::of(found.removed_by_reference, "document"),
    )
}

/// Alone or with how many others removed in their place.
fn kept_in(summary: &Summary) -> String {
    let largest = summary.clusters_by_size.keys().next_back().copied().unwrap_or(0);
    match summary.found.clusters {
        0 => "no cluster".to_owned(),
        clusters => format!(
            "{} of two or more documents (the largest has {}) and {}",
            number::of(clusters, "cluster"),
            number::count(largest),
            number::of(summary.found.kept - clusters, "single")
        ),
    }
}

/// What `pairs` did.
pub(crate) fn pairs(report: &PairsReport) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let pairs = number::of(report.found, "pair");
    let pairs = if report.pairs < report.found {
        format!("{} of {pairs}, chosen at random (--sample N for more),", number::count(report.pairs))
    } else {
        pairs
    };
    let documents = number::of(report.input.documents, "document");
    let among = match report.input.reference_files {
        0 => format!("among {documents}"),
        _ => format!("of {documents} with {} of the reference", number::count(report.input.reference_documents)),
    };
    talk!("{pairs} {among} ({}), in {}", number::bytes(report.input.bytes), number::seconds(seconds));
    if report.passed_over.pairs > 0 {
        talk!("note: {}", passed_over(&report.passed_over));
    }
}

/// What a bound on the work of a bucket left out, and how many near-duplicates are in it.
fn passed_over(estimate: &PassedOverEstimate) -> String {
    let PassedOverEstimate { pairs, error, sampled, matches, matches_at_least, matches_at_most } = *estimate;
    let is_known = error == 0 && sampled == pairs;
    let (about, by) = match error {
        0 => ("", String::new()),
        error => ("about ", format!(" (± {})", number::count(error))),
    };
    let left = match matches {
        0 if is_known => "none of them is a near-duplicate".to_owned(),
        1 if is_known => "1 of them is a near-duplicate".to_owned(),
        matches if is_known => format!("{} of them are near-duplicates", number::count(matches)),
        0 => format!(
            "none of {} sampled at random is a near-duplicate, so at most {} are (95 % confidence)",
            number::count(sampled),
            number::count(matches_at_most)
        ),
        matches => format!(
            "about {} are near-duplicates ({} to {} with 95 % confidence, from a sample of {})",
            number::count(matches),
            number::count(matches_at_least),
            number::count(matches_at_most),
            number::count(sampled)
        ),
    };
    format!("{about}{}{by} with common boilerplate were not compared: {left}", number::of(pairs, "pair"))
}

/// What `compare` measured.
pub(crate) fn comparison(
    out: &mut dyn Write,
    ids: &[String; 2],
    comparison: &Comparison,
    options: &SimilarityOptions,
) -> io::Result<()> {
    let Comparison { left, right, shared_shingle_count: shared, .. } = comparison;
    writeln!(out, "verdict              {}", verdict(comparison))?;
    let all = left.distinct_shingle_count + right.distinct_shingle_count - shared;
    writeln!(out, "jaccard              {:.6}  ({shared} of {all} shingles)", comparison.jaccard)?;
    writeln!(out, "containment_left     {:.6}  (of the first in the second)", comparison.containment_left)?;
    writeln!(out, "containment_right    {:.6}  (of the second in the first)", comparison.containment_right)?;
    let edits = |edits: Option<u64>, left: usize, right: usize, unit: &str| match edits {
        Some(edits) => {
            let [left, right] = [left, right].map(|count| number::count(count as u64));
            format!("{}  (of {left} and {right} {unit}s)", number::of(edits, "edit"))
        }
        None => "not measured: the texts are too long and too different".to_owned(),
    };
    let words = edits(comparison.edit_words, left.token_count, right.token_count, "token");
    writeln!(out, "edit_words           {words}")?;
    let characters = edits(comparison.edit_characters, left.character_count, right.character_count, "character");
    writeln!(out, "edit_characters      {characters}")?;
    if let (Some(estimate), Some(slots)) = (comparison.sketch_estimate, comparison.slots) {
        writeln!(out, "sketch_estimate      {estimate:.6}  ({slots} slots)")?;
    }
    if let (Some(simhash), Some(differing)) = (comparison.simhash, comparison.hamming) {
        writeln!(out, "simhash              {simhash:.6}  ({differing} of {} bits differ)", comparison.sketch_bits)?;
    }
    if let Some(chance) = comparison.chance_to_be_found {
        let how = options
            .method
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
    let is_terminal = io::stdout().is_terminal();
    for (id, side, marks) in [(&ids[0], left, ["[-", "-]"]), (&ids[1], right, ["[+", "+]"])] {
        let id = if is_terminal { one_line(id) } else { id.clone() };
        writeln!(out, "\n{id}, with text missing from the other in {}…{}:", marks[0], marks[1])?;
        writeln!(out, "{}", marked_passages(&side.passages, marks, is_terminal))?;
    }
    Ok(())
}

/// What two documents are to each other, in words.
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

/// What `compare` measured, for programs.
pub(crate) fn comparison_as_json(
    out: &mut dyn Write,
    [left_id, right_id]: &[String; 2],
    comparison: &Comparison,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct Compared<'a> {
        left_id: &'a str,
        right_id: &'a str,
        #[serde(flatten)]
        comparison: &'a Comparison,
    }
    serde_json::to_writer_pretty(&mut *out, &Compared { left_id, right_id, comparison })?;
    writeln!(out)
}

/// What was left out before texts were compared, if something was.
fn folded(fold: &str) -> String {
    if fold == "none" { String::new() } else { format!(", {fold} folded,") }
}

/// A text with what is not shared between marks, and long passages shortened.
fn marked_passages(passages: &[lookalike::Passage], [open, close]: [&str; 2], is_terminal: bool) -> String {
    let [color, plain] = if is_terminal { ["\x1b[33m", "\x1b[0m"] } else { ["", ""] };
    let passage = |passage: &lookalike::Passage| {
        let all = if is_terminal { harmless::lines(&passage.text) } else { passage.text.as_str().into() };
        let text = all.trim_end();
        let space = &all[text.len()..];
        match (passage.is_shared, text) {
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
    format!("{start} … ({} more) … {end}", number::of((count - 2 * PASSAGE_END) as u64, "character"))
}

#[cfg(test)]
mod tests {
    use lookalike::Passage;

    use super::*;

    #[test]
    fn texts_that_are_compared_do_nothing_to_a_terminal_and_stay_as_they_are_elsewhere() {
        let hostile = "\u{1b}]0;title\u{7}\u{202e} red\n";
        let passages = [("same ", true), (hostile, false)];
        let passages = passages.map(|(text, is_shared)| Passage { text: text.to_owned(), is_shared }).to_vec();
        let shown = marked_passages(&passages, ["[-", "-]"], true);
        assert_eq!(shown, "same \x1b[33m[-␛]0;title␇\\u{202e} red-]\x1b[0m");
        assert_eq!(marked_passages(&passages, ["[-", "-]"], false), format!("same [-{}-]", hostile.trim_end()));
    }
}
