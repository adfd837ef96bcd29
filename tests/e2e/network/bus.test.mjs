// The agents' bus from outside: signatures, keys, what is accepted and refused, delivery, dead letters, and a box that
// is killed in between.
import assert from "node:assert/strict";
import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, randomInt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { BusAgent, KEYS, SEND, backend, canonicalize, ed25519_signer, hmac_signer, webhook, with_signature } from "../support/bus.mjs";
import { package_named } from "../support/packages.mjs";

const { Webhook } = package_named("standardwebhooks");
const { privateKeyToAccount, generatePrivateKey } = package_named("viem/accounts");
const REFUSED = [401, { error: "Invalid signature" }];
const DEAD = "/api/underground/dead-letters";

// Ada with two agents.
const two_agents = async (t, { env, config, plan } = {}) => {
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on", ...env });
  const ada = await box.customer("ada@example.org", plan ?? "collective");
  const scout = await BusAgent.of(box, ada, "Scout");
  const herald = await BusAgent.of(box, ada, "Herald", config);
  return { box, ada, scout, herald };
};

test("a signed message is accepted, kept in the recipient's mailbox, and counts once", async (t) => {
  const { box, scout, herald } = await two_agents(t);
  const message = scout.signed({ to: herald.id, action: "GREETING", payload: { text: "hello", n: 1.5e-7, deep: { é: [null, true] } } });
  const accepted = { status: 200, body: { success: true, messageId: message.messageId } };
  assert.deepEqual(await backend(box, "POST", SEND, message, {}), accepted);
  assert.deepEqual(await backend(box, "POST", SEND, message, {}), accepted, "the same answer again");
  const { messageId } = message;
  const signed_again = scout.signed({ messageId, to: herald.id, action: "GREETING", payload: message.payload });
  assert.deepEqual(await backend(box, "POST", SEND, signed_again, {}), accepted, "a new timestamp does not make it another message");
  const other = await scout.send({ messageId, to: herald.id, action: "GREETING", payload: { text: "bye" } });
  assert.deepEqual([other.status, other.body.error], [409, "messageId was used for another message"]);
  assert.equal((await herald.send({ messageId, to: scout.id, action: "GREETING" })).status, 200, "another sender has ids of its own");

  const [kept, ...more] = await herald.mailbox();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [kept.messageId, kept.from, kept.to, kept.action, kept.payload, kept.read],
    [message.messageId, scout.id, herald.id, "GREETING", message.payload, false],
  );
  assert.equal(kept.timestamp, message.timestamp);
});

test("every way of signing works, with whatever JSON the reference implementation of JCS makes canonical", async (t) => {
  const { box, ada, scout, herald } = await two_agents(t, { plan: "network" });
  const any_number = () =>
    [randomInt(1000), -randomInt(1000), Math.random() * 10 ** randomInt(-30, 30), -0, 2 ** 53 - 1, 1e21, 5e-324, 1.7976931348623157e308][
      randomInt(8)
    ];
  const any_text = () =>
    String.fromCodePoint(
      ...Array.from(
        { length: randomInt(1, 6) },
        () =>
          [randomInt(32, 127), randomInt(160, 0xd7ff), randomInt(0xe000, 0xfffe), randomInt(0x10000, 0x10fffe), randomInt(1, 32), 0x2028][
            randomInt(6)
          ],
      ),
    );
  const any = (depth) =>
    [
      () => null,
      () => Math.random() < 0.5,
      any_number,
      any_text,
      any_text,
      () => Array.from({ length: randomInt(4) }, () => any(depth - 1)),
      () => Object.fromEntries(Array.from({ length: randomInt(5) }, () => [any_text(), any(depth - 1)])),
    ][randomInt(depth > 0 ? 7 : 5)]();
  const wallet = privateKeyToAccount(generatePrivateKey());
  const added = await ada.call("POST", KEYS, { agentId: scout.id, algorithm: "eip191", publicKey: wallet.address });
  assert.deepEqual([added.status, added.body.secret, added.body.key.publicKey], [201, null, wallet.address.toLowerCase()]);
  const {
    body: { secret },
  } = await ada.call("POST", KEYS, { agentId: scout.id, algorithm: "hmac-sha256" });
  for (let round = 0; round < 120; ++round) {
    const members = scout.message({ to: herald.id, action: "ANY", payload: { any: any(4) }, [`x${any_text()}`]: any(2) });
    const signed = [
      () => with_signature(members, "ed25519", ed25519_signer(scout.private_key)),
      () => with_signature({ ...members, keyId: scout.key_id }, "ed25519", ed25519_signer(scout.private_key)),
      () => with_signature(members, "hmac-sha256", hmac_signer(secret)),
      async () => ({ ...members, signature: `eip191:${await wallet.signMessage({ message: canonicalize(members) })}` }),
    ][round % 4];
    const message = await signed();
    const answer = await backend(box, "POST", SEND, message, {});
    assert.equal(answer.status, 200, `${JSON.stringify(answer.body)} for ${JSON.stringify(message)}`);
  }
});

