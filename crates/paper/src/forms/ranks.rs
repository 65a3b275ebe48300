//! Ranks of the same things under several rankings: lines on paper, a table with arrows in a terminal.

use super::grid::SLOPE;
use super::lines::spread;
use super::{FigureForm, NAMES, NamesShown};
use crate::{Anchor, ColourRole, FigurePage, Scene, TextSize};

#[derive(Debug, Clone, Default)]
pub struct Ranks {
    /// The rankings; the others are compared with the first.
    pub views: Vec<String>,
    /// The ranked names in the order of the first ranking, each with its rank under every ranking.
    pub rows: Vec<(String, Vec<Option<usize>>)>,
}

/// A rank this many places from the first one gets a colour.
const FAR: usize = 2;

/// The hues of the two rows that move farthest.
const HUES: [ColourRole; 2] = [ColourRole::A, ColourRole::B];

/// The share of a page that names may take on each side; longer names stand on the left only.
const SIDE: f32 = 0.27;

/// The least distance between rankings, in points, so that turned headings do not overlap.
const APART: f32 = 10.0;

/// How far the corner of a turned heading reaches beyond its text, in points.
const HANG: f32 = 4.0;

/// The most lines of a heading in a terminal.
const LINES: usize = 3;

impl Ranks {
    /// For each row, the farthest distance from its first rank.
    fn moved(&self) -> Vec<usize> {
        let farthest = |(_, ranks): &(String, Vec<Option<usize>>)| {
            let first = ranks.first().copied().flatten()?;
            ranks.iter().flatten().map(|rank| rank.abs_diff(first)).max()
        };
        self.rows.iter().map(|row| farthest(row).unwrap_or(0)).collect()
    }

