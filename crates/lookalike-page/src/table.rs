//! Tables: readable without scripts, and sorted and filtered by the page's script.

use crate::html::Html;
use crate::{html, number};

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its caption.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell per column.
    pub rows: Vec<Vec<Cell>>,
    /// True if rows can be filtered by a word.
    pub is_filtered: bool,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    name: String,
    is_number: bool,
}

impl Column {
    /// A column of texts.
    pub fn text(name: &str) -> Self {
        Self { name: name.to_owned(), is_number: false }
    }

    /// A column of numbers.
    pub fn number(name: &str) -> Self {
        Self { name: name.to_owned(), is_number: true }
    }
}

/// A cell: its contents, and the number by which it is sorted, if any.
#[derive(Clone, Debug)]
pub struct Cell {
    shown: Html,
    value: Option<f64>,
}

impl Cell {
    /// A text, escaped.
    pub fn text(text: &str) -> Self {
        Self { shown: Html::text(text), value: None }
    }

    /// Markup.
    pub fn html(shown: Html) -> Self {
        Self { shown, value: None }
    }

    /// Sorts the cell by a number.
    #[must_use]
    pub fn valued(self, value: f64) -> Self {
        Self { value: Some(value), ..self }
    }

    /// A count.
    pub fn count(count: u64) -> Self {
        Self { shown: Html::text(&number::count(count)), value: Some(count as f64) }
    }

    /// A share.
    pub fn share(share: f64) -> Self {
        Self { shown: Html::text(&number::share(share)), value: Some(share) }
    }

    /// A number with its own formatting.
    pub fn number(shown: &str, value: f64) -> Self {
        Self { shown: Html::text(shown), value: Some(value) }
    }
}

impl Table {
    /// A table with these columns and no rows.
    pub fn new(caption: &str, columns: Vec<Column>) -> Self {
        Self { caption: caption.to_owned(), columns, rows: Vec::new(), is_filtered: false }
    }

    /// The markup of one row.
    pub fn row(&self, row: &[Cell]) -> Html {
        let mut shown = Html::ours("<tr>");
        for (at, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
            let cell = match (at, cell.value, column.is_number) {
                (0, None, _) => html!("<th scope=\"row\" dir=\"auto\">{}</th>", cell.shown),
                (_, Some(value), _) => html!("<td class=\"n\" data-v=\"{}\">{}</td>", value.to_string(), cell.shown),
                (_, None, true) => html!("<td class=\"n\">{}</td>", cell.shown),
                (_, None, false) => html!("<td dir=\"auto\">{}</td>", cell.shown),
            };
            shown.push(&cell);
        }
        shown.push(&Html::ours("</tr>\n"));
        shown
    }

    /// The whole table, in a box that scrolls sideways if it is wider than the screen.
    pub fn render(&self) -> Html {
        let rows: Html = self.rows.iter().map(|row| self.row(row)).collect();
        self.around(&rows)
    }

    /// The table around rows that were rendered by [`Table::row`].
    pub fn around(&self, rows: &Html) -> Html {
        let head: Html = self
            .columns
            .iter()
            .map(|column| {
                let class = if column.is_number { Html::ours(" class=\"n\"") } else { Html::default() };
                html!("<th scope=\"col\"{}>{}</th>", class, column.name)
            })
            .collect();
        let filter = Html::ours(if self.is_filtered { " data-filter" } else { "" });
        html!(
            "<div class=\"scroll\" role=\"group\" aria-label=\"{}\" tabindex=\"0\">\n<table data-sort{}><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
            self.caption,
            filter,
            self.caption,
            head,
            rows
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_heads_and_numbers_to_sort_by() {
        let mut table = Table::new("Sources", vec![Column::text("source"), Column::number("removed")]);
        table.rows.push(vec![Cell::text("<b>"), Cell::count(12_345)]);
        let shown = table.render();
        assert!(
            shown
                .as_str()
                .contains("<th scope=\"row\" dir=\"auto\">&lt;b&gt;</th><td class=\"n\" data-v=\"12345\">12,345</td>")
        );
        assert!(shown.as_str().contains("<caption>Sources</caption>"));
    }
}
