//! Words of commands that people are told to run.

use super::width::visible;

/// The word as a shell takes it, in quotes where it needs them.
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.,:/@+".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", visible(word).replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_what_a_shell_takes() {
        for (word, told) in [
            ("alice,bora", "alice,bora"),
            ("Zoë", "Zoë"),
            ("Anna Maria", "'Anna Maria'"),
            ("O'Hara", r"'O'\''Hara'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), told);
        }
    }
}
