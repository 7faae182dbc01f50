//! The removals of a run to what a report shows of them: a sample of each band, the least similar, the members of the
//! largest clusters, and who lost how many to whom. Whatever the number of removals, this stays small.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lookalike_core::hash::draw;

use crate::error::Result;
use crate::output::read_back::each_removal;
use crate::output::rows::Removal;
use crate::report::summary::Summary;

/// The place of a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) is_reference: bool,
    pub(crate) file: String,
    pub(crate) position: u64,
}

impl Removal {
    /// Place of the removed document.
    pub(crate) fn removed_place(&self) -> Place {
        Place { is_reference: false, file: self.removed_file.clone(), position: self.removed_position }
    }

    /// Place of the kept document.
    pub(crate) fn kept_place(&self) -> Place {
        Place { is_reference: self.kept_in.is_some(), file: self.kept_file.clone(), position: self.kept_position }
    }
}

/// What is sampled together: exact copies, and the others by bands of similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Band(u8),
    Copies,
}

/// How many bands of similarity there are.
const BANDS: f64 = 20.0;

/// How many pairs of a band are shown, of exact copies, of those least similar, and of a cluster's members.
const SAMPLE: usize = 5;
const COPIES: usize = 2;
const LEAST: usize = 10;
const MEMBERS: usize = 12;

/// How many flows between sources are counted. If there are more, those of one document are forgotten now and then.
const MOST_FLOWS: usize = 100_000;

/// What a report shows of the rows.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// How many removals were added.
    count: u64,
    /// By draws, the least ones.
    samples: BTreeMap<Group, BTreeMap<u64, Removal>>,
    /// By similarity (all of it is positive, so its bits are in order) and place.
    least: BTreeMap<(u64, u64), Removal>,
    /// Of the largest clusters.
    members: BTreeMap<u32, Vec<Removal>>,
    /// How many documents went from which source to which.
    pub(crate) flows: Flows,
}

impl Gathered {
    /// Gathers what belongs to the sources and clusters that a summary names.
    pub(crate) fn new(summary: &Summary) -> Self {
        let largest = summary.largest_clusters.iter().map(|cluster| (cluster.cluster, Vec::new()));
        Self { flows: Flows::of(summary), members: largest.collect(), ..Self::default() }
    }

    /// Reads the removals of a finished run.
    pub(crate) fn read(folder: &Path, summary: &Summary) -> Result<Self> {
        let mut gathered = Self::new(summary);
        each_removal(folder, |_, removal| gathered.add(&removal))?;
        Ok(gathered)
    }

    /// Adds the next removal, in the order of the input.
    pub(crate) fn add(&mut self, removal: &Removal) {
        let number = self.count;
        self.count += 1;
        self.flows.add(&removal.removed_source, &removal.kept_source, removal.kept_in.is_some());
        if let Some(members) = self.members.get_mut(&removal.cluster).filter(|members| members.len() < MEMBERS) {
            members.push(removal.clone());
        }
        let band = (removal.similarity * BANDS).min(BANDS - 1.0) as u8;
        let (group, most) = if removal.exact_copy { (Group::Copies, COPIES) } else { (Group::Band(band), SAMPLE) };
        let sample = self.samples.entry(group).or_default();
        insert_least(sample, most, draw(0x7265_706F_7274, number), || removal.clone());
        if !removal.exact_copy {
            insert_least(&mut self.least, LEAST, (removal.similarity.to_bits(), number), || removal.clone());
        }
    }