test("what cannot be verified is 401 with one sentence, what has the wrong form 400 with the field", async (t) => {
  const { box, ada, scout, herald } = await two_agents(t);
  const whole = { to: herald.id, action: "GREETING", payload: { n: 1 } };
  const answer_to = async (message) => {
    const { status, body } = await backend(box, "POST", SEND, message, {});
    return [status, body];
  };
  const signer = ed25519_signer(scout.private_key);
  const message = scout.message(whole);
  for (const field of ["messageId", "action", "signature"]) {
    const { [field]: left_out, ...rest } = with_signature(message, "ed25519", signer);
    assert.deepEqual(await answer_to(rest), [400, { error: `${field} is required` }]);
  }
  for (const [field, value] of [
    ["messageId", 7],
    ["messageId", ""],
    ["messageId", "x".repeat(129)],
    ["action", null],
    ["signature", {}],
    ["from", 1],
    ["to", []],
    ["payload", "text"],
    ["payload", [1]],
    ["timestamp", 1],
  ])
    assert.match(
      (await answer_to({ ...with_signature(message, "ed25519", signer), [field]: value }))[1].error,
      new RegExp(`^${field} `),
      `${field}: ${value}`,
    );

  const stranger = generateKeyPairSync("ed25519").privateKey;
  const minutes_off = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString();
  const refused = {
    "no sender": with_signature({ ...message, from: undefined }, "ed25519", signer),
    "an unknown sender": with_signature({ ...message, from: "ag_nobody" }, "ed25519", signer),
    "no timestamp": with_signature({ ...message, timestamp: undefined }, "ed25519", signer),
    "a stale timestamp": with_signature({ ...message, timestamp: minutes_off(-6) }, "ed25519", signer),
    "a timestamp ahead": with_signature({ ...message, timestamp: minutes_off(6) }, "ed25519", signer),
    "a timestamp of no form": with_signature({ ...message, timestamp: "yesterday" }, "ed25519", signer),
    "another key": with_signature(message, "ed25519", ed25519_signer(stranger)),
    "another agent's key": with_signature({ ...message, from: herald.id, to: scout.id }, "ed25519", signer),
    "an unknown key id": with_signature({ ...message, keyId: "bk_nobody" }, "ed25519", signer),
    "a key id of the other agent": with_signature({ ...message, keyId: herald.key_id }, "ed25519", signer),
    "another scheme": with_signature(message, "hmac-sha256", signer),
    "an unknown scheme": with_signature(message, "rsa", signer),
    "no scheme": { ...message, signature: signer(canonicalize(message)) },
    "a signature of no form": { ...message, signature: "ed25519:!!" },
    "the secret of no key": with_signature(message, "hmac-sha256", hmac_signer(randomBytes(32).toString("base64url"))),
    "a changed member": { ...with_signature(message, "ed25519", signer), action: "GREETINGS" },
    "an added member": { ...with_signature(message, "ed25519", signer), extra: 1 },
    "a changed payload": { ...with_signature(message, "ed25519", signer), payload: { n: 2 } },
  };
  for (const [what, sent] of Object.entries(refused)) assert.deepEqual(await answer_to(sent), REFUSED, what);

  // Texts that JSON.stringify cannot write.
  const text = JSON.stringify(with_signature(message, "ed25519", signer));
  const raw = async (body) => (await send(box.backend, "POST", SEND, { headers: { "content-type": "application/json" }, body })).status;
  assert.equal(await raw(text.replace('{"n":1}', '{"n":1,"n":1}')), 400, "a member twice");
  assert.equal(await raw(text.replace('{"n":1}', '{"n":9007199254740993}')), 401, "a number that doubles do not have");
  assert.equal(await raw(text.replace('{"n":1}', '{"n":"\\ud800"}')), 400, "half a surrogate pair");
  assert.equal(await raw(text.replace('{"n":1}', '{"n":1.0}')), 200, "another spelling of the same number");
  const large = scout.signed({ ...whole, payload: { text: "x".repeat(64 * 1024) } });
  assert.deepEqual(await answer_to(large), [400, { error: "payload must be at most 64 KB" }]);
  assert.deepEqual(await answer_to(scout.signed({ action: "GREETING" })), [400, { error: "to is required" }]);
  assert.equal((await herald.mailbox()).length, 1);
});