    /// The hue of each row.
    fn roles(&self) -> Vec<ColourRole> {
        let moved = self.moved();
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|at| (std::cmp::Reverse(moved.get(*at).copied()), *at));
        let mut roles = vec![ColourRole::Muted; self.rows.len()];
        for (at, hue) in order.into_iter().zip(HUES) {
            if let (Some(role), Some(true)) = (roles.get_mut(at), moved.get(at).map(|moved| *moved >= FAR)) {
                *role = hue;
            }
        }
        roles
    }

    /// Splits the rankings into parts of at most so many; each part begins with the first ranking.
    fn parts(&self, most: usize) -> impl Iterator<Item = Vec<usize>> {
        let others: Vec<usize> = (1..self.views.len()).collect();
        let parts = others.len().div_ceil(most.max(2) - 1).max(1);
        let each = others.len().div_ceil(parts).max(1);
        others
            .chunks(each)
            .map(|part| std::iter::once(0).chain(part.iter().copied()).collect())
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Draws a table of ranks, with an arrow beside each rank that is far from the first.
    fn table(&self, page: &FigurePage<'_>) -> Scene {
        let names = NamesShown::of(page, self.names(), TextSize::Label, page.width * NAMES);
        let room = page.width - names.width - 1.0;
        let broken = |view: &str, column: f32| page.broken(view, TextSize::Label, column - 1.0);
        let is_low = |column: f32| self.views.iter().all(|view| broken(view, column).len() <= LINES);
        let widest = page.widest(self.views.iter().map(String::as_str), TextSize::Label) + 2.0;
        // Columns are at least so wide that no heading needs more than LINES lines.
        let least = (4..).map(|column| column as f32).find(|column| is_low(*column) || *column >= widest);
        let least = least.unwrap_or(widest).min(room);
        let mut scene = Scene::new(page.width, 0.0);
        for part in self.parts((room / least).floor() as usize) {
            let column = (room / part.len() as f32).floor().min(widest).max(least);
            let gap = if scene.height > 0.0 { 1.0 } else { 0.0 };
            scene.put_below(self.table_of(page, &part, (&names, column)), gap);
        }
        let far = |(_, ranks): &(String, Vec<Option<usize>>)| {
            ranks.iter().any(|rank| !arrow(ranks.first().copied().flatten(), *rank).is_empty())
        };
        if self.rows.iter().any(far) {
            let text = format!("▲ ▼: {FAR} places or more above or below that under {}", self.first());
            scene.height += 1.0;
            page.write_below(&mut scene, &text, (None, 0.5));
        }
        scene
    }

    /// Draws the ranks of some rankings in columns of this width.
    fn table_of(&self, page: &FigurePage<'_>, part: &[usize], (names, column): (&NamesShown, f32)) -> Scene {
        let heads: Vec<Vec<String>> = part
            .iter()
            .filter_map(|view| Some(page.broken(self.views.get(*view)?, TextSize::Label, column - 1.0)))
            .collect();
        let top = heads.iter().map(Vec::len).max().unwrap_or(1) as f32;
        let mut scene = Scene::new(page.width, self.rows.len() as f32 + top);
        let right = |at: usize| names.width + 1.0 + column * (at as f32 + 1.0);
        for (at, head) in heads.into_iter().enumerate() {
            for (back, line) in head.into_iter().rev().enumerate() {
                let style = (TextSize::Label, ColourRole::Muted, Anchor::End);
                scene.text((right(at), top - back as f32 - 0.5), style, line);
            }
        }
        for (at, ((name, ranks), role)) in self.rows.iter().zip(self.roles()).enumerate() {
            let y = top + at as f32 + 0.5;
            let role = if role == ColourRole::Muted { ColourRole::Ink } else { role };
            let name = names.shown(name);
            scene.text((0.0, y), (TextSize::Label, role, Anchor::Start), name);
            let first = ranks.first().copied().flatten();
            for (at, rank) in part.iter().map(|view| ranks.get(*view).copied().flatten()).enumerate() {
                let Some(rank) = rank else {
                    scene.text((right(at), y), (TextSize::Label, ColourRole::Muted, Anchor::End), "–");
                    continue;
                };
                let arrow = arrow(first, Some(rank));
                let role = if arrow.is_empty() { ColourRole::Ink } else { role };
                let text = format!("{arrow}{rank}");
                scene.text((right(at), y), (TextSize::Label, role, Anchor::End), text);
            }
        }
        scene
    }

    fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.rows.iter().map(|(name, _)| name.as_str())
    }

    /// The name of the first ranking.
    fn first(&self) -> &str {
        self.views.first().map_or("", String::as_str)
    }

    /// Draws the lines of some rankings, with room for names on the left and right.
    fn lines_of(
        &self,
        page: &FigurePage<'_>,
        part: &[usize],
        (names, left, right): (&NamesShown, f32, f32),
    ) -> Scene {
        let last = part.len().saturating_sub(1);
        let step = (page.width - left - right) / last.max(1) as f32;
        let views = || part.iter().filter_map(|view| self.views.get(*view)).map(String::as_str);
        let heads = NamesShown::of(page, views(), TextSize::Note, (right - HANG) / SLOPE);
        let is_flat = page.widest(views(), TextSize::Note) + 4.0 < step;
        let most = self.rows.iter().flat_map(|(_, ranks)| ranks.iter().flatten()).max().copied().unwrap_or(1);
        let top = if is_flat { 12.0 } else { 8.0 + heads.width * SLOPE };
        let high = page.rows(most as f32);
        let mut scene = Scene::new(page.width, top + high + 4.0);
        let x = |view: usize| left + step * view as f32;
        let y = |rank: usize| top + page.rows(rank as f32 - 0.5);
        for (at, view) in views().enumerate() {
            scene.line(&[(x(at), top), (x(at), top + high)], ColourRole::Grid, 0.5);
            let role = if at == 0 { ColourRole::Ink } else { ColourRole::Muted };
            if is_flat {
                scene.text((x(at), top - 6.0), (TextSize::Note, role, Anchor::Middle), view);
            } else {
                let style = (TextSize::Note, role, Anchor::Start);
                scene.turned((x(at) + 1.5, top - 4.0), style, 45.0, heads.shown(view));
            }
        }
        let (moved, roles) = (self.moved(), self.roles());
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|at| (roles.get(*at) != Some(&ColourRole::Muted), moved.get(*at).copied()));
        // Lines of rows that move farthest are drawn last, on top.
        for at in order {
            let (Some((_, ranks)), Some(role)) = (self.rows.get(at), roles.get(at)) else { continue };
            let is_quiet = *role == ColourRole::Muted;
            let places = part.iter().map(|view| ranks.get(*view).copied().flatten()).enumerate();
            let places: Vec<Option<(f32, f32)>> =
                places.map(|(at, rank)| rank.map(|rank| (x(at), y(rank)))).collect();
            for part in places.split(Option::is_none) {
                let part: Vec<(f32, f32)> = part.iter().copied().flatten().collect();
                if part.len() > 1 {
                    scene.line(&part, ColourRole::Paper, if is_quiet { 2.2 } else { 3.4 });
                    scene.line(&part, *role, if is_quiet { 0.8 } else { 1.8 });
                }
            }
            for place in places.into_iter().flatten() {
                scene.dot(place, if is_quiet { 1.6 } else { 2.4 }, *role);
            }
        }
        let has_both = right > names.width;
        for (side, anchor) in [(0, Anchor::End), (last, Anchor::Start)] {
            let view = part.get(side).copied().unwrap_or(0);
            let rank =
                |at: &usize| self.rows.get(*at).and_then(|(_, ranks)| ranks.get(view).copied().flatten());
            let mut order: Vec<usize> = (0..self.rows.len()).filter(|at| rank(at).is_some()).collect();
            order.sort_by_key(|at| (rank(at), *at));
            let places: Vec<f32> = order.iter().filter_map(|at| rank(at).map(y)).collect();
            for (at, place) in order.iter().zip(spread(&places, 8.0)) {
                let (Some((name, _)), Some(rank)) = (self.rows.get(*at), rank(at)) else { continue };
                let name = names.shown(name);
                let role = roles
                    .get(*at)
                    .copied()
                    .filter(|role| *role != ColourRole::Muted)
                    .unwrap_or(ColourRole::Ink);
                let (x, text) = match anchor {
                    Anchor::End => (x(side) - 5.0, format!("{name} {rank}")),
                    _ if has_both => (x(side) + 5.0, format!("{rank} {name}")),
                    _ => (x(side) + 5.0, rank.to_string()),
                };
                scene.text((x, place), (TextSize::Label, role, anchor), text);
            }
        }
        scene
    }
}

