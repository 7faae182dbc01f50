//! Parses an address that a user typed to the store and the path it names.
//!
//! The key in a bucket is taken literally, as the stores' own tools do: `%20` is three characters there, and `?` a
//! pattern. Only `http(s)://` is a real URL, with escapes and a query.

use url::Url;

use crate::address::shown;
use crate::error::{Error, Result};
use crate::remote::Problem;

/// The supported address schemes, for messages.
pub(super) const SCHEMES: &str = "s3://, s3a://, gs://, az://, abfs://, abfss://, https:// or http://";

/// The provider of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cloud {
    Amazon,
    Google,
    Azure,
}

/// A location in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// An object in a bucket: `root` is `s3://bucket`, and `key` everything after the slash.
    Bucket { cloud: Cloud, root: String, key: String },
    /// A URL on a web server.
    Web(Url),
}

impl Address {
    /// Parses an address.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let unknown = || Error::UnknownAddress { url: shown(text), known: SCHEMES };
        let (scheme, rest) = text.split_once("://").ok_or_else(unknown)?;
        let cloud = match scheme.to_ascii_lowercase().as_str() {
            "s3" | "s3a" => Cloud::Amazon,
            "gs" => Cloud::Google,
            "az" | "abfs" | "abfss" => Cloud::Azure,
            "http" | "https" => {
                let mut url = Url::parse(text).map_err(|error| broken(text, &error.to_string()))?;
                // The part after `#` is for browsers, and never sent.
                url.set_fragment(None);
                return Ok(Self::Web(url));
            }
            _ => return Err(unknown()),
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(broken(text, "it names no bucket"));
        }
        Ok(Self::Bucket { cloud, root: format!("{}://{bucket}", scheme.to_ascii_lowercase()), key: key.to_owned() })
    }

    /// The address of `name` below this one.
    pub(super) fn below(&self, name: &str) -> Self {
        match self {
            Self::Bucket { cloud, root, key } => {
                let folder = key.trim_end_matches('/');
                let key = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                Self::Bucket { cloud: *cloud, root: root.clone(), key }
            }
            Self::Web(url) => {
                let mut url = url.clone();
                if let Ok(mut parts) = url.path_segments_mut() {
                    parts.pop_if_empty().extend(name.split('/'));
                }
                Self::Web(url)
            }
        }
    }

    /// The address as text, which can be parsed again.
    pub(super) fn url(&self) -> String {
        match self {
            Self::Bucket { root, key, .. } => format!("{root}/{key}"),
            Self::Web(url) => url.to_string(),
        }
    }

    /// The address for messages.
    pub(super) fn shown(&self) -> String {
        shown(&self.url())
    }
}

fn broken(text: &str, cause: &str) -> Error {
    Error::Remote { url: shown(text), problem: Problem::Address { cause: cause.to_owned() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_as_they_stand() {
        let Address::Bucket { cloud, root, key } = Address::parse("S3://My_Bucket/a%20b/c#d?e*").unwrap() else {
            panic!()
        };
        assert_eq!((cloud, root.as_str(), key.as_str()), (Cloud::Amazon, "s3://My_Bucket", "a%20b/c#d?e*"));
    }

    #[test]
    fn a_query_survives_also_below() {
        let address = Address::parse("https://h/a%2Fb/?sig=x%2By#part").unwrap();
        assert_eq!(address.url(), "https://h/a%2Fb/?sig=x%2By");
        assert_eq!(address.below("c/d e").url(), "https://h/a%2Fb/c/d%20e?sig=x%2By");
    }

    #[test]
    fn an_unknown_scheme_is_told_with_those_that_work() {
        let message = Address::parse("ftp://h/x").unwrap_err().to_string();
        assert!(
            message.contains("ftp://h/x") && message.contains("s3://") && message.contains("https://"),
            "{message}"
        );
        assert!(Address::parse("s3:///x").unwrap_err().to_string().contains("no bucket"));
        assert!(Address::parse("http://").is_err());
    }
}
