//! Precision of a run according to labels: a row per band of similarity, by source, all removals, and the conclusion.

use lookalike::{Answer, AuditResult, Estimate, JudgedRow};

use crate::show::{numbers, one_line};

/// Maximum number of disagreements to list.
const LISTED: usize = 10;

/// Formats the table and its conclusion.
pub(crate) fn text(result: &AuditResult) -> String {
    let groups = [&result.bands[..], &result.sources, &result.super_shingles, result.near_misses.as_slice()];
    let rows = groups.iter().flat_map(|rows| rows.iter()).chain([&result.all]);
    let width = rows.map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut text = format!(
        "{:width$}  {:>9}  {:>8}  {:>6}  {:>9}  {:>11}  {:>9}  95 % interval\n",
        "pairs", "removed", "labeled", "same", "different", "cannot tell", "precision"
    );
    for rows in [&result.bands[..], std::slice::from_ref(&result.all), &result.sources, &result.super_shingles] {
        rows.iter().for_each(|row| text += &line(row, width));
        text += if rows.is_empty() { "" } else { "\n" };
    }
    if let Some(row) = &result.near_misses {
        text += &(line(row, width) + "\n");
    }
    text + &conclusion(result) + &labelers(result)
}

fn line(row: &JudgedRow, width: usize) -> String {
    let pairs = row.pair_count.map_or("–".to_owned(), numbers::count);
    let (precision, interval) = row.precision.map_or(("–".to_owned(), "–".to_owned()), |precision| {
        let Estimate { value, low, high, .. } = precision.estimate;
        (share(value), format!("{} – {}", share(low), share(high)))
    });
    format!(
        "{:width$}  {pairs:>9}  {:>8}  {:>6}  {:>9}  {:>11}  {precision:>9}  {interval}\n",
        row.name, row.labeled_count, row.same_count, row.different_count, row.cannot_tell_count
    )
}

/// Formats a share with three digits; a share below 1 is never rounded up to 1.
fn share(share: f64) -> String {
    let shown = format!("{share:.3}");
    if shown == "1.000" && share < 1.0 { "0.999".to_owned() } else { shown }
}

fn conclusion(result: &AuditResult) -> String {
    let all = &result.all;
    let mut text = String::new();
    if let Some(precision) = &all.precision {
        let Estimate { value, low, high, .. } = precision.estimate;
        let decided = numbers::count(all.same_count + all.different_count);
        text += &match all.different_count {
            _ if high - low <= 0.0 => {
                format!(
                    "{} wrong of {decided}, which are all: the precision is {}\n",
                    all.different_count,
                    share(value)
                )
            }
            0 => format!("0 wrong of {decided}: the precision is at least {}, at 95 % confidence\n", share(low)),
            wrong => format!(
                "{} wrong of {decided}: the precision is {} ({} to {}), at 95 % confidence\n",
                numbers::count(wrong),
                share(value),
                share(low),
                share(high)
            ),
        };
        if all.cannot_tell_count > 0 {
            text += &format!(
                "with the {} nobody can tell: {} if all are different, {} if all are the same\n",
                numbers::of(all.cannot_tell_count, "pair"),
                share(precision.if_cannot_tell_is_different.value),
                share(precision.if_cannot_tell_is_same.value)
            );
        }
    }
    if let Some(with) = result.precision_with_exact_copies.filter(|_| result.exact_copy_count > 0) {
        let copies = numbers::count(result.exact_copy_count);
        text +=
            &format!("with {copies} exact copies, which need no label: {} to {}\n", share(with.low), share(with.high));
    }
    if let Some(labels) = result.label_count_to_halve {
        text += &format!("an interval half as wide takes about {}\n", numbers::of(labels, "more label"));
    }
    let marks =
        [(result.something_lost_count, "something is lost"), (result.worse_kept_count, "the worse copy was kept")];
    for (count, what) in marks.iter().filter(|(count, _)| *count > 0) {
        text += &format!("{}: {what}\n", numbers::of(*count, "removal"));
    }
    if result.other_pair_count > 0 {
        text += &format!(
            "{} of pairs that this run did not remove: not counted\n",
            numbers::of(result.other_pair_count, "label")
        );
    }
    text
}

fn labelers(result: &AuditResult) -> String {
    let mut text = String::new();
    for kappa in &result.agreement {
        let value =
            kappa.kappa.map_or("not defined: both gave one answer throughout".to_owned(), |k| format!("{k:.3}"));
        text += &format!(
            "{} and {} agree on {} of {}, κ {value}\n",
            one_line(&kappa.left),
            one_line(&kappa.right),
            numbers::count(kappa.agreed_count),
            numbers::of(kappa.pair_count, "pair")
        );
    }
    for pair in result.disagreements.iter().take(LISTED) {
        let answer = |(who, answer): &(String, Answer)| format!("{} {}", one_line(who), worded(*answer));
        let answers: Vec<String> = pair.answers.iter().map(answer).collect();
        text += &format!("  {}  {}  ({})\n", one_line(&pair.left_id), one_line(&pair.right_id), answers.join(", "));
    }
    let more = result.disagreements.len().saturating_sub(LISTED);
    if more > 0 {
        text += &format!("  and {more} more, in audit.json\n");
    }
    text
}

fn worded(answer: Answer) -> &'static str {
    match answer {
        Answer::Same => "same",
        Answer::Different => "different",
        Answer::CannotTell => "cannot tell",
    }
}
