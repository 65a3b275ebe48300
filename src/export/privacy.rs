//! The names of people in a dataset, and which of their words are in it.
//!
//! People are A1, A2, … in the order in which they came into the study, which somebody who joins later does not change. The
//! names say nothing of the people; a number that is a judge's name is passed over. Judges are no people.

use std::collections::{BTreeSet, HashMap};

use super::dataset::DatasetOptions;
use crate::error::Result;
use crate::protocol::{Protocol, Question, QuestionKind};
use crate::report::{Cell, Table, protocols};
use crate::store::{PeopleOrder, StudyFile, summarizer_of};
use crate::study::{
    Adjudication, Annotator, AnnotatorId, AnnotatorKind, Assignment, Candidate, Judgment, Meta, SortedPlace,
};
use crate::text::person::{renamed_behind, renamed_list, renamed_words};

/// The names and words that a dataset may tell.
pub struct Privacy {
    names: HashMap<String, String>,
    protocols: Vec<Protocol>,
    with_names: bool,
    with_text: bool,
}

impl Privacy {
    /// The privacy that these options ask for.
    pub fn of(study: &StudyFile, options: &DatasetOptions) -> Result<Privacy> {
        Ok(Privacy { with_text: options.with_text, ..Privacy::told(study, options.names)? })
    }

    /// People by their names or by pseudonyms, without what they wrote.
    pub fn told(study: &StudyFile, with_names: bool) -> Result<Privacy> {
        let counting = study.annotators()?;
        let names = if with_names {
            counting.into_iter().map(|(_, annotator)| (annotator.id.clone(), annotator.id)).collect()
        } else {
            // What was written under another name, or by somebody who was left out, may still be there.
            let everyone = study.everyone()?;
            let persons = study.people_of(&everyone.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
            let named = everyone.iter().zip(&persons);
            let mut people: Vec<_> = named.clone().filter(|((id, _), person)| id == *person).collect();
            people.sort_by_key(|(one, _)| !counting.contains(one));
            let told = pseudonyms(people.iter().map(|((_, annotator), _)| annotator));
            let key =
                |person: &AnnotatorId| everyone.iter().find(|(id, _)| id == person).map(|(_, one)| &one.id);
            let names = named
                .filter_map(|((_, one), person)| Some((one.id.clone(), told.get(key(person)?)?.clone())));
            names.collect()
        };
        let protocols = protocols::all(study)?;
        Ok(Privacy { names, protocols, with_names, with_text: false })
    }

    /// Gives people who are yet to come into the study the next names.
    #[must_use]
    pub fn with_newcomers<'p>(mut self, people: impl IntoIterator<Item = &'p str>) -> Privacy {
        for person in people {
            if !self.names.contains_key(person) {
                let is_free = |name: &String| self.names.values().all(|other| other != name);
                let name = (1..).map(|number: u32| format!("A{number}")).find(is_free);
                self.names.extend(name.map(|name| (person.to_owned(), name)));
            }
        }
        self
    }

    /// The order of annotators: that of names only where names are told, since it tells something of names.
    pub fn order(&self) -> PeopleOrder {
        if self.with_names { PeopleOrder::Named } else { PeopleOrder::Came }
    }

    /// The told names of annotators, by their keys.
    pub fn names(&self) -> &HashMap<String, String> {
        &self.names
    }

    /// The told name of an annotator.
    pub fn name(&self, key: &str) -> String {
        // A key that the study does not know may still be somebody's name.
        let unknown = || if self.with_names { key.to_owned() } else { "A".to_owned() };
        self.names.get(key).cloned().unwrap_or_else(unknown)
    }

    /// The told name of an annotator; `None` for a key that the study does not know.
    pub fn known(&self, key: &str) -> Option<&str> {
        self.names.get(key).map(String::as_str)
    }

    /// Renames the writers of summaries in a text of haymark's own: `human:alice` becomes `human:A1`.
    pub fn in_text(&self, text: &str) -> String {
        renamed_behind(&summarizer_of(""), text, self.names.iter())
    }

    /// Renames people in a filter, such as `coverage@alice:none` or `system:human:alice`.
    pub fn in_filter(&self, filter: &str) -> String {
        renamed_behind("@", &self.in_text(filter), self.names.iter())
    }

    /// Renames people in a sentence, wherever their names stand as whole words.
    pub fn in_words(&self, sentence: &str) -> String {
        renamed_words(sentence, self.names.iter())
    }

    /// Renames people in a table.
    pub fn in_table(&self, mut table: Table) -> Table {
        for cell in table.rows.iter_mut().flatten().chain(&mut table.total) {
            if let Cell::Text(text) = cell {
                *text = renamed_list(&self.in_text(text), |name| self.known(name));
            }
        }
        let headings = table.columns.iter_mut().map(|column| &mut column.heading);
        for words in table.notes.iter_mut().chain(headings) {
            *words = self.in_words(words);
        }
        table
    }

    /// Whether texts that people wrote are told.
    pub fn with_text(&self) -> bool {
        self.with_text
    }

    /// A text that somebody wrote, where such texts are told.
    pub fn text(&self, text: Option<String>) -> Option<String> {
        text.filter(|_| self.with_text)
    }

    /// Whether answers to this question of this protocol are told. A question that no protocol here asks may be anything,
    /// and is not.
    pub fn tells(&self, protocol: &str, question: &str) -> bool {
        let asked = self.protocols.iter().find(|other| other.name == protocol);
        self.with_text
            || asked.and_then(|asked| asked.question(question)).is_some_and(|asked| !is_written(asked))
    }

