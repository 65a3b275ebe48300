//! The browse screen in the terminal.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::kit::input::Input;
use crate::app::kit::keymap::Keymap;
use crate::app::kit::notice::not_saved;
use crate::app::screens::browse::Browse;
use crate::app::screens::browse::message::{Effect, Judge, Judged, Message};
use crate::browse::{Counted, Tables};
use crate::error::Result;
use crate::protocol::Protocol;
use crate::store::{Kept, Material, StudyFile};
use crate::study::AnnotatorKind;
use crate::term::annotate::study_name;
use crate::term::clipboard::Clipboard;
use crate::term::perform::{Outcome, Request, patiently};
use crate::term::run::{Clocks, Program, run};
use crate::view::kit::theme::Theme;
use crate::view::screens::browse::draw;

/// How the browse screen is opened.
#[derive(Debug, Clone)]
pub struct BrowseOptions {
    /// Under whose name tags, flags and comments are kept; nobody's: read only.
    pub annotator: Option<String>,
    /// The protocol whose tags name failures.
    pub tagging: Arc<Protocol>,
    /// The saved view that is opened first.
    pub view: Option<String>,
    /// Index of the colour theme.
    pub theme: usize,
    /// Shown at the bottom at first, such as a complaint about the keymap.
    pub greeting: String,
    pub keymap: Keymap,
}

/// Opens the browse screen and stays until the person leaves.
///
/// # Errors
/// The study cannot be read, has no view of that name, or the terminal is lost.
pub fn browse(study: StudyFile, options: BrowseOptions) -> Result<()> {
    let clocks = Clocks::start();
    let Material { corpus, judged } = patiently(|| study.material(false))?;
    let has_people = corpus.annotators.iter().any(|(id, annotator)| {
        let judges =
            |table: &crate::journal::JudgmentTable| table.rows().iter().any(|row| row.annotator == *id);
        annotator.kind == AnnotatorKind::Human && judged.iter().any(judges)
    });
    // Where only judges have judged, their scores are better than none.
    let counted = if has_people { Counted::People } else { Counted::Everyone };
    let tables = Tables::new(corpus, judged, counted);
    let mut app =
        Browse::new(study_name(&study), tables, Arc::clone(&options.tagging), options.annotator.clone());
    app.theme = options.theme;
    app.keymap = options.keymap;
    app.views = views(&study)?;
    if let Some(name) = &options.view {
        app.open_view(name)?;
    }
    let browsing = Browsing {
        app,
        study,
        annotator: options.annotator,
        tagging: options.tagging,
        clipboard: Clipboard::new(),
    };
    run(browsing, Vec::new(), options.greeting, mpsc::channel(), clocks)?;
    Ok(())
}

/// Name and body of the saved views.
fn views(study: &StudyFile) -> Result<Vec<(String, String)>> {
    let views = patiently(|| study.views())?;
    Ok(views.into_iter().map(|view| (view.name, view.body)).collect())
}

/// The browse screen with its study.
struct Browsing {
    app: Browse,
    study: StudyFile,
    annotator: Option<String>,
    tagging: Arc<Protocol>,
    clipboard: Clipboard,
}

impl Program for Browsing {
    type Message = Message;
    type Effect = Effect;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        self.app.update(message)
    }

    fn is_waiting(&self) -> bool {
        self.app.is_waiting()
    }

    fn size(&self) -> (u16, u16) {
        self.app.size
    }

    fn theme(&self) -> usize {
        self.app.theme
    }

    fn draw(&self, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
        draw(&self.app, theme, buffer)
    }

    fn perform(&mut self, effect: Effect, terminal: &mut dyn Write) -> Result<Outcome<Message>> {
        Ok(match effect {
            Effect::Look(item) => Outcome::Message(Message::Stands(self.standing(item)?)),
            Effect::Judge(judge) => Outcome::Message(self.judge(&judge).unwrap_or_else(Message::NotJudged)),
            Effect::KeepView { name, body, wall } => {
                let kept = self.study.keep_view(&name, Some(&body), wall);
                self.after_view(kept, format!("saved as {name:?}"))?
            }
            Effect::DeleteView { name, wall } => {
                let deleted = self.study.keep_view(&name, None, wall);
                self.after_view(deleted, format!("{name:?} is deleted"))?
            }
            Effect::Copy(text) => {
                let said = self.clipboard.copy_and_tell(&text, terminal);
                Outcome::Message(Input::Notice(said).into())
            }
            Effect::Redraw => Outcome::Request(Request::Redraw),
            Effect::Suspend => Outcome::Request(Request::Suspend),
            Effect::Quit => Outcome::Request(Request::Quit),
        })
    }
}

impl Browsing {
    fn standing(&self, item: crate::study::ItemId) -> Result<crate::journal::Standing> {
        let annotators = patiently(|| self.study.annotators())?;
        let own = annotators.iter().find(|(_, annotator)| Some(&annotator.id) == self.annotator.as_ref());
        match own {
            Some((id, _)) => patiently(|| self.study.standing(*id, item)),
            None => Ok(crate::journal::Standing::default()),
        }
    }

    /// Writes what the person says, durably, where the screen shows what is so.
    fn judge(&mut self, judge: &Judge) -> Result<Message> {
        let name = self.annotator.as_deref().unwrap_or_default();
        let (annotator, item) = self.study.item_for(name, &self.tagging, judge.target)?;
        let standing = self.study.standing(annotator, item.id)?;
        let happenings: Vec<_> = judge
            .change
            .happenings(&self.tagging, &standing)
            .into_iter()
            // Nobody measures how long a look at a table takes.
            .map(|happening| (happening, 0))
            .collect();
        let shown = judge.shown.as_ref().unwrap_or(&standing);
        let on = (item.id, item.texts());
        let done = self.study.append_over(shown, annotator, &self.tagging, on, &happenings, judge.wall)?;
        let judged = |standing, ids| Box::new(Judged { annotator, item: item.id, standing, ids });
        Ok(match done {
            Kept::Written(done) => Message::Judged(judged(done.standing, done.ids)),
            Kept::Elsewhere(_) => {
                let standing = patiently(|| self.study.standing(annotator, item.id))?;
                Message::Elsewhere(judged(standing, Vec::new()))
            }
        })
    }

    fn after_view(&self, written: Result<()>, said: String) -> Result<Outcome<Message>> {
        let said = match written {
            Ok(()) => said,
            Err(error) => not_saved(&error),
        };
        Ok(Outcome::Message(Message::Views(views(&self.study)?, said)))
    }
}
