//! Source code to tokens: identifiers, numbers, strings, operators and brackets, without comments.
//!
//! White space counts where it does in the language: line ends and indentation of Python, not of C. Case counts. Nothing
//! is normalized, so that texts with the same tokens are the same program up to layout and comments.
//!
//! Languages are distinguished only as far as their tokens differ: how comments and strings are written, and whether
//! layout counts. The language is part of the request, or is guessed from each text (`guess.rs`): the same text has the
//! same tokens wherever it is stored.

mod guess;
mod lexer;
mod syntax;

use std::fmt;
use std::str::FromStr;

use crate::hash::Hasher;
use crate::text::tokenize::TokenSink;

pub(crate) use self::lexer::Lexer;

/// A group of languages whose tokens are written in the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// The language of each text is guessed.
    #[default]
    Any,
    /// C, C++, Java, JavaScript, Go, Rust and the like.
    C,
    /// Python, in which indentation counts.
    Python,
    /// Shell, Ruby, Perl, R and the like: comments start with `#`.
    Shell,
    /// SQL, Lua, Haskell and the like: comments start with `--`.
    Sql,
    /// Lisp, Clojure, Scheme, assembly: comments start with `;`.
    Lisp,
}

/// The names of each language, and the extensions of its files: the first name is that of the group.
const LANGUAGES: [(Language, &[&str], &[&str]); 5] = [
    (
        Language::C,
        &["c", "c++", "csharp", "golang", "javascript", "kotlin", "rust", "typescript"],
        &[
            "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cu", "cuh", "cs", "java", "js", "jsx", "mjs", "cjs",
            "ts", "tsx", "mts", "cts", "go", "rs", "swift", "kt", "kts", "scala", "groovy", "dart", "php", "css",
            "scss", "less", "proto", "zig", "sol", "glsl",
        ],
    ),
    (Language::Python, &["python"], &["py", "pyi", "pyx", "pxd"]),
    (
        Language::Shell,
        &["shell", "bash", "elixir", "julia", "perl", "ruby"],
        &["sh", "bash", "zsh", "fish", "rb", "rake", "pl", "pm", "r", "jl", "ex", "exs", "tcl", "awk", "cmake", "ps1"],
    ),
    (Language::Sql, &["sql", "haskell"], &["sql", "lua", "hs", "elm", "adb", "ads", "vhd", "vhdl"]),
    (
        Language::Lisp,
        &["lisp", "clojure", "scheme", "assembly"],
        &["lisp", "lsp", "el", "clj", "cljs", "cljc", "scm", "rkt", "asm", "s"],
    ),
];

impl Language {
    /// The language of a file with this extension, in small letters; none if it is not known for source code.
    pub fn of_extension(extension: &str) -> Option<Self> {
        LANGUAGES.iter().find(|(.., extensions)| extensions.contains(&extension)).map(|(language, ..)| *language)
    }

    fn name(self) -> &'static str {
        LANGUAGES.iter().find(|(language, ..)| *language == self).map_or("any", |(_, names, _)| names[0])
    }
}

/// Parses a name (`rust`) or an extension (`rs`).
impl FromStr for Language {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let named = LANGUAGES.iter().find(|(_, names, _)| names.contains(&name)).map(|(language, ..)| *language);
        named.or_else(|| Self::of_extension(name)).ok_or(())
    }
}

/// The name of its group.
impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Stands for every identifier where these are folded; no token of a text is this.
const IDENTIFIER: &[u8] = b"\nidentifier";

/// Number of tokens that are hashed together with a secret key.
const TOGETHER: usize = 1024;

