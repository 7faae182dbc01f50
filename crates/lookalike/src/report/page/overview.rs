//! The first screen: one sentence, six numbers, and what needs somebody's eye.

use lookalike_page::{Budget, Html, html, name, number};

use super::told::{NearlyLost, Told};

/// How many sources that lost nearly everything are named.
const NAMED: usize = 20;

/// What their names may take.
const NAME_BYTES: usize = 60_000;

/// The head of the page.
pub(super) fn lead(told: &Told, title: &str) -> Html {
    let mut lead = html!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}", title, sentence(told), facts(told));
    let needs = needs(told);
    if !needs.is_empty() {
        let items: Html = needs.iter().map(|need| html!("<li>{}</li>\n", need)).collect();
        lead.push(&html!(
            "<section class=\"eye\" aria-labelledby=\"eye-h\"><h2 id=\"eye-h\">What needs your eye</h2>\n<ul>{}</ul></section>\n",
            items
        ));
    }
    lead
}

/// What happened.
fn sentence(told: &Told) -> String {
    let (input, found) = (&told.input, &told.found);
    let documents = format!("{} in {}", number::of(input.documents, "document"), number::of(input.files, "file"));
    if found.removed == 0 {
        return format!("Nothing was removed: no near-duplicates were found among {documents}.");
    }
    let share = number::share(found.removed as f64 / input.documents.max(1) as f64);
    let kept = match input.reference_files {
        0 => "a kept document".to_owned(),
        _ => "a kept or a reference document".to_owned(),
    };
    let (was, are) = if found.removed == 1 { ("was", "is a near-duplicate") } else { ("were", "are near-duplicates") };
    format!(
        "Of {documents}, {} {was} removed ({share}), which {are} of {kept}. {} stay.",
        number::count(found.removed),
        number::count(found.kept)
    )
}

/// The six numbers.
fn facts(told: &Told) -> Html {
    let (input, found, parameters) = (&told.input, &told.found, &told.parameters);
    let largest = told.clusters_by_size.keys().next_back().copied().unwrap_or(0);
    let of_all =
        |count: u64| format!("{} of all documents", number::share(count as f64 / input.documents.max(1) as f64));
    let recall = match parameters.recall_at_threshold {
        Some(recall) if recall >= 1.0 => {
            ("1".to_owned(), format!("every pair at {} or more is found", parameters.threshold))
        }
        Some(recall) => {
            (format!("{recall:.4}"), format!("for pairs at the threshold of {}; more above it", parameters.threshold))
        }
        None => ("–".to_owned(), "similarity does not tell what this method finds".to_owned()),
    };
    let passed_over = match found.passed_over {
        0 => "every pair that shares a bucket was compared".to_owned(),
        _ => format!("± {}; they share a bucket and were not compared", number::count(found.passed_over_error)),
    };
    let facts = [
        ("Removed", number::count(found.removed), of_all(found.removed)),
        ("Kept", number::count(found.kept), of_all(found.kept)),
        (
            "Exact copies",
            number::count(found.exact_copies),
            "removed, and equal to the kept one in every character".to_owned(),
        ),
        (
            "Clusters",
            number::count(found.clusters),
            format!("of two or more; the largest has {}", number::of(largest, "document")),
        ),
        ("Recall promised", recall.0, recall.1),
        ("Pairs passed over", number::count(found.passed_over), passed_over),
    ];
    let fact = |(name, value, note): &(&str, String, String)| {
        html!("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", *name, value, note)
    };
    html!("<dl class=\"facts\">{}</dl>\n", facts.iter().map(fact).collect::<Html>())
}

/// What somebody should look at; nothing if there is nothing.
fn needs(told: &Told) -> Vec<Html> {
    let (input, found) = (&told.input, &told.found);
    let mut needs = Vec::new();
    let mut room = Budget::new(NAME_BYTES);
    let lost: Vec<Html> = told.nearly_lost.iter().take(NAMED).map(nearly_lost).filter(|need| room.take(need)).collect();
    let more = told.nearly_lost.len() - lost.len();
    needs.extend(lost);
    let mut say = |is_so: bool, need: String| {
        if is_so {
            needs.push(Html::text(&need));
        }
    };
    say(more > 0, format!("{} lost 95 % of their documents or more.", number::of(more as u64, "more source")));
    say(
        found.passed_over > 0,
        format!(
            "About {} share a bucket and were not compared, because very many kept documents share boilerplate. By a sample, {} of them are near-duplicates that stay (at most {}).",
            number::of(found.passed_over, "pair"),
            number::count(found.passed_over_matches),
            number::count(found.passed_over_matches_at_most)
        ),
    );
    say(
        found.removed_below_threshold > 0,
        format!(
            "{} removed by way of others, and less similar to the kept document than the threshold.",
            were(found.removed_below_threshold, "document")
        ),
    );
    say(input.skipped > 0, format!("{} skipped: see the list at the end.", were(input.skipped, "entry")));
    say(input.reference_skipped > 0, format!("{} of the reference skipped.", were(input.reference_skipped, "entry")));
    say(
        input.repeated_ids > 0,
        format!("{} the id of another; file and position tell them apart.", have(input.repeated_ids)),
    );
    say(
        input.without_id > 0,
        format!("{} no field for the id, and are known by file and position.", have(input.without_id)),
    );
    say(
        input.without_value > 0,
        format!("{} no value for the keep order, and are kept last.", have(input.without_value)),
    );
    say(input.without_source > 0, format!("{} no field for the source.", have(input.without_source)));
    say(
        input.empty > 0,
        format!("{} no words. {} kept.", have(input.empty), if input.empty == 1 { "It is" } else { "They are" }),
    );
    needs
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
        number::of(source.documents, "document"),
        number::count(lost.mostly_for_removed),
        to
    )
}
