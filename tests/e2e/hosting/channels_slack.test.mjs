// Slack: the stories of all channels by Socket Mode, and what only Slack has.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { question_stories } from "../support/channel_questions.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { SlackServer } from "../peers/slack_server.mjs";

class Slack {
  static kind = "slack";
  static keeps_messages = true;
  static can_edit = true;
  kind = "slack";
  max_text = 3000;
  wrong_token = "xoxb-17-wrong";

  static async start(t, options) {
    const driver = new Slack();
    driver.server = await SlackServer.start(t, options);
    driver.env = { SLACK_API_URL: driver.server.url };
    driver.token = driver.server.token;
    driver.secrets = { appToken: driver.server.app_token };
    return driver;
  }
  address = (person) => (person < 0 ? `C${-person}` : `U${person}`);
  chat = (person) => (person < 0 ? `C${-person}` : `D${person}`);
  write(person, text, { group, mentioned, files } = {}) {
    return this.server.write({ user: this.address(person), channel: this.chat(group ?? person), text, files, mentions: mentioned });
  }
  texts = (person) => this.server.sent_to(this.chat(person)).flatMap(({ text }) => (text === undefined ? [] : [text]));
  files = (person) => this.server.sent_to(this.chat(person)).flatMap(({ file }) => (file ? [file] : []));
  edits = (person) => this.server.sent_to(this.chat(person)).at(-1).edits ?? [];
  question = (person) => this.server.sent_to(this.chat(person)).findLast(({ buttons }) => buttons?.length);
  press = (person, { ts }, value) => this.server.press({ user: this.address(person), channel: this.chat(person), message: ts, value });
  vanish = () => this.server.vanish();
  listen = () => this.server.listen();
  limit = (seconds) =>
    this.server.fail_next.push({ status: 429, body: { ok: false, error: "ratelimited" }, headers: { "retry-after": String(seconds) } });
  set refuses(is_refusing) {
    this.server.fail_always = is_refusing ? { status: 200, body: { ok: false, error: "channel_not_found" } } : undefined;
  }
  lose = () => (this.server.lose_next = 1);
  revoke = () => {
    this.server.is_revoked = true;
    this.server.drop_sockets();
  };
  set hold(is_held) {
    this.server.lose_next = is_held ? Infinity : 0;
  }
  get held() {
    return this.server.messages.some(({ text }) => text?.includes("Hold it"));
  }
  check() {
    this.server.check();
  }
}

channel_stories(Slack);
question_stories(Slack);

test("slack: signed events are pushed where the owner chooses so; others and old ones are refused", async (t) => {
  const story = await ChannelStory.start(t, Slack);
  const { driver, model } = story;
  const { server } = driver;
  driver.options = { receive: "events" };
  driver.secrets = { signingSecret: server.signing_secret };
  const { eventsUrl } = await story.connect();
  server.events_url = eventsUrl;
  const verified = await server.post({ type: "url_verification", token: "x", challenge: "3eZbrw1aBm2rZgRNFdxV" });
  assert.deepEqual([verified.status, await verified.text()], [200, "3eZbrw1aBm2rZgRNFdxV"]);
  const payload = {
    type: "event_callback",
    event: { type: "message", channel_type: "im", user: "U5", channel: "D5", ts: "1.1", text: "Hi" },
  };
  for (const given of [
    { at: Date.now() - 301_000 },
    { at: Date.now() + 301_000 },
    { secret: "another secret of another app" },
    { signature: "v0=00" },
  ]) {
    const { status } = await server.post(payload, false, given);
    assert.equal(status, 401, JSON.stringify(given));
  }
  assert.equal((await fetch(eventsUrl, { method: "POST", body: JSON.stringify(payload) })).status, 401);
  assert.equal((await fetch(eventsUrl)).status, 404);
  await story.pair(101, true);
  const again = driver.write(101, "Once");
  await story.heard(101, /You said: Once/);
  await again();
  driver.write(101, "Twice");
  await story.heard(101, /You said: Twice/);
  assert.deepEqual(model.asked, ["Once", "Twice"]);
  driver.check();
});

