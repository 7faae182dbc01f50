//! Converts the environment to options under the names that `object_store` uses.
//!
//! Each store's own tools support more settings, and other names, than `object_store`: a profile file, a connection
//! string, `AZURE_STORAGE_ACCOUNT`. These are converted here. The environment takes precedence over files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::profile;

/// Options by lower-case name, such as `aws_region`.
pub(super) type Settings = BTreeMap<String, String>;

/// The settings from the environment of this process.
pub(super) fn of_environment() -> Settings {
    // Not `vars`, which panics on any variable that is not valid Unicode.
    let all =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    of_variables(all, std::env::home_dir().as_deref())
}

/// The settings from these variables, with the files of the tools in `home`.
pub(super) fn of_variables(variables: impl IntoIterator<Item = (String, String)>, home: Option<&Path>) -> Settings {
    const PREFIXES: [&str; 3] = ["aws_", "google_", "azure_"];
    let lower = variables.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
    let others = ["service_account", "msi_endpoint", "identity_endpoint"];
    let is_ours = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || others.contains(&name);
    // An empty variable counts as unset.
    let mut settings: Settings = lower.filter(|(name, value)| is_ours(name) && !value.is_empty()).collect();
    for (theirs, ours) in [
        ("service_account", "google_service_account"),
        ("msi_endpoint", "azure_msi_endpoint"),
        ("identity_endpoint", "azure_identity_endpoint"),
        ("azure_storage_account", "azure_storage_account_name"),
        ("azure_storage_key", "azure_storage_account_key"),
    ] {
        if let Some(value) = settings.remove(theirs) {
            settings.entry(ours.to_owned()).or_insert(value);
        }
    }
    if let Some(connection) = settings.remove("azure_storage_connection_string") {
        add_missing(&mut settings, of_connection_string(&connection));
    }
    let profile = amazon_profile(&settings, home);
    add_missing(&mut settings, profile);
    settings
}

fn add_missing(settings: &mut Settings, more: Settings) {
    for (name, value) in more {
        settings.entry(name).or_insert(value);
    }
}

/// The settings that Amazon's tools take from a file, unless the environment has credentials.
fn amazon_profile(settings: &Settings, home: Option<&Path>) -> Settings {
    const IDENTITIES: [&str; 5] = [
        "aws_access_key_id",
        "aws_skip_signature",
        "aws_web_identity_token_file",
        "aws_container_credentials_relative_uri",
        "aws_container_credentials_full_uri",
    ];
    let file = |variable: &str, name: &str| {
        let given = settings.get(variable).map(PathBuf::from);
        given.or_else(|| home.map(|home| home.join(".aws").join(name)))
    };
    let name =
        settings.get("aws_profile").or_else(|| settings.get("aws_default_profile")).map_or("default", String::as_str);
    let text = |path: Option<PathBuf>| path.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let credentials = text(file("aws_shared_credentials_file", "credentials"));
    let config = text(file("aws_config_file", "config"));
    let mut found = profile::section(&credentials, &config, name);
    if IDENTITIES.iter().any(|identity| settings.contains_key(*identity)) {
        // A key and a token of different origins would not match.
        found.retain(|name, _| matches!(name.as_str(), "aws_region" | "aws_endpoint_url" | "aws_endpoint_url_s3"));
    }
    found
}

/// Parses `AccountName=…;AccountKey=…`, as shown by the Azure portal.
fn of_connection_string(text: &str) -> Settings {
    let parts = text.split(';').filter_map(|part| part.trim().split_once('='));
    let named = parts.filter_map(|(name, value)| {
        let name = match name {
            "AccountName" => "azure_storage_account_name",
            "AccountKey" => "azure_storage_account_key",
            "SharedAccessSignature" => "azure_storage_sas_token",
            "BlobEndpoint" => "azure_storage_endpoint",
            _ => return None,
        };
        Some((name.to_owned(), value.to_owned()))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)], home: Option<&Path>) -> Settings {
        of_variables(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())), home)
    }

    #[test]
    fn variables_of_other_programs_are_left_alone() {
        let settings = of(&[("PATH", "/bin"), ("AWS_REGION", "eu-west-1"), ("AWS_ENDPOINT_URL", "")], None);
        assert_eq!(settings.into_iter().collect::<Vec<_>>(), [("aws_region".to_owned(), "eu-west-1".to_owned())]);
    }

    #[test]
    fn the_names_that_azures_tools_use_work_too() {
        let settings = of(
            &[
                ("AZURE_STORAGE_ACCOUNT", "a"),
                ("AZURE_STORAGE_CONNECTION_STRING", "AccountName=b;AccountKey=k==;EndpointSuffix=x"),
            ],
            None,
        );
        assert_eq!(settings["azure_storage_account_name"], "a");
        assert_eq!(settings["azure_storage_account_key"], "k==");
    }

    #[test]
    fn a_profile_gives_what_the_environment_does_not() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".aws")).unwrap();
        let credentials = "[default]\naws_access_key_id = D\naws_secret_access_key = d\n[work]\naws_access_key_id=W\naws_secret_access_key=w\n";
        std::fs::write(home.path().join(".aws/credentials"), credentials).unwrap();
        std::fs::write(home.path().join(".aws/config"), "[profile work]\nregion = eu-central-1\n").unwrap();
        assert_eq!(of(&[], Some(home.path()))["aws_access_key_id"], "D");
        let work = of(&[("AWS_PROFILE", "work")], Some(home.path()));
        assert_eq!((work["aws_secret_access_key"].as_str(), work["aws_region"].as_str()), ("w", "eu-central-1"));
        let given = of(&[("AWS_PROFILE", "work"), ("AWS_ACCESS_KEY_ID", "G")], Some(home.path()));
        assert_eq!((given["aws_access_key_id"].as_str(), given.get("aws_secret_access_key")), ("G", None));
        assert_eq!(given["aws_region"], "eu-central-1");
    }
}
