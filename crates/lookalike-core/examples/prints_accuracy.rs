//! How accurate and how fast prints are compared, on a folder with `prints.csv` and `minutiae.csv`:
//!
//! ```sh
//! cargo run --release -p lookalike-core --example prints_accuracy -- shared/data/fingerprints_fvc2002
//! ```
//!
//! For each database: the equal error rate of all genuine against all impostor pairs, on one thread. Then identification:
//! how often the right print of a gallery is among the candidates, and among the best after alignment.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use lookalike_core::prints::accuracy::equal_error_rate;
use lookalike_core::prints::score::DEFAULT_THRESHOLD;
use lookalike_core::prints::{Gallery, Kind, Minutia, PreparedPrint, Print};

struct Impression {
    database: String,
    finger: String,
    number: u32,
    print: Print,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder? it must have prints.csv and minutiae.csv")?;
    let impressions = read(Path::new(&folder))?;
    verify(&impressions);
    identify(&impressions);
    Ok(())
}

/// All pairs within each database.
fn verify(impressions: &[Impression]) {
    let started = processor_seconds();
    let prepared: Vec<PreparedPrint> =
        impressions.iter().map(|impression| PreparedPrint::new(&impression.print)).collect();
    println!("prepared {} prints, {:.2} ms each", prepared.len(), per_item(started, prepared.len()) * 1e3);

    let mut scores: BTreeMap<&str, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    let started = processor_seconds();
    let mut count = 0;
    for (one, left) in impressions.iter().enumerate() {
        for (other, right) in impressions.iter().enumerate().skip(one + 1) {
            if left.database == right.database {
                let score = prepared[one].compare(&prepared[other]).score;
                let (genuine, impostor) = scores.entry(&left.database).or_default();
                if left.finger == right.finger {
                    genuine.push(score);
                } else {
                    impostor.push(score);
                }
                count += 1;
            }
        }
    }
    println!("{count} comparisons, {:.0} a second on one thread", 1.0 / per_item(started, count));

    let (mut all_genuine, mut all_impostor) = (Vec::new(), Vec::new());
    for (database, (genuine, impostor)) in &scores {
        report(database, genuine, impostor);
        all_genuine.extend_from_slice(genuine);
        all_impostor.extend_from_slice(impostor);
    }
    report("all", &all_genuine, &all_impostor);
    let share_from = |scores: &[f64], threshold: f64| {
        scores.iter().filter(|&&score| score >= threshold).count() as f64 / scores.len() as f64
    };
    println!(
        "at {DEFAULT_THRESHOLD}: {:.4} of the genuine pairs are found, {:.5} of the impostor pairs are false",
        share_from(&all_genuine, DEFAULT_THRESHOLD),
        share_from(&all_impostor, DEFAULT_THRESHOLD)
    );
    for (name, scores) in [("genuine", &mut all_genuine), ("impostor", &mut all_impostor)] {
        scores.sort_by(f64::total_cmp);
        let [low, middle, high] = [10, 50, 90].map(|percent| scores[scores.len() * percent / 100]);
        println!("{name} scores: a tenth below {low:.3}, half below {middle:.3}, a tenth above {high:.3}");
    }
}

