//! Ranks of the same things under several rankings: lines on paper, a table with what moved in a terminal.

use super::lines::spread;
use super::{FigureForm, width_of_names};
use crate::figure::page::FigurePage;
use crate::figure::scene::{Anchor, ColourRole, Scene, TextSize};

#[derive(Debug, Clone, Default)]
pub struct Ranks {
    /// The rankings, the one that the others are compared with first.
    pub views: Vec<String>,
    /// What is ranked, in the order of the first ranking, with its rank under each.
    pub rows: Vec<(String, Vec<Option<usize>>)>,
}

/// So many places away from the first ranking are worth a colour.
const FAR: usize = 2;

/// The hues of those that move farthest.
const HUES: [ColourRole; 2] = [ColourRole::A, ColourRole::B];

impl Ranks {
    /// How many places each is away from its first rank at most.
    fn moved(&self) -> Vec<usize> {
        let farthest = |(_, ranks): &(String, Vec<Option<usize>>)| {
            let first = ranks.first().copied().flatten()?;
            ranks.iter().flatten().map(|rank| rank.abs_diff(first)).max()
        };
        self.rows.iter().map(|row| farthest(row).unwrap_or(0)).collect()
    }

    /// The hue of each.
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

    /// Numbers, with an arrow beside those that differ from the first by some places.
    fn table(&self, page: &FigurePage<'_>) -> Scene {
        let names = width_of_names(page, self.rows.iter().map(|(name, _)| name.as_str()));
        let count = self.views.len().max(1) as f32;
        let widest = page.widest(self.views.iter().map(String::as_str), TextSize::Label) + 2.0;
        let column = ((page.width - names - 1.0) / count).floor().min(widest).max(4.0);
        let mut scene = Scene::new(page.width, self.rows.len() as f32 + 1.0);
        let right = |at: usize| names + 1.0 + column * (at as f32 + 1.0);
        for (at, view) in self.views.iter().enumerate() {
            let view = page.fitted(view, TextSize::Label, column - 1.0);
            scene.text((right(at), 0.5), (TextSize::Label, ColourRole::Muted, Anchor::End), view);
        }
        for (at, ((name, ranks), role)) in self.rows.iter().zip(self.roles()).enumerate() {
            let y = at as f32 + 1.5;
            let role = if role == ColourRole::Muted { ColourRole::Ink } else { role };
            let name = page.fitted(name, TextSize::Label, names);
            scene.text((0.0, y), (TextSize::Label, role, Anchor::Start), name);
            let first = ranks.first().copied().flatten();
            for (at, rank) in ranks.iter().enumerate() {
                let Some(rank) = rank else {
                    scene.text((right(at), y), (TextSize::Label, ColourRole::Muted, Anchor::End), "–");
                    continue;
                };
                let arrow = match first {
                    Some(first) if rank + FAR <= first => "▲",
                    Some(first) if first + FAR <= *rank => "▼",
                    _ => "",
                };
                let role = if arrow.is_empty() { ColourRole::Ink } else { role };
                let text = format!("{arrow}{rank}");
                scene.text((right(at), y), (TextSize::Label, role, Anchor::End), text);
            }
        }
        scene
    }
}

impl FigureForm for Ranks {
    fn scene(&self, page: &FigurePage<'_>) -> Scene {
        if page.is_cells() {
            return self.table(page);
        }
        let names = width_of_names(page, self.rows.iter().map(|(name, _)| name.as_str()));
        let side = names.min(page.width * 0.27) + page.gap(14.0);
        let last = self.views.len().saturating_sub(1);
        let step = (page.width - 2.0 * side) / last.max(1) as f32;
        let views = || self.views.iter().map(String::as_str);
        let is_flat = page.widest(views(), TextSize::Note) + 4.0 < step;
        let most = self.rows.iter().flat_map(|(_, ranks)| ranks.iter().flatten()).max().copied().unwrap_or(1);
        // Turned headings end where the page does.
        let heading = page.width * 0.25;
        let top = if is_flat { 12.0 } else { 8.0 + page.widest(views(), TextSize::Note).min(heading) * 0.71 };
        let high = page.rows(most as f32);
        let mut scene = Scene::new(page.width, top + high + 4.0);
        let x = |view: usize| side + step * view as f32;
        let y = |rank: usize| top + page.rows(rank as f32 - 0.5);
        for (at, view) in self.views.iter().enumerate() {
            scene.line(&[(x(at), top), (x(at), top + high)], ColourRole::Grid, 0.5);
            let role = if at == 0 { ColourRole::Ink } else { ColourRole::Muted };
            if is_flat {
                scene.text((x(at), top - 6.0), (TextSize::Note, role, Anchor::Middle), view.clone());
            } else {
                let view = page.fitted(view, TextSize::Note, heading);
                let style = (TextSize::Note, role, Anchor::Start);
                scene.turned((x(at) + 1.5, top - 4.0), style, 45.0, view);
            }
        }
        let (moved, roles) = (self.moved(), self.roles());
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|at| (roles.get(*at) != Some(&ColourRole::Muted), moved.get(*at).copied()));
        // Those that move farthest lie on top.
        for at in order {
            let (Some((_, ranks)), Some(role)) = (self.rows.get(at), roles.get(at)) else { continue };
            let is_quiet = *role == ColourRole::Muted;
            let places = ranks.iter().enumerate();
            let places: Vec<Option<(f32, f32)>> =
                places.map(|(view, rank)| rank.map(|rank| (x(view), y(rank)))).collect();
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
        for (view, anchor) in [(0, Anchor::End), (last, Anchor::Start)] {
            let rank =
                |at: &usize| self.rows.get(*at).and_then(|(_, ranks)| ranks.get(view).copied().flatten());
            let mut order: Vec<usize> = (0..self.rows.len()).filter(|at| rank(at).is_some()).collect();
            order.sort_by_key(|at| (rank(at), *at));
            let places: Vec<f32> = order.iter().filter_map(|at| rank(at).map(y)).collect();
            for (at, place) in order.iter().zip(spread(&places, 8.0)) {
                let (Some((name, _)), Some(rank)) = (self.rows.get(*at), rank(at)) else { continue };
                let name = page.fitted(name, TextSize::Label, side - page.gap(14.0));
                let role = roles
                    .get(*at)
                    .copied()
                    .filter(|role| *role != ColourRole::Muted)
                    .unwrap_or(ColourRole::Ink);
                let (x, text) = match anchor {
                    Anchor::End => (x(view) - 5.0, format!("{name} {rank}")),
                    _ => (x(view) + 5.0, format!("{rank} {name}")),
                };
                scene.text((x, place), (TextSize::Label, role, anchor), text);
            }
        }
        scene
    }
}