test("keys are listed, replaced with an hour's overlap, and revoked at once", async (t) => {
  const { box, ada, scout, herald } = await two_agents(t);
  const whole = { to: herald.id, action: "GREETING" };
  const pair = generateKeyPairSync("ed25519");
  const publicKey = pair.publicKey.export({ format: "jwk" }).x;
  const replaced = await ada.call("POST", KEYS, { agentId: scout.id, algorithm: "ed25519", publicKey, replaces: scout.key_id });
  assert.equal(replaced.status, 201);
  const {
    body: { keys, count },
  } = await ada.call("GET", `${KEYS}?agentId=${scout.id}`);
  assert.deepEqual([count, keys.map(({ id }) => id)], [3, ["own", scout.key_id, replaced.body.key.id]]);
  const left = Date.parse(keys[1].expiresAt) - Date.now();
  assert.ok(left > 3_590_000 && left <= 3_600_000, `${left}`);
  await scout.sends(whole);
  const by_new_key = () => backend(box, "POST", SEND, with_signature(scout.message(whole), "ed25519", ed25519_signer(pair.privateKey)), {});
  assert.equal((await by_new_key()).status, 200);

  assert.deepEqual((await ada.call("DELETE", KEYS, { agentId: scout.id, keyId: scout.key_id })).body, {
    success: true,
    keyId: scout.key_id,
  });
  assert.equal((await scout.send(whole)).status, 401);
  assert.equal((await by_new_key()).status, 200);
  assert.equal((await ada.call("DELETE", `${KEYS}?agentId=${scout.id}&keyId=${scout.key_id}`)).status, 404);

  for (const [body, error] of [
    [{ agentId: scout.id, algorithm: "rsa" }, /^algorithm must be one of: ed25519, eip191, hmac-sha256, webhook$/],
    [{ agentId: scout.id, algorithm: "ed25519" }, /^publicKey is required$/],
    [{ agentId: scout.id, algorithm: "ed25519", publicKey: "AAAA" }, /^publicKey must be 32 bytes/],
    [{ agentId: scout.id, algorithm: "eip191", publicKey: "0x12" }, /^publicKey must be 0x/],
    [{ agentId: scout.id, algorithm: "webhook", publicKey }, /^publicKey is not used/],
    [{ algorithm: "webhook" }, /^agentId is required$/],
  ]) {
    const answer = await ada.call("POST", KEYS, body);
    assert.equal(answer.status, 400);
    assert.match(answer.body.error, error);
  }
  assert.equal((await ada.call("POST", KEYS, { agentId: scout.id, algorithm: "ed25519", publicKey, replaces: "bk_nobody" })).status, 404);

  const eve = await box.customer("eve@example.org");
  const theirs = (method, path, body) => eve.call(method, path, body).then(({ status, body }) => [status, JSON.stringify(body)]);
  for (const id of [scout.id, "ag_nobody"]) {
    assert.deepEqual(await theirs("GET", `${KEYS}?agentId=${id}`), [404, '{"error":"No such agent"}']);
    assert.deepEqual(await theirs("POST", KEYS, { agentId: id, algorithm: "webhook" }), [404, '{"error":"No such agent"}']);
    assert.deepEqual(await theirs("DELETE", KEYS, { agentId: id, keyId: replaced.body.key.id }), [404, '{"error":"No such key"}']);
    assert.deepEqual(await theirs("GET", `/api/underground/messages?agentId=${id}`), [404, '{"error":"No such agent"}']);
  }
  // The backend reaches every agent's keys.
  assert.equal((await backend(box, "GET", `${KEYS}?agentId=${scout.id}`)).body.count, 2);
  assert.equal((await backend(box, "GET", `${KEYS}?agentId=${scout.id}`, undefined, {})).status, 401);
});

