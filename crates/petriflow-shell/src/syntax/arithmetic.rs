//! `((…))` and `$((…))`.
//!
//! Only what is certainly arithmetic is accepted, since bash goes back and reads something else as
//! commands.

use super::dollar::is_evaluated;
use super::word::Parts;
use super::{Parsed, Parser};
use crate::ast::Part;

impl Parser<'_> {
    /// The inside up to and including `))`. `loop_head`: `for ((…;…;…))` has semicolons.
    pub(super) fn arithmetic(&mut self, start: usize, loop_head: bool) -> Parsed<Part> {
        let inside = self.position;
        let mut parts = Parts::default();
        let mut open: usize = 0;
        loop {
            let Some(byte) = self.peek() else { return Err(self.unterminated("((")) };
            match byte {
                b')' if open == 0 => break,
                b'$' => {
                    self.dollar(&mut parts, true)?;
                    continue;
                }
                b'`' => {
                    self.backquote(&mut parts, true, false)?;
                    continue;
                }
                b'(' => open = open.saturating_add(1),
                b')' => open = open.saturating_sub(1),
                b';' if loop_head => {}
                byte if byte.is_ascii_alphanumeric()
                    || b" \t\n\"_+-*/%<>=!&|^~?:,[]#@.".contains(&byte) => {}
                _ => return Err(self.unsupported("this arithmetic")),
            }
            self.advance(1);
        }
        let text = self.slice(inside);
        let names = text.contains(is_evaluated);
        let assigns = text.contains('=') || text.contains("++") || text.contains("--") || names;
        let inner = text.to_owned();
        if !self.eat("))") {
            return Err(self.unsupported("`((` that is not arithmetic"));
        }
        Ok(Part::Arithmetic { parts: parts.parts, names, assigns, inner, raw: self.raw(start) })
    }
}
