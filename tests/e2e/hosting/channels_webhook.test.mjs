// The webhook channel: the stories of all channels with the npm package standardwebhooks at the other end.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { package_named } from "../support/packages.mjs";

const { Webhook } = package_named("standardwebhooks");

class Hook {
  static kind = "webhook";
  kind = "webhook";
  max_text = 16_000;
  env = {};
  token = `whsec_${Buffer.from("a signing secret of the stories!").toString("base64")}`;
  hook = new Webhook(this.token);
  messages = []; // by id, as receivers should keep them
  faults = [];
  answers = []; // for the next messages, instead of 200
  losing = 0;
  refuses = false;
  #unsent = Promise.resolve();

  static async start(t) {
    const driver = new Hook();
    await driver.listen();
    driver.options = { url: `http://127.0.0.1:${driver.port}/messages` };
    t.after(() => driver.vanish());
    return driver;
  }
  async listen() {
    this.http = createServer((request, response) => void this.#take(request, response));
    this.http.listen(this.port ?? 0, "127.0.0.1");
    await once(this.http, "listening");
    this.port = this.http.address().port;
  }
  async vanish() {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }
  connected({ eventsUrl }) {
    assert.ok(eventsUrl, "the channel says where events go");
    this.url = eventsUrl;
  }
  async #take(request, response) {
    let body = "";
    for await (const part of request) body += part;
    try {
      const message = this.hook.verify(body, request.headers);
      const { status, headers } = this.answers.shift() ?? { status: this.refuses ? 410 : 200 };
      if (status !== 200) return response.writeHead(status, headers).end();
      const id = request.headers["webhook-id"];
      if (!this.messages.some((one) => one.id === id)) this.messages.push({ id, ...message });
      if (this.losing-- > 0) return response.destroy();
      response.end();
    } catch (fault) {
      this.faults.push(fault.message);
      response.writeHead(400).end();
    }
  }
  post(body, id = `evt_${randomUUID()}`, at = new Date()) {
    const text = JSON.stringify(body);
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": this.hook.sign(id, at, text),
    };
    return fetch(this.url, { method: "POST", headers, body: text });
  }
  // Events come in the order in which they are written.
  write(person, text, { group, mentioned, files = [] } = {}) {
    const id = `evt_${randomUUID()}`;
    const body = { sender: String(person), text };
    if (group) Object.assign(body, { group: String(group), mentioned });
    if (files.length) body.files = files.map(({ name, content }) => ({ name, content: Buffer.from(content).toString("base64") }));
    const again = async () => {
      const answer = await this.post(body, id);
      if (answer.status !== 200) this.faults.push(`${answer.status}: ${await answer.text()}`);
    };
    this.#unsent = this.#unsent.then(again);
    return again;
  }
  texts = (chat) => this.messages.filter((one) => one.conversation === String(chat) && one.type === "message").map(({ text }) => text);
  files = (chat) =>
    this.messages
      .filter((one) => one.conversation === String(chat) && one.type === "file")
      .map(({ name, content }) => ({ name, content: Buffer.from(content, "base64").toString() }));
  limit = (seconds) => this.answers.push({ status: 429, headers: { "retry-after": String(seconds) } });
  lose = () => (this.losing = 1);
  set hold(is_held) {
    this.losing = is_held ? Infinity : 0;
  }
  get held() {
    return this.messages.some(({ text }) => text?.includes("Hold it"));
  }
  check() {
    assert.deepEqual(this.faults, [], "every message was signed and every event was taken");
  }
}

channel_stories(Hook);

test("webhook: addresses that the box would never connect to are refused when they are saved", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const path = `/api/agents/${await box.running_agent(ada)}/channels`;
  const secret = { kind: "webhook", token: "a secret of many letters" };
  const made = await ada.call("POST", path, { ...secret, options: { url: "https://example.org/hook" } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  for (const url of ["http://127.0.0.1:9/", "http://localhost/", "http://169.254.169.254/latest", "http://[::1]/", "https://10.0.0.1/x"])
    for (const [method, target] of [
      ["POST", path],
      ["PATCH", `${path}/${made.body.channel.id}`],
    ]) {
      const { status, body } = await ada.call(method, target, method === "POST" ? { ...secret, options: { url } } : { options: { url } });
      assert.equal(status, 400, `${method} ${url}: ${JSON.stringify(body)}`);
      assert.match(body.error, /url must not be a loopback or private address/);
    }
  const port = await ada.call("POST", path, { ...secret, options: { url: "http://example.org:port/" } });
  assert.equal(port.status, 400, JSON.stringify(port.body));
  for (const url of [5, null, ["https://example.org/"], { a: 1 }]) {
    const { status, body } = await ada.call("POST", path, { ...secret, options: { url } });
    assert.equal(`${status} ${body.error}`, "400 options.url must be a text");
  }
});

test("webhook: events that are unsigned, old or malformed are refused with the reason", async (t) => {
  const story = await ChannelStory.start(t, Hook);
  const { driver } = story;
  await story.connect();
  const refused = async (sending, status, pattern) => {
    const answer = await sending;
    assert.equal(answer.status, status);
    assert.match((await answer.json()).error, pattern);
  };
  const body = { sender: "7", text: "Hello" };
  await refused(fetch(driver.url, { method: "POST", body: JSON.stringify(body) }), 401, /not signed/);
  await refused(driver.post(body, "evt_1", new Date(Date.now() - 600_000)), 401, /five minutes/);
  await refused(driver.post({ text: "Hello" }), 400, /sender is required/);
  await refused(driver.post({ sender: "7", text: "" }), 400, /text must not be empty/);
  await refused(driver.post({ sender: "7", text: "x", files: [{ name: "a" }] }), 400, /files\[0\] must have url or content/);
  const other = new Webhook(`whsec_${Buffer.from("another secret of the stories!!!").toString("base64")}`);
  driver.hook = other;
  await refused(driver.post(body), 401, /signature is not valid/);
  const wrong = await story.owner.call("POST", story.path, { kind: "webhook", token: "short" });
  assert.deepEqual([wrong.status, /token must be a signing secret/.test(wrong.body.error)], [400, true]);
  const scheme = await story.owner.call("POST", story.path, { kind: "webhook", token: driver.token, options: { url: "ftp://x" } });
  assert.match(scheme.body.error, /url must be an http/);
  assert.equal((await fetch(driver.url.replace(/ch_.*/, "ch_none"), { method: "POST", body: "{}" })).status, 404);
});
