//! Collects the strings at a path of a JSON value, such as `messages[].content`, for a text that combines several.

use serde_json::value::RawValue;

use super::fields::entries;
use crate::composed::Composer;

/// Adds the strings at `path` of a JSON value.
///
/// # Errors
///
/// If there is a value other than a text.
pub(crate) fn gather(value: &str, path: &str, composer: &mut Composer<'_>) -> Result<(), String> {
    for (key, value) in entries(value) {
        let Some(rest) = path.strip_prefix(&*key) else { continue };
        match rest {
            "" => leaf(value, composer)?,
            "[]" => elements(value).into_iter().try_for_each(|element| leaf(element, composer))?,
            _ => match (rest.strip_prefix('.'), rest.strip_prefix("[].")) {
                (Some(inner), _) => gather(value, inner, composer)?,
                (_, Some(inner)) => {
                    if value.starts_with('[') {
                        composer.note();
                    }
                    elements(value).into_iter().try_for_each(|element| gather(element, inner, composer))?;
                }
                (None, None) => {}
            },
        }
    }
    Ok(())
}

fn leaf(value: &str, composer: &mut Composer<'_>) -> Result<(), String> {
    composer.note();
    match value.as_bytes().first() {
        Some(b'"') => composer.push(&serde_json::from_str::<String>(value).map_err(|error| error.to_string())?),
        Some(b'n') => {}
        Some(b'[') => return Err("is a list: write [] after its name".to_owned()),
        _ => return Err("is not a text".to_owned()),
    }
    Ok(())
}

/// The elements of a list as written; empty if it is not a list.
fn elements(value: &str) -> Vec<&str> {
    serde_json::from_str::<Vec<&RawValue>>(value)
        .map_or_else(|_| Vec::new(), |all| all.into_iter().map(RawValue::get).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composed::paths;

    fn composed(value: &str, text: &str, tells_fields_apart: bool) -> Result<(String, bool), String> {
        let mut joined = "before".to_owned();
        let mut composer = Composer::new(&mut joined, tells_fields_apart);
        for path in paths(text) {
            composer.begin_field();
            gather(value, path, &mut composer)?;
        }
        let has_text = composer.has_text();
        Ok((joined, has_text))
    }

    #[test]
    fn fields_and_elements_come_in_the_order_in_which_they_are_asked_for() {
        let value = r#"{"body": "b", "messages": [{"role": "user", "content": "one"}, {"content": null}, {"content": "tw\u006f"}],
            "title": "t", "meta": {"tags": ["x", "y"]}}"#;
        let joined = |text: &str| composed(value, text, false).unwrap().0;
        assert_eq!(joined("title, body"), "t\nb");
        assert_eq!(joined("messages[].content"), "one\ntwo");
        assert_eq!(joined("meta.tags[],none,messages[].role"), "x\ny\nuser");
        assert_eq!(composed(value, "none,also.none", false).unwrap(), (String::new(), false));
        assert_eq!(composed(value, "title,none,messages[].content", true).unwrap().0, "t\u{1e}\u{1e}one\ntwo");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for (text, reason) in [("a[]", "not a text"), ("b,c", "list: write []"), ("d", "not a text")] {
            let error = composed(r#"{"a": [1], "b": "x", "c": ["y"], "d": {}}"#, text, false).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(composed("{\"a\": \"x\\u001ey\", \"b\": \"z\"}", "a,b", true).unwrap().0, "x y\u{1e}z");
    }
}
