//! Comparison patterns by frequency: which combinations of levels pairs have, how often, and what they lead to.

use std::collections::HashMap;

use lookalike_core::link::measure::{Pattern, Scale, level_of};
use lookalike_core::link::records::Field;
use lookalike_core::link::score::Scored;
use lookalike_page::{Cell, Column, Html, Table, html, name, number};

use super::super::{Found, Linking};

/// Patterns that are shown.
const PATTERNS: usize = 40;

#[derive(Clone, Copy, Default)]
struct Count {
    pairs: u64,
    matches: u64,
    least: f64,
    most: f64,
}

/// The most frequent patterns of pairs that may be a match.
pub(super) fn patterns(linking: &Linking, found: &Found) -> Html {
    let mut counts: HashMap<Pattern, Count> = HashMap::new();
    for pair in &linking.scored {
        let count =
            counts.entry(pair.pattern).or_insert(Count { least: pair.weight, most: pair.weight, ..Count::default() });
        count.pairs += 1;
        count.least = count.least.min(pair.weight);
        count.most = count.most.max(pair.weight);
    }
    let mut add = |pair: &Scored| counts.entry(pair.pattern).or_default().matches += 1;
    found.by_weights.iter().for_each(&mut add);
    let mut sorted: Vec<(Pattern, Count)> = counts.into_iter().collect();
    sorted.sort_unstable_by_key(|(pattern, count)| (std::cmp::Reverse(count.pairs), *pattern));
    let fields = linking.records.fields();
    let columns = [Column::number("pairs"), Column::number("matches"), Column::number("bits")];
    let of_fields = fields.iter().map(|field| Column::text(&name(&field.name)));
    let mut table = Table::new("Patterns", columns.into_iter().chain(of_fields).collect());
    let row = |(pattern, count): &(Pattern, Count)| {
        let level = |(at, field): (usize, &Field)| Cell::text(Scale::of(field.kind).level(level_of(*pattern, at)).name);
        let bits = if count.most - count.least < 0.05 {
            format!("{:+.1}", count.least)
        } else {
            format!("{:+.1} to {:+.1}", count.least, count.most)
        };
        let numbers = [Cell::count(count.pairs), Cell::count(count.matches), Cell::number(&bits, count.most)];
        numbers.into_iter().chain(fields.iter().enumerate().map(level)).collect()
    };
    table.rows = sorted.iter().take(PATTERNS).map(row).collect();
    html!(
        "<p>{}</p>\n{}",
        format!(
            "Pairs with a probability of 0.01 or more have {}; {} shown, the most frequent first. Bits differ within a pattern since rare values say more.",
            number::of(sorted.len() as u64, "pattern"),
            number::count(sorted.len().min(PATTERNS) as u64)
        ),
        table.render()
    )
}
