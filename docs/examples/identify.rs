//! Which mistake does this rope make? liborrery called from Rust, by the C interface.
//!
//!     rustc --edition 2021 identify.rs -l orrery && ./identify
//!
//! The functions below turn queries as a program of one's own might; the library names the mistake of the one
//! that takes pairs from neighbouring channels where the model takes them from the halves of a head.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;

#[repr(C)]
struct Array {
    struct_size: usize,
    name: *const c_char,
    data: *mut c_void,
    kind: i32,
    rank: i32,
    shape: [i64; 4],
    strides: [i64; 4],
}

const F64: i32 = 1;

extern "C" {
    fn orrery_error_text() -> *const c_char;
    fn orrery_encoding_create(
        settings: *const c_char,
        tables: *const Array,
        table_count: usize,
        encoding: *mut *mut c_void,
    ) -> c_int;
    fn orrery_encoding_destroy(encoding: *mut c_void);
    fn orrery_identify(
        settings: *const c_char,
        expected: *const c_void,
        inputs: *const Array,
        input_count: usize,
        result: *mut *mut c_void,
    ) -> c_int;
    fn orrery_result_json(result: *const c_void) -> *const c_char;
    fn orrery_result_destroy(result: *mut c_void);
}

/// What the library says of the call before, unless it is content.
fn checked(status: c_int) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(orrery_error_text()) }.to_string_lossy().into_owned())
}

/// A rope that is expected. It is destroyed with this value.
struct Rope(*mut c_void);

impl Rope {
    fn new(settings: &str) -> Result<Rope, String> {
        let settings = CString::new(settings).map_err(|error| error.to_string())?;
        let mut encoding = ptr::null_mut();
        checked(unsafe { orrery_encoding_create(settings.as_ptr(), ptr::null(), 0, &mut encoding) })?;
        Ok(Rope(encoding))
    }

    /// The report on rows before and after they were turned, as JSON.
    fn report(&self, before: &[[f64; D]], after: &[[f64; D]]) -> Result<String, String> {
        let names = [CString::new("before").unwrap(), CString::new("after").unwrap()];
        let inputs = [array(&names[0], before), array(&names[1], after)];
        let mut result = ptr::null_mut();
        checked(unsafe { orrery_identify(ptr::null(), self.0, inputs.as_ptr(), 2, &mut result) })?;
        let json = unsafe { CStr::from_ptr(orrery_result_json(result)) }.to_string_lossy().into_owned();
        unsafe { orrery_result_destroy(result) };
        Ok(json)
    }
}

impl Drop for Rope {
    fn drop(&mut self) {
        unsafe { orrery_encoding_destroy(self.0) }
    }
}

/// Rows as the library sees them, [N, D], without a copy: it only reads what goes in.
fn array(name: &CStr, rows: &[[f64; D]]) -> Array {
    Array {
        struct_size: std::mem::size_of::<Array>(),
        name: name.as_ptr(),
        data: rows.as_ptr() as *mut c_void,
        kind: F64,
        rank: 2,
        shape: [rows.len() as i64, D as i64, 0, 0],
        strides: [(8 * D) as i64, 8, 0, 0],
    }
}

const D: usize = 16;
const BASE: f64 = 10000.0;

/// Each row turned at its position, where pair t lies in the channels that `pair` says.
fn turned(rows: &[[f64; D]], pair: fn(usize) -> (usize, usize)) -> Vec<[f64; D]> {
    let turn = |m: usize, row: &[f64; D]| {
        let mut out = *row;
        for t in 0..D / 2 {
            let (a, b) = pair(t);
            let (sin, cos) = (m as f64 * BASE.powf(-2.0 * t as f64 / D as f64)).sin_cos();
            out[a] = row[a] * cos - row[b] * sin;
            out[b] = row[a] * sin + row[b] * cos;
        }
        out
    };
    rows.iter().enumerate().map(|(m, row)| turn(m, row)).collect()
}

/// The text of the first "key" of a JSON text.
fn first<'a>(json: &'a str, key: &str) -> &'a str {
    let start = json.find(&format!("\"{key}\":")).map_or(json.len(), |at| at + key.len() + 3);
    json[start..].split(&[',', '\n', '}'][..]).next().unwrap_or("").trim().trim_matches('"')
}

fn main() -> Result<(), String> {
    let query = |m: usize| std::array::from_fn(|i| ((7 * m + 3 * i * i + 5) % 13) as f64 / 6.5 - 1.0);
    let queries: Vec<[f64; D]> = (0..24).map(query).collect();
    let expected = Rope::new("encoding=rope base=1e4 rope.pairing=half_split")?;
    let halves = turned(&queries, |t| (t, t + D / 2));
    let neighbours = turned(&queries, |t| (2 * t, 2 * t + 1));
    for (name, after) in [("halves", halves), ("neighbours", neighbours)] {
        let report = expected.report(&queries, &after)?;
        println!("{name}: as expected {}, {}", first(&report, "as_expected"), first(&report, "text"));
    }
    if let Err(refusal) = Rope::new("encoding=roep") {
        println!("refused: {refusal}");
    }
    Ok(())
}
