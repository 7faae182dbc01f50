//! Guesses the programming language of a text from the starts and ends of its lines, which comments and layout hardly
//! affect.

use super::Language;

const WITH_COLON: [&[u8]; 10] =
    [b"def", b"class", b"if", b"elif", b"else", b"for", b"while", b"try", b"except", b"with"];
const OF_SQL: [&[u8]; 8] = [b"select", b"insert", b"update", b"alter", b"drop", b"where", b"values", b"grant"];
const OF_PREPROCESSOR: [&[u8]; 9] =
    [b"include", b"define", b"if", b"endif", b"else", b"elif", b"undef", b"pragma", b"error"];

/// The language with the most signs; C if there is none.
pub(super) fn guess(text: &[u8]) -> Language {
    let mut signs = Signs::default();
    text.split(|byte| *byte == b'\n').for_each(|line| signs.read(line.trim_ascii()));
    signs.most()
}

/// Evidence for each language.
#[derive(Default)]
struct Signs {
    c: u64,
    python: u64,
    shell: u64,
    sql: u64,
    lisp: u64,
}

impl Signs {
    fn read(&mut self, line: &[u8]) {
        let (Some(first), Some(last)) = (line.first(), line.last()) else { return };
        let word = line.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
        match first {
            b'/' if line.starts_with(b"//") || line.starts_with(b"/*") => self.c += 2,
            b'#' => self.read_hash(&line[1..]),
            b'-' if line.starts_with(b"--") => self.sql += 2,
            b';' => self.lisp += 2,
            b'(' if is_a_form(line) => self.lisp += 2,
            b'$' | b'@' if *last == b';' => self.shell += 2,
            b'"' | b'\'' if line.starts_with(b"\"\"\"") || line.starts_with(b"'''") => self.python += 2,
            _ => {}
        }
        match word {
            _ if OF_SQL.iter().any(|sql| word.eq_ignore_ascii_case(sql)) => self.sql += 2,
            b"my" | b"sub" | b"our" if matches!(last, b';' | b'{') => self.shell += 2,
            b"use" if matches!(last, b';' | b'{') => self.shell += 1,
            _ => {}
        }
        match last {
            b';' if line.ends_with(b";;") => self.shell += 3,
            b';' => self.c += 1,
            b'{' | b'}' if line.len() == 1 => self.c += 1,
            b'{' if opens_a_block(line) => self.c += 2,
            b':' if WITH_COLON.contains(&word) => self.python += 3,
            _ => self.read_word(word, line),
        }
    }

    fn read_hash(&mut self, rest: &[u8]) {
        let rest = rest.trim_ascii_start();
        match rest.first() {
            Some(b'!') if memchr::memmem::find(rest, b"python").is_none() => self.shell += 3,
            // Attributes of Rust.
            Some(b'[') => self.c += 1,
            _ if OF_PREPROCESSOR.iter().any(|word| rest.starts_with(word)) => self.c += 1,
            _ => {
                self.python += 1;
                self.shell += 1;
            }
        }
    }

    fn read_word(&mut self, word: &[u8], line: &[u8]) {
        match word {
            b"fi" | b"done" | b"esac" | b"then" | b"do" if word == line => self.shell += 3,
            b"if" | b"while" | b"for" | b"elif" if line.ends_with(b"; then") || line.ends_with(b"; do") => {
                self.shell += 3;
            }
            b"end" if word == line => {
                self.shell += 1;
                self.sql += 1;
            }
            b"def" => self.shell += 1,
            b"import" if !line.contains(&b'\'') && !line.contains(&b'"') => self.python += 1,
            b"from" | b"pass" | b"raise" => self.python += 1,
            b"local" => self.sql += 1,
            _ => {}
        }
    }

    fn most(&self) -> Language {
        let all = [
            (self.c, Language::C),
            (self.python, Language::Python),
            (self.shell, Language::Shell),
            (self.sql, Language::Sql),
            (self.lisp, Language::Lisp),
        ];
        let most = all.iter().map(|(signs, _)| *signs).max().unwrap_or_default();
        all.into_iter().find(|(signs, _)| *signs == most).map_or(Language::C, |(_, language)| language)
    }
}

/// True if the brace at the end of a line opens a block, and not a value.
fn opens_a_block(line: &[u8]) -> bool {
    let before = line[..line.len() - 1].trim_ascii_end().last();
    before.is_some_and(|byte| *byte == b')' || *byte == b'_' || byte.is_ascii_alphanumeric())
}

/// True if a line in brackets is a Lisp form, and not a value in a list.
fn is_a_form(line: &[u8]) -> bool {
    line.get(1).is_some_and(u8::is_ascii_alphabetic)
        && (line.ends_with(b")") || line.ends_with(b"]"))
        && !line.contains(&b',')
}
