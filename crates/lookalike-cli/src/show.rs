//! Results for a person.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use lookalike::{
    Comparison, Input, Output, PairsReport, Parameters, ReadOptions, Side, SimilarityOptions, SkippedEntry, Summary,
};

use crate::{number, sources};

/// How many skipped entries are shown; the summary has more of them.
const SHOWN_SKIPPED: usize = 10;

/// How much of a long passage is shown at its start and at its end.
const PASSAGE_END: usize = 120;

/// A wrong call: one line with the remedy. Help and version are no errors.
pub(crate) fn usage_error(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
    }
    let text = error.to_string();
    let message = text.split("\n\nUsage").next().unwrap_or(&text).split("\n\nFor more").next().unwrap_or(&text);
    let words: Vec<&str> = message.trim_start_matches("error: ").split_whitespace().collect();
    // Help on the command that was meant, if one was.
    let command = std::env::args().nth(1).filter(|word| ["dedup", "pairs", "compare", "prints"].contains(&&**word));
    let help = command.map_or("lookalike --help".to_owned(), |command| format!("lookalike {command} --help"));
    eprintln!("lookalike: {}; see {help}", words.join(" "));
    ExitCode::from(2)
}

/// Whether an error only says that nobody reads standard output any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    match error.downcast_ref::<lookalike::Error>() {
        Some(lookalike::Error::Io(lookalike::io::Error::Unwritable { cause, .. })) => is_closed(cause),
        Some(_) => false,
        None => error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(is_closed),
    }
}

/// A text from the input that must not move the cursor or start a line of its own.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// What is probably not as the user thinks.
pub(crate) fn doubts(input: &Input, read: &ReadOptions, keep: Option<&str>) {
    let documents = |count: u64| match count {
        1 => "1 document has".to_owned(),
        count => format!("{} documents have", number::count(count)),
    };
    if let Some(id) = &read.settings.fields.id
        && input.without_id > 0
    {
        eprintln!("note: {} no field '{id}', and are known by file and line", documents(input.without_id));
    }
    if let Some(field) = keep
        && input.without_value > 0
    {
        eprintln!("note: {} no field '{field}', and are kept last", documents(input.without_value));
    }
    if let Some(field) = &read.settings.fields.source
        && input.without_source > 0
    {
        eprintln!("note: {} no field '{field}', and count to '(no source)'", documents(input.without_source));
    }
    if input.repeated_ids > 0 {
        eprintln!("note: {} the id of another: the output cannot tell them apart", documents(input.repeated_ids));
    }
    if input.documents == 0 && !input.carried.is_empty() {
        let carried = number::of(input.carried.values().sum(), "entry of another kind");
        eprintln!("note: no document, but {carried} ({})", carried_kinds(input));
    }
}

/// What notes took the place of.
pub(crate) fn replaced_fields(documents: u64) {
    let had = match documents {
        0 => return,
        1 => "1 document already had a field".to_owned(),
        documents => format!("{} documents already had a field", number::count(documents)),
    };
    eprintln!("note: {had} that --annotate writes (cluster, kept, kept_id, similarity): it was replaced in the output");
}

/// What was passed over, by kind.
fn carried_kinds(input: &Input) -> String {
    let kinds = input.carried.iter().map(|(kind, count)| format!("{} {kind}", number::count(*count)));
    kinds.collect::<Vec<_>>().join(", ")
}

/// What was skipped, with its place.
pub(crate) fn skipped(skipped: &[SkippedEntry], count: u64) {
    for SkippedEntry { file, entry, position, reason } in skipped.iter().take(SHOWN_SKIPPED) {
        match *entry {
            "file" => eprintln!("skipped {}: {}", one_line(file), one_line(reason)),
            entry => eprintln!("skipped {}, {entry} {position}: {}", one_line(file), one_line(reason)),
        }
    }
    let more = count.saturating_sub(SHOWN_SKIPPED as u64);
    if more > 0 {
        eprintln!("skipped {} more", number::count(more));
    }
}

/// What `dedup` did.
pub(crate) fn summary(summary: &Summary, folder: Option<&Path>, output: Output) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let Summary { input, found, parameters, .. } = summary;
    let mut notes = Vec::new();
    if input.empty > 0 {
        notes.push(format!("{} without a word", number::count(input.empty)));
    }
    if input.carried.keys().any(|kind| *kind != "header") {
        notes.push(format!("passed over: {}", carried_kinds(input)));
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
    reference(&mut out, summary)?;

    let share = 100.0 * found.removed as f64 / input.documents.max(1) as f64;
    let copies = match found.exact_copies {
        1 => "1 exact copy".to_owned(),
        copies => format!("{} exact copies", number::count(copies)),
    };
    let near = number::of(found.near_duplicates, "near-duplicate");
    let kept = if input.reference_files > 0 { "a kept or a reference document" } else { "a kept document" };
    writeln!(out, "removed   {} ({share:.1} %): {near} and {copies} of {kept}", number::count(found.removed))?;
    // Copies of a text that is itself removed go for the same near-duplicate.
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
            "          by connected components, whatever lies between: {} less like the kept one than {}",
            number::of(found.removed_below_threshold, "document"),
            parameters.threshold
        )?;
    }
    if found.checksum_collisions > 0 {
        let texts = number::of(found.checksum_collisions, "text");
        writeln!(out, "          {texts} with the checksum of another text, of which they are no copies, stay")?;
    }
    if found.passed_over > 0 {
        writeln!(out, "          {}", passed_over(found.passed_over, found.passed_over_matches))?;
    }
    writeln!(out, "kept      {} in {}", number::count(found.kept), kept_in(summary))?;
    if !summary.least_alike.is_empty() {
        writeln!(out, "          the least alike that were removed:")?;
        for removal in summary.least_alike.iter().take(3) {
            let [removed, kept] = [&removal.removed_id, &removal.kept_id].map(|id| one_line(id));
            writeln!(out, "          {:.3}  {removed}  →  {kept}", removal.similarity)?;
        }
    }
    sources::table(&mut out, summary)?;
    writeln!(out, "found by  {}", found_by(parameters))?;
    let speed = number::bytes((input.bytes as f64 / summary.seconds.max(1e-9)) as u64);
    let memory =
        summary.peak_memory_bytes.map_or(String::new(), |bytes| format!(", {} of memory", number::bytes(bytes)));
    writeln!(out, "took      {} ({speed}/s){memory}", number::seconds(summary.seconds))?;
    if let Some(folder) = folder {
        let documents = match output {
            Output::Kept => "kept/ (what stays), ",
            Output::Annotated => "annotated/ (everything, with notes), ",
            Output::DryRun => "",
        };
        writeln!(out, "wrote     {}: {documents}removed.jsonl (what went, and why), summary.json", folder.display())?;
    }
    out.flush()
}

