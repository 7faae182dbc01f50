//! Prefetches the values needed to compare a batch of pairs. Values are scattered over memory: the processor can wait
//! for many of them in the time it takes to wait for one, as long as it does nothing else in between.

use std::hint::black_box;

use crate::ids::Record;
use crate::link::config::Kind;
use crate::link::records::{Detail, MISSING, Records};

/// Number of pairs to prefetch at once: their values fit into the first-level cache.
pub(crate) const AT_ONCE: usize = 64;

/// Reads the values of some pairs and discards them, so that they are in the cache when the pairs are compared.
pub(crate) fn look_ahead(records: &Records, pairs: &[(Record, Record)]) {
    for (left, right) in pairs {
        black_box(records.row(*left)[0].value ^ records.row(*right)[0].value);
    }
    for (at, field) in records.fields().iter().enumerate() {
        let values = pairs.iter().flat_map(|(left, right)| {
            let [left, right] = [*left, *right].map(|record| records.row(record)[at]);
            let is_needed = left.value != right.value
                && left.value != MISSING
                && right.value != MISSING
                && !(left.are_words && right.are_words && left.letters().are_disjoint(right.letters()));
            is_needed.then_some([left.value, right.value]).into_iter().flatten()
        });
        match &field.detail {
            _ if field.kind == Kind::Category => {}
            Detail::Words(words) => values.for_each(|value| words.look_at(value as usize)),
            _ => values.for_each(|value| {
                black_box(field.values.get(value as usize).as_bytes().first());
            }),
        }
    }
}
