//! Arbitrary nets from bytes. Written once; property tests and fuzz targets share it.

use arbitrary::{Result, Unstructured};
use petriflow_net::{Net, NetBuilder};

/// A small net: 1–7 places, 0–8 transitions.
///
/// Some 40 % of the nets only move tokens and are bounded therefore; the others also make and
/// destroy them, with sources and sinks now and then, and over a third of those are unbounded.
/// Self-loops occur in both.
///
/// # Errors
/// If the bytes cannot be read, which [`Unstructured`] reports for no input used here.
pub fn net(u: &mut Unstructured<'_>) -> Result<Net> {
    let places = u.int_in_range(1..=7)?;
    let transitions = u.int_in_range(0..=8)?;
    // 0 and 1: all conserve. 2 and 3: none has to. 4: only the first is free, a leak in a sound net.
    let shape = u.int_in_range(0..=4)?;
    let mut builder = Net::builder("arbitrary").places((0..places).map(place));
    for i in 0..transitions {
        let free = matches!(shape, 2 | 3) || (shape == 4 && i == 0);
        let sides = if free { free_arcs(u, places)? } else { conserving_arcs(u, places)? };
        builder = add_transition(builder, i, sides);
    }
    for i in 0..places {
        builder = builder.initial(place(i), tokens(u)?);
    }
    Ok(built(builder))
}

/// A wide net, so that a marking fills several machine words: 20–90 places, few states.
///
/// One or two tokens wander over most places; up to four pairs of places swap a large number of
/// tokens at once, which takes up to 11 bits a place. One in eight has a source and is unbounded.
///
/// # Errors
/// As [`net`].
pub fn wide_net(u: &mut Unstructured<'_>) -> Result<Net> {
    let pairs = u.int_in_range(0..=4)?;
    let unbounded = u.ratio(1, 8)?;
    let places = u.int_in_range(20..=90 - 2 * pairs)?;
    let mut builder = Net::builder("arbitrary-wide").places((0..places + 2 * pairs).map(place));
    for i in 0..pairs {
        let (a, b) = (places + 2 * i, places + 2 * i + 1);
        let count = u.int_in_range(1..=1500)?;
        builder = add_transition(builder, 2 * i, (vec![(a, count)], vec![(b, count)]));
        builder = add_transition(builder, 2 * i + 1, (vec![(b, count)], vec![(a, count)]));
        builder = builder.initial(place(a), count);
    }
    for i in 0..places {
        // Without bytes left this is a ring, which is a fine net too.
        let to = (i + 1 + usize::from(u.arbitrary::<u8>()? % 16)) % places;
        builder = add_transition(builder, 2 * pairs + i, (vec![(i, 1)], vec![(to, 1)]));
    }
    if unbounded {
        let at = any_place(u, places)?;
        builder = add_transition(builder, 2 * pairs + places, (vec![], vec![(at, 1)]));
    }
    let start = any_place(u, places)?;
    Ok(built(builder.initial(place(start), u.int_in_range(1..=2)?)))
}

/// What a transition takes and what it puts: places with weights.
type Sides = (Vec<(usize, u64)>, Vec<(usize, u64)>);

/// Takes and puts the same number of tokens, one to three.
fn conserving_arcs(u: &mut Unstructured<'_>, places: usize) -> Result<Sides> {
    let moved = *u.choose(&[1, 1, 1, 2, 2, 3])?;
    let mut sides = (Vec::new(), Vec::new());
    for _ in 0..moved {
        sides.0.push((any_place(u, places)?, 1));
        sides.1.push((any_place(u, places)?, 1));
    }
    with_loop(u, places, sides)
}

fn free_arcs(u: &mut Unstructured<'_>, places: usize) -> Result<Sides> {
    // Fewer inputs than outputs, or most of these nets would soon be dead.
    let inputs = *u.choose(&[1, 1, 1, 1, 1, 2, 2, 0])?;
    let outputs = *u.choose(&[1, 1, 2, 2, 2, 3, 3, 0])?;
    let sides = (free_side(u, places, inputs)?, free_side(u, places, outputs)?);
    with_loop(u, places, sides)
}

fn free_side(u: &mut Unstructured<'_>, places: usize, arcs: usize) -> Result<Vec<(usize, u64)>> {
    (0..arcs).map(|_| Ok((any_place(u, places)?, weight(u)?))).collect()
}

/// Now and then the transition also reads a place that it leaves unchanged.
fn with_loop(u: &mut Unstructured<'_>, places: usize, mut sides: Sides) -> Result<Sides> {
    if u.ratio(1, 6)? {
        let arc = (any_place(u, places)?, weight(u)?);
        sides.0.push(arc);
        sides.1.push(arc);
    }
    Ok(sides)
}

fn weight(u: &mut Unstructured<'_>) -> Result<u64> {
    if u.ratio(1, 16)? { u.int_in_range(4..=12) } else { Ok(*u.choose(&[1, 1, 1, 2, 3])?) }
}

/// Mostly few: the state count grows with a power of the tokens.
fn tokens(u: &mut Unstructured<'_>) -> Result<u64> {
    if u.ratio(1, 24)? {
        u.int_in_range(5..=20)
    } else {
        Ok(*u.choose(&[1, 0, 0, 0, 0, 1, 1, 2, 3, 4])?)
    }
}

fn any_place(u: &mut Unstructured<'_>, places: usize) -> Result<usize> {
    u.int_in_range(0..=places - 1)
}

fn add_transition(builder: NetBuilder, i: usize, (inputs, outputs): Sides) -> NetBuilder {
    let named = |(position, weight)| (place(position), weight);
    let (inputs, outputs) = (inputs.into_iter().map(named), outputs.into_iter().map(named));
    builder.weighted_transition(format!("t{i}"), inputs, outputs)
}

fn place(position: usize) -> String {
    format!("p{position}")
}

fn built(builder: NetBuilder) -> Net {
    builder.build().expect("generated nets are valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::boundedness;

    /// Bytes that look random, from a fixed seed.
    fn bytes(seed: u64, count: usize) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn bounded_and_unbounded_nets_are_both_common() {
        let mut counts = [0; 3];
        for seed in 0..400 {
            let net = net(&mut Unstructured::new(&bytes(seed, 256))).unwrap();
            counts[boundedness(&net, 2000) as usize] += 1;
        }
        let [bounded, unbounded, gave_up] = counts;
        assert!(bounded > 200 && unbounded > 90 && gave_up < 60, "{counts:?}");
    }

    #[test]
    fn wide_nets_are_wide_and_mostly_small_enough_to_explore() {
        let mut bounded = 0;
        for seed in 0..60 {
            let net = wide_net(&mut Unstructured::new(&bytes(seed, 256))).unwrap();
            assert!((20..=90).contains(&net.place_count()));
            bounded += usize::from(crate::naive::explore(&net, 5000).complete().is_some());
        }
        assert!(bounded > 25, "{bounded}");
    }
}