test("messages reach another user's agent only if its config admits them", async (t) => {
  const { box, ada, scout, herald } = await two_agents(t);
  const eve = await box.customer("eve@example.org");
  const spy = await BusAgent.of(box, eve, "Spy");
  const missing = await spy.send({ to: "ag_nobody", action: "GREETING" });
  assert.equal(missing.status, 404);
  const configure = async (config) => assert.equal((await ada.call("PUT", `/api/agents/${herald.id}/config`, { config })).status, 200);
  const arrives = async () => (await spy.send({ to: herald.id, action: "GREETING" })).status;
  assert.deepEqual(await spy.send({ to: herald.id, action: "GREETING" }), missing, "refused like an agent that does not exist");
  await configure({ bus: { accept: "listed", listed: [scout.id] } });
  assert.equal(await arrives(), 404);
  await configure({ bus: { accept: "listed", listed: [spy.id] } });
  assert.equal(await arrives(), 200);
  await configure({ bus: { accept: "all" } });
  assert.equal(await arrives(), 200);
  await configure({ bus: "queue" });
  assert.equal(await arrives(), 404);
  assert.equal((await herald.mailbox()).length, 2);
  for (const [config, field] of [
    [{ bus: { accept: "some" } }, "config.bus.accept"],
    [{ bus: "later" }, "config.bus"],
    [{ bus: 1 }, "config.bus"],
    [{ bus: { listed: ["a b"] } }, "config.bus.listed"],
    [{ webhookUrl: "ftp://example.org/" }, "config.webhookUrl"],
    [{ webhookUrl: "http://a:b@example.org/" }, "config.webhookUrl"],
    [{ webhookUrl: 1 }, "config.webhookUrl"],
  ]) {
    const { status, body } = await ada.call("PUT", `/api/agents/${herald.id}/config`, { config });
    assert.equal(status, 400);
    assert.ok(body.error.startsWith(field), body.error);
  }
});

test("a plan's messages a day are counted, and the rest is 429 with the time of the reset", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "label");
  const scout = await BusAgent.of(box, ada, "Scout");
  const answers = await Promise.all(Array.from({ length: 105 }, () => scout.send({ to: scout.id, action: "NOTE" })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 100);
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 5);
  for (const { body } of refused) {
    assert.equal(body.limit, 100);
    assert.match(body.resetsAt, /T00:00:00\.000Z$/);
    assert.ok(Date.parse(body.resetsAt) > Date.now());
  }
  await backend(box, "POST", "/api/subscriptions/deploy", { userId: ada.id, plan: "solo" });
  await scout.sends({ to: scout.id, action: "NOTE" });
});

test("a webhook gets messages in order, signed as the Standard Webhooks library verifies", async (t) => {
  let failures = 2;
  const hook = await webhook(t, () => (failures-- > 0 ? 503 : 204));
  const { box, ada, scout, herald } = await two_agents(t, { config: { webhookUrl: hook.url } });
  const {
    body: { secret },
  } = await ada.call("POST", KEYS, { agentId: herald.id, algorithm: "webhook" });
  assert.match(secret, /^whsec_/);
  const sent = [];
  for (let n = 0; n < 20; ++n) sent.push((await scout.sends({ to: herald.id, action: "COUNT", payload: { n } })).messageId);
  await until("20 deliveries", () => hook.accepted().length === 20);
  assert.deepEqual(
    hook.accepted().map(({ body }) => body.payload.n),
    Array.from({ length: 20 }, (_, n) => n),
  );
  assert.deepEqual(
    hook.accepted().map(({ body }) => body.messageId),
    sent,
  );
  assert.deepEqual(new Set(hook.received.slice(0, 3).map(({ headers }) => headers["webhook-id"])).size, 1, "an attempt keeps the id");
  for (const { text, headers } of hook.received) assert.ok(new Webhook(secret).verify(text, headers));
  assert.throws(() => new Webhook(`whsec_${randomBytes(32).toString("base64")}`).verify(hook.received[0].text, hook.received[0].headers));

  // During the overlap both secrets verify; a revoked one no longer.
  const second = (await ada.call("POST", KEYS, { agentId: herald.id, algorithm: "webhook" })).body;
  await scout.sends({ to: herald.id, action: "COUNT" });
  await until("another delivery", () => hook.accepted().length === 21);
  const last = hook.accepted().at(-1);
  for (const each of [secret, second.secret]) assert.ok(new Webhook(each).verify(last.text, last.headers));
});