/// The first impression of every finger is the gallery, all others are queries.
fn identify(impressions: &[Impression]) {
    let (known, queries): (Vec<&Impression>, Vec<&Impression>) =
        impressions.iter().partition(|impression| impression.number == 1);
    let gallery = Gallery::new(known.iter().map(|impression| &impression.print));
    let prepared: Vec<PreparedPrint> = known.iter().map(|impression| PreparedPrint::new(&impression.print)).collect();
    let is_mate = |query: &Impression, place: u32| {
        let mate = known[place as usize];
        mate.database == query.database && mate.finger == query.finger
    };

    let started = processor_seconds();
    let ranks: Vec<Option<usize>> = queries
        .iter()
        .map(|query| {
            let candidates = gallery.candidates(&query.print, usize::MAX);
            candidates.iter().position(|candidate| is_mate(query, candidate.print))
        })
        .collect();
    let seconds = per_item(started, queries.len());
    println!("{} queries to {} prints; candidates in {:.2} ms each", queries.len(), known.len(), seconds * 1e3);
    report_ranks(&ranks);

    // A larger gallery: every print of another finger is a stranger, and the first of the own finger is to be found.
    let everyone = Gallery::new(impressions.iter().map(|impression| &impression.print));
    let ranks: Vec<Option<usize>> = queries
        .iter()
        .map(|query| {
            let candidates = everyone.candidates(&query.print, usize::MAX);
            let own = |print: u32| {
                let other = &impressions[print as usize];
                (other.database == query.database && other.finger == query.finger).then_some(other.number)
            };
            let others = candidates.iter().map(|candidate| own(candidate.print));
            others.filter(|own| own.is_none_or(|number| number == 1)).position(|own| own.is_some())
        })
        .collect();
    println!("with all prints of other fingers as strangers, 313 in all:");
    report_ranks(&ranks);

    for aligned in [10, 20, known.len()] {
        let started = processor_seconds();
        let (mut first, mut among) = (0, 0);
        for query in &queries {
            let found = gallery.identify(&query.print, &prepared, aligned, 5);
            let rank = found.iter().position(|found| is_mate(query, found.print));
            first += usize::from(rank == Some(0));
            among += usize::from(rank.is_some());
        }
        println!(
            "{aligned} candidates aligned: first {:.4}, among the first 5 {:.4}, {:.1} ms a query",
            first as f64 / queries.len() as f64,
            among as f64 / queries.len() as f64,
            per_item(started, queries.len()) * 1e3
        );
    }
}

fn report_ranks(ranks: &[Option<usize>]) {
    for most in [1, 2, 5, 10, 20, 50] {
        let within = ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < most)).count();
        println!("  the right print is among the first {most} candidates: {:.4}", within as f64 / ranks.len() as f64);
    }
}

fn report(name: &str, genuine: &[f64], impostor: &[f64]) {
    let mut sorted = impostor.to_vec();
    sorted.sort_by(|left, right| right.total_cmp(left));
    let missed_at = |share: usize| {
        let threshold = sorted[sorted.len() / share];
        let missed = genuine.iter().filter(|&&score| score <= threshold).count();
        format!("{:.4} missed above {threshold:.3}", missed as f64 / genuine.len() as f64)
    };
    println!(
        "{name:6} {} genuine, {} impostor pairs: equal error rate {:.4}; 1 in 100 false: {}; 1 in 1000 false: {}",
        genuine.len(),
        impostor.len(),
        equal_error_rate(genuine, impostor).unwrap_or(f64::NAN),
        missed_at(100),
        missed_at(1000)
    );
}

fn per_item(started: f64, count: usize) -> f64 {
    (processor_seconds() - started) / count as f64
}

/// How long this process has been on a processor: on a machine shared with others the clock would count their work too.
fn processor_seconds() -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat").ok();
    nanoseconds
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}

fn read(folder: &Path) -> Result<Vec<Impression>, Box<dyn Error>> {
    let mut minutiae: BTreeMap<String, Vec<Minutia>> = BTreeMap::new();
    for row in rows(&folder.join("minutiae.csv"))? {
        let kind = match row["type"].as_str() {
            "end" => Kind::Ending,
            "bif" => Kind::Bifurcation,
            _ => Kind::Other,
        };
        let minutia = Minutia { x: row["x"].parse()?, y: row["y"].parse()?, angle: row["angle_deg"].parse()?, kind };
        minutiae.entry(row["print"].clone()).or_default().push(minutia);
    }
    rows(&folder.join("prints.csv"))?
        .into_iter()
        .map(|row| {
            Ok(Impression {
                database: row["db"].clone(),
                finger: row["finger"].clone(),
                number: row["impression"].parse()?,
                print: Print {
                    minutiae: minutiae.remove(&row["print"]).unwrap_or_default(),
                    size: Some((row["width"].parse()?, row["height"].parse()?)),
                    resolution: row["px_per_cm"].parse()?,
                },
            })
        })
        .collect()
}

/// The rows of a file by the names of its columns. Nothing in it is quoted.
fn rows(path: &Path) -> Result<Vec<BTreeMap<String, String>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().ok_or("an empty file")?.split(',').collect();
    let row =
        |line: &str| names.iter().zip(line.split(',')).map(|(name, value)| ((*name).into(), value.into())).collect();
    Ok(lines.map(row).collect())
}
