//! The word that was probably meant.

/// The nearest known word: at most two typing mistakes away, or one in a short word.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let most = if word.chars().count() > 4 { 2 } else { 1 };
    known
        .into_iter()
        .map(|known| (strsim::osa_distance(word, known), known))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// The known name that another one may stand for: they differ in one letter or in two that changed places, besides
/// capitals. Names with other digits belong to other people.
pub fn one_letter_off<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_near = |known: &&str| {
        name != *known
            && name.chars().count() > 2
            && digits(name) == digits(known)
            && strsim::osa_distance(&name.to_lowercase(), &known.to_lowercase()) < 2
    };
    known.into_iter().find(is_near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_one_letter_off_are_found() {
        for (name, known) in [
            ("alcie", "alice"),
            ("alic", "alice"),
            ("Alice", "alice"),
            ("allice", "alice"),
            ("王小明", "王晓明"),
        ] {
            assert_eq!(one_letter_off(name, ["bora", known]), Some(known), "{name}");
        }
        for (name, known) in
            [("alice", "alice"), ("annotator2", "annotator1"), ("al", "ai"), ("alcei", "alice")]
        {
            assert_eq!(one_letter_off(name, [known]), None, "{name}");
        }
    }
}
