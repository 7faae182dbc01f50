//! Notes for people in addition to the result: input that was skipped or passed over, and likely mistakes.

use lookalike::core::bucket::passed_over::PassedOverEstimate;
use lookalike::io::input::discover::{LeftOut, Names};
use lookalike::{
    DecidingBoilerplate, IgnoredBoilerplate, Input, Purpose, PurposeSettings, ReadOptions, Remedy, SkippedEntry,
};

use crate::remedy::{self, as_flags};
use crate::show::streams::talk;
use crate::show::{kinds, numbers, one_line};

/// Maximum number of skipped entries to show; the summary has more of them.
const SHOWN_SKIPPED: usize = 10;

/// Minimum number of documents to tell what kind of corpus it is.
const FEW: u64 = 20;

/// Maximum number of names of left-out files to show; the summary has more of them.
const SHOWN_NAMES: usize = 3;

/// Notes likely mistakes of the user.
pub(crate) fn doubts(input: &Input, read: &ReadOptions, keep: Option<&str>) {
    // One document has a field and is known by its place; several have it and are.
    let documents = |count: u64, one: &str, several: &str| match count {
        1 => format!("1 document {one}"),
        count => format!("{} documents {several}", numbers::count(count)),
    };
    if let Some(id) = &read.settings().fields.id
        && input.without_id_count > 0
    {
        let said = |verbs: [&str; 2]| format!("{} no field '{id}', and {} named by file and line", verbs[0], verbs[1]);
        talk!("note: {}", documents(input.without_id_count, &said(["has", "is"]), &said(["have", "are"])));
    }
    if let Some(field) = keep
        && input.without_value_count > 0
    {
        let said = |verbs: [&str; 2]| format!("{} no field '{field}', and {} last in keep order", verbs[0], verbs[1]);
        talk!("note: {}", documents(input.without_value_count, &said(["has", "comes"]), &said(["have", "come"])));
    }
    if let Some(field) = &read.settings().fields.source
        && input.without_source_count > 0
    {
        let said = |verbs: [&str; 2]| format!("{} no field '{field}', and {} to '(no source)'", verbs[0], verbs[1]);
        talk!("note: {}", documents(input.without_source_count, &said(["has", "counts"]), &said(["have", "count"])));
    }
    if input.repeated_id_count > 0 {
        let documents = documents(input.repeated_id_count, "has", "have");
        talk!("note: {documents} the id of another document: tell them apart by file and position");
    }
    if input.document_count >= FEW && input.short_count * 2 > input.document_count {
        talk!(
            "note: {} are shorter than two shingles, so that one changed word leaves little in common: --for short compares \
             runs of characters without links ({})",
            numbers::of(input.short_count, "document"),
            as_flags(&Purpose::Short.written())
        );
    }
    left_out(&input.left_out);
    without_effect(&input.without_effect);
    if input.document_count == 0 && !input.carried.is_empty() {
        let carried = match input.carried.values().sum() {
            1 => "1 entry of another kind".to_owned(),
            count => format!("{} entries of other kinds", numbers::count(count)),
        };
        talk!("note: no document, but {carried} ({})", kinds(input.carried.iter()));
    }
}

/// Lists the settings that a purpose stands for.
pub(crate) fn purpose(purpose: &PurposeSettings) -> String {
    format!("--for {} stands for {}, where nothing else was asked for", purpose.name, as_flags(&purpose.settings))
}

/// Notes that tokens were chosen by file names.
pub(crate) fn source_code(count: u64) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!("compared as source code, since {} {are}: --tokens words compares their words", numbers::of(count, "file"))
}

/// Notes files and folders that were not read although nothing is wrong with them.
pub(crate) fn left_out(left_out: &LeftOut) {
    let LeftOut { hidden, links, work_folders, not_documents, excluding_nothing, .. } = left_out;
    if work_folders.count > 0 {
        let (folders, names) = (numbers::of(work_folders.count, "folder"), some_names(work_folders));
        talk!("note: {folders} with an unfinished run left out ({names}): name the files in it to read them");
    }
    if hidden.count > 0 {
        let were = if hidden.count == 1 { "file or folder was" } else { "files or folders were" };
        let count = numbers::count(hidden.count);
        talk!("note: {count} hidden {were} left out ({}): name them to read them", some_names(hidden));
    }
    if links.count > 0 {
        let (are, were) = if links.count == 1 { ("file is a link", "was") } else { ("files are links", "were") };
        let (count, names) = (numbers::count(links.count), some_names(links));
        talk!("note: {count} {are} to files that are read under another name, and {were} left out ({names})");
    }
    if not_documents.count > 0 {
        let (are, them) = if not_documents.count == 1 {
            ("file is not a document and was", "it")
        } else {
            ("files are not documents and were", "them")
        };
        let (count, names) = (numbers::count(not_documents.count), some_names(not_documents));
        talk!("note: {count} {are} skipped ({names}): name {them} to read {them}, or give --exclude");
    }
    for pattern in excluding_nothing {
        talk!("note: --exclude '{}' matches no file", one_line(pattern));
    }
}

