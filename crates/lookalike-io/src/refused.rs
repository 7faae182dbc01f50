//! Reasons why nothing of a file can be read.

/// Why nothing of a file is read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// It has other fields than that of the text.
    #[error("there is no such field among {fields}")]
    NoTextField {
        /// Those it has.
        fields: String,
    },
    /// Something else.
    #[error("{0}")]
    Other(String),
}

/// How many fields are named.
const NAMED: usize = 30;

/// Names as a message has them: the first ones, and how many there are besides.
pub(crate) fn listed(names: &[String]) -> String {
    let mut first: Vec<String> = names.iter().take(NAMED).cloned().collect();
    if names.len() > NAMED {
        first.push(format!("{} more", names.len() - NAMED));
    }
    let list = if first.is_empty() { "none".to_owned() } else { first.join(", ") };
    // A name may have anything in it, and a terminal might do as it says.
    list.replace(char::is_control, " ")
}
