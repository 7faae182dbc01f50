//! Flags that several commands share: groups that are flattened into their arguments.

pub(crate) mod command_line;
pub(crate) mod method;
pub(crate) mod output;
pub(crate) mod read;
pub(crate) mod resources;
pub(crate) mod run;
pub(crate) mod similarity;
