//! The members of an event, asked for by name and kind.

use crate::event::{Call, Start};
use crate::json::{self, Json, Object};

/// The members of an object. An error is a sentence about the member that is missing or wrong.
pub(crate) struct Fields<'a>(&'a Object);

impl<'a> Fields<'a> {
    pub(crate) fn new(object: &'a Object) -> Self {
        Self(object)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Json> {
        self.0.get(name)
    }

    /// A text that must be there and not be blank.
    pub(crate) fn text(&self, name: &str) -> Result<&'a str, String> {
        match self.optional_text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(format!("`{name}` is blank")),
            None => Err(format!("`{name}` is missing")),
        }
    }

    /// A text that may be absent or `null`.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{name}` is not a text")),
        }
    }

    /// A text that may be absent, `null` or empty.
    pub(crate) fn filled_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        Ok(self.optional_text(name)?.filter(|text| !text.is_empty()))
    }

    pub(crate) fn object(&self, name: &str) -> Result<&'a Object, String> {
        let value = self.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
        value.as_object().ok_or_else(|| format!("`{name}` is not an object"))
    }

    /// An object, or a text that holds one.
    pub(crate) fn object_or_text(&self, name: &str) -> Result<Object, String> {
        let Some(Json::Text(text)) = self.get(name) else { return self.object(name).cloned() };
        match json::parse(text) {
            Ok(Json::Object(object)) => Ok(object),
            Ok(_) => Err(format!("`{name}` is a text that holds no object")),
            Err(error) => Err(format!("`{name}` is a text that holds no object: {error}")),
        }
    }

    /// Whether a member is there and neither `null` nor `false`.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(Json::is_set)
    }

    /// The call of an event with an id.
    pub(crate) fn call(&self) -> Result<Call, String> {
        let id = self.text("tool_use_id")?.to_owned();
        Ok(Call { id: Some(id), ..self.call_without_id()? })
    }

    /// The call of an event of a host that has no ids.
    pub(crate) fn call_without_id(&self) -> Result<Call, String> {
        let tool = self.text("tool_name")?.to_owned();
        Ok(Call { id: None, tool, input: self.object("tool_input")?.to_value() })
    }

    /// How a session began, by the member `source`, which hosts have in common.
    pub(crate) fn start(&self, session: &str) -> Result<Start, String> {
        match self.text("source")? {
            "startup" => Ok(Start::New),
            "clear" => Ok(Start::Cleared),
            "resume" => Ok(Start::Resumed),
            "compact" => Ok(Start::Compacted),
            "fork" => {
                let transcript = self.optional_text("transcript_path")?;
                let parent = transcript.and_then(session_of_transcript);
                Ok(Start::Forked { parent: parent.filter(|parent| parent != session) })
            }
            // What is kept depends on it, so it is not guessed.
            other => Err(format!("`source` is `{other}`, which is not known")),
        }
    }
}

/// The session that a transcript belongs to: hosts end the file's name with its id, a UUID.
fn session_of_transcript(path: &str) -> Option<String> {
    const UUID_LEN: usize = 36;
    let file = path.rsplit(['/', '\\']).next()?;
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let id = stem.get(stem.len().checked_sub(UUID_LEN)?..)?;
    let is_uuid = id.bytes().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    is_uuid.then(|| id.to_owned())
}
