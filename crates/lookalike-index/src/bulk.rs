//! Bulk search: if there are more keys than a column has pages, it is cheaper to sort the keys and to read each page
//! once.

use lookalike_core::search::agreeing;
use rayon::prelude::*;

use crate::error::Result;
use crate::kernel::Lookup;
use crate::part::Held;
use crate::row::{Entry, least_entry};
use crate::search::{Chosen, Met, Outcome, Question, Search};

/// Number of texts searched together: the candidates of all of them must fit in memory.
pub(crate) const AT_ONCE: usize = 8192;

/// Maximum number of rows of one part that all queries may hit in one pass, before they are processed one by one.
const MOST_MET: usize = 1 << 21;

/// Number of lookups that cost as much as reading one page and sorting its keys: either way a page takes one system
/// call.
const PER_PAGE: usize = 2;

/// True if one pass over each column is cheaper than a lookup per key.
pub(crate) fn is_cheaper(search: &Search<'_>, questions: &[Question]) -> bool {
    if search.kernel.lookup == Lookup::All {
        return false;
    }
    let lookups: usize = questions.iter().map(|question| question.lookups.len()).sum();
    let columns = search.kernel.shape().columns;
    let pages = |held: &Held| (0..columns).map(|column| held.page_count(column)).sum::<usize>();
    let (parts, pages) = (search.state.parts.len(), search.state.parts.iter().map(pages).sum::<usize>());
    pages > 0 && lookups * parts > pages * PER_PAGE
}

/// Answers all queries, in their order.
pub(crate) fn run(search: &Search<'_>, questions: &[Question]) -> Result<Vec<Outcome>> {
    let columns = search.kernel.shape().columns;
    let keys: Vec<Vec<(Entry, u32)>> = (0..columns).into_par_iter().map(|column| keys_of(column, questions)).collect();
    let mut chosen: Vec<Chosen> = questions.iter().map(|_| Chosen::new(search.max_candidates)).collect();
    for (part, held) in (0..).zip(&search.state.parts) {
        let met = (0..columns).into_par_iter().map(|column| {
            let mut met: Vec<(u32, u32)> = Vec::new();
            let mut is_too_much = false;
            held.buckets(column, &keys[column], |number, row| {
                is_too_much |= met.len() >= MOST_MET / columns;
                if !is_too_much {
                    met.push((number, row));
                }
            })?;
            Ok((met, is_too_much))
        });
        let met: Vec<(Vec<(u32, u32)>, bool)> = met.collect::<Result<_>>()?;
        if met.iter().any(|(_, is_too_much)| *is_too_much) {
            // A huge bucket: process one query at a time, in bounded memory.
            chosen.par_iter_mut().zip(questions).try_for_each(|(chosen, question)| {
                if question.probe.is_empty() {
                    return Ok(());
                }
                search.choose(part, held, question, search.meet(held, question)?, chosen)
            })?;
            continue;
        }
        let mut of_question: Vec<Vec<u32>> = vec![Vec::new(); questions.len()];
        for (number, row) in met.into_iter().flat_map(|(met, _)| met) {
            of_question[number as usize].push(row);
        }
        let all = chosen.par_iter_mut().zip(questions).zip(of_question);
        all.try_for_each(|((chosen, question), rows)| {
            if question.probe.is_empty() {
                return Ok(());
            }
            search.choose(part, held, question, Met::of(rows, search.times()), chosen)
        })?;
    }
    chosen.into_par_iter().zip(questions).map(|(chosen, question)| search.measure(question, chosen)).collect()
}

/// The keys of all queries in one column, sorted, each with the number of its query.
fn keys_of(column: usize, questions: &[Question]) -> Vec<(Entry, u32)> {
    let mut keys: Vec<(Entry, u32)> = Vec::new();
    for (number, question) in (0..).zip(questions) {
        if !question.probe.is_empty() {
            let here = question.lookups.iter().filter(|(at, _)| *at == column);
            keys.extend(here.map(|(_, key)| (least_entry(*key), number)));
        }
    }
    keys.sort_unstable();
    // Two features of one text may be equal in the stored part of the key.
    keys.dedup();
    keys
}

impl Met {
    /// Collects rows in any order, each repeated as often as it was hit.
    fn of(mut rows: Vec<u32>, times: usize) -> Self {
        agreeing(&mut rows, times);
        if times <= 1 {
            return Self::List(rows);
        }
        // The required agreement has been checked: from here on, one occurrence each is enough.
        Self::List(rows.iter().flat_map(|row| std::iter::repeat_n(*row, times)).collect())
    }
}
