//! The rows of `removed.jsonl` to what a report shows of them: a sample of each band, the least alike, the members of the
//! largest clusters, and who lost how many to whom. Whatever the number of rows, this stays small.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::Path;

use lookalike_core::hash::draw;
use rayon::prelude::*;
use serde::Deserialize;

use super::told::Told;
use crate::error::{Error, Result};

/// A line of `removed.jsonl`.
#[derive(Deserialize)]
pub(crate) struct Line<'a> {
    #[serde(borrow)]
    pub(crate) removed_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) kept_id: Cow<'a, str>,
    #[serde(default)]
    pub(crate) kept_in: Option<&'a str>,
    pub(crate) jaccard: Option<f64>,
    pub(crate) containment_in_kept: Option<f64>,
    pub(crate) containment_of_kept: Option<f64>,
    pub(crate) simhash: Option<f64>,
    pub(crate) hamming: Option<u32>,
    pub(crate) exact_copy: bool,
    #[serde(default)]
    pub(crate) same_words: bool,
    pub(crate) cluster: u32,
    #[serde(default)]
    pub(crate) cluster_size: u64,
    #[serde(borrow)]
    pub(crate) removed_file: Cow<'a, str>,
    pub(crate) removed_position: u64,
    #[serde(borrow)]
    pub(crate) kept_file: Cow<'a, str>,
    pub(crate) kept_position: u64,
    #[serde(borrow)]
    pub(crate) removed_source: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) kept_source: Cow<'a, str>,
}

/// A removed document, and the one kept in its place.
#[derive(Clone, Debug)]
pub(crate) struct Removal {
    pub(crate) removed_id: String,
    pub(crate) kept_id: String,
    pub(crate) removed: Place,
    pub(crate) kept: Place,
    pub(crate) removed_source: String,
    pub(crate) kept_source: String,
    pub(crate) similarity: f64,
    pub(crate) jaccard: Option<f64>,
    /// How much of the removed one is in the kept one, and the other way round.
    pub(crate) containments: Option<[f64; 2]>,
    pub(crate) hamming: Option<u32>,
    pub(crate) is_exact_copy: bool,
    pub(crate) is_same_words: bool,
    pub(crate) cluster_size: u64,
}

/// Where a document is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) is_reference: bool,
    pub(crate) file: String,
    pub(crate) position: u64,
}

/// What is sampled together: exact copies, and the others by bands of similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Band(u8),
    Copies,
}

/// How many bands of similarity there are.
const BANDS: f64 = 20.0;

/// How many pairs of a band are shown, of exact copies, of those least alike, and of a cluster's members.
const SAMPLE: usize = 5;
const COPIES: usize = 2;
const LEAST: usize = 10;
const MEMBERS: usize = 12;

/// How many flows between sources are counted. If there are more, those of one document are forgotten now and then.
const MOST_FLOWS: usize = 100_000;

/// How many bytes of rows are read at once.
const BATCH_BYTES: usize = 1 << 20;

