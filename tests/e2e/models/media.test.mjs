// Speech, transcriptions and images, driven by OpenAI's client for JavaScript as it comes from npm.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { OpenAI, toFile } = package_named("openai");

const SOUND = Buffer.from("ID3 not really sound \u0000\u0001");
const PICTURE = Buffer.from("not really a picture").toString("base64");

// A server with OpenAI's API for sound and images, and what it was asked.
const start_server = async (t, transcription) => {
  const asked = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const reply = (type, content) => response.writeHead(200, { "content-type": type }).end(content);
    const as_json = (value) => reply("application/json", JSON.stringify(value));
    if (request.url === "/v1/models") return as_json({ data: ["whisper-1", "tts-1", "gpt-image-2"].map((id) => ({ id })) });
    if (!server.is_up) return response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"out of order"}}');
    asked.push({ url: request.url, type: request.headers["content-type"], body: body.toString("latin1") });
    if (request.url === "/v1/audio/speech") {
      if (JSON.parse(body).voice === "script") return reply("text/html", "<script>alert(1)</script>");
      return reply("audio/mpeg", SOUND);
    }
    if (request.url === "/v1/audio/transcriptions")
      return as_json(
        transcription ?? { text: "Where is Fastnet?", usage: { type: "tokens", input_tokens: 14, output_tokens: 6, total_tokens: 20 } },
      );
    return as_json({ created: 1, data: [{ b64_json: PICTURE }], usage: { input_tokens: 9, output_tokens: 272, total_tokens: 281 } });
  });
  server.is_up = true;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/v1`, asked, server };
};

const story_of = async (t) => {
  const server = await start_server(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: server.url });
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script" })).body;
  const client = new OpenAI({ apiKey: key, baseURL: `${box.web}/v1`, maxRetries: 0 });
  const calls = async () => (await ada.call("GET", "/api/dashboard/calls")).body.calls;
  return { server, box, ada, key, client, calls };
};

test("a text is spoken", async (t) => {
  const { server, client, calls } = await story_of(t);
  const answer = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Where is Fastnet?", response_format: "mp3" });
  assert.equal(answer.headers.get("content-type"), "audio/mpeg");
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), SOUND);
  assert.deepEqual(JSON.parse(server.asked[0].body), {
    model: "tts-1",
    voice: "alloy",
    input: "Where is Fastnet?",
    response_format: "mp3",
  });
  const [call] = await calls();
  assert.deepEqual([call.model, call.provider], ["tts-1", "local"]);
});

test("a form with two models, of which readers could take either, is refused", async (t) => {
  const { server, box, key } = await story_of(t);
  const part = (disposition, value) => `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
  const sound = part('name="file"; filename="a.mp3"', "sound");
  const ask = (parts, type = "multipart/form-data; boundary=b") =>
    send(box.web, "POST", "/v1/audio/transcriptions", {
      headers: { authorization: `Bearer ${key}`, "content-type": type },
      body: `${sound}${parts}--b--\r\n`,
    });
  const model = part('name="model"', "whisper-1");
  assert.equal((await ask(model)).status, 200);
  const asked = server.asked.length;
  for (const second of ['name="model"', "name=model", 'NAME="model"'])
    assert.equal((await ask(model + part(second, "gpt-dear"))).status, 400, second);
  assert.equal((await ask(model, "multipart/form-data; boundary=b; boundary=c")).status, 400);
  assert.equal(server.asked.length, asked, "none of them goes on");
});

test("sound is transcribed, and the tokens that the server reports are metered", async (t) => {
  const { server, client, calls } = await story_of(t);
  const sound = Buffer.alloc(3_000_000, "sound");
  const answer = await client.audio.transcriptions.create({ model: "whisper-1", file: await toFile(sound, "speech.mp3"), language: "en" });
  assert.equal(answer.text, "Where is Fastnet?");
  const [{ type, body }] = server.asked;
  assert.match(type, /^multipart\/form-data; *boundary=/);
  assert.ok(body.length > sound.length && body.includes('name="language"'), "it arrives whole");
  const [call] = await calls();
  assert.deepEqual([call.model, call.inputTokens, call.outputTokens], ["whisper-1", 14, 6]);
});

test("images are drawn", async (t) => {
  const { client, calls } = await story_of(t);
  const answer = await client.images.generate({ model: "gpt-image-2", prompt: "A lighthouse", size: "1024x1024", n: 1 });
  assert.equal(answer.data[0].b64_json, PICTURE);
  const [call] = await calls();
  assert.deepEqual([call.model, call.inputTokens, call.outputTokens], ["gpt-image-2", 9, 272]);
});

