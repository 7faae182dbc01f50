//! Many strings in two vectors, instead of an allocation each: a column of a table, or the values of a field.

/// Strings, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a string at the end.
    pub fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len());
    }

    /// String `at`.
    #[inline]
    pub fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|at| self.get(at))
    }

    /// How much memory the strings take.
    pub fn byte_count(&self) -> usize {
        self.text.len() + size_of_val::<[usize]>(&self.ends)
    }

    /// Adds all strings of `others`.
    pub fn append(&mut self, others: &Self) {
        let before = self.text.len();
        self.text.push_str(&others.text);
        self.ends.extend(others.ends.iter().map(|end| before + end));
    }
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut all = Self::default();
        strings.into_iter().for_each(|string| all.push(string.as_ref()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_again() {
        let mut strings: Strings = ["one", "", "three"].into_iter().collect();
        strings.append(&["four"].into_iter().collect());
        assert_eq!(strings.iter().collect::<Vec<_>>(), ["one", "", "three", "four"]);
        assert_eq!((strings.get(1), strings.len()), ("", 4));
    }
}
