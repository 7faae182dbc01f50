//! The results of linking as a page: the scores of pairs, the evidence of each field, the least certain pairs, and the
//! keys that found them.

mod cluster;
mod judged;
mod patterns;

use std::collections::HashSet;

use lookalike_core::ids::{Number, Record};
use lookalike_core::link::explain::{BOUNDED, Explanation, FieldExplanation};
use lookalike_core::link::measure::Scale;
use lookalike_core::link::score::Scored;
use lookalike_core::link::weigh::{FieldModel, log_odds};
use lookalike_core::remedy::BareNames;
use lookalike_page::chart::{Bar, Bars, Bit, Bits, Sizes};
use lookalike_page::{Budget, Cell, Column, Html, Page, Section, Table, clipped, html, name, number};

use super::labels::JudgedPairs;
use super::report::{LinkReport, ValidationReport};
use super::{Found, Linking};

/// Maximum number of pairs of each kind to show, and maximum bytes of all of them.
const PAIRS: usize = 12;
const PAIR_BYTES: usize = 900_000;

/// Maximum characters of a value to show.
const VALUE: usize = 120;

/// Maximum number of bars in the chart of scores.
const SCORE_BARS: usize = 24;

/// Data of records for the page.
pub(super) struct Shown<'a> {
    pub(super) ids: &'a [String],
    pub(super) cluster_of: &'a [u64],
    /// Pairs that are wrong by a known answer.
    pub(super) judged: &'a JudgedPairs,
}

/// The page of a finished run.
pub(super) fn page(report: &LinkReport, linking: &Linking, found: &Found, shown: &Shown<'_>) -> Page {
    let pairs = Pairs { linking, shown, matches: &found.matches };
    let mut of_clusters = clusters(report);
    cluster::weakest(linking, found, shown).iter().for_each(|graph| of_clusters.push(graph));
    let mut sections = vec![
        Section::new("scores", "How pairs score", scores(report, &linking.scored)),
        Section::new("weights", "What each field says", weights(linking)),
        Section::new("pairs", "Pairs to look at", pairs.render(report.threshold)),
        Section::new("patterns", "How pairs agree", patterns::patterns(linking, found)),
        Section::new("keys", "How pairs came to be compared", keys(report)),
        Section::new("clusters", "Clusters", of_clusters),
    ];
    if let Some(labels) = &report.labels {
        let mut against = judged::accuracy(labels, report.threshold);
        against.push(&pairs.wrong());
        sections.push(Section::new("labels", "Against the known answer", against));
    }
    let validation = report.validation.as_ref();
    sections.extend(validation.map(|held| Section::new("validation", "Against a column not compared", valid(held))));
    sections.push(Section::new("columns", "Columns", columns(report)));
    sections.push(Section::new("run", "Stages", stages(report)));
    Page { title: "Records that mean the same".to_owned(), lead: lead(report), sections }
}

fn lead(report: &LinkReport) -> Html {
    let records: Vec<String> = report.record_counts.iter().map(|count| number::of(*count, "record")).collect();
    let matches = if report.match_count == 1 {
        "1 match".to_owned()
    } else {
        format!("{} matches", number::count(report.match_count))
    };
    let found = format!(
        "{matches} among {}, in {} of two records or more. A match has a probability of {:.3} or more{}.",
        records.join(" and "),
        number::of(report.cluster_count, "cluster"),
        report.threshold,
        if report.calibrated { "" } else { ", which ranks pairs and is no promise here" }
    );
    let warnings: Html =
        report.warnings.iter().map(|warning| html!("<li>{}</li>", warning.message(&BareNames))).collect();
    let warnings = if report.warnings.is_empty() {
        warnings
    } else {
        html!(
            "<section class=\"eye\" aria-labelledby=\"eye-h\"><h2 id=\"eye-h\">What needs attention</h2>\n<ul>{}</ul></section>\n",
            warnings
        )
    };
    html!("<h1>Records that mean the same</h1><p class=\"lead\">{}</p>\n{}", found, warnings)
}

/// All pairs by the sum of their bits.
fn scores(report: &LinkReport, scored: &[Scored]) -> Html {
    let bits = || scored.iter().map(|pair| pair.weight);
    let (low, high) = (bits().fold(f64::INFINITY, f64::min), bits().fold(f64::NEG_INFINITY, f64::max));
    if scored.is_empty() {
        return html!("<p>{}</p>", "No pair has a probability of 0.01 or more.");
    }
    let first = low.floor();
    let width = ((high - first) / SCORE_BARS as f64).ceil().max(1.0);
    let mut counts = vec![0_u64; ((high - first) / width) as usize + 1];
    bits().for_each(|bits| counts[((bits - first) / width) as usize] += 1);
    let bar = |(at, count): (usize, &u64)| Bar {
        label: format!("{:+.0}", first + width * at as f64),
        count: *count,
        opens: None,
    };
    let bars = Bars {
        id: "by-score".to_owned(),
        title: "Pairs by the bits that speak for them".to_owned(),
        description: format!(
            "Each bar is {} wide, and is named by its lower end. The threshold is at {:+.1} bits, a probability of {:.3}; with one-to-one links, pairs above it can lose to a better one. Pairs with a probability below 0.01 are left out.",
            number::of(width as u64, "bit"),
            log_odds(report.threshold),
            report.threshold
        ),
        counted: "pairs".to_owned(),
        axis: "bits".to_owned(),
        bars: counts.iter().enumerate().map(bar).collect(),
        apart: Vec::new(),
    };
    bars.draw().figure()
}

