//! One cluster as a graph: the one that is held together by the weakest match.

use std::collections::HashMap;

use lookalike_core::ids::{Number, Record};
use lookalike_core::link::score::Scored;
use lookalike_page::chart::{Edge, Graph};
use lookalike_page::{Cell, Column, Html, Table, clipped, name, number};

use super::super::{Found, Linking};
use super::Shown;

/// More records would be a tangle.
const MOST_RECORDS: usize = 16;

/// Bits of the strongest line.
const STRONGEST: f64 = 20.0;

/// The matches of a cluster, and which of them is the weakest without which it would fall apart.
struct Web<'a> {
    matches: Vec<&'a Scored>,
    weakest: usize,
}

/// The cluster of three records or more that is held together by the weakest match; nothing if there is none.
pub(super) fn weakest(linking: &Linking, found: &Found, shown: &Shown<'_>) -> Option<Html> {
    let mut members: HashMap<u64, Vec<Record>> = HashMap::new();
    for (record, cluster) in linking.records.all().zip(shown.cluster_of) {
        members.entry(*cluster).or_default().push(record);
    }
    let mut matches: HashMap<u64, Vec<&Scored>> = HashMap::new();
    for pair in &found.matches {
        let [left, right] = [pair.left, pair.right].map(|record| shown.cluster_of[record.index()]);
        let fits = left == right && (3..=MOST_RECORDS).contains(&members[&left].len());
        if fits {
            matches.entry(left).or_default().push(pair);
        }
    }
    let webs = matches.into_iter().filter_map(|(cluster, matches)| Some((cluster, Web::new(matches)?)));
    let bits = |web: &Web<'_>| web.matches[web.weakest].weight;
    let (cluster, web) =
        webs.min_by(|(one, a), (other, b)| bits(a).total_cmp(&bits(b)).then_with(|| one.cmp(other)))?;
    Some(draw(&web, &members[&cluster], cluster, shown))
}

impl<'a> Web<'a> {
    /// Matches join the cluster best first; the last that joins two parts of it holds it together.
    fn new(mut matches: Vec<&'a Scored>) -> Option<Self> {
        matches.sort_by(|one, other| {
            other.weight.total_cmp(&one.weight).then((one.left, one.right).cmp(&(other.left, other.right)))
        });
        let mut part: HashMap<Record, Record> = HashMap::new();
        let mut weakest = None;
        for (at, pair) in matches.iter().enumerate() {
            let [left, right] = [pair.left, pair.right].map(|record| *part.entry(record).or_insert(record));
            if left != right {
                part.values_mut().filter(|of| **of == right).for_each(|of| *of = left);
                weakest = Some(at);
            }
        }
        weakest.map(|weakest| Self { matches, weakest })
    }
}

fn draw(web: &Web<'_>, members: &[Record], cluster: u64, shown: &Shown<'_>) -> Html {
    /// Characters of an id that are shown.
    const ID: usize = 18;
    let id = |record: Record| &shown.ids[record.index()];
    let place = |record: Record| members.binary_search(&record).expect("a match of the cluster is of its records");
    let edge = |(at, pair): (usize, &&Scored)| Edge {
        from: place(pair.left),
        to: place(pair.right),
        strength: pair.weight / STRONGEST,
        is_weakest: at == web.weakest,
    };
    let columns =
        vec![Column::text("record"), Column::text("record"), Column::number("bits"), Column::number("probability")];
    let mut table = Table::new("Matches", columns);
    let row = |pair: &&Scored| {
        vec![
            Cell::text(&name(id(pair.left))),
            Cell::text(&name(id(pair.right))),
            Cell::number(&format!("{:+.2}", pair.weight), pair.weight),
            Cell::number(&format!("{:.4}", pair.probability()), pair.probability()),
        ]
    };
    table.rows = web.matches.iter().map(row).collect();
    let weakest = web.matches[web.weakest];
    let graph = Graph {
        id: "weakest-cluster".to_owned(),
        title: format!("The cluster that is held together by the weakest match: number {cluster}"),
        description: format!(
            "{} and {}. Without the match of {} and {} ({:+.2} bits, probability {:.4}), it would be two clusters.",
            number::of(members.len() as u64, "record"),
            if web.matches.len() == 1 { "1 match".to_owned() } else { format!("{} matches", web.matches.len()) },
            name(id(weakest.left)),
            name(id(weakest.right)),
            weakest.weight,
            weakest.probability()
        ),
        nodes: members.iter().map(|record| clipped(id(*record), ID)).collect(),
        edges: web.matches.iter().enumerate().map(edge).collect(),
        numbers: table,
    };
    graph.draw().figure()
}
