//! S7: decides on the families of a batch, with the command's own resolver.

use std::sync::Mutex;

use lookalike_core::bucket::Buckets;
use lookalike_core::bucket::passed_over::{Drawn, PassedOver};
use lookalike_core::decision::{References, Removed, Scope};
use lookalike_core::ids::{Document, Number, Rank};
use lookalike_core::method::{Exact, Method, Sketched};
use lookalike_core::packed::Lists;
use lookalike_core::resolve::{Candidates, components, independent_set};
use lookalike_core::sketch::Sketches;
use lookalike_core::sources::{PairFilter, SourceError};
use lookalike_core::verify::{PairCounts, Verifier};
use lookalike_io::stored::{Columns, Kind, Values};
use rayon::prelude::*;

use super::Context;
use super::files::{Outputs, TaskRow, damaged};
use super::gather::GATHERED;
use super::gathered::{About, Gathered};
use super::rank::{GROUP_ROWS, Ranked, for_each_group};
use super::stage::TaskStage;
use crate::candidates::verified::Resolved;
use crate::corpus::Ignoring;
use crate::corpus::rules::Rules;
use crate::error::{Error, Result};
use crate::options::Group;

/// A removal: its ranks, and the measurement in two words.
const REMOVALS: Columns<'_> = &[
    ("removed_and_kept", Kind::Whole),
    ("measured", Kind::Whole),
    ("sizes", Kind::Whole),
    ("different_numbers", Kind::Whole),
];

/// A meeting of two texts that were not compared, of the sample; whether they match is known of the first ones.
const DRAWN: Columns<'_> = &[
    ("position", Kind::Whole),
    ("left", Kind::Whole),
    ("right", Kind::Whole),
    ("meetings", Kind::Whole),
    ("is_first", Kind::Whole),
    ("is_match", Kind::Whole),
];

/// The texts of a batch, by rank, and what is stored about them.
struct Batch<'t> {
    ranks: Vec<Rank>,
    sizes: Vec<u32>,
    sketches: Sketches,
    texts: Gathered<'t>,
}

/// Decisions about a batch.
#[derive(Default)]
struct Decided {
    removed: Vec<Removed<Rank>>,
    passed_over: PassedOver,
    counts: Option<PairCounts>,
    sharing: Option<u64>,
    largest_family: u64,
}

/// Decides on a batch.
pub(super) fn resolve(context: &Context<'_>, batch: usize, attempt: u32) -> Result<TaskRow> {
    let mut outputs = Outputs::new(context.tasks, TaskStage::Resolve, batch, attempt);
    let ranked = Ranked::read(context)?;
    let texts = Batch::read(context, batch)?;
    // Texts are numbered within the batch, and ranks are those of the run, since draws and ties depend on them.
    let mut items = vec![Document(u32::MAX); ranked.documents.len()];
    for (document, rank) in (0..).zip(&texts.ranks) {
        *items.get_mut(rank.index()).ok_or_else(|| damaged("S6"))? = Document(document);
    }
    let options = context.tasks.options();
    let rules = Rules::new(&options.matching, context.scheme, &texts.texts);
    let allow: &PairFilter<'_> = &|left, right| rules.allow(left, right);
    let filter = rules.are_any().then_some(allow);
    let method: &dyn Method = if ranked.is_small() { &Exact } else { &*context.method };
    let held_bytes = context.work.memory.shares(texts.ranks.len())?.features();
    let verifier =
        Verifier::new(context.scheme.criterion(), &texts.sizes, &texts.sketches, method, &texts.texts, held_bytes);
    let verifier = verifier.with_filter(filter);
    let references = References { count: ranked.references(), scope: options.compare_with.scope() };
    let decided = decide(context, method, &texts, &items, references, &verifier, filter.is_some())?;
    write(&mut outputs, &decided, &items, &rules, &verifier)?;
    Ok(outputs.finish())
}

