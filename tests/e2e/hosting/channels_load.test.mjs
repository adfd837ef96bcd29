// A thousand messages in a minute over ten channels: each is answered once.
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

test("a thousand messages a minute over ten channels are answered without loss", { timeout: 540_000 }, async (t) => {
  const model = await TalkingModel.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "on", RATE_LIMITS: "off" });
  const ada = await box.customer("ada@example.org", "collective");
  const agent = await box.running_agent(ada);
  const secret = `whsec_${Buffer.from("a signing secret of the stories!").toString("base64")}`;
  const hook = new Webhook(secret);
  const answers = new Map(); // text → number of different messages with it
  const known = new Set();
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { text } = hook.verify(body, request.headers);
    const id = request.headers["webhook-id"];
    if (!known.has(id)) answers.set(text, (answers.get(text) ?? 0) + 1);
    known.add(id);
    response.end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.after(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const options = { url: `http://127.0.0.1:${receiver.address().port}/` };
  const path = `/api/agents/${agent}/channels`;
  const urls = [];
  for (let number = 0; number < CHANNELS; number++) {
    const made = await ada.call("POST", path, { kind: "webhook", token: secret, options });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const channel = `${path}/${made.body.channel.id}`;
    await ada.call("PATCH", channel, { access: "open" });
    const connected = await until("the channel is connected", async () => {
      const { body } = await ada.call("GET", channel);
      return body.channel.state === "connected" && body.channel;
    });
    urls.push(connected.eventsUrl);
  }
  const post = async (number) => {
    const id = `evt_${randomUUID()}`;
    const at = new Date();
    const body = JSON.stringify({ sender: `person-${number % (CHANNELS * PEOPLE)}`, text: `number ${number}` });
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": hook.sign(id, at, body),
    };
    const { status } = await fetch(urls[number % CHANNELS], { method: "POST", headers, body });
    assert.equal(status, 200);
  };
  const begun = Date.now();
  const posts = [];
  for (let number = 0; number < MESSAGES; number++) {
    posts.push(post(number));
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
