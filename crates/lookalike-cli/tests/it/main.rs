//! The command as its users run it, as one program: one link instead of thirty.

mod audit;
mod bounds;
mod command;
mod daily;
mod decontaminate;
mod extract;
mod filter;
#[path = "../folder/mod.rs"]
mod folder;
mod help;
mod index;
mod link;
mod link_review;
mod messages;
mod methods;
mod pairs;
mod passages;
mod prints;
mod refusals;
mod report;
mod schema;
mod secrets;
mod serve;
mod serve_pages;
mod serve_tls;
#[path = "../service/mod.rs"]
mod service;
mod sets;
mod streams;
mod vanishing;
