// Documents of the workspace become text in a confined process; what is damaged or hostile ends in a sentence.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { docx, pdf, pptx, upload, workbook, xlsx } from "../support/office.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { zip } from "../support/zip.mjs";

const story_of = async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org", "collective");
  const agent = await box.running_agent(ada);
  // The tool's result for this file.
  const read = async (path, more = {}) => {
    let result;
    model.will(call(["read_document", { path, ...more }]), (request) => {
      result = JSON.parse(request.messages.at(-1).content);
      return say("Read.");
    });
    const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message: `Read ${path}` });
    assert.equal(status, 200, `${JSON.stringify(body)} ${model.faults}`);
    return result;
  };
  const give = (name, bytes) => upload(box, ada, agent, name, bytes);
  return { model, box, ada, agent, read, give };
};
const content_of = ({ content, error }) => {
  assert.equal(error, undefined);
  return content
    .split("\n")
    .map((line) => line.replace(/^\d+\t/, ""))
    .join("\n");
};

test("office files, HTML and CSV become text", async (t) => {
  const { model, box, read, give } = await story_of(t);
  await give(
    "report.docx",
    docx(
      ["Heading1:The harbour", "Herons: 42 & counting", "-:first point"],
      [
        ["Bird", "Count"],
        ["heron", "42"],
      ],
    ),
  );
  const report = await read("report.docx");
  assert.equal(report.kind, "docx");
  const text = content_of(report);
  assert.match(text, /^# The harbour\nHerons: 42 & counting\n- first point\nBird \| Count\nheron \| 42\n/);

  await give(
    "birds.xlsx",
    xlsx({
      Birds: [
        ["bird", "count", "seen"],
        ["heron, grey", 42, { date: 46_023.5 }],
        ["gull", 7.5],
      ],
      Empty: [],
    }),
  );
  assert.equal(
    content_of(await read("birds.xlsx")),
    '## Sheet Birds\nbird,count,seen\n"heron, grey",42,2026-01-01 12:00:00\ngull,7.5\n\n## Sheet Empty\n\n',
  );

  await give("talk.pptx", pptx([["Herons", "They are many"], ["Thank you"]]));
  assert.match(content_of(await read("talk.pptx")), /## Slide 1\nHerons\nThey are many\n\n## Slide 2\nThank you/);

  const page = `<html><head><meta charset="iso-8859-1"><title>Caf\xe9</title></head><body><nav>Menu</nav><article><h1>Caf\xe9</h1><p>The caf\xe9 of the harbour opens at six in the morning, every day of the year, also on holidays.</p></article></body></html>`;
  await give("page.html", Buffer.from(page, "latin1"));
  assert.match(content_of(await read("page.html")), /The café of the harbour opens at six/);

  await give("list.csv", Buffer.from("\ufeffname;price\nCaf\u00e9;2\n", "utf16le"));
  assert.equal(content_of(await read("list.csv")), "name;price\nCafé;2\n");

  const lines = Array.from({ length: 3_000 }, (_, i) => `Paragraph ${i + 1} of a long report about the birds of the harbour`);
  await give("long.docx", docx(lines));
  const part = await read("long.docx");
  assert.ok(part.next_line > 100 && part.lines === 3_000, JSON.stringify(part).slice(0, 200));
  assert.match((await read("long.docx", { from_line: part.next_line, lines: 1 })).content, new RegExp(`Paragraph ${part.next_line} `));
  const left = join(box.folder, "media", "documents");
  assert.deepEqual(existsSync(left) ? readdirSync(left) : [], [], "no copy is left");
  model.check();
});

test("a PDF becomes text where poppler is installed", { skip: !existsSync("/usr/bin/pdftotext") }, async (t) => {
  const { model, read, give } = await story_of(t);
  await give("bill.pdf", pdf("The bill is 42 crowns"));
  assert.match(content_of(await read("bill.pdf")), /The bill is 42 crowns/);
  await give("broken.pdf", Buffer.from("%PDF-1.4 not a document"));
  assert.match((await read("broken.pdf")).error, /damaged or needs a password/);
  model.check();
});

test("damaged and hostile documents are refused in a sentence", async (t) => {
  const { model, read, give, ada, agent } = await story_of(t);
  const refused = async (name, bytes, reason) => {
    await give(name, bytes);
    assert.match((await read(name)).error, reason, name);
  };
  await refused("broken.docx", Buffer.from("PK not an archive"), /damaged or not an office file/);
  await refused("other.docx", zip([{ name: "mimetype", content: "x" }]), /not a DOCX file/);
  const lol = Array.from({ length: 30 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join("");
  await refused(
    "entities.docx",
    zip([{ name: "word/document.xml", content: `<!DOCTYPE d [<!ENTITY l0 "lol">${lol}]><d><p><r><t>&l30;</t></r></p></d>` }]),
    /declares XML entities/,
  );
  await refused(
    "bomb.docx",
    zip([{ name: "word/document.xml", content: `<d>${" ".repeat(140 << 20)}</d>` }]),
    /too large when it is unpacked/,
  );
  await refused("deep.docx", zip([{ name: "word/document.xml", content: `${"<a>".repeat(1_000)}${"</a>".repeat(1_000)}` }]), /damaged/);
  await refused("cut.xlsx", zip([{ name: "xl/workbook.xml", content: '<workbook><sheets><sheet name="a"' }]), /damaged/);

  // A cell far away, and more text than is kept.
  await give("far.xlsx", workbook('<row r="1048576"><c r="XFD1048576"><v>1</v></c><c r="B1048576"><v>2</v></c></row>'));
  assert.match((await read("far.xlsx")).content, /2\t,2\n/);
  const rows = Array.from(
    { length: 60_000 },
    (_, i) => `<row><c><v>${i}</v></c><c t="inlineStr"><is><t>${"heron ".repeat(8)}</t></is></c></row>`,
  );
  await give("huge.xlsx", workbook(rows.join("")));
  const huge = await read("huge.xlsx");
  assert.match(huge.note, /longer than 2 MB/);

  assert.match((await read("picture.bmp")).error, /path must end in/);
  assert.match((await read("missing.docx")).error, /not|no such|exist/i);
  assert.match((await read("../other/AGENT.docx")).error, /path/);
  const key = await ada.call("POST", `/api/agent-documents`, { path: "far.xlsx" });
  assert.equal(key.status, 404, "the web listener has no such row");
  assert.ok(agent);
  model.check();
});

test("pictures reach models that can see; others are told what they miss", async (t) => {
  const { model, ada, agent, give } = await story_of(t);
  model.knows_caller = false; // its messages may have parts
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  await give("heron.png", png);
  await give("bill.pdf", pdf("42"));
  const ask = async (message, files) => {
    const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message, ...(files && { files }) });
    assert.equal(status, 200, `${JSON.stringify(body)} ${model.faults}`);
    return body.message;
  };
  model.will(say("A heron."), say("Grey."));
  await ask("What is this?", ["heron.png", "bill.pdf"]);
  const seen = model.asked.at(-1).messages.at(-1).content;
  assert.deepEqual(seen[0], { type: "text", text: "What is this?\n\n[Attached files: heron.png, bill.pdf]" });
  assert.equal(seen[1].image_url.url, `data:image/png;base64,${png.toString("base64")}`);
  assert.equal(seen.length, 2);
  await ask("Which colour has it?");
  assert.match(JSON.stringify(model.asked.at(-1).messages), /data:image\/png/, "it stays in the conversation");
  const { messages } = (await ada.call("GET", `/api/chat?agentId=${agent}`)).body;
  assert.deepEqual(messages[0].files, ["heron.png", "bill.pdf"]);

  // A model that refuses pictures gets the message again without them.
  model.will(
    (request) => {
      assert.match(JSON.stringify(request.messages), /data:image/);
      return { status: 400, headers: {}, body: JSON.stringify({ error: { message: "image input is not supported" } }) };
    },
    (request) => {
      assert.doesNotMatch(JSON.stringify(request.messages), /data:image/);
      assert.match(JSON.stringify(request.messages), /cannot see the picture heron\.png\. Say so/);
      return say("I cannot see pictures.");
    },
  );
  await ask("And its beak?");
  model.check();

  for (const [files, field] of [
    [["nothing.png"], /^files\[0\]/],
    [["heron.png", "../x"], /^files\[1\]/],
    [[".agentbox/conversation.jsonl"], /^files\[0\]/],
  ]) {
    const wrong = await ada.call("POST", "/api/chat", { agentId: agent, message: "?", files });
    assert.equal(wrong.status, 400, JSON.stringify(wrong.body));
    assert.match(wrong.body.error, field);
  }
});
