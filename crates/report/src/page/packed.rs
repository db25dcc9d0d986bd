//! Makes the page's data small enough to inline and to mail around: numbers keep six digits, and the whole is deflated
//! and written in base64, where no text of a record can end the script element that carries it. The page inflates it
//! (`page/src/data.ts`).

use base64ct::{Base64, Encoding};
use serde_json::{Value, json};

const DIGITS: usize = 6;
/// The effort, out of ten, beyond which few bytes less cost as much time again.
const EFFORT: u8 = 6;

pub fn packed(mut value: Value) -> String {
    round(&mut value);
    Base64::encode_string(&miniz_oxide::deflate::compress_to_vec_zlib(value.to_string().as_bytes(), EFFORT))
}

fn round(value: &mut Value) {
    match value {
        Value::Number(n) if n.is_f64() => *value = n.as_f64().map_or(Value::Null, rounded),
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(map) => map.values_mut().for_each(round),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A whole number when it is one, so that 12.0 costs two characters.
fn rounded(x: f64) -> Value {
    let near: f64 = format!("{x:.*e}", DIGITS - 1).parse().expect("a float printed by us");
    if near.fract() == 0.0 && near.abs() < 1e15 { json!(near as i64) } else { json!(near) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_read_back_and_can_end_no_script() {
        let hostile = "</script><script>alert(1)</script>";
        let carried = packed(json!({ "a": hostile, "b": [1.23456789, 40.0, f64::MAX, -3] }));
        assert!(!carried.contains('<'));
        let bytes = Base64::decode_vec(&carried).unwrap();
        let text = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).unwrap();
        let read: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(read, json!({ "a": hostile, "b": [1.23457, 40, 1.79769e308, -3] }));
    }
}
