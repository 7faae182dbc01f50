//! Explains why two records match or do not: field by field, by which key, and in which clusters.

use lookalike::core::link::key::Outcome;
use lookalike::{ClusterExplanation, Compared, KeyExplanation, PairExplanation};
use lookalike_page::{Cell, Column, Html, Table, html, name, number};

/// Renders the explanation.
pub(super) fn show(ids: [&str; 2], pair: &PairExplanation) -> Html {
    let keys: Html = pair.keys.iter().map(|key| html!("<li>{}</li>\n", shown_key(key))).collect();
    let [left, right] = ids.map(name);
    html!(
        "<p class=\"lead\"><b dir=\"auto\">{}</b> and <b dir=\"auto\">{}</b>: {}</p>\n<h2>Field by field</h2>\n{}{}<h2>How they were compared</h2>\n<p>{}</p><ul>{}</ul>\n<p>{}</p>\n",
        left,
        right,
        verdict(pair),
        weights(pair),
        fields(pair),
        compared(pair.compared),
        keys,
        clusters(pair)
    )
}

fn verdict(pair: &PairExplanation) -> String {
    let (probability, threshold) = (pair.fields.probability, pair.threshold);
    let decision = match () {
        () if pair.is_match => "a match",
        () if probability < threshold => "not a match",
        () if pair.compared == Compared::Yes => "not a match, since one of the two has a better one",
        () => "not a match, since the two were not compared",
    };
    format!("{decision}. The probability that they are one is {probability:.4}, and {threshold:.3} is needed.")
}

/// The contribution of each field, as bars.
fn weights(pair: &PairExplanation) -> Html {
    lookalike::waterfall(&pair.fields, "weights", "What each field says, in bits").draw().figure()
}

/// The values of both records by field.
fn fields(pair: &PairExplanation) -> Html {
    let columns = [Column::text("field"), Column::text("left"), Column::text("right"), Column::text("how alike")];
    let columns = columns.into_iter().chain([Column::number("points"), Column::number("bits")]);
    let mut table = Table::new("Fields", columns.collect());
    let value = |value: &Option<String>| match value {
        Some(value) => Cell::text(&name(value)),
        None => Cell::html(Html::ours("<span class=\"soft\">missing</span>")),
    };
    for field in &pair.fields.fields {
        table.rows.push(vec![
            Cell::text(&name(&field.name)),
            value(&field.left),
            value(&field.right),
            Cell::text(field.level),
            Cell::count(u64::from(field.points)),
            Cell::number(&number::signed(field.weight), field.weight),
        ]);
    }
    table.render()
}

fn compared(compared: Compared) -> &'static str {
    match compared {
        Compared::Yes => "These keys brought them together:",
        Compared::NoKey => "They share no key, so they were not compared.",
        Compared::TooMany => "Too many records have the keys that they share, so they were not compared.",
        Compared::OneField => {
            "They share keys of one column only, and there were too many such pairs, so they were left out."
        }
        Compared::SameTable => "Both are of one table, and matches are looked for between two.",
    }
}

fn shown_key(key: &KeyExplanation) -> String {
    let came = match key.outcome {
        Outcome::Compared => "all of them were compared",
        Outcome::ComparedBySplit => "split by a key of another column, which both have",
        Outcome::TooMany => "too many, and no key of another column in common",
    };
    let columns: Vec<String> = key.columns.iter().map(|column| name(column)).collect();
    format!(
        "{} of {}: {} with this key, {came}",
        key.kind,
        columns.join(" and "),
        number::of(key.records as u64, "record")
    )
}

fn clusters(pair: &PairExplanation) -> String {
    match &pair.clusters {
        ClusterExplanation::Together { cluster, records } => {
            let through = if pair.is_match { "" } else { ", through other records" };
            format!("Both are in cluster {cluster}, of {}{through}.", number::of(*records as u64, "record"))
        }
        ClusterExplanation::Apart { clusters, mean, needed, least: (left, right, said), .. } => format!(
            "They are in clusters {} and {}, which stay apart: all fields of all their pairs say {mean:.2} bits on average, and {needed:.2} would be needed. {} and {} agree least, with {said:.2} bits.",
            clusters[0],
            clusters[1],
            name(left),
            name(right)
        ),
    }
}