test("slack: people in pushed events have Slack's names, and no event waits for one for long", async (t) => {
  const story = await ChannelStory.start(t, Slack);
  const { driver } = story;
  const { server } = driver;
  driver.options = { receive: "events" };
  driver.secrets = { signingSecret: server.signing_secret };
  server.events_url = (await story.connect()).eventsUrl;
  const name_of = async (address) => (await story.call("GET", `${story.channel}/peers`)).peers.find((one) => one.address === address)?.name;
  await story.pair(101);
  assert.equal(await name_of("U101"), "Person U101");
  server.write({ user: "UGERMAN", channel: "D8", text: "Hallo" });
  await until("the code", () => server.sent_to("D8").length > 0);
  assert.match(server.sent_to("D8")[0].text, /Ich kenne Sie noch nicht/);
  const asked = () => server.calls.filter((method) => method === "users.info").length;
  assert.equal(asked(), 2);
  driver.write(101, "Again");
  await story.heard(101, /You said: Again/);
  server.write({ user: "U5", channel: "C77", text: "Among others" });
  await story.pair(103);
  assert.equal(asked(), 3, "once for each person, and not for what is meant for others");

  server.gives_names = false;
  const event = { type: "message", channel_type: "im", user: "U9", channel: "D9", ts: "9.1", text: "Who am I?" };
  const begun = Date.now();
  assert.equal((await server.post({ type: "event_callback", event })).status, 200);
  assert.ok(Date.now() - begun < 3_000, "Slack waits three seconds for an answer");
  assert.equal(await name_of("U9"), "U9");
  await story.pair(104);
  assert.equal(await name_of("U104"), "U104");
  server.gives_names = true;
  driver.write(104, "And now?");
  await story.heard(104, /You said: And now/);
  assert.equal(await name_of("U104"), "Person U104", "it is asked for again");
  driver.check();
});

test("slack: the answer to a mention is in its thread, links and entities are read, names are Slack's", async (t) => {
  const story = await ChannelStory.start(t, Slack);
  const { driver, model } = story;
  const { server } = driver;
  await story.connect();
  await story.call("PATCH", story.channel, { allowed: ["C77"] });
  await story.until_connected();
  model.reply = () => "See [the *docs*](https://e.test/?a=1&b=2) & <that>";
  server.write({ user: "U1", channel: "C77", text: "a &lt; b &amp; <https://e.test/x|this> <@U9>", mentions: true });
  await until("the answer", () => server.sent_to("C77").length > 0);
  const [{ thread, text }] = server.sent_to("C77");
  assert.match(thread, /^\d+\.\d{6}$/);
  assert.equal(text, "See the docs (https://e.test/?a=1&b=2) & <that>");
  assert.deepEqual(model.asked, ["Person U1: a < b & this (https://e.test/x) @U9"], "once, though it came as two events");
  server.write({ user: "U1", channel: "C77", text: "more", thread_ts: thread, mentions: true });
  await until("the second answer", () => server.sent_to("C77").length === 2);
  assert.equal(server.sent_to("C77")[1].thread, thread);
  server.write({ user: "UGERMAN", channel: "D8", text: "Hallo" });
  await until("the code", () => server.sent_to("D8").length > 0);
  assert.match(server.sent_to("D8")[0].text, /Ich kenne Sie noch nicht/);
  driver.check();
});

