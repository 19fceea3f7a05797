//! Drawings of skill nets: a picture to look at (SVG), and text for Graphviz and Mermaid.
//!
//! A net becomes a [`Sketch`](sketch::Sketch) first, which says what is to be seen, in words that
//! can be shown anywhere; the formats differ in how they write it down. For the picture, [`measure`]
//! says how large nodes are, [`ranks`] and [`order`] which column and row they stand in,
//! [`coordinates`] where that is, [`routes`] how arrows run between the columns, and [`layout`] puts
//! it together for [`paint`].

mod coordinates;
mod dot;
mod layout;
mod legend;
mod measure;
mod mermaid;
mod order;
mod paint;
mod panel;
mod ranks;
mod routes;
mod sketch;
mod style;
mod svg;
#[cfg(test)]
mod tests;

use petriflow::gate::SkillNet;

/// How nets are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A picture that needs nothing but itself.
    Svg,
    /// For Graphviz.
    Dot,
    /// For Markdown pages.
    Mermaid,
}

/// Draws all nets into one file.
pub(crate) fn draw(nets: &[&SkillNet], format: Format) -> String {
    match format {
        Format::Svg => svg::svg(nets),
        Format::Dot => dot::dot(nets),
        Format::Mermaid => mermaid::mermaid(nets),
    }
}