/// What was compared, how, and how much of it that finds.
fn found_by(parameters: &Parameters) -> String {
    let Parameters { shingle, measure, threshold, method, recall_at_threshold, .. } = parameters;
    let alike = match (*measure, method.name) {
        (_, "copies") => return format!("exact copies alone, by {}", method.checksum.unwrap_or("tokens")),
        (_, "simhash") if method.verified == Some(false) => String::new(),
        ("containment", _) => format!(" of which {threshold} or more lies inside of another"),
        _ => format!(" at a similarity of {threshold} or more"),
    };
    let number = |number: Option<usize>| number.unwrap_or_default();
    let how = match method.name {
        "minhash" if method.taken.is_some() => {
            format!("by {} of each document", number::of(number(method.taken) as u64, "shingle"))
        }
        "simhash" => format!(
            "sketches of {} bits, weights {}, that differ in {} bits at most",
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

/// What the input was held against, if it was.
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
        (_, 1) => "is like one of them",
        _ => "are like one of them",
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
    eprintln!(
        "{} among {} ({}), in {}",
        number::of(report.pairs, "pair"),
        number::of(report.input.documents, "document"),
        number::bytes(report.input.bytes),
        number::seconds(seconds)
    );
    if report.passed_over > 0 {
        eprintln!("note: {}", passed_over(report.passed_over, report.passed_over_matches));
    }
}

/// What a bound on the work of a bucket left out, and what that does to recall.
fn passed_over(pairs: u64, matches: u64) -> String {
    let left = match matches {
        0 => "none of those looked at was alike".to_owned(),
        matches => format!("if alike as often as the others, {} of them are near-duplicates", number::count(matches)),
    };
    format!("up to {} of a common boilerplate were not looked at: {left}", number::of(pairs, "pair"))
}

/// What `compare` measured.
pub(crate) fn comparison(ids: &[String; 2], comparison: &Comparison, options: &SimilarityOptions) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let is_empty = comparison.left.token_count == 0 || comparison.right.token_count == 0;
    let verdict = match (comparison.is_copy, comparison.is_match) {
        _ if is_empty => "nothing to compare: one has no word, and is like nothing".to_owned(),
        (true, _) => "exact copies".to_owned(),
        (false, true) => format!("near-duplicates, at a threshold of {}", options.criterion.threshold()),
        (false, false) => format!("not near-duplicates, at a threshold of {}", options.criterion.threshold()),
    };
    let Comparison { left, right, overlap, .. } = comparison;
    writeln!(out, "verdict              {verdict}")?;
    writeln!(
        out,
        "jaccard              {:.6}  ({} of {} shingles)",
        overlap.jaccard(),
        overlap.shared,
        overlap.left + overlap.right - overlap.shared
    )?;
    writeln!(out, "containment_left     {:.6}  (of the first in the second)", overlap.containment_left())?;
    writeln!(out, "containment_right    {:.6}  (of the second in the first)", overlap.containment_right())?;
    if let Some((estimate, slots)) = comparison.estimate {
        writeln!(out, "sketch_estimate      {estimate:.6}  ({slots} slots)")?;
    }
    if let Some((differing, bits)) = comparison.bits {
        let simhash = f64::from(bits - differing) / f64::from(bits);
        writeln!(out, "simhash              {simhash:.6}  ({differing} of {bits} bits differ)")?;
    }
    if let Some(chance) = comparison.chance {
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
        overlap.left,
        overlap.right,
        options.shingle,
        folded(&options.fold.to_string()).trim_end_matches(',')
    )?;
    let is_colored = io::stdout().is_terminal();
    for (id, side, marks) in [(&ids[0], left, ["[-", "-]"]), (&ids[1], right, ["[+", "+]"])] {
        writeln!(out, "\n{id}, with what the other lacks in {}…{}:", marks[0], marks[1])?;
        writeln!(out, "{}", marked(side, marks, is_colored))?;
    }
    out.flush()
}

/// What was left out before texts were compared, if something was.
fn folded(fold: &str) -> String {
    if fold == "none" { String::new() } else { format!(", {fold} folded,") }
}

/// A text with what is not shared between marks, and long passages shortened.
fn marked(side: &Side, [open, close]: [&str; 2], is_colored: bool) -> String {
    let [color, plain] = if is_colored { ["\x1b[33m", "\x1b[0m"] } else { ["", ""] };
    let passage = |passage: &lookalike::Passage| {
        let text = shortened(passage.text.trim_end());
        let space = &passage.text[passage.text.trim_end().len()..];
        if passage.is_shared { format!("{text}{space}") } else { format!("{color}{open}{text}{close}{plain}{space}") }
    };
    side.passages.iter().map(passage).collect::<String>().trim().to_owned()
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