/// Passes the tokens of `text` to `sink`.
pub(crate) fn tokenize(
    text: &str,
    language: Language,
    folds_identifiers: bool,
    hasher: &mut Hasher,
    sink: &mut impl TokenSink,
) {
    let mut lexer = Lexer::new(text, language);
    while let Some(token) = lexer.next_token() {
        let bytes = if folds_identifiers && syntax::is_name(token.bytes) { IDENTIFIER } else { token.bytes };
        sink.token(hasher.hash_or_note(bytes), token.start, token.end);
        if hasher.noted_count() == TOGETHER {
            hasher.hash_noted(sink.last_hashes(TOGETHER));
        }
    }
    hasher.hash_noted(sink.last_hashes(hasher.noted_count()));
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn tokens(text: &str, language: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text, language.parse().unwrap_or_default());
        let mut tokens = Vec::new();
        while let Some(token) = lexer.next_token() {
            assert!(token.start <= token.end && text.is_char_boundary(token.start) && text.is_char_boundary(token.end));
            tokens.push(String::from_utf8(token.bytes.to_vec()).unwrap());
        }
        tokens
    }

    #[test]
    fn every_extension_and_name_is_of_one_language() {
        let mut all: Vec<&str> = LANGUAGES.iter().flat_map(|(_, _, extensions)| extensions.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        for (language, names, _) in LANGUAGES {
            assert!(names.iter().all(|name| name.parse() == Ok(language)));
            assert_eq!(language.to_string().parse(), Ok(language));
        }
        assert_eq!(Language::of_extension("txt"), None);
    }

    #[test]
    fn operators_and_numbers_are_tokens_and_comments_are_none() {
        assert_eq!(
            tokens("if (x<=1.5e3 /* or */ && y->z) { // less\n  a[i] += 'c'; }", "c"),
            ["if", "(", "x", "<=", "1.5e3", "&&", "y", "->", "z", ")", "{", "a", "[", "i", "]", "+=", "'c'", ";", "}"]
        );
    }

    #[test]
    fn layout_counts_in_python_and_not_in_c() {
        let [c, other] = ["if (a)\n{\n    b();\n}\n", "if (a) { b(); }"].map(|text| tokens(text, "c"));
        assert_eq!(c, other);
        let python = tokens("if a:\n    b(1,\n      2)\nc\n", "python");
        assert_eq!(python, ["if", "a", ":", "\n", "\n>", "b", "(", "1", ",", "2", ")", "\n", "\n<", "c", "\n"]);
        assert_eq!(tokens("if a: # why\n\n  b(1, 2)\nc", "python"), python);
        assert_ne!(tokens("if a:\n    b(1, 2)\n    c\n", "python"), python);
    }

    #[test]
    fn what_is_in_a_string_is_no_comment() {
        assert_eq!(tokens("s = \"http://x # y\" # z", "python"), ["s", "=", "\"http://x # y\"", "\n"]);
        assert_eq!(tokens("a = `// ${b}\n/*`; // c", "js"), ["a", "=", "`// ${b}\n/*`", ";"]);
        assert_eq!(tokens("a = /[/*]\\//; b = c / d / e", "js").len(), 11);
        // A quote without a partner on its line is a token by itself: the lifetime of a reference, an apostrophe.
        assert_eq!(tokens("fn a(b: &'c str)\n{}", "rs")[6..8], ["'", "c"]);
        assert_eq!(tokens("x = '''a\n# b'''", "python"), ["x", "=", "'''a\n# b'''", "\n"]);
    }

    #[test]
    fn operators_that_are_apart_are_not_one() {
        assert_ne!(tokens("A - -B", "c"), tokens("A --B", "c"));
        assert_eq!(tokens("a>>=b", "c"), ["a", ">>=", "b"]);
    }

    #[test]
    fn a_text_tells_its_language() {
        for (text, language) in [
            ("def f(x):\n    return x  # why\n", Language::Python),
            ("int f(int x) {\n    return x; // why\n}\n", Language::C),
            ("#include <a.h>\n# define X 1\nint a;\n", Language::C),
            ("#!/bin/sh\n# why\nif true; then\n  ls\nfi\n", Language::Shell),
            ("-- why\nselect a from b\nwhere c = 1\n", Language::Sql),
            ("; why\n(define (f x)\n  x)\n", Language::Lisp),
            ("", Language::C),
        ] {
            assert_eq!(guess::guess(text.as_bytes()), language, "{text}");
        }
    }

    #[test]
    fn strings_that_nobody_closes_are_read_once() {
        let begun = Instant::now();
        for (pattern, language) in [("\"\\", "c"), ("'\\", "shell"), ("/\\", "js"), ("/[\\", "js"), ("\\'''", "python")]
        {
            let count = tokens(&pattern.repeat(100_000), language).len();
            assert!(count >= 100_000, "{pattern} {count}");
        }
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }

    #[test]
    fn an_unclosed_string_changes_no_other() {
        // The second quote is one that a backslash stands before, as it was for the first.
        assert_eq!(tokens("\"a\\\"b\n\"c\"", "c"), ["\"", "a", "\\", "\"", "b", "\"c\""]);
        assert_eq!(tokens("'a\\'b \"c\"", "c"), ["'", "a", "\\", "'", "b", "\"c\""]);
        // What ends nowhere within brackets may end without them.
        assert_eq!(tokens("= /[a/ + /b/ /[/", "js"), ["=", "/", "[", "a", "/", "+", "/b/", "/", "[", "/"]);
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in
            ["'", "\"\\", "/", "/*", "'''", "\\\n", "\u{feff}a", "a\\\r\nb", ")]}", "\"\u{e9}\\\u{e9}", "#", "1."]
        {
            for language in ["any", "c", "python", "shell", "sql", "lisp"] {
                tokens(text, language);
            }
        }
        assert_eq!(tokens("\u{feff}é = 1\\\r\n+ 2", "python"), ["é", "=", "1", "+", "2", "\n"]);
    }
}
