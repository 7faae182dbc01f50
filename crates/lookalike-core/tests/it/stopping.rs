//! The long stages of linking end when their caller requests it.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, find_candidates, try_find_candidates};
use lookalike_core::link::records::Records;
use lookalike_core::link::score::Scorer;
use lookalike_core::link::weigh::{Frequencies, Model, compare_all, try_compare_all};
use lookalike_core::table::Table;

type Ended = Result<(), &'static str>;
type GoOn<'a> = dyn Fn() -> Ended + Sync + 'a;

#[test]
fn every_long_stage_of_linking_asks_whether_to_go_on() {
    let names = ["Smith", "Johnson", "Williams", "Brown", "Garcia", "Miller", "Davis", "Wilson", "Taylor", "Moore"];
    let mut table = Table::new(["name", "city", "born"]);
    for at in 0..600_usize {
        let person = at / 2;
        let name = format!("{} {}", names[person % 10], names[person / 10 % 10]);
        let born = format!("19{:02}-{:02}-{:02}", person % 90 + 10, person % 12 + 1, person % 28 + 1);
        table.push(&[&*name, ["Bern", "Basel", "Chur"][person % 3], &*born]).unwrap();
    }
    let records = Records::prepare(&table, None, &guess(&table, None, None)).unwrap();
    let bounds = Bounds::for_count(records.count());
    let candidates = find_candidates(&records, &bounds);
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };

    // Continues twice.
    let outcome = |stage: &dyn Fn(&GoOn<'_>) -> Ended| {
        let asked = AtomicU64::new(0);
        stage(&|| if asked.fetch_add(1, SeqCst) < 2 { Ok(()) } else { Err("stopped") })
    };
    assert_eq!(outcome(&|go_on| try_find_candidates(&records, &bounds, go_on).map(|_| ())), Err("stopped"));
    assert_eq!(outcome(&|go_on| try_compare_all(&records, &candidates, go_on).map(|_| ())), Err("stopped"));
    assert_eq!(outcome(&|go_on| scorer.try_score_all(&candidates, &patterns, go_on).map(|_| ())), Err("stopped"));
    assert_eq!(
        scorer.try_score_all(&candidates, &patterns, || Ok::<_, ()>(())).unwrap().len(),
        scorer.score_all(&candidates, &patterns).len()
    );
}
