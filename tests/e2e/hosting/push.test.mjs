// Notices on browsers by Web Push, at the hours and by the ways that their user has chosen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { agent_processes } from "../support/processes.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { start_mail_server } from "../peers/mail_server.mjs";
import { ModelServer } from "../peers/model_server.mjs";
import { PushService } from "../peers/push_service.mjs";
import { TelegramServer } from "../peers/telegram_server.mjs";

// "HH:MM" in UTC, so many minutes from now.
const clock = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);

class Story {
  static async start(t, env = {}) {
    const story = new Story();
    story.service = await PushService.start(t);
    story.box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on", TZ: "UTC", ...env });
    story.ada = await story.box.customer("ada@example.org");
    return story;
  }
  async hire() {
    this.agent = await this.box.running_agent(this.ada);
    const { box_token } = JSON.parse(readFileSync(join(this.box.folder, "agents", this.agent, "run", "boot.json")));
    this.as_agent = (method, path, body) =>
      send(this.box.backend, method, path, {
        headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
  }
  async call(method, path, body) {
    const answer = await this.ada.call(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  look() {
    return this.call("GET", "/api/notifications");
  }
  async add_browser() {
    const browser = this.service.subscribe((await this.look()).pushKey);
    browser.id = (await this.call("POST", "/api/notifications/devices", browser.subscription)).id;
    return browser;
  }
  prefers(choice) {
    return this.call("PUT", "/api/notifications", { ways: ["channels", "email", "push"], timeZone: "UTC", ...choice });
  }
  async tells(text, subject) {
    const told = await this.as_agent("POST", "/api/agent-notices", { text, ...(subject && { subject }) });
    assert.ok(told.status < 300, told.text);
    return told.body;
  }
  test() {
    return this.call("POST", "/api/notifications/test");
  }
}

const got = (browser, count = 1) =>
  until(`${count} messages on the browser`, () => browser.messages.length >= count && browser.messages.slice(-count));

// A tool that publishes, for which the agent must ask.
const start_board = (t) =>
  serve_site(t, ({ text }) => {
    const { id, method } = JSON.parse(text);
    const result =
      method === "server/discover"
        ? { resultType: "complete", supportedVersions: ["2026-07-28"] }
        : method === "tools/list"
          ? { tools: [{ name: "post", description: "Publish", inputSchema: { type: "object" } }] }
          : { content: [{ type: "text", text: "Published" }] };
    return { json: { jsonrpc: "2.0", id, result } };
  });

test("what agents and the box have to say reaches every device, encrypted for it", async (t) => {
  const model = await ModelServer.start(t);
  const board = await start_board(t);
  const story = await Story.start(t, { LOCAL_MODEL_URL: model.url, WATCHDOG_CHECK_INTERVAL: "200ms" });
  const { ada } = story;
  await story.hire();
  assert.deepEqual((await story.look()).devices, []);
  assert.deepEqual((await story.test()).sentBy, [], "no way reaches her yet");
  const phone = await story.add_browser(),
    desk = await story.add_browser();

  const told = await story.tells("The harbour is **closed**.", "Harbour");
  assert.deepEqual([told.devices, told.accounts, told.mailed, told.silent], [2, 0, false, false]);
  for (const browser of [phone, desk]) {
    const [{ title, body, url, urgency, ttl }] = await got(browser);
    assert.deepEqual([title, body, url, urgency], ["Scout", "Harbour\nThe harbour is **closed**.", `/agents/${story.agent}`, "normal"]);
    assert.ok(ttl > 3600 && ttl <= 86_400, String(ttl));
  }
  assert.deepEqual([(await story.tells("_Nothing to report._")).silent, (await story.look()).recent[0].subject], [true, "Harbour"]);
  await until("the devices were used", async () => (await story.look()).devices.every(({ lastUsedAt }) => lastUsedAt));

  assert.equal((await ada.call("DELETE", `/api/notifications/devices/${desk.id}`)).status, 200);
  const eve = await story.box.customer("eve@example.org");
  assert.equal((await eve.call("DELETE", `/api/notifications/devices/${phone.id}`)).status, 404, "another user's");
  assert.deepEqual((await story.test()).sentBy, ["push"]);
  assert.equal((await got(phone, 2)).at(-1).url, "/settings/notifications");

  // A question of the gate.
  await story.call("PUT", `/api/agents/${story.agent}/config`, { config: { mcpServers: { board: { url: `${board.url}/mcp` } } } });
  await story.call("PUT", `/api/agents/${story.agent}/gate`, { rules: [{ effect: "outward", decision: "ask" }] });
  const asked = await story.as_agent("POST", "/api/agent-mcp/call", { name: "board__post", arguments: { text: "nine" } });
  assert.ok(asked.status < 300, asked.text);
  const question = await until("the question", () => phone.messages.find(({ body }) => body.startsWith("May I do this?")));
  assert.match(question.body, /post[^]*nine/);
  assert.match(question.url, /^\/asks#ask_/);
  assert.equal(question.urgency, "high");

  // A limit: told once, however often it refuses.
  await story.call("PUT", "/api/caps", { scope: "user", period: "day", tokens: 0 });
  for (let calls = 0; calls < 3; ++calls) await ada.call("POST", "/api/chat", { agentId: story.agent, message: "hello" });
  const limit = await until("the limit", () => phone.messages.find(({ url }) => url === "/usage/limits"));
  assert.match(limit.body, /A limit was reached\nThe daily cap of 0 tokens/);

  // The watchdog gives up after the third crash.
  for (let crashes = 0; crashes < 3; ++crashes) {
    const pid = await until("a process", () => agent_processes(story.box).find(({ id }) => id === story.agent)?.pid);
    process.kill(pid, "SIGKILL");
    await until("its end", () => agent_processes(story.box).find(({ id }) => id === story.agent)?.pid !== pid);
  }
  const health = await until("the watchdog's notice", () => phone.messages.find(({ body }) => body.includes("has been given up")));
  assert.deepEqual([health.title, health.url, health.urgency], ["Scout", `/agents/${story.agent}/health`, "high"]);
  assert.equal(phone.messages.filter(({ url }) => url === "/usage/limits").length, 1);
  const { recent } = await story.look();
  assert.deepEqual(new Set(recent.map(({ kind }) => kind)), new Set(["agent", "question", "limit", "health", "test"]));
  assert.equal(desk.messages.length, 1, "a removed device gets nothing");
});

test("a swarm that ends is a notice", async (t) => {
  const story = await Story.start(t);
  const bob = await story.box.customer("bob@example.org", "network");
  const agents = [await story.box.running_agent(bob, "One"), await story.box.running_agent(bob, "Two", "enterprise")];
  const phone = story.service.subscribe((await bob.call("GET", "/api/notifications")).body.pushKey);
  assert.equal((await bob.call("POST", "/api/notifications/devices", phone.subscription)).status, 201);
  const { id, name } = (await bob.call("POST", "/api/swarms", { goal: "remember that the kettle is on", agents })).body;
  const [{ title, body, url }] = await got(phone);
  assert.deepEqual([title, url], ["One", `/fleet/swarms/${id}`]);
  assert.ok(body.startsWith(`The swarm ${name} is done\n`), body);
});

test("push services that are slow, refuse, or have forgotten a browser", async (t) => {
  const story = await Story.start(t);
  const [busy, moody, strict, gone] = [
    await story.add_browser(),
    await story.add_browser(),
    await story.add_browser(),
    await story.add_browser(),
  ];
  const device = async ({ id }) => (await story.look()).devices.find((one) => one.id === id);
  busy.answers = [{ status: 429, headers: { "retry-after": "1" } }];
  moody.answers = Array(20).fill({ status: 503 });
  strict.answers = [{ status: 403 }];
  gone.answers = [{ status: 410 }];
  const began = Date.now();
  await story.test();
  await got(busy);
  assert.ok(Date.now() - began >= 1_000, "it waits as long as it is asked to");
  await until("the forgotten browser is removed", async () => (await device(gone)) === undefined);
  await until("the refusal is shown", async () => /status 403/.test((await device(strict)).error ?? ""));
  await until("the failure is shown", async () => /status 503/.test((await device(moody)).error ?? ""));
  await story.test();
  await got(strict);
  await until("the error is over", async () => (await device(strict)).error === null);
  assert.equal(strict.messages.length, 1, "what was refused is not repeated");

  await story.box.end("SIGKILL");
  moody.answers = [];
  await story.box.serve();
  await got(moody, 2);
  assert.equal((await story.look()).devices.length, 3);

  // An end of all sessions is an end of push.
  await story.call("POST", "/api/settings/password", {
    currentPassword: "a customer's long password",
    newPassword: "another long password",
  });
  assert.deepEqual((await story.look()).devices, []);
});

test("a device is checked, belongs to one user, and there are twenty", async (t) => {
  const story = await Story.start(t);
  const eve = await story.box.customer("eve@example.org");
  const browser = await story.add_browser();
  const add = (person, change) => person.call("POST", "/api/notifications/devices", { ...browser.subscription, ...change });
  for (const [change, words] of [
    [{ endpoint: "push.example.org" }, /^endpoint /],
    [{ endpoint: "ftp://push.example.org/x" }, /^endpoint /],
    [{ keys: { ...browser.subscription.keys, p256dh: "A".repeat(87) } }, /^keys /],
    [{ keys: { ...browser.subscription.keys, auth: "A".repeat(24) } }, /^keys /],
    [{ keys: {} }, /^keys\.p256dh is required/],
  ]) {
    const { status, body } = await add(story.ada, change);
    assert.equal(status, 400);
    assert.match(body.error, words);
  }
  assert.equal((await add(story.ada, {})).status, 201, "again");
  assert.equal((await story.look()).devices.length, 1);
  assert.equal((await add(eve, {})).status, 201, "another user signs in on the same browser");
  assert.equal((await story.look()).devices.length, 0);
  assert.equal((await eve.call("GET", "/api/notifications")).body.devices[0].id, browser.id);
  const key = (await story.look()).pushKey;
  for (let more = 20; more > 0; --more) assert.equal((await add(story.ada, story.service.subscribe(key).subscription)).status, 201);
  assert.equal((await add(story.ada, story.service.subscribe(key).subscription)).status, 409);

  await story.box.end("SIGTERM");
  delete story.box.env.SUMMARIZER_ALLOW_PRIVATE;
  await story.box.serve();
  assert.match((await add(eve, {})).body.error, /^endpoint must be a public https address/);
  for (const [wrong, words] of [
    [{ ways: ["fax"] }, /^ways\[0\]/],
    [{ ways: ["push", "push"] }, /^ways must not repeat/],
    [{ quietFrom: "25:00", quietUntil: "07:00" }, /^quietFrom must be a time of day/],
    [{ quietFrom: "22:00" }, /^quietFrom and quietUntil must both/],
    [{ quietFrom: "22:00", quietUntil: "22:00" }, /^quietUntil must differ/],
    [{ digestAt: "8 o'c" }, /^digestAt must be a time of day/],
    [{ timeZone: "Mars/Olympus" }, /^timeZone: this box knows no/],
  ]) {
    const { status, body } = await eve.call("PUT", "/api/notifications", { ways: ["push"], ...wrong });
    assert.equal(status, 400, JSON.stringify(wrong));
    assert.match(body.error, words);
  }
});

test("quiet hours hold notices back, a digest collects them, and the first way may be the only one", async (t) => {
  const mail_server = await start_mail_server(t);
  const story = await Story.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org" });
  const { token } = await story.box.mail_with("verify", "ada@example.org");
  await story.call("POST", "/api/auth/verify-email", { token });
  const mails = () => mail_server.mails.map(({ lines }) => lines.join("\n")).filter((text) => !text.includes("?verify="));
  await story.hire();
  const phone = await story.add_browser();
  const chosen = await story.prefers({ quietFrom: clock(-60), quietUntil: clock(60) });
  assert.deepEqual([chosen.emailReady, chosen.timeZone, chosen.digestAt], [true, "UTC", null]);
  const held = await story.tells("One", "First");
  assert.ok(Date.parse(held.waitsUntil) > Date.now() + 58 * 60_000, held.waitsUntil);
  await story.tells("Two");
  assert.deepEqual((await story.test()).sentBy, ["email", "push"], "a test is sent at every hour");
  await got(phone);
  assert.deepEqual(
    (await story.look()).recent.map(({ subject, sentBy, waitsUntil }) => [subject, sentBy.length, Boolean(waitsUntil)]),
    [
      ["Test", 2, false],
      ["", 0, true],
      ["First", 0, true],
    ],
  );
  await story.box.end("SIGTERM");
  await story.box.serve();
  await story.prefers({});
  const [digest] = await got(phone, 1).then(() => got(phone, 2).then((two) => two.slice(-1)));
  assert.deepEqual([digest.title, digest.body, digest.urgency], ["2 notices", "Scout: First\nScout: Two", "low"]);
  const mail = await until("the digest by mail", () => mails().find((text) => text.includes("Subject: 2 notices from your agents")));
  assert.match(mail, /Scout, \d{4}-\d\d-\d\d \d\d:\d\d\nFirst\n\nOne\n[^]*\n\nTwo\n/);

  await story.prefers({ ways: ["push", "email"], firstOnly: true, digestAt: clock(120) });
  const collected = await story.tells("Three");
  const hours = (Date.parse(collected.waitsUntil) - Date.now()) / 3_600_000;
  assert.ok(hours > 1.9 && hours <= 2, String(hours));
  const before = mails().length;
  await story.prefers({ ways: ["push", "email"], firstOnly: true });
  assert.equal((await got(phone, 3)).at(-1).body, "Three", "one by itself is no digest");
  await until("it is noted", async () => (await story.look()).recent[0].sentBy.join() === "push");
  assert.equal(mails().length, before, "only the first way");
  await story.call("DELETE", `/api/notifications/devices/${phone.id}`);
  assert.equal((await story.tells("Four")).mailed, true, "the next way reaches her");
  await story.prefers({ ways: [] });
  assert.deepEqual(Object.values(await story.tells("Five")).slice(1, 4), [false, 0, 0]);
  assert.equal((await story.look()).recent[0].text, "Five", "it is in the console");
});

test("a digest is sent at its hour, once, by all ways, though the box is killed before and after it", async (t) => {
  const mail_server = await start_mail_server(t),
    telegram = await TelegramServer.start(t);
  const story = await Story.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org", TELEGRAM_API_URL: telegram.url });
  const { box } = story;
  const { token } = await box.mail_with("verify", "ada@example.org");
  await story.call("POST", "/api/auth/verify-email", { token });
  await story.hire();
  const phone = await story.add_browser();
  const { channel } = await story.call("POST", `/api/agents/${story.agent}/channels`, { kind: "telegram", token: telegram.token });
  const at = `/api/agents/${story.agent}/channels/${channel.id}`;
  const is_idle = async () => {
    const { state, queued } = (await story.call("GET", at)).channel;
    return state === "connected" && queued === 0;
  };
  await until("the channel is connected", is_idle);
  const { code } = await story.call("POST", `${at}/invitations`, { owner: true });
  telegram.write({ from: { id: 101 }, chat: { id: 101, type: "private" }, text: `/start ${code}` });
  const chat = (pattern) => telegram.sent_to(101).filter(({ text }) => pattern.test(text ?? ""));
  await until("the account is linked", () => chat(/now linked/).length === 1);

  // The next whole minute that is not too near.
  const hour = Math.ceil((Date.now() + 20_000) / 60_000) * 60_000;
  await story.prefers({ digestAt: new Date(hour).toISOString().slice(11, 16) });
  const texts = ["The harbour is closed.", "The ferry is late.", "The kettle is on."];
  for (const text of texts) assert.equal(Date.parse((await story.tells(text)).waitsUntil), hour, "it waits for the digest");
  const mails = () => mail_server.mails.filter(({ lines }) => lines.includes("The kettle is on."));
  const sent = () => [chat(/kettle/).length, mails().length, phone.messages.filter(({ body }) => body.includes("kettle")).length];
  const waiting = async () => (await story.look()).recent.filter(({ waitsUntil }) => waitsUntil).length;
  const kill_and_serve = async () => {
    await box.end("SIGKILL");
    await box.serve();
    await until("the channel is connected again", is_idle);
  };

  await kill_and_serve();
  await until("the digest by every way", () => sent().every((count) => count >= 1), 120_000);
  const [{ text, at: arrived }] = chat(/kettle/);
  assert.ok(arrived >= hour, "not before its hour");
  for (const one of texts) assert.ok(text.includes(one) && mails()[0].lines.includes(one), one);
  await until("it is noted", async () => (await waiting()) === 0);
  assert.deepEqual((await story.look()).recent[0].sentBy, ["channels", "email", "push"]);

  await kill_and_serve();
  // What comes after it by each way shows that nothing was sent a second time before.
  await story.test();
  await until(
    "the test by mail and push",
    () => phone.messages.length === 2 && mail_server.mails.at(-1).lines.join().includes("They work"),
  );
  await story.call("POST", `${at}/test`);
  await until("the test on the channel", () => chat(/test message/).length === 1);
  assert.deepEqual(sent(), [1, 1, 1]);
});
