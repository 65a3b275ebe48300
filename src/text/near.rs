//! The word that was probably meant.

/// The known word that is nearest: at most two typing mistakes away, or one in a short word.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let most = if word.chars().count() > 4 { 2 } else { 1 };
    known
        .into_iter()
        .map(|known| (strsim::osa_distance(word, known), known))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}
