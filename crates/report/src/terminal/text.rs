//! Lines of a terminal: words wrapped at its width, a label before a block, and colour where the terminal shows it.
//! A line knows how it is to look and not by which codes, so that a pipe gets the same text without them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Plain,
    /// The answer.
    Strong,
    /// Heads and notes.
    Dim,
    Good,
    Doubtful,
    Bad,
    /// A number that does not count.
    Struck,
}

#[derive(Clone, Debug)]
pub struct Line {
    /// Before the text, in a column of its own.
    label: Option<String>,
    text: String,
    pub look: Look,
}

/// Columns of a label, with the space behind it.
const LABEL: usize = 8;

impl Line {
    pub fn plain(text: impl Into<String>) -> Self {
        Self { label: None, text: text.into(), look: Look::Plain }
    }
    pub fn labelled(label: &str, text: &str) -> Self {
        Self { label: Some(label.into()), ..Self::plain(text) }
    }
    pub fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }
    /// Text behind a label, wrapped and at most so many lines: whole sentences, where the first of them fits.
    pub fn block(label: &str, text: &str, width: usize, most: usize) -> Vec<Self> {
        let width = width.saturating_sub(LABEL);
        let ends = text.match_indices(". ").map(|(at, _)| at + 1).chain([text.len()]);
        let whole = ends.map(|end| wrapped(&text[..end], width)).take_while(|lines| lines.len() <= most).last();
        let lines = whole.unwrap_or_else(|| cut(wrapped(text, width), most));
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        lines.iter().zip(labels).map(|(line, label)| Self::labelled(label, line)).collect()
    }
}

/// Whether codes are written.
#[derive(Clone, Copy)]
pub struct Paint(pub bool);

impl Paint {
    pub fn line(self, line: &Line) -> String {
        let text = self.coloured(&line.text, line.look);
        match &line.label {
            Some(label) => {
                let label = format!("{label:LABEL$}");
                format!("{}{text}", self.coloured(&label, Look::Dim))
            }
            None => text,
        }
    }
    fn coloured(self, text: &str, look: Look) -> String {
        let code = match look {
            Look::Plain => return text.into(),
            Look::Strong => "1",
            Look::Dim => "2",
            Look::Good => "32",
            Look::Doubtful => "33",
            Look::Bad => "31",
            Look::Struck => "2;9",
        };
        if self.0 && !text.trim().is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }
}

/// What a line does not end before: the unit of the number behind which it stands.
const UNITS: [&str; 20] = [
    "%", "ns", "µs", "ms", "s", "min", "h", "Hz", "B", "KB", "MB", "GB", "KiB", "MiB", "GiB", "QPS", "TPS", "NOPM",
    "CPU", "CPUs",
];
/// What a line does not end behind.
const SIGNS: [&str; 3] = ["×", "±", "≤"];

/// What stays on one line: words, and numbers with their signs and units.
fn unbroken(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches(['.', ',', ';', ':', ')', '/']);
        match all.last_mut() {
            Some(last) if last.ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&bare) => {
                *last = format!("{last} {word}");
            }
            Some(last) if SIGNS.contains(&last.as_str()) => *last = format!("{last} {word}"),
            Some(_) | None => all.push(word.into()),
        }
    }
    all
}

/// A word longer than a line keeps a line for itself.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in &unbroken(text) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.clone()),
        }
    }
    lines
}

/// At most so many lines; what is left out is marked.
pub fn cut(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let mut words = unbroken(last);
            if words.len() > 1 {
                words.pop();
            }
            *last = format!("{} …", words.join(" "));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_what_is_left_out_is_marked() {
        assert_eq!(wrapped("a bc def ghij", 6), ["a bc", "def", "ghij"]);
        assert_eq!(cut(wrapped("one two three four five six", 9), 2), ["one two", "three …"]);
        assert_eq!(wrapped("incomprehensibilities are", 8), ["incomprehensibilities", "are"]);
    }

    #[test]
    fn a_number_stays_with_its_unit_and_its_sign() {
        assert_eq!(wrapped("it takes 14 % more", 11), ["it takes", "14 % more"]);
        assert_eq!(wrapped("up to 3.1 µs, × 1.2 ± 0.1 ms", 12), ["up to", "3.1 µs,", "× 1.2", "± 0.1 ms"]);
        assert_eq!(cut(wrapped("costs 3.1 µs 14 % of it", 10), 1), ["costs …"]);
    }

    #[test]
    fn a_pipe_gets_the_text_and_no_codes() {
        let line = Line::labelled("counts", "All 3 numbers stand.").look(Look::Good);
        assert_eq!(Paint(false).line(&line), "counts  All 3 numbers stand.");
        assert_eq!(Paint(true).line(&line), "\x1b[2mcounts  \x1b[0m\x1b[32mAll 3 numbers stand.\x1b[0m");
    }
}
