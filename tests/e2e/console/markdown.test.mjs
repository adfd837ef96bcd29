// What an answer may hold: diagrams, pictures, files, footnotes, tasks. Nothing of it is loaded from outside.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const fenced = (source) => `\`\`\`mermaid\n${source}\n\`\`\`\n`;

const story_of = async (t, viewport) => {
  const browser = await open_browser(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box, { viewport });
  const outside = [];
  ada.page.on("requestfinished", (request) => {
    if (!request.url().startsWith(box.web) && !request.url().startsWith("data:")) outside.push(request.url());
  });
  t.after(() => {
    ada.check();
    assert.deepEqual(outside, [], "nothing is loaded from outside");
  });
  await ada.enter("ada@example.org");
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  await ada.page.getByRole("textbox", { name: "Message to Scout" }).waitFor();
  return { box, model, owner, id, ada };
};

const KINDS = {
  flowchart: "graph TD\n A[Start] --> B{Good?}\n B -->|yes| C\n B -->|no| A",
  sequence: "sequenceDiagram\n Alice->>Bob: Hello\n Bob-->>Alice: Hi",
  classDiagram: "classDiagram\n class A { +int x\n +go() }\n A <|-- B",
  stateDiagram: "stateDiagram-v2\n [*] --> Still\n Still --> [*]",
  er: "erDiagram\n A ||--o{ B : has\n A { string name }",
  gantt: "gantt\n title G\n dateFormat YYYY-MM-DD\n section S\n t1 :a1, 2024-01-01, 30d\n t2 :after a1, 20d",
  pie: 'pie showData title Pets\n "Dogs" : 386\n "Cats" : 85.5 %% a comment',
  gitGraph:
    'gitGraph LR:\n commit id: "one" type: HIGHLIGHT\n branch dev order: 2\n checkout dev\n commit id: "two" tag: "v1"\n switch main\n commit "three"\n cherry-pick id: "two"\n merge dev tag: "x"',
  timeline: "timeline\n title H\n 2002 : LinkedIn\n 2004 : Facebook",
  journey: "journey\n title Day\n section Work\n Tea: 5: Me",
  quadrantChart: "quadrantChart\n x-axis Low --> High\n y-axis a --> b\n A: [0.3, 0.6]",
  xychart: 'xychart-beta\n x-axis [jan, feb]\n y-axis "R" 0 --> 100\n bar [50, 60]',
};

test("every usual kind of diagram is drawn, in both schemes, and one that cannot be says why", async (t) => {
  const { model, ada } = await story_of(t);
  const sources = Object.values(KINDS);
  const broken = ["graph TD\n A --", "mindmap\n root", 'pie\n "Dogs" 3', "gitGraph\n conmit"];
  model.will(say([...sources, ...broken].map(fenced).join("\n")));
  await ada.say("Draw everything.");
  const images = ada.log.locator(".diagram img");
  await until("all are drawn", async () => (await images.count()) === sources.length);
  for (const kind of Object.keys(KINDS)) {
    const image = ada.log.getByRole("img", { name: new RegExp(`^Diagram \\(${kind}\\)`) });
    await until(`${kind} is there`, () => image.evaluate(({ complete, naturalWidth }) => complete && naturalWidth > 40));
  }
  const reasons = ada.log.locator(".diagram figcaption");
  await until("the others are explained", async () => (await reasons.count()) === broken.length);
  assert.match(await reasons.nth(1).innerText(), /this kind of diagram is not included/);
  assert.match(await reasons.nth(2).innerText(), /Cannot read the line: "Dogs" 3/);
  assert.equal(await ada.page.locator("iframe").count(), 1, "one frame draws them all");
  await ada.is_accessible(["light"]);
  const light = await images.first().getAttribute("src");
  await ada.page.emulateMedia({ colorScheme: "dark" });
  await until("drawn for the dark", async () => (await images.first().getAttribute("src")) !== light);
  await ada.is_accessible(["dark"]);
  await ada.fits_the_screen();
  await ada.button("Source").first().click();
  await ada.log.getByText("A[Start] --> B{Good?}").waitFor();
});

