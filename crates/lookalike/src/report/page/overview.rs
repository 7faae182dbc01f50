//! The start of the report: the corpus and the date, one sentence, six numbers, and what needs attention.

use lookalike_page::{Budget, Html, html, name, number};

use crate::report::boilerplate::{DecidedSource, DecidingBoilerplate, IgnoredBoilerplate, UndecidedSource};
use crate::report::losses::NearlyLost;
use crate::report::summary::Summary;

/// Maximum number of sources that lost nearly everything to list.
const NAMED: usize = 20;

/// Maximum number of sources listed in a sentence.
const LISTED: usize = 3;

/// Maximum bytes of their names.
const NAME_BYTES: usize = 60_000;

/// The head of the page.
pub(super) fn lead(summary: &Summary, corpus: &str, date: &str) -> Html {
    let mut lead = html!(
        "<h1 dir=\"auto\">{}</h1>\n<p class=\"when\">Deduplication report, <time datetime=\"{}\">{}</time></p>\n<p class=\"lead\">{}</p>\n{}",
        name(corpus),
        date,
        date,
        sentence(summary),
        facts(summary)
    );
    let needs = needs(summary);
    if !needs.is_empty() {
        let items: Html = needs.iter().map(|need| html!("<li>{}</li>\n", need)).collect();
        lead.push(&html!(
            "<section class=\"eye\" aria-labelledby=\"eye-h\"><h2 id=\"eye-h\">What needs attention</h2>\n<ul>{}</ul></section>\n",
            items
        ));
    }
    lead
}

/// Describes the result in a sentence.
fn sentence(summary: &Summary) -> String {
    let (input, found) = (&summary.input, &summary.found);
    let documents =
        format!("{} in {}", number::of(input.document_count, "document"), number::of(input.file_count, "file"));
    if found.removed_count == 0 {
        return format!("Nothing was removed: no near-duplicates were found among {documents}.");
    }
    let share = number::share(found.removed_count as f64 / input.document_count.max(1) as f64);
    let kept = match input.reference_file_count {
        0 => "a kept document".to_owned(),
        _ => "a kept or a reference document".to_owned(),
    };
    let (was, are) =
        if found.removed_count == 1 { ("was", "is a near-duplicate") } else { ("were", "are near-duplicates") };
    format!(
        "Of {documents}, {} {was} removed ({share}), which {are} of {kept}. {} kept.",
        number::count(found.removed_count),
        number::count(found.kept_count)
    )
}

/// The six numbers.
fn facts(summary: &Summary) -> Html {
    let (input, found) = (&summary.input, &summary.found);
    let largest = summary.clusters_by_size.keys().next_back().copied().unwrap_or(0);
    let of_all =
        |count: u64| format!("{} of all documents", number::share(count as f64 / input.document_count.max(1) as f64));
    let lowest = summary.least_similar.iter().map(|removal| removal.similarity).reduce(f64::min);
    let lowest = match lowest {
        Some(lowest) => (
            number::similarity(lowest),
            format!(
                "of a removed document to the kept one; the threshold is {}",
                number::decimal(summary.parameters.threshold)
            ),
        ),
        None => ("–".to_owned(), "nothing was removed".to_owned()),
    };
    let facts = [
        (
            "Documents",
            number::count(input.document_count),
            format!("in {}, {} of text", number::of(input.file_count, "file"), number::bytes(input.bytes)),
        ),
        ("Removed", number::count(found.removed_count), of_all(found.removed_count)),
        ("Kept", number::count(found.kept_count), of_all(found.kept_count)),
        (
            "Exact copies",
            number::count(found.exact_copy_count),
            "removed, and equal to the kept one in every character".to_owned(),
        ),
        (
            "Clusters",
            number::count(found.cluster_count),
            format!("of two or more; the largest has {}", number::of(largest, "document")),
        ),
        ("Lowest similarity", lowest.0, lowest.1),
    ];
    let fact = |(name, value, note): &(&str, String, String)| {
        html!("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", *name, value, note)
    };
    html!("<dl class=\"facts\">{}</dl>\n", facts.iter().map(fact).collect::<Html>())
}