    fn answers(&self, protocol: &str, answers: Meta) -> Meta {
        answers.into_iter().filter(|(question, _)| self.tells(protocol, question)).collect()
    }

    /// The annotator as they are told; whatever else is known of a person stays in the study.
    pub fn annotator(&self, annotator: Annotator) -> Annotator {
        let is_told = self.with_names || annotator.kind == AnnotatorKind::Model;
        let id = self.name(&annotator.id);
        Annotator { id, meta: if is_told { annotator.meta } else { Meta::new() }, ..annotator }
    }

    /// The judgment as it is told.
    pub fn judgment(&self, judgment: Judgment) -> Judgment {
        Judgment {
            annotator: self.name(&judgment.annotator),
            answers: self.answers(&judgment.protocol, judgment.answers),
            comment: self.text(judgment.comment),
            ..judgment
        }
    }

    /// The adjudication as it is told.
    pub fn adjudication(&self, adjudication: Adjudication) -> Adjudication {
        Adjudication {
            annotator: self.name(&adjudication.annotator),
            answers: self.answers(&adjudication.protocol, adjudication.answers),
            took: adjudication.took.map(|took| self.name(&took)),
            note: self.text(adjudication.note),
            ..adjudication
        }
    }

    /// The assignment as it is told.
    pub fn assignment(&self, assignment: Assignment) -> Assignment {
        Assignment {
            annotator: self.name(&assignment.annotator),
            known_from: assignment.known_from.map(|key| self.name(&key)),
            known: self.answers(&assignment.protocol, assignment.known),
            explanation: self.text(assignment.explanation),
            sorted: assignment.sorted.map(|one| SortedPlace { by: self.in_words(&one.by), ..one }),
            ..assignment
        }
    }

    /// The candidate as it is told: a person who wrote it is renamed like any other.
    pub fn candidate(&self, candidate: Candidate) -> Candidate {
        let told = |written_by: &String| {
            let writer = self.names.iter().find(|(key, _)| summarizer_of(key) == *written_by);
            writer.map(|(_, name)| summarizer_of(name))
        };
        let summarizer = candidate.summarizer.map(|summarizer| told(&summarizer).unwrap_or(summarizer));
        Candidate { summarizer, ..candidate }
    }

    /// Sentences for the datasheet on names and words.
    pub fn sentences(&self) -> Vec<&'static str> {
        vec![
            if self.with_names {
                "People are named as in the study."
            } else {
                "People are pseudonyms (A1, A2, …), which stay the same in every export of the study; judges keep their names."
            },
            if self.with_text {
                "What people wrote (comments, notes, answers in words) is in it."
            } else {
                "What people wrote (comments, notes, answers in words) is left out."
            },
        ]
    }
}

/// Whether people answer the question in their own words.
fn is_written(question: &Question) -> bool {
    matches!(question.kind, QuestionKind::Text { .. } | QuestionKind::Points { .. })
}

fn pseudonyms<'a>(annotators: impl IntoIterator<Item = &'a Annotator> + Clone) -> HashMap<String, String> {
    let is_model = |annotator: &&Annotator| annotator.kind == AnnotatorKind::Model;
    let models = annotators.clone().into_iter().filter(is_model);
    let taken: BTreeSet<&str> = models.map(|annotator| annotator.id.as_str()).collect();
    let mut numbers =
        (1..).map(|number: u32| format!("A{number}")).filter(|name| !taken.contains(name.as_str()));
    let named = annotators.into_iter().filter_map(|annotator| {
        let name = match annotator.kind {
            AnnotatorKind::Model => annotator.id.clone(),
            AnnotatorKind::Human => numbers.next()?,
        };
        Some((annotator.id.clone(), name))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_in_a_sentence_is_the_one_that_is_meant() {
        let people =
            [("Ann", "A1"), ("Ann Lee", "A2"), ("Ann Lee Smith", "A3"), ("王 芳", "A4"), ("A1", "A5")];
        let names = people.map(|(key, name)| (key.to_owned(), name.to_owned())).into();
        let privacy = Privacy { names, protocols: Vec::new(), with_names: false, with_text: false };
        for (sentence, told) in [
            ("Ann Lee Smith told me", "A3 told me"),
            ("as Ann Lee, not Ann, said of A1", "as A2, not A1, said of A5"),
            ("Joann Lee and Ann-Marie", "Joann Lee and Ann-Marie"),
            ("Ann Leeds; 王 芳: «Ann»", "A1 Leeds; A4: «A1»"),
        ] {
            assert_eq!(privacy.in_words(sentence), told);
        }
    }

    #[test]
    fn pseudonyms_say_nothing_and_never_meet_a_judge() {
        let annotator = |id: &str, kind| Annotator { id: id.to_owned(), kind, meta: Meta::new() };
        let (human, model) = (AnnotatorKind::Human, AnnotatorKind::Model);
        let all = [
            annotator("zoe", human),
            annotator("gpt", model),
            annotator("A2", model),
            annotator("alice", human),
            annotator("A1", human),
        ];
        let names = pseudonyms(&all);
        let named: Vec<&str> = all.iter().map(|annotator| names[&annotator.id].as_str()).collect();
        assert_eq!(named, ["A1", "gpt", "A2", "A3", "A4"]);
        // An annotator who comes later changes nobody's pseudonym.
        let fewer = pseudonyms(&all[..4]);
        assert!(fewer.iter().all(|(key, name)| names[key] == *name));
    }
}
