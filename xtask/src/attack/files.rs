//! Small valid files of every format with near-duplicates in them, as a starting point for mutations.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::workbook;

/// The commands for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    Documents,
    Table,
    /// Also a table, but documents are not read from it.
    Workbook,
    Sets,
    Prints,
}

/// A valid file.
pub(super) struct Good {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) is_for: For,
    /// Packs the mutated bytes: changes to packed data would be detected by its checksum.
    pub(super) pack: fn(&[u8]) -> Result<Vec<u8>>,
}

/// One of 8 texts, with a unique word.
pub(super) fn text(number: usize) -> String {
    let word = |at: usize| if at == 7 { format!("own{number}") } else { format!("w{}", (number % 8) * 100 + at) };
    (0..40).map(word).collect::<Vec<_>>().join(" ")
}

const COUNT: usize = 24;

/// All files.
pub(super) fn all() -> Result<Vec<Good>> {
    let lines = |line: &dyn Fn(usize) -> String| (0..COUNT).map(line).collect::<String>();
    let jsonl = lines(&|at| format!("{{\"id\":\"{at}\",\"text\":\"{}\"}}\n", text(at)));
    let json = format!("[{}]", jsonl.trim_end().replace('\n', ",\n"));
    let csv = format!("id,text\n{}", lines(&|at| format!("{at},\"{}, \"\"{at}\"\"\"\n", text(at))));
    let page = |at: usize| {
        format!("<html><head><title>t</title></head><body><nav><a href=x>y</a></nav><p>{}</p></body></html>", text(at))
    };
    let record = |kind: &str, content: &str, body: &str| {
        let length = body.len();
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/{length}\r\nWARC-Record-ID: <urn:uuid:{length}>\r\n\
             Content-Type: {content}\r\nContent-Length: {length}\r\n\r\n{body}\r\n\r\n"
        )
    };
    let http = |at: usize| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{}", page(at));
    let warc = lines(&|at| record("response", "application/http; msgtype=response", &http(at)));
    let wet = lines(&|at| record("conversion", "text/plain", &text(at)));
    let arc = "filedesc://x.arc 0.0.0.0 20140216050221 text/plain 5\n1 0 X\n\n".to_owned()
        + &lines(&|at| {
            format!("http://a.example/{at} 1.2.3.4 20140216050221 text/html {}\n{}\n", http(at).len(), http(at))
        });
    let members: Vec<u8> = (0..COUNT)
        .map(|at| gzip(record("conversion", "text/plain", &text(at)).as_bytes()))
        .collect::<Result<Vec<_>>>()?
        .concat();
    let people = format!(
        "id,name,born,city,phone\n{}",
        lines(&|at| format!(
            "{at},Ann {} Miller,19{}-03-0{},Ulm,0731-55{}\n",
            at / 2,
            50 + at / 2,
            at % 9 + 1,
            at / 2 * 7
        ))
    );
    let minutiae =
        lines(&|at| format!("p{},{},{},{}\n", at / 12, at % 12 * 17, at % 12 * 31 % 200, at % 12 * 29 % 360));
    let baskets = lines(&|at| format!("{} {} {} {}\n", at % 5, at % 7, at % 3, at));
    let good = |name, bytes: Vec<u8>, is_for| Good { name, bytes, is_for, pack: |bytes| Ok(bytes.to_vec()) };
    let workbook = |name, bytes: Vec<u8>, pack| Good { name, bytes, is_for: For::Workbook, pack };
    let (sheet, texts) = (workbook::sheet(), workbook::texts());
    let documents = |name, bytes: Vec<u8>| good(name, bytes, For::Documents);
    Ok(vec![
        documents("a.jsonl", jsonl.clone().into_bytes()),
        documents("a.jsonl.gz", gzip(jsonl.as_bytes())?),
        documents("a.jsonl.zst", zstd::encode_all(jsonl.as_bytes(), 3)?),
        documents("a.json", json.into_bytes()),
        documents("a.csv", csv.clone().into_bytes()),
        documents("a.tsv", csv.replace(',', "\t").into_bytes()),
        documents("a.txt", text(1).into_bytes()),
        documents("a.html", page(1).into_bytes()),
        documents("a.warc", warc.clone().into_bytes()),
        documents("a.warc.gz", gzip(warc.as_bytes())?),
        documents("a.warc.wet.gz", members),
        documents("a.wet", wet.into_bytes()),
        documents("a.arc", arc.into_bytes()),
        documents("a.parquet", parquet()?),
        good("people.csv", people.clone().into_bytes(), For::Table),
        good("people.csv.gz", gzip(people.as_bytes())?, For::Table),
        workbook("people.xlsx", workbook::packed(sheet.as_bytes(), texts.as_bytes())?, |bytes| Ok(bytes.to_vec())),
        workbook("sheet.xlsx", sheet.into_bytes(), |sheet| workbook::packed(sheet, workbook::texts().as_bytes())),
        workbook("texts.xlsx", texts.into_bytes(), |texts| workbook::packed(workbook::sheet().as_bytes(), texts)),
        good("sets.txt", baskets.into_bytes(), For::Sets),
        good("minutiae.csv", format!("print,x,y,angle\n{minutiae}").into_bytes(), For::Prints),
    ])
}

/// Compresses bytes as one gzip member.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Two columns in two row groups.
fn parquet() -> Result<Vec<u8>> {
    let schema = parse_message_type("message t { required binary id (STRING); required binary text (STRING); }")?;
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(WriterProperties::builder().build()))?;
    for group in [0..COUNT / 2, COUNT / 2..COUNT] {
        let mut rows = writer.next_row_group()?;
        for of_row in [|at: usize| at.to_string(), text] {
            let values: Vec<ByteArray> = group.clone().map(|at| of_row(at).into_bytes().into()).collect();
            if let Some(mut column) = rows.next_column()? {
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                column.close()?;
            }
        }
        rows.close()?;
    }
    writer.close()?;
    Ok(bytes)
}
