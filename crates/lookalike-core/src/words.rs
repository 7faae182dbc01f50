//! Enums whose values are words.

/// Defines an enum whose values are words: the name of a variant in lower case, the same in flags, JSON, Python and
/// messages. A crate that uses it depends on `serde` and `strum`.
///
/// ```
/// lookalike_core::word_enum! {
///     /// When to stop.
///     #[derive(Default)]
///     pub enum Stop {
///         /// At the first error.
///         #[default]
///         Early,
///         /// At the end.
///         Late,
///     }
/// }
///
/// assert_eq!((Stop::Late.to_string(), "early".parse()), ("late".to_owned(), Ok(Stop::Early)));
/// assert_eq!(serde_json::to_value(Stop::Late)?, "late");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! word_enum {
    ($(#[$attribute:meta])* pub enum $name:ident { $($variants:tt)* }) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize,
            strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantNames,
        )]
        #[serde(rename_all = "lowercase")]
        #[strum(serialize_all = "lowercase")]
        $(#[$attribute])*
        pub enum $name { $($variants)* }
    };
}