/// Findings that need attention; empty if there are none.
fn needs(summary: &Summary) -> Vec<Html> {
    let (input, found) = (&summary.input, &summary.found);
    let mut needs = Vec::new();
    let mut room = Budget::new(NAME_BYTES);
    let lost: Vec<Html> =
        summary.nearly_lost.iter().take(NAMED).map(nearly_lost).filter(|need| room.take(need)).collect();
    let more = summary.nearly_lost.len() - lost.len();
    needs.extend(lost);
    needs.extend(summary.boilerplate_decides.iter().map(decided));
    needs.extend(summary.boilerplate.iter().filter(|ignored| ignored.undecided_count > 0).map(undecided));
    let mut say = |is_so: bool, need: String| {
        if is_so {
            needs.push(Html::text(&need));
        }
    };
    say(more > 0, format!("{} lost 95 % of their documents or more.", number::of(more as u64, "more source")));
    say(
        found.passed_over.pair_count > 0,
        format!(
            "About {} share a bucket and were not compared, because very many kept documents share boilerplate. By a sample, {} of them are near-duplicates that stay (at most {}).",
            number::of(found.passed_over.pair_count, "pair"),
            number::count(found.passed_over.match_count),
            number::count(found.passed_over.match_count_at_most)
        ),
    );
    say(
        found.removed_below_threshold_count > 0,
        format!(
            "{} removed by way of others, and less similar to the kept document than the threshold.",
            were(found.removed_below_threshold_count, "document")
        ),
    );
    say(input.skipped_count > 0, format!("{} skipped: see the list at the end.", were(input.skipped_count, "entry")));
    say(
        input.reference_skipped_count > 0,
        format!("{} of the reference skipped.", were(input.reference_skipped_count, "entry")),
    );
    say(
        input.repeated_id_count > 0,
        format!("{} the id of another; file and position tell them apart.", have(input.repeated_id_count)),
    );
    say(
        input.without_id_count > 0,
        format!("{} no field for the id, and are known by file and position.", have(input.without_id_count)),
    );
    say(
        input.without_value_count > 0,
        format!("{} no value for the keep order, and are kept last.", have(input.without_value_count)),
    );
    say(input.without_source_count > 0, format!("{} no field for the source.", have(input.without_source_count)));
    say(
        input.empty_count > 0,
        format!(
            "{} no words. {} kept.",
            have(input.empty_count),
            if input.empty_count == 1 { "It is" } else { "They are" }
        ),
    );
    needs
}

/// Removals in which boilerplate decides.
fn decided(by: &DecidingBoilerplate) -> Html {
    let named = |source: &DecidedSource| html!("<b dir=\"auto\">{}</b>", name(&source.source));
    html!(
        "In about {}, at least half of what both documents share is on more than {} of the pages of its source ({}): see the option <code>ignore-boilerplate</code>.",
        number::of(by.removed_count, "removal"),
        number::share(by.share),
        listed(by.sources.iter().map(named))
    )
}

/// Documents of which nearly nothing was compared.
fn undecided(ignored: &IgnoredBoilerplate) -> Html {
    let named = |source: &UndecidedSource| html!("<b dir=\"auto\">{}</b>", name(&source.source));
    html!(
        "{} nearly nothing but boilerplate, and were compared only with copies ({}). Versions of one text are found if these sources are compared without the option <code>ignore-boilerplate</code>.",
        have(ignored.undecided_count),
        listed(ignored.undecided.iter().map(named))
    )
}

/// The first few of these.
fn listed(all: impl ExactSizeIterator<Item = Html>) -> Html {
    let more = all.len().saturating_sub(LISTED);
    let mut listed = Html::default();
    for (at, one) in all.take(LISTED).enumerate() {
        listed.push(&Html::ours(if at == 0 { "" } else { ", " }));
        listed.push(&one);
    }
    if more > 0 {
        listed.push(&Html::text(&format!(", and {}", number::of(more as u64, "more source"))));
    }
    listed
}

fn have(count: u64) -> String {
    if count == 1 { "1 document has".to_owned() } else { format!("{} documents have", number::count(count)) }
}

fn were(count: u64, one: &str) -> String {
    match (count, one) {
        (1, one) => format!("1 {one} was"),
        (count, "entry") => format!("{} entries were", number::count(count)),
        (count, one) => format!("{} were", number::of(count, one)),
    }
}

fn nearly_lost(lost: &NearlyLost) -> Html {
    let source = &lost.source;
    let to = match (&lost.mostly_for, lost.mostly_for_reference) {
        (to, true) => html!("the reference’s <b dir=\"auto\">{}</b>", name(to)),
        (to, false) if *to == source.source => Html::ours("the same source"),
        (to, false) => html!("<b dir=\"auto\">{}</b>", name(to)),
    };
    html!(
        "<b dir=\"auto\">{}</b> lost {} of its {}: {} as near-duplicates of documents of {}.",
        name(&source.source),
        number::share(source.share),
        number::of(source.document_count, "document"),
        number::count(lost.mostly_for_removed_count),
        to
    )
}
