//! Reads the files of Amazon's tools: the keys, region and endpoint of one profile.
//!
//! Only literal values are used. A profile that refers to a program, single sign-on or a role has no keys; in that
//! case, Amazon's tool offers `aws configure export-credentials --format env`.

use super::settings::Settings;

/// The settings of profile `name` in the contents of `credentials` and `config`; the first takes precedence.
pub(super) fn section(credentials: &str, config: &str, name: &str) -> Settings {
    let mut found = Settings::new();
    let in_credentials = entries(credentials, |heading| heading == name);
    let in_config = entries(config, |heading| {
        // The default profile may be written with or without the word.
        heading.strip_prefix("profile").is_some_and(|rest| rest.starts_with([' ', '\t']) && rest.trim() == name)
            || heading == name && name == "default"
    });
    for (key, value) in in_credentials.chain(in_config) {
        let name = match key {
            "aws_access_key_id" | "aws_secret_access_key" | "aws_session_token" => key.to_owned(),
            "region" | "endpoint_url" => format!("aws_{key}"),
            _ => continue,
        };
        found.entry(name).or_insert_with(|| value.to_owned());
    }
    found
}

/// The entries under matching headings.
fn entries<'a>(text: &'a str, is_meant: impl Fn(&str) -> bool + 'a) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut is_inside = false;
    text.lines().filter_map(move |line| {
        if let Some(heading) = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_inside = is_meant(heading.trim());
            return None;
        }
        // Indented lines belong to the entry above, such as the settings of one service.
        if !is_inside || line.starts_with([' ', '\t', '#', ';']) {
            return None;
        }
        let (key, value) = line.split_once('=')?;
        Some((key.trim(), value.trim())).filter(|(_, value)| !value.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_profile_that_is_meant_is_read() {
        let credentials = "[a]\naws_access_key_id = A\n; note\n[b]\naws_access_key_id=B\naws_secret_access_key = x=y\n";
        let config = "[default]\nregion=r0\n[profile b]\nregion = r1\ns3 =\n  endpoint_url = inner\n[b]\nregion = r2\n";
        let found = section(credentials, config, "b");
        let found: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("aws_access_key_id", "B"), ("aws_region", "r1"), ("aws_secret_access_key", "x=y")]);
        assert_eq!(section(credentials, config, "default")["aws_region"], "r0");
        assert!(section(credentials, config, "c").is_empty());
    }
}
