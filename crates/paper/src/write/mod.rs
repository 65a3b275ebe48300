//! Writing a scene: SVG for a page, SVG and PDF files for papers, cells for a terminal.

pub mod cells;
pub mod outline;
pub mod pdf;
pub mod svg;

use super::scene::ColourRole;

/// The colours on white paper, in the order of [`ColourRole::ALL`].
const PRINTED: [u32; 8] =
    [0x1a_1a_1a, 0x59_59_59, 0xd9_d9_d9, 0xff_ff_ff, 0x00_72_b2, 0xc0_50_00, 0x00_7d_5b, 0xa8_48_7e];

/// The colours on a dark page, in the same order.
const DARK: [u32; 8] =
    [0xe8_e6_e3, 0xa8_a6_a2, 0x3a_3d_42, 0x16_18_1c, 0x56_b4_e9, 0xf2_8e_3c, 0x2f_c4_9a, 0xe3_9c_c5];

/// The colour of a role in one of these lists.
fn colour(colours: &[u32; 8], role: ColourRole) -> u32 {
    ColourRole::ALL.iter().zip(colours).find(|(one, _)| **one == role).map_or(0, |(_, colour)| *colour)
}

/// The distance of a text's baseline below its middle, as a share of its size.
const BASELINE: f32 = 0.36;

/// The distance from the beginning of a text of this width to its place.
fn before(anchor: super::scene::Anchor, width: f32) -> f32 {
    match anchor {
        super::scene::Anchor::Start => 0.0,
        super::scene::Anchor::Middle => width / 2.0,
        super::scene::Anchor::End => width,
    }
}
