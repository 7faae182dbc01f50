//! Descriptions of an index, for people.

use std::path::Path;

use lookalike::Scheme;
use lookalike::core::measure::similarity::Similarity;
use lookalike::index::{Stat, Store};

use crate::show::{folded, numbers, shown_path};

/// Describes a new index and the pairs that it will find.
pub(super) fn created(index: &Path, scheme: &Scheme, store: Store) -> String {
    let method = scheme.build_method();
    let threshold = scheme.threshold();
    let chance = |similarity: f64| Some((similarity, method.recall_at(Similarity::new(similarity).ok()?)?));
    let between = threshold + (1.0 - threshold) / 2.0;
    let chances: Vec<String> = [threshold, between]
        .into_iter()
        .filter_map(chance)
        .map(|(similarity, chance)| format!("{chance:.4} of pairs at {similarity:.2}"))
        .collect();
    let found = if chances.is_empty() { String::new() } else { format!(": {}", chances.join(", ")) };
    format!(
        "created {}\nnear-duplicates   {} of {}{} at least {threshold}\nfound by          {}{found}\nstored            {}",
        shown_path(index),
        scheme.criterion().measure(),
        scheme.shingle(),
        folded(&scheme.fold().to_string()).trim_end_matches(','),
        scheme.method(),
        stored(store),
    )
}

/// Describes the contents of an index.
pub(super) fn stat(index: &Path, stat: &Stat) -> String {
    let mut lines = vec![
        ("index", shown_path(index)),
        ("scheme", stat.scheme.clone()),
        ("documents", numbers::count(stat.document_count)),
    ];
    if stat.deleted_count > 0 {
        let deleted = numbers::count(stat.deleted_count);
        lines.push(("deleted", format!("{deleted}, whose bytes stay until lookalike index compact --purge")));
    }
    if let Some(recall) = stat.recall {
        lines.push(("recall", format!("{recall:.4} of pairs at the threshold")));
    }
    lines.push(("stored", stored(stat.store).to_owned()));
    let segments = numbers::of(stat.segment_count, "segment");
    let in_memory = numbers::count(stat.in_memory_count);
    lines.push((
        "keys",
        format!("{} in {segments}, {in_memory} documents only in the log", numbers::bytes(stat.segment_bytes)),
    ));
    lines.push(("log", format!("{} in {}", numbers::bytes(stat.log_bytes), numbers::of(stat.log_count, "file"))));
    if stat.document_count > 0 {
        let per = |bytes: u64| numbers::bytes(bytes / stat.document_count);
        lines.push(("per document", format!("{} of keys, {} of log", per(stat.segment_bytes), per(stat.log_bytes))));
    }
    lines.iter().map(|(name, value)| format!("{name:<15}{value}\n")).collect()
}

fn stored(store: Store) -> &'static str {
    match store {
        Store::Text => "texts",
        Store::Features => "hashes of shingles, no texts",
    }
}
