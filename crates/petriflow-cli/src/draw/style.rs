//! Colours and fonts of the picture.
//!
//! Plain classes instead of variables, because many renderers know no variables. Everything is
//! told by shape or caption as well as by colour, so a print in black and white says the same. On
//! paper the light colours are used whatever the screen has.

pub(super) const STYLE: &str = "\
.petriflow { color-scheme: light dark; }
.petriflow text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', \
Arial, sans-serif; font-size: 12px; fill: #26323f; }
.petriflow .middle { text-anchor: middle; }
.petriflow .page { fill: #ffffff; }
.petriflow .panel { fill: #fafbfc; stroke: #dfe4ea; stroke-width: 1; }
.petriflow .heading { font-size: 16px; font-weight: 600; }
.petriflow .small { font-size: 10.5px; fill: #66727f; }
.petriflow .origin { font-size: 11.5px; fill: #66727f; }
.petriflow .notice { font-size: 13px; fill: #66727f; }
.petriflow .arrow { fill: none; stroke: #5b6875; stroke-width: 1.5; stroke-linecap: round; }
.petriflow .head { fill: #5b6875; stroke: none; }
.petriflow .drain { fill: none; stroke: #0f766e; stroke-width: 5.5; }
.petriflow .drain-inside { fill: none; stroke: #fafbfc; stroke-width: 2.5; }
.petriflow .drain-head { fill: #0f766e; stroke: none; }
.petriflow .label-back { fill: #fafbfc; }
.petriflow .label { font-size: 10.5px; font-weight: 600; fill: #3d4a57; }
.petriflow .place { fill: #ffffff; stroke: #3d4a57; stroke-width: 1.6; }
.petriflow .ring { fill: none; stroke: #3d4a57; stroke-width: 1; }
.petriflow .token { fill: #26323f; }
.petriflow .count { font-weight: 600; }
.petriflow .box { fill: #eaf1fe; stroke: #3f6fcb; stroke-width: 1.6; }
.petriflow .structural { fill: #ccd3da; stroke: #98a3ae; stroke-width: 1.2; }
.petriflow .manual { fill: #fff4da; stroke: #b27710; }
.petriflow .never { fill: #fdeeee; stroke: #cc3333; stroke-width: 2; }
.petriflow .deferred { stroke-dasharray: 5 3.5; }
.petriflow .tool { font-size: 13.5px; font-weight: 600; }
.petriflow .caption { font-size: 10.5px; font-style: italic; fill: #34589f; }
.petriflow .caption-manual { fill: #85560a; }
.petriflow .caption-never { fill: #b32424; font-weight: 600; }
@media print { .petriflow { max-width: 100%; height: auto; } }
@media screen and (prefers-color-scheme: dark) {
.petriflow text { fill: #e3e8ee; }
.petriflow .page { fill: #0f1419; }
.petriflow .panel { fill: #171d24; stroke: #2c3641; }
.petriflow .small, .petriflow .origin, .petriflow .notice { fill: #98a5b3; }
.petriflow .arrow { stroke: #93a1b0; }
.petriflow .head { fill: #93a1b0; }
.petriflow .drain { stroke: #4fc3b5; }
.petriflow .drain-inside { stroke: #171d24; }
.petriflow .drain-head { fill: #4fc3b5; }
.petriflow .label-back { fill: #171d24; }
.petriflow .label { fill: #c8d1db; }
.petriflow .place { fill: #10161c; stroke: #b4bfcb; }
.petriflow .ring { stroke: #b4bfcb; }
.petriflow .token { fill: #e3e8ee; }
.petriflow .box { fill: #1a2b4a; stroke: #6d9bf0; }
.petriflow .structural { fill: #3b4652; stroke: #66727f; }
.petriflow .manual { fill: #3a2c0c; stroke: #dba63c; }
.petriflow .never { fill: #3c191c; stroke: #f06a6a; }
.petriflow .caption { fill: #9dbcf5; }
.petriflow .caption-manual { fill: #e9be68; }
.petriflow .caption-never { fill: #ff8f8f; }
}
";
