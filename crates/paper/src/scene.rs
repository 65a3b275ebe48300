//! Scenes: drawings of four primitives, with colours by role.
//!
//! On paper a unit is a point (1/72 inch), in a terminal a cell: a column across, a line down.

/// The purpose of a colour; each writer chooses the colour itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColourRole {
    /// Text and the most important lines.
    Ink,
    /// Axes, notes, and references to compare with.
    Muted,
    Grid,
    /// The ground, for rims around dots and lines that cross.
    Paper,
    /// The first series, and shades.
    A,
    /// The second series.
    B,
    /// The third series.
    C,
    /// The fourth series.
    D,
}

/// The size of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSize {
    /// Axes and notes.
    Note,
    /// Names and values.
    Label,
    /// The numbers within a grid.
    Count,
}

impl TextSize {
    /// The size in points.
    pub fn points(self) -> f32 {
        match self {
            TextSize::Note => 6.0,
            TextSize::Label => 7.0,
            TextSize::Count => 8.0,
        }
    }
}

/// The end of a text that stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A text; `at` is the middle of its height.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureText {
    pub at: (f32, f32),
    pub size: TextSize,
    pub role: ColourRole,
    pub anchor: Anchor,
    /// Degrees by which the text is turned about its place, counterclockwise.
    pub turn: f32,
    pub text: String,
}

/// A primitive.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line through these points.
    Line {
        points: Vec<(f32, f32)>,
        role: ColourRole,
        width: f32,
    },
    /// A rectangle by its upper left corner and size. The fill has an opacity from 0 to 1, the stroke a width.
    Rect {
        at: (f32, f32),
        size: (f32, f32),
        fill: Option<(ColourRole, f32)>,
        stroke: Option<(ColourRole, f32)>,
    },
    Dot {
        at: (f32, f32),
        radius: f32,
        fill: ColourRole,
        stroke: ColourRole,
    },
    Text(FigureText),
}

/// A drawing; the later marks lie on the earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    pub width: f32,
    pub height: f32,
    pub marks: Vec<Mark>,
}

impl Scene {
    pub fn new(width: f32, height: f32) -> Scene {
        Scene { width, height, marks: Vec::new() }
    }

    pub fn line(&mut self, points: &[(f32, f32)], role: ColourRole, width: f32) {
        self.marks.push(Mark::Line { points: points.to_vec(), role, width });
    }

    /// A filled dot with a rim in the colour of the ground.
    pub fn dot(&mut self, at: (f32, f32), radius: f32, role: ColourRole) {
        self.marks.push(Mark::Dot { at, radius, fill: role, stroke: ColourRole::Paper });
    }

    /// A ring.
    pub fn ring(&mut self, at: (f32, f32), radius: f32, role: ColourRole) {
        self.marks.push(Mark::Dot { at, radius, fill: ColourRole::Paper, stroke: role });
    }

    pub fn rect(
        &mut self,
        at: (f32, f32),
        size: (f32, f32),
        fill: Option<(ColourRole, f32)>,
        stroke: Option<(ColourRole, f32)>,
    ) {
        self.marks.push(Mark::Rect { at, size, fill, stroke });
    }

    pub fn text(
        &mut self,
        at: (f32, f32),
        (size, role, anchor): (TextSize, ColourRole, Anchor),
        text: impl Into<String>,
    ) {
        self.turned(at, (size, role, anchor), 0.0, text);
    }

    pub fn turned(
        &mut self,
        at: (f32, f32),
        (size, role, anchor): (TextSize, ColourRole, Anchor),
        turn: f32,
        text: impl Into<String>,
    ) {
        self.marks.push(Mark::Text(FigureText { at, size, role, anchor, turn, text: text.into() }));
    }

    /// Puts another drawing below this one, with a gap between.
    pub fn put_below(&mut self, other: Scene, gap: f32) {
        let down = self.height + gap;
        self.height = down + other.height;
        self.marks.extend(other.marks.into_iter().map(|mut mark| {
            match &mut mark {
                Mark::Line { points, .. } => points.iter_mut().for_each(|point| point.1 += down),
                Mark::Rect { at, .. } | Mark::Dot { at, .. } | Mark::Text(FigureText { at, .. }) => {
                    at.1 += down
                }
            }
            mark
        }));
    }

    /// All texts.
    pub fn texts(&self) -> impl Iterator<Item = &FigureText> {
        self.marks.iter().filter_map(|mark| if let Mark::Text(text) = mark { Some(text) } else { None })
    }
}
