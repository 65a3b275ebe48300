//! Places of a table's columns: widths from a sample of rows, not from all of them, and as many
//! columns as fit, the one under the column cursor always among them.

use crate::app::kit::extent;

/// The width that a column needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// The widest of its heading and the cells of the sample, in columns of the terminal.
    pub natural: u16,
    /// Whether the column may be cut: texts may, numbers must not.
    pub is_text: bool,
}

/// A column on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedColumn {
    /// Index among the columns of the table.
    pub column: usize,
    /// Columns of the terminal from the left edge of the table.
    pub x: u16,
    pub width: u16,
}

/// Blank columns between two columns of a table.
const GAP: u16 = 2;

/// Least width to which a text is cut to make room for further columns.
const LEAST_TEXT: u16 = 18;

/// Places columns from `first` on in `room` columns; the first column of the table always stands in front, as the
/// name of its row. Returns the places and the `first` at which the column of the cursor is among them.
pub fn place(wishes: &[Wish], first: usize, cursor: usize, room: u16) -> (Vec<PlacedColumn>, usize) {
    let last = wishes.len().saturating_sub(1);
    let cursor = cursor.min(last);
    let mut first = first.clamp(1.min(last), last.max(1)).min(cursor.max(1));
    loop {
        let placed = place_from(wishes, first, room);
        let is_there = placed.iter().any(|column| column.column == cursor);
        if is_there || first >= cursor || first >= last {
            return (placed, first);
        }
        first += 1;
    }
}

fn place_from(wishes: &[Wish], first: usize, room: u16) -> Vec<PlacedColumn> {
    let mut chosen: Vec<(usize, u16)> = Vec::new();
    let mut used = 0_u16;
    for (column, wish) in wishes.iter().enumerate() {
        if column > 0 && column < first {
            continue;
        }
        let gap = if chosen.is_empty() { 0 } else { GAP };
        let least = if wish.is_text { wish.natural.min(LEAST_TEXT) } else { wish.natural };
        if used.saturating_add(gap).saturating_add(least) > room {
            if chosen.is_empty() {
                chosen.push((column, room));
                used = room;
            }
            break;
        }
        used += gap + least;
        chosen.push((column, least));
    }
    // Free room goes to the name of the row first, then to the other texts.
    let left = widen(wishes, chosen.get_mut(..1).unwrap_or_default(), room.saturating_sub(used));
    widen(wishes, &mut chosen, left);
    let mut x = 0_u16;
    let mut placed = Vec::with_capacity(chosen.len());
    for (column, width) in chosen {
        placed.push(PlacedColumn { column, x, width });
        x = x.saturating_add(width).saturating_add(GAP);
    }
    placed
}

/// Gives the room left over to the texts that were cut, to all alike as long as they need it; returns what nobody needs.
fn widen(wishes: &[Wish], chosen: &mut [(usize, u16)], mut left: u16) -> u16 {
    loop {
        let is_cut = |(column, width): &(usize, u16)| {
            wishes.get(*column).is_some_and(|wish| wish.is_text && *width < wish.natural)
        };
        let cut = extent(chosen.iter().filter(|one| is_cut(one)).count());
        if cut == 0 || left == 0 {
            return left;
        }
        let share = (left / cut).max(1);
        for one in chosen.iter_mut() {
            if left > 0 && is_cut(one) {
                let natural = wishes.get(one.0).map_or(0, |wish| wish.natural);
                let more = share.min(left).min(natural - one.1);
                one.1 += more;
                left -= more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(natural: u16) -> Wish {
        Wish { natural, is_text: true }
    }

    fn number(natural: u16) -> Wish {
        Wish { natural, is_text: false }
    }

    fn told(wishes: &[Wish], first: usize, cursor: usize, room: u16) -> (Vec<(usize, u16, u16)>, usize) {
        let (placed, first) = place(wishes, first, cursor, room);
        (placed.iter().map(|column| (column.column, column.x, column.width)).collect(), first)
    }

    #[test]
    fn the_name_of_the_row_takes_what_numbers_leave_and_other_texts_share_the_rest() {
        let wishes = [text(60), number(5), text(20)];
        // 18 + 2 + 5 + 2 + 18 = 45: the first takes the 15 that are left, and lacks 27 more.
        assert_eq!(told(&wishes, 1, 0, 60), (vec![(0, 0, 33), (1, 35, 5), (2, 42, 18)], 1));
        assert_eq!(told(&wishes, 1, 0, 88), (vec![(0, 0, 60), (1, 62, 5), (2, 69, 19)], 1));
    }

    #[test]
    fn the_column_of_the_cursor_is_scrolled_to_and_the_first_one_stays() {
        let wishes = [text(10), number(8), number(8), number(8)];
        // Room for the first and one more: 10 + 2 + 8 = 20.
        assert_eq!(told(&wishes, 1, 0, 22), (vec![(0, 0, 10), (1, 12, 8)], 1));
        assert_eq!(told(&wishes, 1, 3, 22), (vec![(0, 0, 10), (3, 12, 8)], 3));
        assert_eq!(told(&wishes, 3, 2, 22), (vec![(0, 0, 10), (2, 12, 8)], 2));
        assert_eq!(told(&wishes, 3, 0, 22).1, 1);
    }

    #[test]
    fn no_room_is_no_reason_to_fail() {
        let wishes = [number(8), number(8)];
        assert_eq!(told(&wishes, 1, 0, 3), (vec![(0, 0, 3)], 1));
        assert_eq!(told(&[], 0, 0, 80).0, []);
        for room in 0..40 {
            for cursor in 0..3 {
                let wishes = [text(30), number(6), text(4)];
                let (placed, _) = place(&wishes, 9, cursor, room);
                assert!(placed.iter().all(|column| column.x + column.width <= room), "{room} {placed:?}");
            }
        }
    }
}
