//! Judging in place: from a row of a table, without a queue.

use std::cell::RefCell;

use super::load::{self, DocumentCache};
use crate::error::Result;
use crate::journal::Standing;
use crate::protocol::Protocol;
use crate::store::corpus::items::{ItemRows, Target};
use crate::store::corpus::keys::StudyKeys;
use crate::store::corpus::protocols;
use crate::store::file::open::SHORT_PATIENCE;
use crate::store::file::study_file::StudyFile;
use crate::store::journal::log::Log;
use crate::store::journal::people;
use crate::study::{AnnotatorId, Item, ItemId};

impl StudyFile {
    /// The item of this target under the protocol, made where there is none, and the row of a person, who is
    /// added where the study does not know her. [`StudyFile::append`] needs both to take a tag, a flag or a
    /// comment.
    ///
    /// # Errors
    /// The annotator is a model or has no name, or the file cannot be written.
    pub fn item_for(
        &mut self,
        annotator: &str,
        protocol: &Protocol,
        target: Target,
    ) -> Result<(AnnotatorId, Item)> {
        let (annotator, item) = self.write(SHORT_PATIENCE, |transaction| {
            let keys = StudyKeys::read(transaction)?;
            let annotator = people::person(transaction, annotator)?;
            let id = protocols::keep_name(transaction, &protocol.name)?;
            let mut items = ItemRows::prepare(transaction)?;
            let item = items.keep((id, &protocol.name), target, None, || keys.of_target(&target))?;
            Ok((annotator, item))
        })?;
        let documents: &RefCell<DocumentCache> = &self.documents;
        self.read(|connection| {
            let item = load::item(connection, &mut documents.borrow_mut(), protocol, item, &target)?;
            Ok((annotator, item))
        })
    }

    /// The standing of an annotator on an item.
    pub fn standing(&self, annotator: AnnotatorId, item: ItemId) -> Result<Standing> {
        self.read(|connection| Log::prepare(connection)?.standing(annotator, item, None))
    }
}