test("slack: nothing is lost when Slack asks for another connection, or the box dies before it acknowledges", async (t) => {
  const story = await ChannelStory.start(t, Slack);
  const { driver, model, box } = story;
  const { server } = driver;
  await story.connect();
  await story.pair(101, true);
  await until("the acknowledgement", () => server.unacknowledged === 0);
  server.refresh();
  await until("the new connection", () => server.calls.filter((method) => method === "apps.connections.open").length === 2);
  driver.write(101, "After the change");
  await story.heard(101, /You said: After the change/);
  // Sent while the box is down, and delivered to the next connection.
  await box.end("SIGKILL");
  driver.write(101, "While you were away");
  await box.serve();
  await story.heard(101, /You said: While you were away/);
  // Slack has lost the acknowledgement: the envelope comes again.
  let answer;
  model.reply = () => new Promise((resolve) => (answer = resolve));
  const again = driver.write(101, "At the end");
  await until("the question", () => answer);
  await box.end("SIGKILL");
  await again();
  model.reply = (text) => `You said: ${text}`;
  await box.serve();
  await story.heard(101, /You said: At the end/);
  await until("the acknowledgement", () => server.unacknowledged === 0);
  assert.equal(driver.texts(101).filter((text) => text.includes("At the end")).length, 1);
  driver.check();
});

test("slack: what is missing or wrong is said, and secrets are in no answer", async (t) => {
  const story = await ChannelStory.start(t, Slack);
  const { driver, box } = story;
  const refused = async (body, pattern) => {
    const answer = await story.owner.call("POST", story.path, { kind: "slack", ...body });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.match(answer.body.error, pattern);
  };
  await refused({ token: "xoxp-user", secrets: driver.secrets }, /token is not one of a Slack bot/);
  await refused({ token: driver.token }, /secrets\.appToken must be/);
  await refused({ token: driver.token, options: { receive: "events" } }, /secrets\.signingSecret must be/);
  await refused({ token: driver.token, options: { receive: "post" } }, /options\.receive must be socket or events/);
  await refused({ token: driver.token, secrets: { appToken: 7 } }, /secrets\.appToken must be a text/);
  driver.secrets = { appToken: "xapp-1-wrong" };
  await story.add();
  assert.match((await story.until_state("rejected")).error, /does not accept the app-level token/);
  await story.call("PATCH", story.channel, { secrets: { appToken: driver.server.app_token } });
  await story.until_connected();
  const shown = JSON.stringify(await story.call("GET", story.path));
  for (const secret of [driver.token, driver.server.app_token]) {
    assert.equal(shown.includes(secret), false);
    assert.equal(box.whole_log.includes(secret), false);
  }
  // Of POST /api/provision comes only the bot's token: the channel says what it needs besides.
  const made = await story.owner.call("POST", "/api/provision", { name: "Second", slackToken: driver.token });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const list = (await story.owner.call("GET", "/api/agents")).body;
  const { id } = (list.agents ?? list).find(({ name }) => name === "Second");
  const second = await until("the channel", async () => {
    const { channels } = await story.call("GET", `/api/agents/${id}/channels`);
    return channels[0]?.state === "rejected" && channels[0];
  });
  assert.match(second.error, /secrets\.appToken/);
});

test("slack: calls and the WebSocket are over TLS, by a certificate that the box trusts", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-slack-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, certificate] = ["key.pem", "certificate.pem"].map((name) => join(folder, name));
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...kind, "-keyout", key, "-out", certificate, ...subject], { stdio: "ignore" });
  class Secure extends Slack {
    static async start(t) {
      const driver = await Slack.start(t, { certificate: { key: readFileSync(key), cert: readFileSync(certificate) } });
      driver.env.SSL_CERT_FILE = certificate;
      return driver;
    }
  }
  const story = await ChannelStory.start(t, Secure);
  await story.connect();
  await story.pair(101, true);
  story.driver.write(101, "Safely");
  await story.heard(101, /You said: Safely/);
  const { box } = story;
  await box.end("SIGTERM");
  delete box.env.SSL_CERT_FILE;
  await box.serve();
  const said = await until("the reason", async () => (await story.state()).error);
  assert.match(said, /certificate of 127\.0\.0\.1:\d+ is not valid/);
});
