// Owners connect their agents to messaging channels from the command line, with an API key.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, run, until } from "../support/box.mjs";
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
  const added = await does("add", "Scout", "webhook", "--token-file", file("token", SECRET), "--option", `url=${url}`);
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
