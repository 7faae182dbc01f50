//! Summary of `dedup`.

use std::io::{self, Write};

use lookalike::io::read::{HEADER, NO_TEXT_FIELD, NULL_TEXT};
use lookalike::{Output, Parameters, Summary, UndecidedSource};

use crate::commands::dedup::Dedup;
use crate::show::{folded, kinds, losses, notes, numbers, one_line, shown_path};

/// Writes the summary for people.
pub(crate) fn write(out: &mut impl Write, summary: &Summary, dedup: &Dedup) -> io::Result<()> {
    let Summary { input, found, parameters, .. } = summary;
    write_read(out, summary)?;
    reference(out, summary)?;
    write_removed(out, summary)?;
    writeln!(out, "kept      {} in {}", numbers::count(found.kept_count), kept_in(summary))?;
    if !summary.least_similar.is_empty() {
        writeln!(out, "          the least similar removals:")?;
        for removal in summary.least_similar.iter().take(3) {
            // The address of a page says more than the id of a crawl record.
            let removed = removal.removed_uri.as_ref().unwrap_or(&removal.removed_id);
            let kept = removal.kept_uri.as_ref().unwrap_or(&removal.kept_id);
            let [removed, kept] = [removed, kept].map(|name| one_line(name));
            writeln!(out, "          {:.3}  {removed}  →  {kept}", removal.similarity)?;
        }
    }
    losses::table(out, summary)?;
    writeln!(out, "found by  {}", found_by(parameters))?;
    if let Some(purpose) = &parameters.purpose {
        writeln!(out, "          {}", notes::purpose(purpose))?;
    }
    if let Some(count) = parameters.code_file_count {
        writeln!(out, "          {}", notes::source_code(count))?;
    }
    write_boilerplate(out, summary)?;
    let speed = numbers::bytes((input.bytes as f64 / summary.seconds.max(1e-9)) as u64);
    let memory =
        summary.peak_memory_bytes.map_or(String::new(), |bytes| format!(", {} of memory", numbers::bytes(bytes)));
    writeln!(out, "took      {} ({speed}/s){memory}", numbers::seconds(summary.seconds))?;
    if let Some(folder) = dedup.options.folder() {
        let documents = match dedup.options.output() {
            Output::Kept => "kept/ (kept documents), ",
            Output::Annotated => "annotated/ (all documents, with notes), ",
            _ => "",
        };
        let report = if dedup.options.has_report() { "report.html (for your browser), " } else { "" };
        writeln!(
            out,
            "wrote     {}: {documents}removed.jsonl (removals and reasons), {report}summary.json",
            shown_path(folder)
        )?;
    }
    if let Some(report) = dedup.options.report_file() {
        writeln!(out, "wrote     {} (for your browser)", shown_path(report))?;
    }
    if let Some(removed) = dedup.options.removed() {
        writeln!(out, "wrote     {} (removals and reasons)", shown_path(removed))?;
    }
    Ok(())
}

/// Writes the share of text that was ignored as boilerplate.
fn write_boilerplate(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let Some(ignored) = &summary.boilerplate else { return Ok(()) };
    writeln!(
        out,
        "ignored   {:.0} % of the text, as boilerplate of {}",
        100.0 * ignored.ignored_share,
        numbers::of(ignored.source_count, "source")
    )?;
    if ignored.undecided_count > 0 {
        let named = |source: &UndecidedSource| {
            format!("{} of {}", numbers::count(source.document_count), one_line(&source.source))
        };
        let sources: Vec<String> = ignored.undecided.iter().take(3).map(named).collect();
        let (documents, are) = match ignored.undecided_count {
            1 => ("1 document is".to_owned(), "was"),
            count => (format!("{} documents are", numbers::count(count)), "were"),
        };
        let sources = sources.join(", ");
        writeln!(out, "          {documents} nearly all boilerplate and {are} compared only with copies: {sources}")?;
        writeln!(
            out,
            "          (versions of one text are found if these sources are compared without --ignore-boilerplate)"
        )?;
    }
    Ok(())
}

