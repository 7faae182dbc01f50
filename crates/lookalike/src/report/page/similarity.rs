//! The similarity of removed documents to the kept ones, and the recall of the method by similarity.

use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::Similarity;
use lookalike_page::chart::{Bar, Bars, Curve, Point, Step};
use lookalike_page::{Html, html, number};

use super::rows::Group;
use crate::report::parameters::MethodParameters;
use crate::report::summary::{Band, Summary};

/// Target of a bar in the report.
pub(super) fn in_report(group: Group) -> String {
    format!("#{}", group_id(group))
}

/// The id of a group of removals.
pub(super) fn group_id(group: Group) -> String {
    match group {
        Group::Band(band) => format!("band-{}", 5 * u32::from(band)),
        Group::Copies => "copies".to_owned(),
        Group::Numbers => "numbers".to_owned(),
    }
}

/// The name of a group of removals.
pub(super) fn group_name(group: Group) -> String {
    let edge = |band: u8| f64::from(band) / 20.0;
    match group {
        Group::Band(band) => format!("{:.2} to {:.2}", edge(band), edge(band + 1)),
        Group::Copies => "exact copies".to_owned(),
        Group::Numbers => "nothing but numbers differ".to_owned(),
    }
}

/// Bars by band, each of which links to its pairs.
pub(super) fn bars(summary: &Summary, address: &dyn Fn(Group) -> String) -> Html {
    if summary.found.removed_count == 0 {
        return html!("<p>{}</p>", "Nothing was removed.");
    }
    let bar = |band: &Band| {
        let group = Group::Band((band.from * 20.0).round() as u8);
        let label = if summary.similarity.len() > 6 {
            format!("{:.2}", band.from)
        } else {
            format!("{:.2}–{:.2}", band.from, band.to)
        };
        Bar { label, count: band.removed_count, opens: Some(address(group)) }
    };
    let copies = Bar {
        label: "exact copies".to_owned(),
        count: summary.found.exact_copy_count,
        opens: Some(address(Group::Copies)),
    };
    let bars = Bars {
        id: "by-band".to_owned(),
        title: "Removed documents by similarity to the kept one".to_owned(),
        description: described(summary),
        counted: "removed".to_owned(),
        axis: "similarity".to_owned(),
        bars: summary.similarity.iter().map(bar).collect(),
        apart: vec![copies],
    };
    bars.draw().figure()
}

/// Describes the bars in words.
fn described(summary: &Summary) -> String {
    let others: u64 = summary.similarity.iter().map(|band| band.removed_count).sum();
    let copies = match summary.found.exact_copy_count {
        0 => "None of the removed documents is an exact copy of the kept one.".to_owned(),
        copies => format!(
            "{} of {} removed documents are exact copies of the kept one.",
            number::count(copies),
            number::count(summary.found.removed_count)
        ),
    };
    let most = summary
        .similarity
        .iter()
        .max_by(|left, right| left.removed_count.cmp(&right.removed_count))
        .filter(|_| others > 0);
    let of_these = if summary.found.exact_copy_count == 0 { "Most" } else { "Of the others, most" };
    let most = most.map_or(String::new(), |band| {
        format!(" {of_these} ({}) are between {:.2} and {:.2}.", number::count(band.removed_count), band.from, band.to)
    });
    // More documents towards the threshold: it cuts through a group of similar documents.
    let is_cut = match &summary.similarity[..] {
        [first, rest @ ..] => {
            !rest.is_empty()
                && first.removed_count > 10
                && rest.iter().all(|band| band.removed_count < first.removed_count)
        }
        [] => false,
    };
    let cut = if is_cut {
        " The lowest band has most: the threshold cuts through a group of similar documents. Look at its pairs."
    } else {
        ""
    };
    format!("{copies}{most}{cut} Click a bar to see examples.")
}

/// Number of steps of the curve.
const STEPS: u32 = 100;

/// The curve of the run, with the histogram of the corpus.
pub(super) fn curve(summary: &Summary) -> Html {
    let parameters = &summary.parameters;
    let Some(found) = recall(&parameters.method) else {
        let why = match &*parameters.method.name {
            "exact" => "The exact join compares what can be alike and misses nothing: there is no curve.",
            "copies" => "Only exact copies were looked for, and all of them are found: there is no curve.",
            _ => "What this method finds does not depend on similarity alone: there is no curve.",
        };
        return html!("<p>{}</p>", why);
    };
    let point = |step: u32| {
        let similarity = f64::from(step) / f64::from(STEPS);
        Point { similarity, found: found(similarity) }
    };
    let recall = parameters.recall_at_threshold.unwrap_or_else(|| found(parameters.threshold));
    let curve = Curve {
        id: "s-curve".to_owned(),
        title: "Chance that a pair is found, by its similarity".to_owned(),
        description: format!(
            "A pair exactly at the threshold of {} is found with a chance of {recall:.4}, one in the middle above it with {}. Every pair that is found is measured exactly, so that what is below the threshold is not removed.",
            parameters.threshold,
            number::decimal(found(f64::midpoint(parameters.threshold, 1.0)))
        ),
        points: (0..=STEPS).map(point).collect(),
        threshold: parameters.threshold,
        recall: Some(recall),
        histogram: summary
            .similarity
            .iter()
            .map(|band| Step { from: band.from, to: band.to, count: band.removed_count })
            .collect(),
        counted: "removed documents, without exact copies".to_owned(),
    };
    curve.draw().figure()
}

/// The probability of being found by similarity, if the method has one.
fn recall(method: &MethodParameters) -> Option<Box<dyn Fn(f64) -> f64>> {
    if let Some(taken) = method.taken {
        let taken = taken as i32;
        return Some(Box::new(move |similarity| 1.0 - (1.0 - similarity).powi(taken)));
    }
    let (bands, rows) = (method.bands?, method.rows?);
    let banding = match method.slots {
        Some(slots) => Banding::random(bands, rows, slots),
        None => Banding::new(bands, rows),
    };
    let banding = banding.and_then(|banding| banding.with_agreeing(method.agree.unwrap_or(1))).ok()?;
    Some(Box::new(move |similarity| {
        Similarity::new(similarity).map_or(0.0, |similarity| banding.recall_at(similarity))
    }))
}
