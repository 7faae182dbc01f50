//! Components for pages about near-duplicates: charts, tables, side-by-side texts, and the page layout.
//!
//! Data in, HTML out: nothing here uses files, a clock or the network, and the same data gives the same bytes. Texts
//! are untrusted. Every string is escaped unless it is [`Html`], and control characters and direction overrides are
//! shown as marks.
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
mod review;
mod side_by_side;
mod table;

pub use html::{Html, Show, clipped, marked, name};
pub use label::{LabelPage, LabelPlace};
pub use page::{Budget, MOST_BYTES, Page, SCRIPT, Section, style};
pub use review::ReviewPage;
pub use side_by_side::{Excerpt, Opening, Piece, SideBySide, SideText};
pub use table::{Cell, Column, Table};