/// Writes the number of documents read, and what was passed over.
fn write_read(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let input = &summary.input;
    let mut notes = Vec::new();
    if input.empty_count > 0 {
        notes.push(format!("{} without words", numbers::count(input.empty_count)));
    }
    if input.without_text() > 0 {
        notes.push(format!("{} without text", numbers::count(input.without_text())));
    }
    let is_other = |kind: &str| ![NULL_TEXT, NO_TEXT_FIELD, HEADER].contains(&kind);
    let others = kinds(input.carried.iter().filter(|(kind, _)| is_other(kind)));
    if !others.is_empty() {
        notes.push(format!("passed over: {others}"));
    }
    if input.skipped_count > 0 {
        notes.push(format!("{} skipped", numbers::count(input.skipped_count)));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let files = numbers::of(input.file_count, "file");
    writeln!(
        out,
        "read      {} in {files}, {}{notes}",
        numbers::of(input.document_count, "document"),
        numbers::bytes(input.bytes)
    )
}

/// Writes the number of documents removed, and what they have in common with those kept.
fn write_removed(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let Summary { input, found, parameters, .. } = summary;
    let share = 100.0 * found.removed_count as f64 / input.document_count.max(1) as f64;
    let copies = match found.exact_copy_count {
        1 => "1 exact copy".to_owned(),
        copies => format!("{} exact copies", numbers::count(copies)),
    };
    let near = numbers::of(found.near_duplicate_count, "near-duplicate");
    let same_words = match found.same_words_count {
        0 => " and".to_owned(),
        count => format!(", {} with the same words, and", numbers::count(count)),
    };
    let kept = if input.reference_file_count + input.reference_document_count > 0 {
        "a kept or a reference document"
    } else {
        "a kept document"
    };
    let removed = numbers::count(found.removed_count);
    writeln!(out, "removed   {removed} ({share:.1} %): {near}{same_words} {copies} of {kept}")?;
    match found.different_numbers_count {
        0 => {}
        count => {
            let differ = if count == 1 { "differs" } else { "differ" };
            writeln!(
                out,
                "          {} of them {differ} from the kept one in nothing but numbers: --different-numbers keep keeps such",
                numbers::count(count)
            )?;
        }
    }
    // Exact copies of a removed document are removed for the same kept document.
    match found.repeated_text_count - found.exact_copy_count {
        0 => {}
        1 => writeln!(out, "          1 of them is an exact copy of another one removed")?,
        copies => {
            writeln!(out, "          {} of them are exact copies of another one removed", numbers::count(copies))?;
        }
    }
    if !summary.wrote.removed_along.is_empty() {
        let kinds =
            summary.wrote.removed_along.iter().map(|(kind, count)| format!("{} {kind}", numbers::count(*count)));
        writeln!(out, "          with them, records that belong to them: {}", kinds.collect::<Vec<_>>().join(", "))?;
    }
    if parameters.group == "components" {
        writeln!(
            out,
            "          by connected components: {} less similar to the kept one than {}",
            numbers::of(found.removed_below_threshold_count, "document"),
            parameters.threshold
        )?;
    }
    if found.checksum_collision_count > 0 {
        let texts = match found.checksum_collision_count {
            1 => "1 text has the checksum of another text without being its copy, and stays".to_owned(),
            count => {
                format!(
                    "{} texts have the checksum of another text without being its copy, and stay",
                    numbers::count(count)
                )
            }
        };
        writeln!(out, "          {texts}")?;
    }
    if found.passed_over.pair_count > 0 {
        writeln!(out, "          {}", notes::passed_over(&found.passed_over))?;
    }
    Ok(())
}

/// Describes what was compared, the method, and its recall.
fn found_by(parameters: &Parameters) -> String {
    let Parameters { shingle, measure, threshold, method, recall_at_threshold, .. } = parameters;
    let alike = match (&**measure, &*method.name) {
        (_, "copies") => return format!("exact copies only, by {}", method.checksum.as_deref().unwrap_or("text")),
        (_, "simhash") if method.verify == Some(false) => String::new(),
        ("containment", _) => format!(" of which a share of at least {threshold} is contained in another"),
        _ => format!(" at a similarity of {threshold} or more"),
    };
    let number = |number: Option<usize>| number.unwrap_or_default();
    let how = match &*method.name {
        "minhash" if method.taken.is_some() => {
            format!("by {} of each document", numbers::of(number(method.taken) as u64, "shingle"))
        }
        "simhash" => format!(
            "sketches of {} bits, weights {}, that differ in at most {} bits",
            method.sketch_bits.unwrap_or_default(),
            method.shingle_weights.as_deref().unwrap_or_default(),
            method.bits.unwrap_or_default()
        ),
        "exact" if parameters.exact_because_small => "compared exactly because the input is small".to_owned(),
        "exact" => "by an exact join".to_owned(),
        name => {
            let agree = method.agree.map_or(String::new(), |agree| format!(", {agree} of which agree"));
            let random = method.slots.map_or(String::new(), |slots| format!(" drawn from {slots} slots"));
            let super_shingles = if name == "supershingle" { "super-shingles: " } else { "" };
            format!("{super_shingles}{} bands of {} rows{random}{agree}", number(method.bands), number(method.rows))
        }
    };
    let recall = match recall_at_threshold {
        // Nothing is missed at any similarity.
        Some(_) if method.name == "exact" => ": recall 1".to_owned(),
        Some(recall) => format!(": recall {recall:.4} at the threshold"),
        None => String::new(),
    };
    let repeats = if parameters.count_repeats { ", each as often as it occurs," } else { "" };
    format!("{shingle} shingles{}{repeats}{alike}, {how}{recall}", folded(&parameters.fold))
}

/// Describes the reference that the input was compared with, if there is one.
fn reference(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let Summary { input, found, parameters, .. } = summary;
    if input.reference_file_count + input.reference_document_count == 0 {
        return Ok(());
    }
    let skipped = match input.reference_skipped_count {
        0 => String::new(),
        skipped => format!(" ({} skipped)", numbers::count(skipped)),
    };
    let like = match (&*parameters.group, found.removed_by_reference_count) {
        ("components", 1) => "is linked to one of them",
        ("components", _) => "are linked to one of them",
        (_, 1) => "is similar to one of them",
        _ => "are similar to one of them",
    };
    writeln!(
        out,
        "reference {} in {}{skipped}; {} of the input {like}",
        numbers::of(input.reference_document_count, "document"),
        match input.reference_file_count {
            0 => "an index".to_owned(),
            files => numbers::of(files, "file"),
        },
        numbers::of(found.removed_by_reference_count, "document"),
    )
}

/// Counts the kept documents that others were removed for, and the single ones.
fn kept_in(summary: &Summary) -> String {
    let largest = summary.clusters_by_size.keys().next_back().copied().unwrap_or(0);
    match summary.found.cluster_count {
        0 => "no cluster".to_owned(),
        clusters => format!(
            "{} of two or more documents (the largest has {}) and {}",
            numbers::of(clusters, "cluster"),
            numbers::count(largest),
            numbers::of(summary.found.kept_count - clusters, "single")
        ),
    }
}
