//! The questions whose answers can be compared between annotators.

use super::tables::Tables;
use crate::journal::Material;
use crate::protocol::Question;

/// A question with labels or tags that at least two annotators answered.
#[derive(Debug, Clone, Copy)]
pub struct AskedQuestion<'t> {
    /// The name before the `@` of the question's columns; [`Tables::pairs`] takes it.
    pub name: &'t str,
    pub question: &'t Question,
    /// The judgments under the question's protocol.
    pub judged: &'t Material,
}

impl Tables {
    /// The questions with labels or tags that at least two annotators answered, protocol after protocol.
    pub fn asked_questions(&self) -> Vec<AskedQuestion<'_>> {
        let places = self.questions.iter().filter(|place| place.annotators.len() > 1);
        let asked = places.filter_map(|place| {
            let judged = self.judged.get(place.protocol)?;
            let question = judged.protocol.question(&place.key)?;
            Some(AskedQuestion { name: &place.short, question, judged })
        });
        asked.filter(|asked| !asked.question.offered().is_empty()).collect()
    }
}
