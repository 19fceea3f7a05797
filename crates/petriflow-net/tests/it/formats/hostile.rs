//! Hostile input: refused with a reason, in reasonable time, and never with a panic.

use std::fmt::Write;

use arbtest::arbtest;
use petriflow_net::formats::{INPUT_BYTES_MAX, json, pnml};

const DEPTH: usize = 100_000;

/// What each reader says of the bytes; JSON is only asked if they are text.
fn refusals(bytes: &[u8]) -> String {
    let pnml = pnml::read_bytes(bytes).unwrap_err();
    let json = std::str::from_utf8(bytes).map(|text| json::read(text).unwrap_err().to_string());
    format!("pnml {pnml}\n  json {}", json.unwrap_or_else(|_| "not asked".to_owned()))
}

fn in_net(inside: &str) -> String {
    format!("<pnml><net id='n' type='ptnet'>{inside}</net></pnml>")
}

#[test]
fn text_that_is_no_net_is_refused_with_a_reason() {
    let cases: [(&str, &[u8]); 12] = [
        ("empty", b""),
        ("white space", b" \n\t "),
        ("truncated XML", b"<pnml>\n<net id='n' type='ptnet'><place id='p"),
        ("unclosed XML", b"<pnml>\n<net id='n' type='ptnet'>\n"),
        ("truncated JSON", b"{\"places\": [\"a"),
        ("NUL bytes", b"\0\0\0\0"),
        ("NUL in XML", b"<pnml>\n<net id='\0'/></pnml>"),
        ("NUL in JSON", b"{\"places\": [\"\0\"]}"),
        ("not UTF-8", b"<pnml>\n\xC3\xB6\xFF</pnml>"),
        ("Latin-1", b"<?xml version='1.0' encoding=\"ISO-8859-1\"?><pnml>\xF6</pnml>"),
        ("UTF-16", b"\xFF\xFE<\0p\0n\0m\0l\0/\0>\0"),
        ("UTF-32", b"\0\0\0<\0\0\0p"),
    ];
    let mut report = String::new();
    for (name, bytes) in cases {
        writeln!(report, "{name}\n  {}", refusals(bytes)).unwrap();
    }
    insta::assert_snapshot!(report, @r"
    empty
      pnml 1:1: not well-formed XML: the document does not have a root node
      json 1:1: EOF while parsing a value
    white space
      pnml 1:1: not well-formed XML: the document does not have a root node
      json 2:2: EOF while parsing a value
    truncated XML
      pnml 2:38: not well-formed XML: unexpected end of stream
      json 1:1: expected value
    unclosed XML
      pnml 3:1: not well-formed XML: the root node was opened but never closed
      json 1:1: expected value
    truncated JSON
      pnml 1:1: not well-formed XML: unknown token
      json 1:14: EOF while parsing a string
    NUL bytes
      pnml 1:1: not well-formed XML: unknown token
      json 1:1: expected value
    NUL in XML
      pnml 2:10: not well-formed XML: a non-XML character '\0' found
      json 1:1: expected value
    NUL in JSON
      pnml 1:1: not well-formed XML: unknown token
      json 1:14: control character (\u0000-\u001F) found while parsing a string
    not UTF-8
      pnml 2:2: this byte is not part of any UTF-8 character; only UTF-8 can be read
      json not asked
    Latin-1
      pnml 1:1: the encoding is `ISO-8859-1`; only UTF-8 can be read
      json not asked
    UTF-16
      pnml 1:1: the encoding is `UTF-16`; only UTF-8 can be read
      json not asked
    UTF-32
      pnml 1:1: the encoding is `UTF-32`; only UTF-8 can be read
      json 1:1: expected value
    ");
}

#[test]
fn document_type_declarations_are_refused() {
    let laughs = r#"<?xml version="1.0"?>
<!DOCTYPE pnml [
  <!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<pnml><net id="n" type="ptnet"><name><text>&c;</text></name></net></pnml>"#;
    let external = r#"<!DOCTYPE pnml [<!ENTITY a SYSTEM "file:///etc/passwd">]><pnml>&a;</pnml>"#;
    let empty = "<!DOCTYPE pnml><pnml/>";
    let undeclared = &in_net("<name><text>&a;</text></name>");
    let report =
        [laughs, external, empty, undeclared].map(|text| pnml::read(text).unwrap_err().to_string());
    insta::assert_snapshot!(report.join("\n"), @"
    2:1: a document type declaration is not allowed
    1:1: a document type declaration is not allowed
    1:1: a document type declaration is not allowed
    1:44: not well-formed XML: unknown entity reference 'a'
    ");
}

#[test]
fn deep_nesting_is_refused() {
    let nested = |open: &str, close: &str| open.repeat(DEPTH) + &close.repeat(DEPTH);
    let pages: String = (0..DEPTH).map(|page| format!("<page id='g{page}'>")).collect();
    let texts = [
        nested("<a>", "</a>"),
        "<a>".repeat(DEPTH),
        in_net(&nested("<toolspecific>", "</toolspecific>")),
        in_net(&(pages + &"</page>".repeat(DEPTH))),
        // The parser does not take the quoted `?><!--` for markup, so the scan must not either.
        format!("<?xml version='?><!--'?>{}", nested("<a>", "</a>")),
    ];
    let mut report = String::new();
    for text in texts {
        writeln!(report, "{}", pnml::read(&text).unwrap_err()).unwrap();
    }
    for text in
        [nested("[", "]"), nested("{\"places\":", "}"), format!("{{\"x\":{}", nested("[", "]"))]
    {
        writeln!(report, "{}", json::read(&text).unwrap_err()).unwrap();
    }
    insta::assert_snapshot!(report, @"
    1:3001: elements are nested more than 1000 deep
    1:3001: elements are nested more than 1000 deep
    1:14004: elements are nested more than 1000 deep
    1:15890: elements are nested more than 1000 deep
    1:3025: elements are nested more than 1000 deep
    1:1: invalid type: sequence, expected an object
    1:10: invalid type: map, expected a sequence
    1:4: unknown field `x`, expected one of `name`, `places`, `transitions`, `initialMarking`, `terminalPlaces`
    ");
}

#[test]
fn nesting_within_the_limit_is_read() {
    let depth = pnml::NESTING_MAX - 3;
    let pages: String = (0..depth).map(|page| format!("<page id='g{page}'>")).collect();
    let text = in_net(&(pages + "<place id='p'></place>" + &"</page>".repeat(depth)));
    assert_eq!(pnml::read(&text).unwrap().place_count(), 1);
}

#[test]
fn what_the_parser_handles_in_quadratic_time_is_bounded() {
    let mut attributes = String::from("<pnml");
    let (mut namespaces, mut spread) = (String::from("<pnml"), String::new());
    for number in 0..200_000 {
        write!(attributes, " a{number}=''").unwrap();
        write!(namespaces, " xmlns:n{number} = 'urn:{number}'").unwrap();
        write!(spread, "<a xmlns:n{number}='urn:{number}'>").unwrap();
    }
    let texts = [attributes + "/>", namespaces + "/>", spread];
    let report = texts.map(|text| pnml::read(&text).unwrap_err().to_string());
    insta::assert_snapshot!(report.join("\n"), @"
    1:1: the element has more than 256 attributes
    1:1: the element has more than 256 attributes
    1:685: more than 32 namespaces are declared around this point
    ");
}

#[test]
fn long_chains_of_references_are_followed_in_linear_time() {
    let mut inside = String::from("<place id='r0'/><transition id='t'/>");
    for number in 1..=DEPTH {
        write!(inside, "<referencePlace id='r{number}' ref='r{}'/>", number - 1).unwrap();
        write!(inside, "<arc id='a{number}' source='r{number}' target='t'/>").unwrap();
    }
    let net = pnml::read(&in_net(&inside)).unwrap();
    assert_eq!(net.inputs(net.transition_named("t").unwrap())[0].weight as usize, DEPTH);
}

#[test]
fn many_problems_in_one_line_are_located_in_linear_time() {
    let text = in_net(&"<place/>".repeat(DEPTH));
    assert_eq!(pnml::read(&text).unwrap_err().problems().len(), DEPTH);
}

#[test]
fn user_text_in_errors_is_cut() {
    let digits = "9".repeat(1_000_000);
    let marked =
        format!("<place id='p'><initialMarking><text>{digits}</text></initialMarking></place>");
    let report = [
        pnml::read(&in_net(&marked)).unwrap_err().to_string(),
        pnml::read(&format!("<{}/>", "x".repeat(1_000_000))).unwrap_err().to_string(),
        json::read(&format!("{{\"{}\": 1}}", "x".repeat(1_000_000))).unwrap_err().to_string(),
        json::read(&format!("{{\"places\": {digits}}}")).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(report.join("\n"), @"
    1:46: `initialMarking` is `999999999999999999999999999999999999999999999999999999999999…`, which is more than 4294967295
    1:1: expected a `pnml` element, found `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`
    1:1000003: unknown field `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    1:1000011: number out of range
    ");
}

#[test]
fn input_over_the_limit_is_refused_before_it_is_parsed() {
    let text = " ".repeat(INPUT_BYTES_MAX + 1);
    let report = [
        pnml::read(&text).unwrap_err().to_string(),
        pnml::read_bytes(text.as_bytes()).unwrap_err().to_string(),
        json::read(&text).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(report.join("\n"), @"
    1:1: the file has 67108865 bytes, more than 67108864
    1:1: the file has 67108865 bytes, more than 67108864
    the file has 67108865 bytes, more than 67108864
    ");
}

#[test]
fn no_bytes_make_a_reader_panic() {
    arbtest(|u| {
        let bytes: Vec<u8> = u.arbitrary()?;
        let _ = pnml::read_bytes(&bytes);
        let _ = json::read(&String::from_utf8_lossy(&bytes));
        Ok(())
    });
}

/// Random bytes seldom get past the first character; pieces of real files do.
#[test]
fn no_arrangement_of_markup_makes_a_reader_panic() {
    #[rustfmt::skip]
    let pieces = [
        "<pnml>", "</pnml>", "<net id='n' type='ptnet'>", "</net>", "<page id='g'>", "</page>",
        "<place id='p'>", "<place id='q'/>", "</place>", "<transition id='t'/>", "<name>", "</name>",
        "<text>", "</text>", "<initialMarking>", "</initialMarking>", "1", "-", " ", "\r\n", "&#32;",
        "&#x0;", "&", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "'", "\"", "=", "<", ">", "/",
        "<arc id='a' source='p' target='t'/>", "<referencePlace id='r' ref='r'/>", "<?xml ", "é", "\0",
        "{", "}", "[", "]", ",", ":", "\"places\"", "\"transitions\"", "\"inputs\"", "\"a\"", "2.0",
    ];
    arbtest(|u| {
        let mut text =
            String::from(*u.choose(&["", "<pnml><net id='n' type='ptnet'>", "{\"places\":"])?);
        for _ in 0..u.int_in_range(0..=40)? {
            text.push_str(u.choose(&pieces)?);
        }
        let _ = pnml::read(&text);
        let _ = json::read(&text);
        Ok(())
    });
}