/// Bits that each level of each field adds.
fn weights(linking: &Linking) -> Html {
    let model = &linking.model;
    let shares =
        |field: &FieldModel, level: usize| match (field.among_matches.get(level), field.among_others.get(level)) {
            (Some(matches), Some(others)) => {
                format!("{} of matches, {} of other pairs", number::share(*matches), number::share(*others))
            }
            _ => String::new(),
        };
    let of_field = |field: &FieldModel| {
        let scale = Scale::of(field.kind);
        // A level that never occurred has no weight.
        let level = |(level, bits): (usize, &f64)| Bit {
            label: format!("{}: {}", field.name, scale.level(level as u8).name),
            note: shares(field, level),
            bits: *bits * field.factor,
        };
        field.weights.iter().enumerate().filter(|(_, bits)| **bits != 0.0).map(level).collect::<Vec<_>>()
    };
    let bits = Bits {
        id: "match-weights".to_owned(),
        title: "Match weights".to_owned(),
        description: format!(
            "How far each level of agreement speaks for a match (to the right) or against it (to the left). A random pair starts at {:+.1} bits; one bit more doubles the odds. A rare value says more than its level, and a common one less.",
            model.prior
        ),
        columns: ["field and level".to_owned(), "how frequent it is".to_owned()],
        bars: model.fields.iter().flat_map(of_field).collect(),
        is_sum: false,
    };
    bits.draw().figure()
}

/// Pairs, each of which opens on click.
struct Pairs<'a> {
    linking: &'a Linking,
    shown: &'a Shown<'a>,
    matches: &'a [Scored],
}

impl Pairs<'_> {
    fn render(&self, threshold: f64) -> Html {
        let mut room = Budget::new(PAIR_BYTES);
        let least: Vec<&Scored> = self.matches.iter().rev().take(PAIRS).collect();
        let matched: HashSet<(Record, Record)> = self.matches.iter().map(|pair| (pair.left, pair.right)).collect();
        let is_other = |pair: &&Scored| !matched.contains(&(pair.left, pair.right));
        let mut others: Vec<&Scored> = self.linking.scored.iter().filter(is_other).collect();
        others.sort_by(|one, other| {
            other.weight.total_cmp(&one.weight).then((one.left, one.right).cmp(&(other.left, other.right)))
        });
        others.truncate(PAIRS);
        let best: Vec<&Scored> = self.matches.iter().take(3).collect();
        let kinds = [
            ("least", "The least sure matches: look at these first", least),
            ("missed", "The best pairs that are no match", others),
            ("best", "The surest matches", best),
        ];
        let mut shown = html!("<p>{}</p>\n", format!("The threshold is {:+.1} bits.", log_odds(threshold)));
        for (id, title, pairs) in kinds {
            shown.push(&self.group(id, title, pairs.into_iter().map(|pair| (pair, "")), &mut room));
        }
        shown
    }

    /// Pairs that a known answer calls wrong or missed.
    fn wrong(&self) -> Html {
        let mut room = Budget::new(PAIR_BYTES);
        let JudgedPairs { wrong, missed } = self.shown.judged;
        let wrong = wrong.iter().take(PAIRS).map(|pair| (pair, ""));
        let mut missed: Vec<(&Scored, &str)> = missed.iter().map(|(pair, reason)| (pair, *reason)).collect();
        missed.sort_by(|(one, _), (other, _)| other.weight.total_cmp(&one.weight));
        let mut shown = self.group("wrong", "Wrong matches, the surest first", wrong, &mut room);
        let title = "Missed pairs, those nearest to a match first";
        shown.push(&self.group("not-found", title, missed.into_iter().take(PAIRS), &mut room));
        shown
    }

    /// Pairs under a title, each with a remark; nothing without pairs.
    fn group<'b>(
        &self,
        id: &str,
        title: &str,
        pairs: impl Iterator<Item = (&'b Scored, &'b str)>,
        room: &mut Budget,
    ) -> Html {
        let mut shown = Html::default();
        for (at, (pair, remark)) in pairs.enumerate() {
            if at == 0 {
                shown = html!("<h3>{}</h3>\n", title);
            }
            let pair = self.pair(pair, remark, &format!("{id}-{at}"));
            if room.take(&pair) {
                shown.push(&pair);
            }
        }
        shown
    }

    fn pair(&self, pair: &Scored, remark: &str, id: &str) -> Html {
        let explained = self.linking.scorer().explain(pair.left, pair.right);
        let [left, right] = [pair.left, pair.right].map(|record| name(&self.shown.ids[record.index()]));
        let bits = waterfall(&explained, &format!("pair-{id}"), &format!("{left} and {right}"));
        html!(
            "<details class=\"group\"><summary><span dir=\"auto\">{} | {}</span> <small>{} bits, probability {}{}</small></summary><div>{}</div></details>\n",
            left,
            right,
            format!("{:+.1}", explained.weight),
            format!("{:.4}", explained.probability),
            if remark.is_empty() { String::new() } else { format!("; {remark}") },
            bits.draw().figure()
        )
    }
}

