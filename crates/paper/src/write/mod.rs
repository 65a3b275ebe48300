//! Writing a scene: SVG for a page, SVG and PDF files for papers, cells for a terminal.

pub mod cells;
pub mod outline;
pub mod pdf;
pub mod svg;

use super::ColourRole;

/// The class of each role on a page, its colour on white paper and its colour on a dark page, in the order of the roles.
const LOOKS: [(char, u32, u32); 8] = [
    ('i', 0x1a_1a_1a, 0xe8_e6_e3),
    ('m', 0x59_59_59, 0xa8_a6_a2),
    ('g', 0xd9_d9_d9, 0x3a_3d_42),
    ('p', 0xff_ff_ff, 0x16_18_1c),
    ('a', 0x00_72_b2, 0x56_b4_e9),
    ('b', 0xc0_50_00, 0xf2_8e_3c),
    ('c', 0x00_7d_5b, 0x2f_c4_9a),
    ('d', 0xa8_48_7e, 0xe3_9c_c5),
];

/// The class of a role, and its colour on white paper.
fn look(role: ColourRole) -> (char, u32) {
    let (class, printed, _) = LOOKS[role as usize];
    (class, printed)
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