test("hostile diagrams run nothing and load nothing, also on a phone", async (t) => {
  const { model, ada } = await story_of(t, PHONE);
  // What the frame's policy refuses.
  ada.expected = ["inline event handler", "script-src-attr inline", "'https://evil.example/a.png'", "img-src https://evil.example/a.png"];
  const hostile = [
    'graph TD\n A["<img src=x onerror=parent.document.title=1>"] --> B["<script>1</script>"]\n click A href "javascript:alert(1)"',
    '%%{init: {"themeCSS":"*{background:url(https://evil.example/x)}", "securityLevel":"loose", "htmlLabels":true}}%%\ngraph TD\n A["<b onclick=alert(1)>x</b>"]-->B',
    '---\nconfig:\n  look: handDrawn\n  layout: elk\n---\ngraph TD\n A@{ img: "https://evil.example/a.png", label: "x" } --> B',
  ];
  model.will(say(hostile.map(fenced).join("\n")));
  await ada.say("Draw.");
  await until("each was tried", async () => (await ada.log.locator(".diagram img, .diagram figcaption").count()) === hostile.length);
  for (const source of await ada.log.locator(".diagram img").evaluateAll((images) => images.map(({ src }) => decodeURIComponent(src))))
    assert.doesNotMatch(source, /<script|onerror=|onclick=|javascript:/i);
  assert.doesNotMatch(await ada.page.title(), /^1$/);
  await ada.fits_the_screen();
  const origin = await ada.page
    .frames()
    .at(-1)
    .evaluate(() => [window.origin, document.cookie === "" ? "" : "cookies"].join())
    .catch(() => "null,");
  assert.equal(origin, "null,", "the frame has no origin");
});

test("pictures come from the workspace or the text, and others stay links", async (t) => {
  const { model, ada, owner, id } = await story_of(t);
  model.will(
    call(["write_file", { path: "notes.md", content: "# Notes\n\n![dot](uploads/dot.png)\n" }]),
    say(
      `![inline](data:image/png;base64,${PIXEL}) ![pixel](https://evil.example/p.png) ![frame](data:text/html,x) ![mine](uploads/dot.png "A dot") [the notes](notes.md#top) [up](../secret)`,
    ),
  );
  await ada.page.evaluate((png) => {
    const files = new DataTransfer();
    files.items.add(new File([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))], "dot.png", { type: "image/png" }));
    document.querySelector("#draft").dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: files }));
  }, PIXEL);
  const attached = ada.page.getByRole("list", { name: "Files for the agent" });
  await until("its picture beside the name", () => attached.locator("img").evaluate(({ naturalWidth }) => naturalWidth === 1));
  await ada.button("Remove uploads/dot.png").click();
  await ada.say("Show the pictures.");
  for (const name of ["inline", "mine"])
    await until(`${name} is shown`, () => ada.log.getByRole("img", { name }).evaluate(({ naturalWidth }) => naturalWidth === 1));
  assert.equal(await ada.log.getByRole("link", { name: "pixel" }).getAttribute("href"), "https://evil.example/p.png");
  assert.equal(await ada.log.getByRole("link", { name: "frame" }).count(), 0);
  assert.equal(await ada.log.getByRole("link", { name: "up" }).count(), 0, "nothing leads out of the workspace");
  assert.match(
    await ada.log.getByRole("link", { name: "the notes" }).getAttribute("href"),
    new RegExp(`/agents/${id}/files\\?path=notes.md$`),
  );

  // The file that the answer made is a card, which opens to its text.
  const cards = ada.log.getByRole("list", { name: "Files of this answer" });
  await cards.getByRole("link", { name: "notes.md", exact: true }).waitFor();
  assert.equal(await cards.getByRole("listitem").count(), 1);
  await ada.button("Preview of notes.md").click();
  await cards.getByRole("heading", { name: "Notes" }).waitFor();
  await ada.is_accessible();
  await ada.fits_the_screen();
  const [download] = await Promise.all([ada.page.waitForEvent("download"), cards.getByRole("link", { name: "Download notes.md" }).click()]);
  assert.equal(download.suggestedFilename(), "notes.md");
  assert.equal(
    (await owner.call("GET", `/api/agents/${id}/files/read?path=notes.md`)).body.content,
    "# Notes\n\n![dot](uploads/dot.png)\n",
  );
});

test("footnotes are reached by their marks, tasks are listed, formulas and code are drawn", async (t) => {
  const { model, ada } = await story_of(t);
  model.will(
    say("The tide[^1] is high.\n\n- [x] look\n- [ ] sail\n\n$$x^2$$\n\n```python\nprint('ahoy')\n```\n\n[^1]: By the **tables**.\n"),
  );
  await ada.say("And?");
  await ada.button("Footnote 1").click();
  await until("the note has the focus", () => ada.page.evaluate(() => document.activeElement.innerText.includes("By the tables")));
  assert.deepEqual(await ada.log.getByRole("checkbox").evaluateAll((boxes) => boxes.map(({ checked }) => checked)), [true, false]);
  await ada.log.locator("math").waitFor();
  await ada.log.locator(".hljs-string").waitFor();
  await ada.is_accessible();
});