fn decide(
    context: &Context<'_>,
    method: &dyn Method,
    batch: &Batch<'_>,
    items: &[Document],
    references: References,
    verifier: &Verifier<'_>,
    has_filter: bool,
) -> Result<Decided> {
    let group = context.tasks.options().group;
    let resolve = |candidates: Candidates<'_>| match (group, references.scope) {
        (Group::Components, Scope::Everything) => components(candidates, items, references, verifier),
        _ => independent_set(candidates, items, references, verifier),
    };
    // Best first: the sets of a join are numbered in this order.
    let mut documents: Vec<Document> = (0..batch.ranks.len() as u32).map(Document).collect();
    documents.sort_unstable_by_key(|document| batch.ranks[document.index()]);
    let lists: Mutex<Vec<Lists>> = Mutex::default();
    let take = |some: Lists| -> std::result::Result<(), SourceError> {
        context.progress.go_on()?;
        lists.lock().expect("no thread panicked").push(some);
        Ok(())
    };
    let sketched = Sketched {
        items: &documents,
        ranks: &batch.ranks,
        sketches: &batch.sketches,
        source: &batch.texts,
        deciding: &batch.texts,
        sizes: &batch.sizes,
        criterion: context.scheme.criterion(),
        memory: context.work.memory.shares(documents.len())?.sorting(),
    };
    let sets = method.candidates(sketched, &take).map_err(Error::of_source)?;
    if let Some(sets) = &sets {
        if !has_filter {
            let removed = resolve(Candidates::Sets(sets)).map_err(Error::of_source)?;
            return Ok(Decided { removed, largest_family: documents.len() as u64, ..Decided::default() });
        }
        // A join knows of no filter: what it finds is verified like all candidates.
        let push = |some: Vec<lookalike_core::decision::Match<Rank>>| {
            take(some.iter().map(|found| [found.left.0, found.right.0].into_iter()).collect())
        };
        lookalike_core::resolve::each_match(Candidates::Sets(sets), items, references, verifier, &push)
            .map_err(Error::of_source)?;
    }
    let lists = lists.into_inner().expect("no thread panicked");
    let buckets = Buckets::of_lists(items.len(), &lists);
    let before = verifier.counts();
    let removed = resolve(Candidates::Buckets(&buckets)).map_err(Error::of_source)?;
    Ok(Decided {
        removed,
        passed_over: verifier.take_passed_over(),
        counts: Some(verifier.counts() - before),
        sharing: Some(buckets.item_count_from(references.count) as u64),
        largest_family: buckets.largest_family() as u64,
    })
}

fn write(
    outputs: &mut Outputs<'_>,
    decided: &Decided,
    items: &[Document],
    rules: &Rules<'_>,
    verifier: &Verifier<'_>,
) -> Result<()> {
    let Decided { removed, passed_over, counts, sharing, largest_family } = decided;
    let pair = |removal: &Removed<Rank>| (items[removal.removed.index()], items[removal.kept.index()]);
    let different = rules.different_numbers(removed.iter().map(pair))?;
    outputs.table(".parquet", REMOVALS, |writer| {
        for some in removed.chunks(GROUP_ROWS) {
            let words: Vec<[u64; 3]> = some.iter().map(|removal| removal.words()).collect();
            let column = |at: usize| Values::Whole(words.iter().map(|words| words[at] as i64).collect());
            let is_different = |removal: &Removed<Rank>| i64::from(different.contains(&pair(removal).0));
            let last = Values::Whole(some.iter().map(is_different).collect());
            writer.write(&[column(0), column(1), column(2), last])?;
        }
        Ok(())
    })?;
    // The sample of the whole run has no more pairs of this batch than its own.
    let sample: Vec<(Rank, Rank)> = passed_over.sample().collect();
    let is_match = |(left, right): &(Rank, Rank)| verifier.is_match(items[left.index()], items[right.index()]);
    let compared: Vec<bool> =
        sample.par_iter().map(is_match).collect::<std::result::Result<_, _>>().map_err(Error::of_source)?;
    let mut compared = compared.into_iter();
    let drawn = passed_over.drawn();
    let is_sampled = |drawn: &Drawn| drawn.is_first && drawn.meetings > 0;
    let matches = drawn.iter().map(|drawn| i64::from(is_sampled(drawn) && compared.next().unwrap_or(false)));
    outputs.table(".passed_over.parquet", DRAWN, |writer| {
        writer.write(&[
            Values::Whole(drawn.iter().map(|drawn| drawn.position as i64).collect()),
            Values::Whole(drawn.iter().map(|drawn| i64::from(drawn.left)).collect()),
            Values::Whole(drawn.iter().map(|drawn| i64::from(drawn.right)).collect()),
            Values::Whole(drawn.iter().map(|drawn| i64::from(drawn.meetings)).collect()),
            Values::Whole(drawn.iter().map(|drawn| i64::from(drawn.is_first)).collect()),
            Values::Whole(matches.collect()),
        ])?;
        Ok(())
    })?;
    outputs.note("removals", removed.len());
    outputs.note("meetings", passed_over.meetings());
    outputs.note("largest_family", *largest_family);
    if let (Some(counts), Some(sharing)) = (counts, sharing) {
        let PairCounts { candidates, measured, matches } = *counts;
        for (name, count) in
            [("sharing", *sharing), ("candidates", candidates), ("measured", measured), ("matches", matches)]
        {
            outputs.note(name, count);
        }
    }
    Ok(())
}

