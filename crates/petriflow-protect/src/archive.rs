//! Programs that pack files and then remove them.

use petriflow_shell::Word;

use crate::programs::cluster;

/// Programs that put a packed file in the place of each of theirs.
const REPLACE: [&str; 11] = [
    "gzip", "pigz", "bzip2", "pbzip2", "lbzip2", "xz", "pixz", "lzma", "compress", "lzip", "lrzip",
];

/// Whether a program takes its files away, with all beneath.
pub(crate) fn takes(program: &str, words: &[Word]) -> bool {
    let has = |test: &dyn Fn(&str) -> bool| words.iter().skip(1).any(|word| test(&word.text));
    let sub = words.get(1).map_or("", |word| word.text.as_str());
    match program {
        "zip" => {
            has(&|text| (cluster(text, "m") && !text.starts_with("-mm")) || text.starts_with("--m"))
        }
        "tar" | "gtar" | "bsdtar" => has(&|text| text.starts_with("--remove")),
        "7z" | "7za" | "7zr" | "7zz" => has(&|text| text.starts_with("-sdel")),
        "rar" => sub.starts_with('m') || has(&|text| text.starts_with("-d")),
        "zstd" | "zstdmt" | "pzstd" | "lz4" | "brotli" if has(&|text| removes(program, text)) => {
            true
        }
        "rclone" => {
            has(&|text| matches!(text, "sync" | "move" | "moveto" | "delete" | "purge" | "bisync"))
        }
        "unison" => true,
        name if REPLACE.contains(&name) => {
            !shows(words) && !has(&|text| cluster(text, "k") || text == "--keep")
        }
        _ => false,
    }
}

/// Whether it is a packer that prints, or looks at what is packed.
pub(crate) fn only_shows(program: &str, words: &[Word]) -> bool {
    REPLACE.contains(&program) && shows(words)
}

fn shows(words: &[Word]) -> bool {
    const LONG: [&str; 6] = ["--stdout", "--to-stdout", "--test", "--list", "--help", "--version"];
    words
        .iter()
        .skip(1)
        .any(|word| cluster(&word.text, "ctlhV") || LONG.contains(&word.text.as_str()))
}

fn removes(program: &str, text: &str) -> bool {
    text == "--rm"
        || (program == "brotli" && cluster(text, "j"))
        || (program == "lz4" && cluster(text, "m"))
}