/// Bits that each field of a pair adds, bar by bar, from the odds of a random pair to those of this pair.
pub fn waterfall(explained: &Explanation, id: &str, title: &str) -> Bits {
    let value = |value: &Option<String>| clipped(value.as_deref().unwrap_or("(missing)"), VALUE);
    let prior = Bit {
        label: "a random pair".to_owned(),
        note: "the odds before anything is compared".to_owned(),
        bits: explained.prior,
    };
    let field = |field: &FieldExplanation| Bit {
        label: field.name.clone(),
        note: format!("{}: {} | {}", field.level, value(&field.left), value(&field.right)),
        bits: field.weight,
    };
    let bounded = (explained.bounded.abs() > 0.005).then(|| Bit {
        label: "bounded".to_owned(),
        note: BOUNDED.to_owned(),
        bits: explained.bounded,
    });
    Bits {
        id: id.to_owned(),
        title: title.to_owned(),
        description: format!(
            "From the odds of a random pair to {} bits, a probability of {:.4}. Bars to the right speak for a match, bars to the left against one; one bit doubles the odds.",
            number::signed(explained.weight),
            explained.probability
        ),
        columns: ["field".to_owned(), "level and both values".to_owned()],
        bars: [prior].into_iter().chain(explained.fields.iter().map(field)).chain(bounded).collect(),
        is_sum: true,
    }
}

fn keys(report: &LinkReport) -> Html {
    let columns =
        ["pairs", "found by it alone", "large buckets split", "pairs of these not compared"].map(Column::number);
    let mut table = Table::new("Keys", [Column::text("key")].into_iter().chain(columns).collect());
    table.rows = report
        .keys
        .iter()
        .map(|key| {
            vec![
                Cell::text(key.kind),
                Cell::count(key.candidate_count),
                Cell::count(key.alone_count),
                Cell::count(key.split_bucket_count),
                Cell::count(key.not_compared_count),
            ]
        })
        .collect();
    let left_out = match report.one_field_only_count {
        0 => String::new(),
        pairs => format!(
            " {} that share keys of one field only were not compared: there were too many.",
            number::of(pairs, "pair")
        ),
    };
    html!(
        "<p>{}</p>{}",
        format!(
            "{} were compared. Two records that share no key were not, however alike they are.{left_out}",
            number::of(report.candidate_count, "pair")
        ),
        table.render()
    )
}

fn clusters(report: &LinkReport) -> Html {
    let sizes = Sizes {
        id: "by-size".to_owned(),
        title: "Clusters by number of records".to_owned(),
        description: format!(
            "{} of two records or more. {} of the matches are between records of two clusters, which disagree as a whole.",
            number::of(report.cluster_count, "cluster"),
            number::count(report.apart_match_count)
        ),
        items: "records".to_owned(),
        clusters: report.clusters_by_size.clone(),
    };
    sizes.draw().figure()
}

fn valid(held: &ValidationReport) -> Html {
    let columns = ["matches", "mean difference", "right", "at least", "at most"].map(Column::number);
    let mut table =
        Table::new("Matches by probability", [Column::text("probability")].into_iter().chain(columns).collect());
    let share = |share: Option<f64>| share.map_or_else(|| Cell::text("–"), Cell::share);
    let row = |band: &super::ValidationBand| {
        vec![
            Cell::text(&format!("{:.4} to {:.4}", band.from, band.to)),
            Cell::count(band.match_count),
            Cell::number(&format!("{:.2}", band.mean), band.mean),
            share(band.right),
            share(band.low),
            share(band.high),
        ]
    };
    table.rows = held.bands.iter().chain([&held.all]).map(row).collect();
    html!(
        "<p>{}</p>{}",
        format!("Random pairs differ by {:.2} on average, sure matches by {:.2}.", held.random, held.sure),
        table.render()
    )
}

fn columns(report: &LinkReport) -> Html {
    let mut table =
        Table::new("Columns", vec![Column::text("column"), Column::text("treated as"), Column::text("why")]);
    let row = |column: &super::ColumnReport| {
        let other =
            column.other_name.as_ref().map_or(String::new(), |other| format!(" (second table: {})", name(other)));
        vec![
            Cell::text(&format!("{}{other}", name(&column.name))),
            Cell::text(&column.kind.to_string()),
            Cell::text(&column.why),
        ]
    };
    table.rows = report.columns.iter().map(row).collect();
    table.render()
}

fn stages(report: &LinkReport) -> Html {
    let mut table = Table::new("Stages", vec![Column::text("stage"), Column::number("seconds")]);
    let row = |stage: &crate::report::summary::Stage| {
        vec![Cell::text(&stage.name), Cell::number(&format!("{:.3}", stage.seconds), stage.seconds)]
    };
    table.rows = report.stages.iter().map(row).collect();
    table.render()
}
