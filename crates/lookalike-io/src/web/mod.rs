//! stub
pub(crate) mod charset {
    use std::borrow::Cow;
    pub(crate) fn decode<'a>(bytes: &'a [u8], _declared: Option<&str>, _is_html: bool) -> Cow<'a, str> {
        match std::str::from_utf8(bytes) {
            Ok(t) => Cow::Borrowed(t),
            Err(_) => Cow::Owned(bytes.iter().map(|b| *b as char).collect()),
        }
    }
    pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
        bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
    }
}
pub(crate) mod http {
    use std::borrow::Cow;
    pub(crate) struct Response<'a> {
        pub(crate) content_type: Option<&'a str>,
        pub(crate) body: Cow<'a, [u8]>,
    }
    pub(crate) fn response<'a>(block: &'a [u8], _most: usize) -> Result<Response<'a>, String> {
        Ok(Response { content_type: None, body: Cow::Borrowed(block) })
    }
}
/// stub
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extract {
    #[default]
    Text,
    Article,
}
pub(crate) enum Content {
    Text,
    NotText,
}
pub(crate) fn text_of(body: &[u8], _c: Option<&str>, _e: Extract, text: &mut String) -> Content {
    text.clear();
    if body.len() == 1 << 40 {
        return Content::NotText;
    }
    text.push_str(&String::from_utf8_lossy(body));
    Content::Text
}
pub(crate) fn looks_like_html(start: &[u8]) -> bool {
    start.starts_with(b"<!DOCTYPE")
}
