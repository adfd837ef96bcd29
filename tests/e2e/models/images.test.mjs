// Pictures through the whole box: in at both doors, whole and streamed, out in each provider's own form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { story_of } from "../support/ai_story.mjs";
import { failed, RouterServer } from "../peers/router_server.mjs";
import { start_anthropic, start_google } from "../peers/vendor_servers.mjs";

const DATA = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const INLINE = { type: "image_url", image_url: { url: `data:image/png;base64,${DATA}`, detail: "low" } };
const REMOTE = { type: "image_url", image_url: { url: "https://example.org/lighthouse.jpg" } };
const PLAIN = { type: "image_url", image_url: { url: "http://example.org/lighthouse.jpg" } };
const SOUND = { type: "input_audio", input_audio: { data: DATA, format: "wav" } };
const DOCUMENT = { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${DATA}` } };
const TEXT = { type: "text", text: "What is this?" };
const picture = (...parts) => [{ role: "user", content: [TEXT, ...parts] }];

// All providers with keys of the box's own, and one way to ask at both doors: resolves with the text of the answer.
const gallery = async (t) => {
  const openai = await RouterServer.start(t),
    anthropic = await start_anthropic(t),
    google = await start_google(t);
  const story = await story_of(t, "network", {
    OPENAI_API_KEY: "sk-openai",
    OPENAI_BASE_URL: openai.url,
    ANTHROPIC_API_KEY: "sk-anthropic",
    ANTHROPIC_BASE_URL: anthropic.url,
    GOOGLE_API_KEY: "sk-google",
    GOOGLE_BASE_URL: google.url,
  });
  t.after(() => assert.deepEqual([anthropic.faults, google.faults], [[], []]));
  const { ask } = await story.door();
  const doors = { "/v1/chat/completions": (body) => ask("chat/completions", body), "/api/ai/chat": (body) => story.chat(body) };
  return { ...story, openai, anthropic, google, doors };
};
// The text of an answer, whichever door gave it and in whichever way.
const text_of = ({ text, body }) => {
  if (body) return body.message?.content ?? body.choices[0].message.content;
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
  return events.map((event) => (event.choices ? event.choices[0]?.delta.content : event.message ? "" : event.content) ?? "").join("");
};

test("each provider gets the image in its own form, from both APIs, whole and streamed", async (t) => {
  const { openai, anthropic, google, doors } = await gallery(t);
  const cases = [
    {
      model: "openai/gpt-5.4",
      from: openai,
      says: "Served by gpt-5.4.",
      sees: (body) => body.messages[0].content,
      form: [TEXT, INLINE, REMOTE],
      parts: [INLINE, REMOTE],
    },
    {
      model: "anthropic/claude-sonnet-5",
      from: anthropic,
      says: "A small picture.",
      sees: (body) => body.messages[0].content,
      parts: [INLINE, REMOTE],
      form: [
        TEXT,
        { type: "image", source: { type: "base64", media_type: "image/png", data: DATA } },
        { type: "image", source: { type: "url", url: REMOTE.image_url.url } },
      ],
    },
    {
      model: "google/gemini-3.1-pro-preview",
      from: google,
      says: "A small picture.",
      sees: (body) => body.contents[0].parts,
      parts: [INLINE],
      form: [{ text: TEXT.text }, { inlineData: { mimeType: "image/png", data: DATA } }],
    },
  ];
  for (const { model, from, says, sees, form, parts } of cases)
    for (const [door, ask] of Object.entries(doors))
      for (const stream of [false, true]) {
        const answer = await ask({ model, messages: picture(...parts), stream });
        assert.equal(answer.status, 200, `${model} at ${door}: ${answer.text}`);
        assert.equal(text_of(answer), says, `${model} at ${door}, ${stream ? "streamed" : "whole"}`);
        assert.deepEqual(sees(from.asked.at(-1)), form, `${model} at ${door}`);
      }
  assert.deepEqual(
    [openai, anthropic, google].map((vendor) => vendor.asked.length),
    [4, 4, 4],
  );
  assert.deepEqual(
    [openai, anthropic, google].map((vendor) => vendor.keys[0]),
    ["sk-openai", "sk-anthropic", "sk-google"],
  );
});

test("the router and a local server get pictures as they came", async (t) => {
  const local = await RouterServer.start(t);
  const { router, door } = await story_of(t, "network", { LOCAL_MODEL_URL: local.url, LOCAL_MODEL: "llava" });
  const { ask } = await door();
  const look = async (body, from) => {
    const parts = [INLINE, REMOTE, PLAIN, SOUND, DOCUMENT];
    const answer = await ask("chat/completions", { messages: picture(...parts), ...body });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(from.asked.at(-1).messages, picture(...parts));
    return answer.body.model;
  };
  assert.equal(await look({ model: "openai/gpt-5.4" }, router), "openai/gpt-5.4");
  assert.match(await look({}, local), /^llava/);
});

test("the builtin model says that it sees no images, and refuses messages of images only", async (t) => {
  const { door, chat } = await story_of(t, "network", { OPENROUTER_API_KEY: undefined });
  const { ask } = await door();
  const doors = { "/v1/chat/completions": (body) => ask("chat/completions", body), "/api/ai/chat": chat };
  for (const [name, look] of Object.entries(doors)) {
    for (const stream of [false, true])
      assert.match(text_of(await look({ messages: picture(INLINE), stream })), /I have not seen the images of your message/, name);
    const refusal = await look({ messages: [{ role: "user", content: [INLINE] }] });
    assert.equal(refusal.status, 400, name);
    assert.match(refusal.body.error.message ?? refusal.body.error, /^messages\[0\]\.content: agentbox\/builtin reads no images/, name);
  }
});

test("a model that cannot see is passed over, or refused by the name of the field", async (t) => {
  const { openai, anthropic, google, router, doors, month } = await gallery(t);
  const refused = async (body, sentence) => {
    for (const [door, ask] of Object.entries(doors)) {
      const answer = await ask(body);
      assert.equal(answer.status, 400, `${door}: ${answer.text}`);
      assert.match(answer.body.error.message ?? answer.body.error, sentence, door);
    }
  };
  await refused({ model: "deepseek/deepseek-v4-flash", messages: picture(INLINE) }, /messages\[0\]\.content.*deepseek/);
  const broken = {
    "an address of the box's own network": { ...REMOTE, image_url: { url: "http://10.0.0.1/a.png" } },
    "an address of the box itself": { ...REMOTE, image_url: { url: "http://localhost/a.png" } },
    "a host without a domain": { ...REMOTE, image_url: { url: "http://metadata/a.png" } },
    "a page": { ...INLINE, image_url: { url: "data:text/html;base64,PGI+" } },
    "no base64": { ...INLINE, image_url: { url: "data:image/png;base64,<b>" } },
    "an empty picture": { ...INLINE, image_url: { url: "data:image/png;base64," } },
    "a file": { ...INLINE, image_url: { url: "file:///etc/passwd" } },
    "an unknown detail": { ...INLINE, image_url: { ...INLINE.image_url, detail: "wallpaper" } },
    "no address": { type: "image_url", image_url: {} },
    "a sound of an unknown format": { type: "input_audio", input_audio: { data: DATA, format: "flac" } },
    "a sound that is no base64": { type: "input_audio", input_audio: { data: "<b>", format: "wav" } },
    "a document by its address": { type: "file", file: { file_data: "https://example.org/a.pdf" } },
  };
  for (const [name, part] of Object.entries(broken))
    await refused({ messages: picture(part), model: "openai/gpt-5.4" }, /messages\[0\]\.content\[1\]/, name);
  await refused({ messages: picture(...Array(21).fill(INLINE)), model: "openai/gpt-5.4" }, /messages\[0\]\.content.*20 images/);
  await refused(
    { messages: [{ role: "assistant", content: [INLINE] }, ...picture()], model: "openai/gpt-5.4" },
    /messages\[0\]\.content\[0\]/,
  );
  const asked = () => [openai, anthropic, google, router].map((each) => each.asked.length);
  assert.deepEqual([asked(), (await month()).calls], [[0, 0, 0, 0], 0], "nobody was asked and nothing metered");

  // creative: GPT, then Haiku, which sees as well.
  openai.answers["gpt-5.4"] = failed(500);
  const creative = { taskType: "creative", messages: picture(INLINE) };
  assert.equal((await doors["/api/ai/chat"](creative)).body.model, "anthropic/claude-haiku-4.5");
  assert.deepEqual(asked(), [1, 1, 0, 0]);
});
