//! Figures: the tables of a study, drawn in one style.
//!
//! A figure is made from a table of [`crate::report`], so that it shows the numbers that are printed. [`KINDS`] has a row for
//! each kind of figure: what it shows, and the function that makes it. How numbers are laid out and written is in the library
//! [`paper`], in `crates/`. Nothing here reads a file or knows a terminal.

mod kinds;
mod letters;
mod sources;

use ::paper::forms::FigureForm;
pub use ::paper::{face, page, scene, write};
pub use kinds::{FigureKind, KINDS};
pub use sources::{FiguresAsked, Sources};

use crate::error::{Error, ErrorKind, Result};
use crate::progress;
use crate::report::Table;
use page::FigurePage;
use scene::Scene;

/// A drawing of a table.
pub struct Figure {
    /// The name of the kind, then the figure's subject: `systems/coverage/joint`. Unique among the figures of a study.
    pub name: String,
    pub title: String,
    /// Sentences: the main finding, then how to read the marks.
    pub caption: String,
    /// The numbers of the figure.
    pub table: Table,
    form: Box<dyn FigureForm>,
}

impl Figure {
    /// Makes a figure; empty parts of the subject are left out of its name.
    fn new(
        kind: &str,
        about: &[&str],
        title: impl Into<String>,
        table: Table,
        form: impl FigureForm + 'static,
    ) -> Figure {
        let parts = about.iter().copied().filter(|part| !part.is_empty());
        let name = std::iter::once(kind).chain(parts).collect::<Vec<&str>>().join("/");
        Figure { name, title: title.into(), caption: String::new(), table, form: Box::new(form) }
    }

    /// Makes a figure about the protocol of its table, and further parts; the title begins with the protocol.
    fn of(kind: &str, about: &[&str], title: &str, table: &Table, form: impl FigureForm + 'static) -> Figure {
        let protocol = table.said("protocol");
        let about = [&[protocol], about].concat();
        Figure::new(kind, &about, format!("{protocol}: {title}"), table.clone(), form)
    }

    /// Adds sentences to the caption.
    #[must_use]
    fn says(mut self, sentences: impl IntoIterator<Item = String>) -> Figure {
        for sentence in sentences.into_iter().filter(|sentence| !sentence.is_empty()) {
            if !self.caption.is_empty() {
                self.caption.push(' ');
            }
            self.caption.push_str(&sentence);
        }
        self
    }

    /// The drawing on a page.
    pub fn scene(&self, page: &FigurePage<'_>) -> Scene {
        self.form.scene(page)
    }

    /// The name as a file name or an identifier in a page: letters, digits, points and hyphens.
    pub fn file_name(&self) -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
        let plain: String =
            self.name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
        // Names in other scripts would all become the same hyphens, so a hash is added.
        if self.name.is_ascii() {
            return plain;
        }
        let sum = self.name.chars().fold(5381_u32, |sum, letter| sum.wrapping_mul(33) ^ u32::from(letter));
        format!("{plain}-{sum:08x}")
    }
}

/// What to do about a font with which a figure cannot be written.
pub fn about_font(error: ::paper::PaperError) -> Error {
    use ::paper::PaperError::{Missing, NoFace, NoFont, NotEmbeddable};

    let what = error.to_string();
    match error {
        NoFont => Error::new(what).advise("name a TrueType or OpenType file"),
        NoFace { faces, .. } => {
            let known: Vec<String> =
                faces.iter().enumerate().map(|(at, own)| format!("#{at} {own}")).collect();
            Error::usage(what).advise(format!("there are {}", known.join(", ")))
        }
        Missing(_) => Error::new(what).advise(
            "name a font that has them, such as --font /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
        ),
        NotEmbeddable => Error::new(what).advise("name another with --font"),
    }
}

/// The figures of a study.
pub struct FiguresFound {
    pub figures: Vec<Figure>,
    /// The kinds without a figure, with the reason in a sentence.
    pub absent: Vec<(&'static FigureKind, String)>,
}

/// All figures of a study, in the order of [`KINDS`].
pub fn figures(sources: &Sources<'_>) -> Result<FiguresFound> {
    figures_of(sources, KINDS.iter())
}

/// The figures of these kinds.
pub fn figures_of(
    sources: &Sources<'_>,
    kinds: impl Iterator<Item = &'static FigureKind>,
) -> Result<FiguresFound> {
    let mut found = FiguresFound { figures: Vec::new(), absent: Vec::new() };
    for kind in kinds {
        let of_kind = (kind.find)(sources);
        progress::advance(1);
        match of_kind {
            Ok(figures) => {
                let before = found.figures.len();
                found.figures.extend(figures.into_iter().filter(|figure| !figure.form.is_empty()));
                if found.figures.len() == before {
                    found.absent.push((kind, kind.needs.to_owned()));
                }
            }
            // Only this figure lacks what it needs.
            Err(error) if error.kind() == ErrorKind::Failed => found.absent.push((kind, error.to_string())),
            Err(error) => return Err(error),
        }
    }
    let mut names: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for figure in &mut found.figures {
        let times = names.entry(figure.file_name()).or_default();
        *times += 1;
        if *times > 1 {
            figure.name = format!("{}/{times}", figure.name);
        }
    }
    Ok(found)
}