/// What a report shows of the rows.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
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
    /// Reads the rows of a folder.
    pub(crate) fn read(folder: &Path, told: &Told) -> Result<Self> {
        let mut gathered = Self { flows: Flows::of(told), ..Self::default() };
        gathered.members.extend(told.largest_clusters.iter().map(|cluster| (cluster.cluster, Vec::new())));
        each_line(folder, |number, line| gathered.take(number, line, &told.parameters.measure))?;
        Ok(gathered)
    }

    fn take(&mut self, number: u64, row: &Line<'_>, measure: &str) {
        self.flows.add(&row.removed_source, &row.kept_source, row.kept_in.is_some());
        let similarity = row.similarity(measure);
        if let Some(members) = self.members.get_mut(&row.cluster).filter(|members| members.len() < MEMBERS) {
            members.push(row.removal(similarity));
        }
        let band = (similarity * BANDS).min(BANDS - 1.0) as u8;
        let (group, most) = if row.exact_copy { (Group::Copies, COPIES) } else { (Group::Band(band), SAMPLE) };
        insert_least(self.samples.entry(group).or_default(), most, draw(0x7265_706F_7274, number), || {
            row.removal(similarity)
        });
        if !row.exact_copy {
            insert_least(&mut self.least, LEAST, (similarity.to_bits(), number), || row.removal(similarity));
        }
    }

    /// A few pairs of each group, those least alike first.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (Group, Vec<&Removal>)> {
        self.samples.iter().map(|(group, sample)| {
            let mut sample: Vec<&Removal> = sample.values().collect();
            sample.sort_by(|left, right| {
                left.similarity.total_cmp(&right.similarity).then_with(|| left.removed.cmp(&right.removed))
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

/// Gives the lines of `removed.jsonl` in a folder to `take`, in order and numbered from 0.
pub(crate) fn each_line(folder: &Path, mut take: impl FnMut(u64, &Line<'_>)) -> Result<()> {
    let path = folder.join("removed.jsonl");
    let unreadable = |cause| Error::from(lookalike_io::Error::Unreadable { path: path.clone(), cause });
    let mut reader = BufReader::with_capacity(1 << 18, std::fs::File::open(&path).map_err(unreadable)?);
    let (mut number, mut batch) = (0, Vec::with_capacity(BATCH_BYTES + (1 << 16)));
    loop {
        batch.clear();
        let mut ends = vec![0];
        while batch.len() < BATCH_BYTES && reader.read_until(b'\n', &mut batch).map_err(unreadable)? > 0 {
            ends.push(batch.len());
        }
        if batch.is_empty() {
            return Ok(());
        }
        // To parse them is nearly all of the work, and needs no order.
        let parse = |span: &[usize]| serde_json::from_slice::<Line<'_>>(&batch[span[0]..span[1]]);
        let lines = ends.par_windows(2).map(parse).collect::<serde_json::Result<Vec<Line<'_>>>>();
        let not_a_run = |error| Error::NotARun { path: folder.to_owned(), reason: format!("removed.jsonl: {error}") };
        for line in lines.map_err(not_a_run)? {
            take(number, &line);
            number += 1;
        }
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

impl Removal {
    /// A line of `removed.jsonl`.
    pub(super) fn parse(line: &[u8], measure: &str) -> serde_json::Result<Self> {
        let line: Line<'_> = serde_json::from_slice(line)?;
        Ok(line.removal(line.similarity(measure)))
    }
}

impl Line<'_> {
    /// By the measure of the run.
    pub(crate) fn similarity(&self, measure: &str) -> f64 {
        match (self.jaccard, self.containment_in_kept, self.containment_of_kept) {
            (_, Some(one), Some(other)) if measure == "containment" => one.max(other),
            (Some(jaccard), ..) => jaccard,
            _ => self.simhash.unwrap_or(0.0),
        }
    }

    pub(crate) fn removal(&self, similarity: f64) -> Removal {
        let place =
            |is_reference: bool, file: &str, position: u64| Place { is_reference, file: file.to_owned(), position };
        Removal {
            removed_id: self.removed_id.clone().into_owned(),
            kept_id: self.kept_id.clone().into_owned(),
            removed: place(false, &self.removed_file, self.removed_position),
            kept: place(self.kept_in.is_some(), &self.kept_file, self.kept_position),
            removed_source: self.removed_source.clone().into_owned(),
            kept_source: self.kept_source.clone().into_owned(),
            similarity,
            jaccard: self.jaccard,
            containments: self.containment_in_kept.zip(self.containment_of_kept).map(|(one, other)| [one, other]),
            hamming: self.hamming,
            is_exact_copy: self.exact_copy,
            is_same_words: self.same_words,
            cluster_size: self.cluster_size,
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
    fn of(told: &Told) -> Self {
        let mut flows = Self::default();
        for source in &told.sources {
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
