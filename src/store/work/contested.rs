//! One item with the judgments of everyone.

use rusqlite::Connection;

use super::load;
use crate::error::Result;
use crate::journal::Opinion;
use crate::protocol::Protocol;
use crate::store::corpus::items::Target;
use crate::store::file::fault::{Tried, said};
use crate::store::file::sql::first;
use crate::store::file::study_file::StudyFile;
use crate::store::journal::log::Log;
use crate::study::{AnnotatorId, AnnotatorKind, Item, ItemId};

impl StudyFile {
    /// An item with everything that its screen shows, for no annotator in particular.
    pub fn item(&self, protocol: &Protocol, item: ItemId) -> Result<Item> {
        self.read(|connection| {
            let target = target(connection, item)?;
            load::item(connection, &mut self.documents.borrow_mut(), protocol, item, &target)
        })
    }

    /// The judgments of these annotators on an item, in the order given. Annotators without an answer under
    /// this version of the protocol are left out.
    pub fn opinions(
        &self,
        protocol: &Protocol,
        item: ItemId,
        annotators: &[AnnotatorId],
    ) -> Result<Vec<Opinion>> {
        let all = self.annotators()?;
        self.read(|connection| {
            let mut log = Log::prepare(connection)?;
            let mut opinions = Vec::new();
            for id in annotators {
                let Some((_, annotator)) = all.iter().find(|(other, _)| other == id) else {
                    continue;
                };
                let is_model = annotator.kind == AnnotatorKind::Model;
                let events = log.events(*id, item)?;
                let standing = log.fold(item, &events, Some(protocol));
                let opinion = Opinion::of(*id, annotator.id.clone(), is_model, (&events, standing));
                if !opinion.standing.answers_under(protocol.hash).is_empty() {
                    opinions.push(opinion);
                }
            }
            Ok(opinions)
        })
    }
}

fn target(connection: &Connection, item: ItemId) -> Tried<Target> {
    let select = "SELECT query, document, candidate, unit, bullet, other FROM item WHERE id = ?1";
    first(connection, select, [item])?.ok_or_else(|| said(format!("there is no item {}", item.0)))
}
