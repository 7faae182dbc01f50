//! Share of the information in the words of two records that both have, in whichever field they occur: the manufacturer
//! has a field of its own in one table, and is the first word of the title in the other.

use super::records::{Detail, MISSING, Records};
use crate::ids::{Number, Record};

/// The cosine of all words of two records, from 0 to 1.
pub(super) fn closeness(records: &Records, left: Record, right: Record) -> f64 {
    let [left, right] = [left, right].map(|record| words(records, record));
    let length = |words: &[(&str, f32)]| words.iter().map(|(_, weight)| weight.powi(2)).sum::<f32>().sqrt();
    let weight_in_right = |word: &str| right.binary_search_by_key(&word, |(other, _)| other).map(|at| right[at].1);
    let shared: f32 =
        left.iter().filter_map(|(word, weight)| weight_in_right(word).ok().map(|other| weight * other)).sum();
    if shared > 0.0 { f64::from(shared / (length(&left) * length(&right))) } else { 0.0 }
}

/// The distinct words of a record, in order, each with its weight: the smallest of all fields that contain it.
fn words(records: &Records, record: Record) -> Vec<(&str, f32)> {
    let mut words: Vec<(&str, f32)> = Vec::new();
    for field in records.fields() {
        let value = field.of_record[record.index()];
        if let Detail::Words(of_field) = &field.detail
            && value != MISSING
        {
            let list = of_field.sorted.list(value as usize).iter().map(|word| *word as usize);
            words.extend(list.map(|word| (of_field.texts.get(word), of_field.weights[word])));
        }
    }
    words.sort_unstable_by(|one, other| one.0.cmp(other.0).then(one.1.total_cmp(&other.1)));
    words.dedup_by_key(|(word, _)| *word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::config::{ColumnConfig, Config, Kind};
    use crate::table::Table;

    #[test]
    fn a_maker_counts_wherever_it_stands() {
        let mut table = Table::new(["title", "maker", "price"]);
        for row in [
            ["photo studio", "acme", "30"],
            ["acme photo studio", "", "31"],
            ["photo studio", "zenith", "32"],
            ["garden planner", "", "33"],
        ] {
            table.push(&row).unwrap();
        }
        let column = |(name, kind): (&str, Kind)| ColumnConfig { name: name.to_owned(), kind, ..Default::default() };
        let kinds = [("title", Kind::FreeText), ("maker", Kind::Organization), ("price", Kind::Number)];
        let config = Config { columns: kinds.map(column).to_vec(), ..Config::default() };
        let records = Records::prepare(&table, None, &config).unwrap();
        let closeness = |left, right| closeness(&records, Record(left), Record(right));
        assert!((closeness(0, 1) - closeness(1, 0)).abs() < 1e-6);
        assert!(closeness(0, 1) > 0.9, "the same words");
        assert!(closeness(0, 2) < closeness(0, 1), "another maker");
        assert!(closeness(0, 3).abs() < 1e-12, "no word");
    }
}