impl<'t> Batch<'t> {
    /// Reads the texts of a batch, from the files of all units.
    fn read(context: &Context<'t>, batch: usize) -> Result<Self> {
        let ignoring = Ignoring::of(context.scheme);
        let mut read = Self {
            ranks: Vec::new(),
            sizes: Vec::new(),
            sketches: Sketches::new(context.method.layout()),
            texts: Gathered::new(context),
        };
        for row in &context.tasks.rows(TaskStage::Gather)? {
            for (_, group) in row.pairs("groups").into_iter().filter(|(of, _)| *of == batch) {
                let columns = context.tasks.open_table(row, 0, GATHERED)?.read(group)?;
                read.add(columns, ignoring.as_ref(), context)?;
            }
        }
        Ok(read)
    }

    /// Adds the texts of a row group.
    fn add(&mut self, columns: Vec<Values>, ignoring: Option<&Ignoring>, context: &Context<'_>) -> Result<()> {
        let mut columns = columns.into_iter();
        let mut whole = || columns.next().map_or_else(Vec::new, Values::into_whole).into_iter();
        let numbers = whole().zip(whole()).zip(whole());
        let mut bytes = || columns.next().map_or_else(Vec::new, Values::into_bytes).into_iter();
        let (groups, sources, keys, sketches, texts) = (bytes(), bytes(), bytes(), bytes(), bytes());
        let bytes = groups.zip(sources).zip(keys.zip(sketches)).zip(texts);
        for (((rank, token_count), size), (((group, source), (keys, sketch)), text)) in numbers.zip(bytes) {
            let group = <[u8; 8]>::try_from(&*group).ok().map(u64::from_le_bytes);
            let source = std::str::from_utf8(&source).ok().filter(|source| !source.is_empty());
            let source = ignoring.zip(source).and_then(|(ignoring, source)| ignoring.place_of(source));
            self.ranks.push(Rank(rank as u32));
            self.sizes.push(size as u32);
            self.sketches.push(keys.as_chunks().0.iter().map(|key| u64::from_le_bytes(*key)), sketch);
            self.texts.push(&text, About { token_count: token_count as u32, group, source }, context)?;
        }
        Ok(())
    }
}

/// The removals of all batches, and what else is known of them.
#[derive(Default)]
pub(super) struct Resolutions {
    pub(super) removed: Vec<Removed<Rank>>,
    /// The ranks of removed texts that differ in nothing but numbers from the kept ones.
    pub(super) different_numbers: Vec<Rank>,
    pub(super) passed_over: PassedOver,
    /// Of the sample of these, the number of matches.
    pub(super) passed_over_matches: usize,
    pub(super) counts: PairCounts,
    pub(super) sharing: u64,
    pub(super) largest_family: u64,
}

impl Resolutions {
    pub(super) fn read(context: &Context<'_>) -> Result<Self> {
        let mut all = Self::default();
        let mut matching: Vec<Drawn> = Vec::new();
        for row in context.tasks.rows(TaskStage::Resolve)? {
            for_each_group(&context.tasks.open_table(&row, 0, REMOVALS)?, |columns| {
                for (at, pair) in columns[0].iter().enumerate() {
                    let words = [*pair as u64, columns[1][at] as u64, columns[2][at] as u64];
                    let removal: Removed<Rank> = Removed::of_words(words);
                    all.different_numbers.extend((columns[3][at] != 0).then_some(removal.removed));
                    all.removed.push(removal);
                }
                Ok(())
            })?;
            let mut drawn: Vec<Drawn> = Vec::new();
            for_each_group(&context.tasks.open_table(&row, 1, DRAWN)?, |columns| {
                for (at, position) in columns[0].iter().enumerate() {
                    let whole = |column: usize| columns[column][at] as u32;
                    let (position, is_first) = (*position as u64, whole(4) != 0);
                    let one = Drawn { position, left: whole(1), right: whole(2), meetings: whole(3), is_first };
                    matching.extend((whole(5) != 0).then_some(one));
                    drawn.push(one);
                }
                Ok(())
            })?;
            all.passed_over = std::mem::take(&mut all.passed_over).and(PassedOver::new(row.count("meetings"), drawn));
            let counts = ["candidates", "measured", "matches"].map(|name| row.count(name));
            let [candidates, measured, matches] = counts;
            all.counts = all.counts + PairCounts { candidates, measured, matches };
            all.sharing += row.count("sharing");
            all.largest_family = all.largest_family.max(row.count("largest_family"));
        }
        let matching: std::collections::HashSet<(u32, u32)> =
            matching.iter().map(|drawn| (drawn.left, drawn.right)).collect();
        all.passed_over_matches =
            all.passed_over.sample().filter(|(left, right)| matching.contains(&(left.0, right.0))).count();
        Ok(all)
    }
}