    /// A few pairs of each group, the least similar first.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (Group, Vec<&Removal>)> {
        self.samples.iter().map(|(group, sample)| {
            let mut sample: Vec<&Removal> = sample.values().collect();
            sample.sort_by(|left, right| {
                let place = |removal: &Removal| (removal.removed_file.clone(), removal.removed_position);
                left.similarity.total_cmp(&right.similarity).then_with(|| place(left).cmp(&place(right)))
            });
            (*group, sample)
        })
    }

    /// The removals that are least sure.
    pub(crate) fn least(&self) -> impl Iterator<Item = &Removal> {
        self.least.values()
    }

    /// The first removed documents of one of the largest clusters.
    pub(crate) fn members(&self, cluster: u32) -> &[Removal] {
        self.members.get(&cluster).map_or(&[], Vec::as_slice)
    }

    /// All removals that are shown.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Removal> {
        let samples = self.samples.values().flat_map(BTreeMap::values);
        self.least.values().chain(samples).chain(self.members.values().filter_map(|members| members.first()))
    }
}

/// Keeps the `most` least keys.
pub(crate) fn insert_least<K: Ord, V>(kept: &mut BTreeMap<K, V>, most: usize, key: K, value: impl FnOnce() -> V) {
    if kept.len() < most || kept.last_key_value().is_some_and(|(last, _)| key < *last) {
        kept.insert(key, value());
        if kept.len() > most {
            kept.pop_last();
        }
    }
}

/// How many documents the sources that a summary names lost to whom.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    /// The numbers of sources by name: first those that the summary names.
    numbers: HashMap<String, u32>,
    names: Vec<String>,
    counts: HashMap<(u32, u32), u64>,
}

impl Flows {
    fn of(summary: &Summary) -> Self {
        let mut flows = Self::default();
        for source in &summary.sources {
            flows.number(&source.source);
        }
        flows
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }

    fn add(&mut self, from: &str, to: &str, is_reference: bool) {
        let Some(from) = self.numbers.get(from).copied() else { return };
        let to = match (is_reference, self.numbers.get(to)) {
            (false, Some(to)) => *to,
            _ if self.names.len() >= MOST_FLOWS => return,
            (true, _) => self.number(&format!("{to} (reference)")),
            (false, None) => self.number(to),
        };
        if self.counts.len() >= MOST_FLOWS && !self.counts.contains_key(&(from, to)) {
            self.counts.retain(|_, count| *count > 1);
        }
        *self.counts.entry((from, to)).or_default() += 1;
    }

    /// Who has most of what a source lost, and how much of it.
    pub(crate) fn mostly_to(&self) -> HashMap<&str, (&str, u64)> {
        let mut mostly: HashMap<&str, (&str, u64)> = HashMap::new();
        for ((from, to), count) in &self.counts {
            let (from, to) = (&*self.names[*from as usize], &*self.names[*to as usize]);
            let most = mostly.entry(from).or_insert((to, 0));
            if (*count, std::cmp::Reverse(to)) > (most.1, std::cmp::Reverse(most.0)) {
                *most = (to, *count);
            }
        }
        mostly
    }

    /// The sources between which most documents went, at most so many, and what went between them.
    pub(crate) fn largest(&self, most: usize) -> (Vec<String>, Vec<(usize, usize, u64)>) {
        let mut weights: BTreeMap<u32, u64> = BTreeMap::new();
        for ((from, to), count) in &self.counts {
            *weights.entry(*from).or_default() += count;
            *weights.entry(*to).or_default() += if from == to { 0 } else { *count };
        }
        let mut largest: Vec<(u64, u32)> = weights.into_iter().map(|(source, weight)| (weight, source)).collect();
        largest.sort_unstable_by(|left, right| {
            right.0.cmp(&left.0).then_with(|| self.names[left.1 as usize].cmp(&self.names[right.1 as usize]))
        });
        largest.truncate(most);
        let places: HashMap<u32, usize> = largest.iter().map(|(_, source)| *source).zip(0..).collect();
        let of_both = |((from, to), count): (&(u32, u32), &u64)| Some((*places.get(from)?, *places.get(to)?, *count));
        let mut flows: Vec<(usize, usize, u64)> = self.counts.iter().filter_map(of_both).collect();
        flows.sort_unstable();
        (largest.iter().map(|(_, source)| self.names[*source as usize].clone()).collect(), flows)
    }
}
