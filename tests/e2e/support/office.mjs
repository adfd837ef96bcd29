// Small documents for the stories: office files, PDF files, and their way into a workspace.
import assert from "node:assert/strict";
import { zip } from "./zip.mjs";

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const run = (text) => `<w:r><w:t>${escaped(text)}</w:t></w:r>`;

// A paragraph: "text", "Heading1:text" or, for an item of a list, "-:text".
const paragraph = (given) => {
  const [, style, text] = /^(?:(Heading\d|-):)?([^]*)$/.exec(given);
  const properties = style === "-" ? "<w:numPr/>" : style ? `<w:pStyle w:val="${style}"/>` : "";
  return `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${run(text)}</w:p>`;
};
export const docx = (paragraphs, table = []) => {
  const rows = table.map((row) => `<w:tr>${row.map((cell) => `<w:tc><w:p>${run(cell)}</w:p></w:tc>`).join("")}</w:tr>`);
  const body = paragraphs.map(paragraph).join("") + (rows.length > 0 ? `<w:tbl>${rows.join("")}</w:tbl>` : "");
  return zip([{ name: "word/document.xml", content: `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>` }]);
};

export const pptx = (slides) =>
  zip(
    slides.map((lines, at) => ({
      name: `ppt/slides/slide${at + 1}.xml`,
      content: `<p:sld xmlns:p="p" xmlns:a="a">${lines.map((line) => `<a:p><a:r><a:t>${escaped(line)}</a:t></a:r></a:p>`).join("")}</p:sld>`,
    })),
  );

const book = (names) => [
  {
    name: "xl/workbook.xml",
    content: `<workbook xmlns:r="r"><sheets>${names.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join("")}</sheets></workbook>`,
  },
  {
    name: "xl/_rels/workbook.xml.rels",
    content: `<Relationships>${names.map((_, at) => `<Relationship Id="rId${at + 1}" Target="worksheets/sheet${at + 1}.xml"/>`).join("")}</Relationships>`,
  },
];
const sheet = (rows, at) => ({ name: `xl/worksheets/sheet${at}.xml`, content: `<worksheet><sheetData>${rows}</sheetData></worksheet>` });
// A workbook of one sheet with these rows, as XML.
export const workbook = (rows) => zip([...book(["Sheet1"]), sheet(rows, 1)]);

// `sheets`: {name: rows of cells}: texts, numbers, and {date: days since 1899-12-30}.
export const xlsx = (sheets) => {
  const texts = [];
  const cell = (value, row, column) => {
    const reference = `${String.fromCharCode(65 + column)}${row + 1}`;
    if (typeof value === "number") return `<c r="${reference}"><v>${value}</v></c>`;
    if (typeof value === "object") return `<c r="${reference}" s="1"><v>${value.date}</v></c>`;
    texts.push(value);
    return `<c r="${reference}" t="s"><v>${texts.length - 1}</v></c>`;
  };
  const parts = Object.values(sheets).map((rows, at) =>
    sheet(rows.map((row, y) => `<row r="${y + 1}">${row.map((value, x) => cell(value, y, x)).join("")}</row>`).join(""), at + 1),
  );
  return zip([
    ...book(Object.keys(sheets)),
    ...parts,
    { name: "xl/sharedStrings.xml", content: `<sst>${texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join("")}</sst>` },
    { name: "xl/styles.xml", content: '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>' },
  ]);
};

// One page with one line.
export const pdf = (line) => {
  const stream = `BT /F1 24 Tf 72 700 Td (${line.replace(/([()\\])/g, "\\$1")}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
};

// Puts a file into the workspace of an agent.
export const upload = async (box, person, agent, name, bytes) => {
  const form = new FormData();
  form.append("file", new Blob([bytes]), name);
  const answer = await fetch(`${box.web}/api/agents/${agent}/files/upload`, {
    method: "POST",
    headers: { cookie: person.cookie },
    body: form,
  });
  assert.ok(answer.ok, `${name}: ${answer.status} ${await answer.text()}`);
};
