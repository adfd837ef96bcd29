// Many channels at once: a thousand messages in a minute over ten of them are answered once each, and a receiver that is
// slow holds up no other.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { TalkingModel } from "../peers/talking_model.mjs";
import { Box, until } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { Webhook } = package_named("standardwebhooks");

const CHANNELS = 10,
  MESSAGES = 1000,
  PEOPLE = 5; // of a channel
const PACE = 50; // milliseconds between two messages: a thousand take 50 seconds
const SECRET = `whsec_${Buffer.from("a signing secret of the stories!").toString("base64")}`;
const hook = new Webhook(SECRET);

// Where messages go. `answers`: text → number of different messages with it. A slow one answers nothing.
const start_receiver = async (t, { is_slow = false } = {}) => {
  const answers = new Map();
  const known = new Set();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { text } = hook.verify(body, request.headers);
    const id = request.headers["webhook-id"];
    if (!known.has(id)) answers.set(text, (answers.get(text) ?? 0) + 1);
    known.add(id);
    if (!is_slow) response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { answers, url: `http://127.0.0.1:${server.address().port}/` };
};

const start_box = async (t) => {
  const model = await TalkingModel.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "on", RATE_LIMITS: "off" });
  const owner = await box.customer("ada@example.org", "collective");
  return { owner, agent: await box.running_agent(owner) };
};

// An open channel; resolves with the address of its events.
const open_channel = async ({ owner, agent }, { url }) => {
  const path = `/api/agents/${agent}/channels`;
  const made = await owner.call("POST", path, { kind: "webhook", token: SECRET, options: { url } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const channel = `${path}/${made.body.channel.id}`;
  await owner.call("PATCH", channel, { access: "open" });
  const connected = await until("the channel is connected", async () => {
    const { body } = await owner.call("GET", channel);
    return body.channel.state === "connected" && body.channel;
  });
  return connected.eventsUrl;
};

const post = async (events_url, sender, text) => {
  const id = `evt_${randomUUID()}`;
  const at = new Date();
  const body = JSON.stringify({ sender, text });
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": hook.sign(id, at, body),
  };
  const { status } = await fetch(events_url, { method: "POST", headers, body });
  assert.equal(status, 200);
};

test("a thousand messages a minute over ten channels are answered without loss", { timeout: 540_000 }, async (t) => {
  const agent = await start_box(t);
  const receiver = await start_receiver(t);
  const { answers } = receiver;
  const urls = [];
  while (urls.length < CHANNELS) urls.push(await open_channel(agent, receiver));
  const begun = Date.now();
  const posts = [];
  for (let number = 0; number < MESSAGES; number++) {
    posts.push(post(urls[number % CHANNELS], `person-${number % (CHANNELS * PEOPLE)}`, `number ${number}`));
    const ahead = begun + (number + 1) * PACE - Date.now();
    if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead));
  }
  await Promise.all(posts);
  const taken = Date.now() - begun;
  // As long as answers come: a busy machine takes longer.
  for (let before; (before = answers.size) < MESSAGES; )
    await until(`another answer than the first ${before}`, () => answers.size > before, 60_000);
  t.diagnostic(`taken in ${(taken / 1000).toFixed(1)} s, answered in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  for (let number = 0; number < MESSAGES; number++)
    assert.equal(answers.get(`You said: number ${number}`), 1, `the answer to message ${number}`);
});

test("a receiver that never answers holds up no other channel", async (t) => {
  const agent = await start_box(t);
  const slow = await start_receiver(t, { is_slow: true }),
    quick = await start_receiver(t);
  const to_slow = await open_channel(agent, slow),
    to_quick = await open_channel(agent, quick);
  // More people than the agent is asked for at once; each waits 15 seconds for the receiver.
  for (let person = 0; person < 8; person++) await post(to_slow, `person-${person}`, `slow ${person}`);
  await until("messages for the slow receiver", () => slow.answers.size === 8);
  const begun = Date.now();
  for (let message = 0; message < 5; message++) await post(to_quick, "ada", `quick ${message}`);
  await until("all answers", () => quick.answers.size === 5, 12_000);
  t.diagnostic(`answered in ${Date.now() - begun} ms`);
});
