//! Syntax of the languages in each group: comments, strings, and the meaning of layout.

use super::Language;

/// Syntax of tokens.
pub(super) struct Syntax {
    /// Start of a comment that ends with its line.
    pub(super) line: &'static [u8],
    /// Start and end of other comments.
    pub(super) blocks: &'static [(&'static [u8], &'static [u8])],
    /// The characters around strings.
    pub(super) quotes: &'static [u8],
    /// True if those strings may span several lines.
    pub(super) strings_have_lines: bool,
    /// Strings that may have three quotes at both ends, or backquotes.
    pub(super) long: Long,
    /// True if line ends and indentation are significant.
    pub(super) is_by_layout: bool,
    /// True if regular expressions are written between slashes, and preprocessor lines start with `#`.
    pub(super) has_slashes: bool,
}

/// Multi-line strings, in addition to the usual ones.
#[derive(PartialEq, Eq)]
pub(super) enum Long {
    None,
    Triple,
    Backquotes,
}

const PLAIN: Syntax = Syntax {
    line: b"//",
    blocks: &[],
    quotes: b"'\"",
    strings_have_lines: true,
    long: Long::None,
    is_by_layout: false,
    has_slashes: false,
};

const C: Syntax =
    Syntax { blocks: &[(b"/*", b"*/")], strings_have_lines: false, long: Long::Backquotes, has_slashes: true, ..PLAIN };
const PYTHON: Syntax =
    Syntax { line: b"#", strings_have_lines: false, long: Long::Triple, is_by_layout: true, ..PLAIN };
const SHELL: Syntax = Syntax { line: b"#", ..PLAIN };
const SQL: Syntax = Syntax { line: b"--", blocks: &[(b"--[[", b"]]"), (b"/*", b"*/"), (b"{-", b"-}")], ..PLAIN };
const LISP: Syntax = Syntax { line: b";", blocks: &[(b"#|", b"|#")], quotes: b"\"", ..PLAIN };

impl Syntax {
    /// The syntax of a language that is known.
    pub(super) fn of(language: Language) -> &'static Self {
        match language {
            Language::Any | Language::C => &C,
            Language::Python => &PYTHON,
            Language::Shell => &SHELL,
            Language::Sql => &SQL,
            Language::Lisp => &LISP,
        }
    }
}

/// Operators of more than one character, the longest first.
pub(super) const OPERATORS: [&[u8]; 45] = [
    b">>>=", b"<=>", b"===", b"!==", b">>>", b"<<=", b">>=", b"**=", b"//=", b"...", b"..=", b"??=", b"&&=", b"||=",
    b"<=", b">=", b"==", b"!=", b"&&", b"||", b"++", b"--", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=",
    b"<<", b">>", b"->", b"=>", b"::", b"..", b"??", b"?.", b"**", b":=", b"<-", b"|>", b"=~", b"!~", b"##",
];

/// Words after which a slash starts a regular expression: no value ends with them.
pub(super) const BEFORE_A_VALUE: [&[u8]; 11] =
    [b"return", b"typeof", b"case", b"in", b"of", b"delete", b"void", b"throw", b"new", b"else", b"do"];

/// Words that keep their meaning where identifiers are folded, sorted: those of all languages together.
const KEYWORDS: [&str; 108] = [
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "defer",
    "del",
    "delete",
    "do",
    "done",
    "double",
    "elif",
    "else",
    "elsif",
    "end",
    "enum",
    "esac",
    "except",
    "export",
    "extends",
    "extern",
    "false",
    "fi",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "foreach",
    "from",
    "func",
    "function",
    "global",
    "go",
    "goto",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "is",
    "lambda",
    "let",
    "local",
    "long",
    "loop",
    "match",
    "mod",
    "module",
    "mut",
    "namespace",
    "new",
    "nil",
    "nonlocal",
    "not",
    "null",
    "or",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "range",
    "return",
    "select",
    "self",
    "short",
    "signed",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "template",
    "then",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeof",
    "union",
    "unsigned",
    "use",
    "using",
    "var",
    "void",
    "while",
];

/// True if a byte is part of identifiers and numbers. All characters beyond ASCII are, so that the Unicode version does
/// not matter.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// True if a token is an identifier that someone chose.
pub(super) fn is_name(token: &[u8]) -> bool {
    let starts_a_name = token.first().is_some_and(|byte| is_word(*byte) && !byte.is_ascii_digit());
    starts_a_name && KEYWORDS.binary_search_by(|keyword| keyword.as_bytes().cmp(token)).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_the_order_that_they_are_searched_in() {
        assert!(KEYWORDS.is_sorted());
        assert!(OPERATORS.is_sorted_by_key(|operator| std::cmp::Reverse(operator.len())));
        assert!(is_name(b"selfish") && is_name(b"_x") && !is_name(b"self") && !is_name(b"1x") && !is_name(b"\"x\""));
    }
}
