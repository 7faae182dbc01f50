//! All jobs through the library, as one program: one link instead of forty.

mod against;
mod audit;
mod boilerplate;
mod code;
mod copies;
mod crawls;
mod deceived;
mod decontaminate;
mod documents;
mod formats;
mod held;
mod index;
mod judged;
#[path = "../made/mod.rs"]
mod made;
mod methods;
mod pairs;
mod passages;
mod passed_over;
mod promises;
mod refusals;
mod report;
mod requests;
mod rows;
mod rules;
mod same_answer;
mod sets;
mod sources;
mod splits;
mod stopping;
mod surviving;
mod tables;
#[cfg(feature = "parquet")]
mod tasks;
mod tune;
mod vanishing;
mod window;
