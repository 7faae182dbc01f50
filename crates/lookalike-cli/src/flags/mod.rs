//! Groups of arguments that several commands share, each translated into a part of a request. The rules about them are those of
//! [`lookalike::DedupRequest`] and the other requests.

pub(crate) mod command_line;
pub(crate) mod matching;
pub(crate) mod output;
pub(crate) mod read;
pub(crate) mod resources;
pub(crate) mod run;
pub(crate) mod scheme;
pub(crate) mod words;