/// Notes options that have no effect on the input.
pub(crate) fn without_effect(options: &[String]) {
    for option in options {
        let why = match &**option {
            "split" => "no plain text file",
            "extract" => "no web page; for pages in a field of records, give --html-field FIELD",
            "delimiter" | "no_header" => "no CSV file",
            _ => "no file with fields",
        };
        talk!("note: --{} has no effect: the input has {why}", option.replace('_', "-"));
    }
}

/// Notes that ids come from a field that the user did not name.
pub(crate) fn id_field(field: &str) {
    talk!(
        "note: ids are taken from the field '{}': every document has one of its own (--id names another)",
        one_line(field)
    );
}

/// Notes fields of documents that annotations replaced.
pub(crate) fn replaced_fields(documents: u64) {
    let had = match documents {
        0 => return,
        1 => "1 document already had a field".to_owned(),
        documents => format!("{} documents already had a field", numbers::count(documents)),
    };
    talk!("note: {had} that --annotate writes (cluster, kept, kept_id, similarity): it was replaced in the output");
}

/// Lists the first names, and the number of others.
fn some_names(names: &Names) -> String {
    let mut shown: Vec<String> = names.first.iter().take(SHOWN_NAMES).map(|name| one_line(name)).collect();
    let more = names.count - shown.len() as u64;
    if more > 0 {
        shown.push(format!("{} more", numbers::count(more)));
    }
    shown.join(", ")
}

/// Notes the entries that were skipped, with their places.
pub(crate) fn skipped(skipped: &[SkippedEntry], count: u64) {
    for SkippedEntry { file, entry, position, reason, .. } in skipped.iter().take(SHOWN_SKIPPED) {
        match *entry {
            "file" => talk!("skipped {}: {}", one_line(file), one_line(reason.text())),
            entry => talk!("skipped {}, {entry} {position}: {}", one_line(file), one_line(reason.text())),
        }
    }
    let more = count.saturating_sub(skipped.iter().take(SHOWN_SKIPPED).map(|entry| entry.count).sum());
    if more > 0 {
        talk!("skipped {} more", numbers::count(more));
    }
    let mut remedies: Vec<Remedy> = skipped.iter().flat_map(|entry| entry.reason.remedies()).collect();
    remedies.sort_by_key(|remedy| format!("{remedy:?}"));
    remedies.dedup();
    if let Some(remedies) = remedy::worded(&remedies) {
        talk!("note: to read more of this, {remedies}");
    }
}

/// Notes that boilerplate causes removals, and names its sources.
pub(crate) fn boilerplate(decides: Option<&DecidingBoilerplate>) {
    let Some(DecidingBoilerplate { removed_count, share, sources, .. }) = decides else { return };
    let named: Vec<String> = sources.iter().take(SHOWN_NAMES).map(|source| one_line(&source.source)).collect();
    let more = match sources.len().saturating_sub(SHOWN_NAMES) as u64 {
        0 => String::new(),
        more => format!(" and {}", numbers::of(more, "more source")),
    };
    talk!(
        "note: in about {}, at least half of what both documents share is on more than {:.0} % of the pages of its source: {}{more}",
        numbers::of(*removed_count, "removal"),
        100.0 * share,
        named.join(", ")
    );
    talk!("      --ignore-boilerplate compares what is left without that");
}

/// Threshold at which few near-duplicates are found if boilerplate is ignored.
const HIGH: f64 = 0.8;

/// Notes that a threshold is high for what remains of pages: `threshold` is that of Jaccard similarity.
pub(crate) fn high_threshold(ignored: Option<&IgnoredBoilerplate>, threshold: Option<f64>) {
    let has_effect = ignored.is_some_and(|ignored| ignored.document_count > 0);
    if let Some(threshold) = threshold.filter(|threshold| has_effect && *threshold >= HIGH) {
        talk!(
            "note: little of a page remains without boilerplate, so that one changed line weighs more: a threshold of \
             {threshold} finds few near-duplicates (--for web uses 0.35)"
        );
    }
}

/// Describes the pairs left out by the limit on work per bucket, and estimates the number of near-duplicates among
/// them.
pub(crate) fn passed_over(estimate: &PassedOverEstimate) -> String {
    let PassedOverEstimate {
        pair_count: pairs,
        pair_count_error: error,
        sampled_count: sampled,
        match_count: matches,
        match_count_at_least: matches_at_least,
        match_count_at_most: matches_at_most,
    } = *estimate;
    let is_known = error == 0 && sampled == pairs;
    let (about, by) = match error {
        0 => ("", String::new()),
        error => ("about ", format!(" (± {})", numbers::count(error))),
    };
    let left = match matches {
        0 if is_known => "none of them is a near-duplicate".to_owned(),
        1 if is_known => "1 of them is a near-duplicate".to_owned(),
        matches if is_known => format!("{} of them are near-duplicates", numbers::count(matches)),
        0 => format!(
            "none of {} sampled at random is a near-duplicate, so at most {} are (95 % confidence)",
            numbers::count(sampled),
            numbers::count(matches_at_most)
        ),
        matches => format!(
            "about {} are near-duplicates ({} to {} with 95 % confidence, from a sample of {})",
            numbers::count(matches),
            numbers::count(matches_at_least),
            numbers::count(matches_at_most),
            numbers::count(sampled)
        ),
    };
    format!("{about}{}{by} with common boilerplate were not compared: {left}", numbers::of(pairs, "pair"))
}