test("an agent signs with the key that follows from its token, reads what came, and gets messages in its conversation", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada, "Runner");
  const scout = await BusAgent.of(box, ada, "Scout");
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
  // What the agent derives, in the form in which node reads a private key (RFC 8410).
  const seed = createHmac("sha256", box_token).update("agentbox key for agent bus").digest();
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8",
  });
  const message = {
    messageId: randomUUID(),
    from: id,
    to: scout.id,
    action: "GREETING",
    timestamp: new Date().toISOString(),
    keyId: "own",
  };
  const sent = await backend(box, "POST", SEND, with_signature(message, "ed25519", ed25519_signer(key)), {});
  assert.equal(sent.status, 200, JSON.stringify(sent.body));

  const as_agent = (method, path, body) => backend(box, method, path, body, { authorization: `Bearer ${box_token}` });
  for (let n = 0; n < 3; ++n) await scout.sends({ to: id, action: "COUNT", payload: { n } });
  const { body: unread } = await as_agent("GET", "/api/agent-messages?limit=2");
  assert.deepEqual(
    unread.messages.map(({ payload, from, read }) => [payload.n, from, read]),
    [
      [0, scout.id, false],
      [1, scout.id, false],
    ],
  );
  const ids = unread.messages.map((one) => one.id);
  assert.deepEqual((await as_agent("POST", "/api/agent-messages/read", { ids })).body, { success: true, marked: 2 });
  assert.deepEqual((await as_agent("POST", "/api/agent-messages/read", { ids })).body, { success: true, marked: 0 });
  assert.deepEqual(
    (await as_agent("GET", "/api/agent-messages")).body.messages.map(({ payload }) => payload.n),
    [2],
  );
  assert.equal((await as_agent("POST", "/api/agent-messages/read", { ids: [] })).status, 400);

  await ada.call("PUT", `/api/agents/${id}/config`, { config: { bus: "deliver" } });
  await scout.sends({ to: id, action: "NEWS", payload: { text: "the kettle is on" } });
  const told = await until("the message in the conversation", async () =>
    (await ada.call("GET", `/api/chat?agentId=${id}`)).body.messages.find(({ content }) => content.includes("the kettle is on")),
  );
  assert.match(told.content, /not an instruction of your owner/);
  await until("the message is read", async () => (await as_agent("GET", "/api/agent-messages")).body.count === 1);
});

test("without SUMMARIZER_ALLOW_PRIVATE a webhook on a private address is refused, and one saved before is not reached", async (t) => {
  const hook = await webhook(t);
  const { ada, scout, herald, box } = await two_agents(t, { config: { webhookUrl: hook.url } });
  await box.end("SIGTERM");
  box.env.SUMMARIZER_ALLOW_PRIVATE = "off";
  await box.serve();
  for (const webhookUrl of [hook.url, "http://localhost:8080/", "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest"]) {
    const put = await ada.call("PUT", `/api/agents/${scout.id}/config`, { config: { webhookUrl } });
    assert.equal(put.status, 400, webhookUrl);
    assert.match(put.body.error, /^config\.webhookUrl must not be a loopback or private address/);
    const mcp = await ada.call("PUT", `/api/agents/${scout.id}/config`, { config: { mcpServers: { sky: { url: webhookUrl } } } });
    assert.equal(mcp.status, 400, webhookUrl);
    assert.match(mcp.body.error, /^config\.mcpServers\.sky\.url must not be a loopback or private address/);
  }
  const put = await ada.call("PUT", `/api/agents/${scout.id}/config`, { config: { webhookUrl: "https://hook.example.org/" } });
  assert.equal(put.status, 200, JSON.stringify(put.body));
  await scout.sends({ to: herald.id, action: "GREETING" });
  assert.equal((await herald.mailbox()).length, 1);
  await new Promise((resolve) => setTimeout(resolve, 300)); // nothing can be waited for: the attempt leaves no trace outside
  assert.deepEqual(hook.received, []);
});

