//! The parts that pages about near-duplicates are made of: charts, tables, two texts side by side, and the page around them.
//!
//! Data goes in, HTML comes out; nothing here reads a file, a clock or the network, and the same data gives the same bytes.
//! Texts are hostile. Every string is escaped unless it is [`Html`], and what would control a screen or turn the direction of
//! writing is shown as a mark.
//!
//! ```
//! use lookalike_page::{Page, Section, html};
//!
//! let body = html!("<p>{} was removed.</p>", "<script>");
//! let page = Page { title: "A run".into(), lead: html!(""), sections: vec![Section::new("all", "All", body)] };
//! let page = page.render();
//! assert!(page.contains("<p>&lt;script&gt; was removed.</p>"));
//! assert!(page.contains("Content-Security-Policy"));
//! ```
#![forbid(unsafe_code)]

pub mod chart;
mod html;
mod label;
pub mod number;
mod page;
mod side_by_side;
mod table;

pub use html::{Html, Show, clipped, marked, name};
pub use label::{LabelPage, LabelPlace};
pub use page::{Budget, MOST_BYTES, Page, SCRIPT, Section, style};
pub use side_by_side::{Excerpt, Opening, Piece, SideBySide, SideText};
pub use table::{Cell, Column, Table};