test("what browsers would run does not pass, and errors have OpenAI's form", async (t) => {
  const { box, key, client } = await story_of(t);
  const answer = await client.audio.speech.create({ model: "tts-1", voice: "script", input: "x" });
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  const post = (path, type, body) =>
    send(box.web, "POST", path, { headers: { authorization: `Bearer ${key}`, "content-type": type }, body });
  const no_model = await post(
    "/audio/transcriptions",
    "multipart/form-data; boundary=x",
    '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\na\r\n--x--\r\n',
  );
  assert.deepEqual([no_model.status, no_model.body.error.param], [400, "model"], no_model.text);
  const no_form = await post("/v1/audio/transcriptions", "application/json", "{}");
  assert.equal(no_form.body.error.param, "model");
  const no_prompt = await post("/v1/images/generations", "application/json", '{"model":"gpt-image-2"}');
  assert.deepEqual([no_prompt.status, no_prompt.body.error.param], [400, "prompt"]);
});

// With a key at a vendor, whose prices the catalogue has.
const paid_story_of = async (t, transcription) => {
  const server = await start_server(t, transcription);
  const box = await Box.start(t, { OPENAI_API_KEY: "sk-openai-of-the-box", OPENAI_BASE_URL: server.url });
  const ada = await box.customer("ada@example.org", "network");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script" })).body;
  const client = new OpenAI({ apiKey: key, baseURL: `${box.web}/v1`, maxRetries: 0 });
  const calls = async () => (await ada.call("GET", "/api/dashboard/calls")).body.calls;
  const cap = async (usd) => assert.equal((await ada.call("PUT", "/api/caps", { scope: "user", period: "day", usd })).status, 200);
  const used = async () => (await ada.call("GET", "/api/caps")).body.caps.find(({ scope }) => scope === "user").usedUsd;
  return { server, box, ada, client, calls, cap, used };
};
// Of 16 bits at 8 kHz.
const wav = (seconds) => {
  const data = Buffer.alloc(16_000 * seconds);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
};
const refused = (asking) => assert.rejects(asking, (error) => error.status === 429 && error.code === "CAP_REACHED");

test("speech costs its characters, exactly, within a cap on money", async (t) => {
  const { server, client, calls, cap, used } = await paid_story_of(t);
  await cap("0.0005");
  const speak = (input, model = "tts-1") => client.audio.speech.create({ model, voice: "alloy", input });
  await speak("Où est Fastnet ?"); // 16 characters at 15 dollars a million
  assert.equal((await calls())[0].cost, "0.00024");
  assert.equal(await used(), "0.00024");
  await speak("Où est ?", "openai/tts-1-hd"); // 8 at 30
  assert.equal(await used(), "0.00048");
  await refused(speak("ab"));
  await speak("a");
  assert.equal(server.asked.length, 3);
  server.server.is_up = false;
  await cap("1");
  await assert.rejects(speak("Where is Fastnet?"), (error) => error.status >= 500);
  const [failed] = await calls();
  assert.notEqual(failed.outcome, "ok");
  const unknown = client.audio.speech.create({ model: "gpt-4o-mini-tts", voice: "alloy", input: "a" });
  await assert.rejects(unknown, (error) => error.status === 403 && /no price for gpt-4o-mini-tts/.test(error.message));
});

test("transcriptions cost their seconds as the provider reports them, else as the file says", async (t) => {
  const transcription = { text: "Where is Fastnet?", usage: { type: "duration", seconds: 61 } };
  const { client, calls, cap, used } = await paid_story_of(t, transcription);
  await cap("0.013");
  const hear = async (sound, name) => client.audio.transcriptions.create({ model: "whisper-1", file: await toFile(sound, name) });
  await hear(wav(61), "speech.wav");
  assert.equal((await calls())[0].cost, "0.0061");
  assert.equal(await used(), "0.0061", "no more than 61 seconds had to be reserved");
  delete transcription.usage;
  await hear(wav(61), "speech.wav");
  assert.equal(await used(), "0.0122", "the length of the file");
  await refused(hear(wav(9), "speech.wav"));
  await refused(hear(Buffer.alloc(5_000, "sound"), "speech.bin"));
  await hear(wav(8), "speech.wav");
  assert.equal(await used(), "0.013");
});

test("images cost the tokens that the provider reports, and the most of them is reserved", async (t) => {
  const { client, calls, cap, used } = await paid_story_of(t);
  const draw = (more) => client.images.generate({ model: "gpt-image-2", prompt: "A lighthouse", size: "1024x1024", ...more });
  await cap("0.2");
  await refused(draw({}));
  await cap("0.25");
  await draw({});
  const [call] = await calls();
  assert.deepEqual([call.inputTokens, call.outputTokens, call.cost], [9, 272, "0.008205"]);
  assert.equal(await used(), "0.008205");
  await cap("0.3");
  await refused(draw({ n: 2 }));
  await refused(draw({ size: "2048x2048" }));
});