test("what a webhook refuses permanently is a dead letter, to be replayed or dropped", async (t) => {
  let status = 410;
  const hook = await webhook(t, () => status);
  const { box, ada, scout, herald } = await two_agents(t, { config: { webhookUrl: hook.url } });
  await scout.sends({ to: herald.id, action: "FIRST", payload: { n: 1 } });
  await scout.sends({ to: herald.id, action: "SECOND" });
  const letters = await until("two dead letters", async () => {
    const { body } = await ada.call("GET", DEAD);
    return body.count === 2 && body.deadLetters;
  });
  const [second, first] = letters;
  assert.deepEqual(
    [first.channel, first.from, first.agentId, first.action, first.attempts, first.error],
    ["webhook", scout.id, herald.id, "FIRST", 1, "The webhook answered 410."],
  );
  const eve = await box.customer("eve@example.org");
  for (const id of [first.id, "dl_nobody"]) {
    assert.deepEqual((await eve.call("POST", `${DEAD}/${id}/replay`)).body, { error: "No such dead letter" });
    assert.equal((await eve.call("DELETE", `${DEAD}/${id}`)).status, 404);
  }
  status = 200;
  const replayed = await ada.call("POST", `${DEAD}/${first.id}/replay`);
  assert.deepEqual([replayed.status, replayed.body], [202, { success: true, id: first.id }]);
  await until("the replay", () => hook.accepted().length === 1);
  assert.deepEqual(hook.accepted()[0].body.payload, { n: 1 });
  assert.equal((await ada.call("DELETE", `${DEAD}/${second.id}`)).status, 200);
  assert.equal((await ada.call("DELETE", `${DEAD}/${second.id}`)).status, 404);
  assert.deepEqual((await ada.call("GET", DEAD)).body, { deadLetters: [], count: 0 });
  assert.equal((await herald.mailbox()).length, 2, "the mailbox keeps both");
});

test("kill -9 loses and doubles no message that was accepted", async (t) => {
  const hook = await webhook(t, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5)); // so that some are on their way when the box is killed
    return 200;
  });
  const { box, ada, scout, herald } = await two_agents(t, { plan: "network", config: { webhookUrl: hook.url } });
  const accepted = new Set(),
    tried = new Map();
  for (let round = 0; round < 4; ++round) {
    let killed = false;
    const senders = Array.from({ length: 8 }, async () => {
      while (!killed) {
        const message = scout.signed({ to: herald.id, action: "COUNT", payload: { id: randomUUID() } });
        tried.set(message.messageId, message);
        const answer = await backend(box, "POST", SEND, message, {}).catch(() => undefined);
        if (answer?.status === 200) accepted.add(message.messageId);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, randomInt(150, 500)));
    const ended = box.end("SIGKILL");
    killed = true;
    await Promise.all([ended, ...senders]);
    await box.serve();
  }
  assert.ok(accepted.size > 20, `${accepted.size} were accepted`);
  // Those whose answer got lost are repeated; then all were accepted, each once.
  for (const message of tried.values()) assert.equal((await backend(box, "POST", SEND, message, {})).status, 200);
  const kept = [];
  for (let before = ""; ; ) {
    const page = await herald.mailbox(`&limit=200${before}`);
    kept.push(...page.map(({ messageId }) => messageId));
    if (page.length < 200) break;
    before = `&before=${page.at(-1).id}`;
  }
  assert.deepEqual(kept.toSorted(), [...tried.keys()].sort());
  await until("all deliveries", () => new Set(hook.received.map(({ body }) => body.messageId)).size === tried.size);
});
