// Owners connect their agents to messaging channels from the command line, with an API key.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, run, until } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { Webhook } = package_named("standardwebhooks");
const SECRET = `whsec_${Buffer.from("a signing secret of the stories!").toString("base64")}`;

test("an owner adds a channel, admits and blocks people, sends again what was not delivered, and removes it", async (t) => {
  const received = [];
  let refuses = false;
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    if (!refuses) received.push(JSON.parse(body));
    response.writeHead(refuses ? 410 : 200).end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.after(() => receiver.close());
  const folder = mkdtempSync(join(tmpdir(), "agentbox-keys-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };

  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org", "collective");
  await box.running_agent(ada);
  const { key } = (await ada.call("POST", "/api/keys", { name: "laptop", scopes: ["agents:read", "agents:write"] })).body;
  const key_file = file("key", `${key}\n`);
  const cli = (name, ...args) => run(["channels", name, ...args, "--key-file", key_file, "--data", box.folder]);
  const does = async (...args) => {
    const ended = await cli(...args);
    assert.deepEqual([ended.code, ended.err], [0, ""], `${args}: ${JSON.stringify(ended)}`);
    return ended.out;
  };
  const parsed = async (...args) => JSON.parse(await does(...args, "--json"));

  const url = `http://127.0.0.1:${receiver.address().port}/`;
  const token_file = file("token", SECRET);
  const open = await parsed("add", "Scout", "webhook", "--token-file", token_file, "--option", `url=${url}`, "--access", "open");
  assert.equal(open.access, "open");
  assert.match(await does("remove", "Scout", open.id, "--yes"), /is removed/);
  const added = await does("add", "Scout", "webhook", "--token-file", token_file, "--option", `url=${url}`);
  assert.match(added, /^CHANNEL +KIND +STATE .*\n\S+ +webhook +\S+ /);
  assert.ok(!added.includes(SECRET));
  await until("the channel is connected", async () => (await parsed("list", "Scout"))[0].state === "connected");
  const [{ eventsUrl }] = await parsed("list", "Scout");

  const write = async (text) => {
    const id = `evt_${Math.random()}`,
      at = new Date(),
      body = JSON.stringify({ sender: "eve", text });
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": new Webhook(SECRET).sign(id, at, body),
    };
    assert.equal((await fetch(eventsUrl, { method: "POST", headers, body })).status, 200);
  };
  await write("Hello?");
  const told = await until("a code", () => received.find(({ text }) => /code/i.test(text ?? "")));
  const [, code] = /`?([a-z0-9]{8})`?$/.exec(told.text);
  assert.match(await does("pair", "Scout", "webhook", code), / allowed /);
  const [eve] = await parsed("people", "Scout", "webhook");
  assert.deepEqual([eve.address, eve.standing], ["eve", "allowed"]);
  assert.match(await does("block", "Scout", "webhook", eve.id), / blocked /);
  assert.match(await does("admit", "Scout", "webhook", eve.id), / allowed /);

  const cap = async (...args) => (await parsed("limit", "Scout", "webhook", eve.id, ...args)).dailyCap;
  assert.deepEqual([await cap("5"), await cap("default")], [5, null]);
  assert.equal((await parsed("people", "Scout", "webhook"))[0].standing, "allowed");

  refuses = true;
  await write("Are you there?");
  const [letter] = await until("an undelivered message", async () => {
    const letters = await parsed("undelivered", "Scout", "webhook");
    return letters.length > 0 && letters;
  });
  refuses = false;
  const before = received.length;
  assert.match(await does("resend", "Scout", "webhook", letter.id), /sent again/);
  await until("it arrives", () => received.length > before);
  assert.match(await does("undelivered", "Scout", "webhook"), /^MESSAGE .*\n$/);

  const wrong = async (pattern, ...args) => {
    const { code, out, err } = await cli(...args);
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(err, pattern);
  };
  await wrong(/there is no agent Nobody/, "list", "Nobody");
  await wrong(/the agent has no channel irc/, "test", "Scout", "irc");
  await wrong(/--option must be NAME=VALUE: url/, "add", "Scout", "webhook", "--option", "url");
  await wrong(/messages must be a number or default: few/, "limit", "Scout", "webhook", eve.id, "few");
  await wrong(/the channel knows no person bob/, "limit", "Scout", "webhook", "bob", "5");
  await wrong(/dailyCap must be a whole number/, "limit", "Scout", "webhook", eve.id, "2000000");
  await wrong(/No such person/, "limit", "Scout", "webhook", "bob", "default");
  await wrong(/Confirm with --yes/, "remove", "Scout", "webhook");
  assert.match(await does("remove", "Scout", "webhook", "--yes"), /is removed/);
  assert.deepEqual(await parsed("list", "Scout"), []);

  const stranger = await box.customer("bob@example.org");
  const other = (await stranger.call("POST", "/api/keys", { name: "laptop", scopes: ["agents:read"] })).body.key;
  const refused = await run(["channels", "list", "Scout", "--key-file", file("other", other), "--url", box.web]);
  assert.deepEqual([refused.code, refused.err], [2, "agentbox: there is no agent Scout\n"]);
  const without = await run(["channels", "list", "Scout", "--key-file", file("none", "abk_nothing"), "--url", box.web]);
  assert.equal(without.code, 2, without.out);
});

test("an administrator limits a kind of channel to the agents of some plans, or switches it off", async (t) => {
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const admin = async (...args) => {
    const env = { INTERNAL_API_KEY: INTERNAL_KEY };
    const { code, out, err } = await run(["admin", "channels", ...args, "--data", box.folder], { env });
    assert.deepEqual([code, err], [0, ""], `${args}`);
    return out;
  };
  const wanted = { kind: "webhook", token: SECRET, options: { url: "http://127.0.0.1:9/" } };
  const owner_with_channel = async (email, plan, tier) => {
    const person = await box.customer(email, plan);
    const path = `/api/agents/${await box.running_agent(person, "Scout", tier)}/channels`;
    const { channel } = (await person.call("POST", path, wanted)).body;
    const is = (state) =>
      until(`${plan}: ${state}`, async () => {
        const now = (await person.call("GET", `${path}/${channel.id}`)).body.channel;
        return now.state === state && now;
      });
    await is("connected");
    return { is, add: () => person.call("POST", path, wanted) };
  };
  const solo = await owner_with_channel("ada@example.org", "solo", "starter"),
    network = await owner_with_channel("bob@example.org", "network", "enterprise");
  assert.match(await admin("kinds"), /webhook +on +all\n/);
  assert.match(await admin("allow", "webhook", "--plan", "network", "--plan", "collective"), /webhook +on +network, collective\n/);
  assert.match((await solo.is("off")).error, /The agent's plan does not include this kind of channel/);
  await network.is("connected");
  const refused = await solo.add();
  assert.deepEqual([refused.status, refused.body.error], [403, "The agent's plan does not include this kind of channel."]);
  assert.equal((await network.add()).status, 201);
  const states = (await admin()).split("\n").filter((line) => line.includes(" webhook "));
  assert.equal(states.length, 3);
  assert.equal(states.filter((line) => / off /.test(line)).length, 1);
  await admin("forbid", "webhook");
  await network.is("off");
  assert.match(await admin("allow", "webhook"), /webhook +on +all\n/);
  await Promise.all([solo.is("connected"), network.is("connected")]);
});
