//! Collects what a report shows of the removals of a run: a sample of each band, the least similar, members of the
//! largest clusters, and losses between sources. Its size is limited, whatever the number of removals.

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

/// Groups for sampling: exact copies, and the others by bands of similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Documents that differ only in numbers, whatever their band.
    Numbers,
    Band(u8),
    Copies,
}

/// Number of bands of similarity.
const BANDS: f64 = 20.0;

/// Numbers of pairs shown of a band, of exact copies, of the least similar, and of a cluster's members.
const SAMPLE: usize = 5;
const COPIES: usize = 2;
const NUMBERS: usize = 10;
const LEAST: usize = 10;
const MEMBERS: usize = 12;

/// Maximum number of flows between sources. If there are more, those of one document are dropped from time to time.
const MOST_FLOWS: usize = 100_000;

/// The part of the rows that a report shows.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Number of removals added.
    count: u64,
    /// By random draws, the smallest ones.
    samples: BTreeMap<Group, BTreeMap<u64, Removal>>,
    /// By similarity (which is positive, so its bits sort correctly) and position.
    least: BTreeMap<(u64, u64), Removal>,
    /// Members of the largest clusters.
    members: BTreeMap<u32, Vec<Removal>>,
    /// Numbers of documents removed between sources.
    pub(crate) flows: Flows,
}

impl Gathered {
    /// Collects data for the sources and clusters that a summary names.
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

    /// Adds the next removal, in input order.
    pub(crate) fn add(&mut self, removal: &Removal) {
        let number = self.count;
        self.count += 1;
        self.flows.add(&removal.removed_source, &removal.kept_source, removal.kept_in.is_some());
        if let Some(members) = self.members.get_mut(&removal.cluster).filter(|members| members.len() < MEMBERS) {
            members.push(removal.clone());
        }
        let band = (removal.similarity * BANDS).min(BANDS - 1.0) as u8;
        let (group, most) = match removal {
            Removal { exact_copy: true, .. } => (Group::Copies, COPIES),
            Removal { different_numbers: true, .. } => (Group::Numbers, NUMBERS),
            _ => (Group::Band(band), SAMPLE),
        };
        let sample = self.samples.entry(group).or_default();
        insert_least(sample, most, draw(0x7265_706F_7274, number), || removal.clone());
        if !removal.exact_copy {
            insert_least(&mut self.least, LEAST, (removal.similarity.to_bits(), number), || removal.clone());
        }
    }

    /// A few pairs of each group, least similar first.
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

    /// The least certain removals.
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

/// Keeps the entries with the `most` smallest keys.
pub(crate) fn insert_least<K: Ord, V>(kept: &mut BTreeMap<K, V>, most: usize, key: K, value: impl FnOnce() -> V) {
    if kept.len() < most || kept.last_key_value().is_some_and(|(last, _)| key < *last) {
        kept.insert(key, value());
        if kept.len() > most {
            kept.pop_last();
        }
    }
}

/// Numbers of documents that the sources in a summary lost to each other.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    /// The numbers of sources by name: first those in the summary.
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

    /// For each source, the source to which it lost most, and the number.
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

    /// The sources with the most removals between them, at most this many, and these numbers.
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