/// The arrow of a rank that is far from the first; else empty.
fn arrow(first: Option<usize>, rank: Option<usize>) -> &'static str {
    match (first, rank) {
        (Some(first), Some(rank)) if rank + FAR <= first => "▲",
        (Some(first), Some(rank)) if first + FAR <= rank => "▼",
        _ => "",
    }
}

impl FigureForm for Ranks {
    fn is_empty(&self) -> bool {
        self.views.len() < 2 || self.rows.len() < 2
    }

    fn scene(&self, page: &FigurePage<'_>) -> Scene {
        if page.is_cells() {
            return self.table(page);
        }
        let both = NamesShown::of(page, self.names(), TextSize::Label, page.width * SIDE);
        let is_cut = self.names().any(|name| both.shown(name) != both.without_beginning(name));
        let names = match is_cut {
            true => NamesShown::of(page, self.names(), TextSize::Label, page.width * NAMES),
            false => both,
        };
        let ranks = page.gap(14.0);
        let left = names.width + ranks;
        // The last turned heading must end within the page.
        let heading = page.widest(self.views.iter().map(String::as_str), TextSize::Note) * SLOPE;
        let right = if is_cut { (heading + HANG).clamp(ranks, page.width * SIDE) } else { left };
        let right = if is_cut { right.min(names.width) } else { right };
        let most = ((page.width - left - right) / APART).floor() as usize + 1;
        let mut scene = Scene::new(page.width, 0.0);
        for part in self.parts(most) {
            let gap = if scene.height > 0.0 { page.rows(0.5) } else { 0.0 };
            scene.put_below(self.lines_of(page, &part, (&names, left, right)), gap);
        }
        let coloured = self.roles().iter().filter(|role| **role != ColourRole::Muted).count();
        if coloured > 0 {
            let whom = if coloured == 1 { "what moves" } else { "the two that move" };
            let foot = format!(
                "in colour: {whom} farthest from the rank under {}, by {FAR} places or more",
                self.first()
            );
            page.write_below(&mut scene, &foot, (None, 4.0));
        }
        scene
    }
}
