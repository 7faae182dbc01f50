//! JSONL: an object a line, whose fields are the columns.

use std::collections::HashMap;

use lookalike_core::table::Table;
use serde_json::Value;

use super::ReadTable;

pub(super) fn read(text: &str) -> ReadTable {
    let mut names: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut skipped: Vec<(u64, String)> = Vec::new();
    for (row, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<serde_json::Map<String, Value>>(line) {
            Ok(object) => {
                let mut cells = vec![String::new(); names.len()];
                for (name, value) in object {
                    let place = *places.entry(name).or_insert_with_key(|name| {
                        names.push(name.clone());
                        names.len() - 1
                    });
                    cells.resize(names.len().max(cells.len()), String::new());
                    cells[place] = written(value);
                }
                rows.push(cells);
            }
            Err(error) => skipped.push((row, format!("not a JSON object: {error}"))),
        }
    }
    let count = names.len();
    let mut read = ReadTable::new(Table::new(names));
    for mut cells in rows {
        // Columns that came up later.
        cells.resize(count, String::new());
        read.table.push(&cells).expect("every row has a cell for every column");
    }
    skipped.into_iter().for_each(|(row, reason)| read.skip(row, reason));
    read
}

/// A value as a cell.
fn written(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        // Lists and objects as they are written.
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_columns_in_the_order_in_which_they_come_up() {
        let read = read("{\"id\":1,\"name\":\"Ann\"}\nnothing\n{\"id\":2,\"city\":null,\"name\":\" Bob \"}\n");
        assert_eq!(read.table.names(), ["id", "name", "city"]);
        assert_eq!(read.table.column(1).iter().collect::<Vec<_>>(), ["Ann", "Bob"]);
        assert_eq!((read.skipped_count, read.skipped[0].row), (1, 2));
    }
}
