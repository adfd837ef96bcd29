// Conversations with an agent: they are listed, renamed and deleted, and what is said in one audience reaches no other.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, PASSWORD, run, send, until } from "../support/box.mjs";
import { BusAgent } from "../support/bus.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const { Webhook } = package_named("standardwebhooks");
const MAIL_SECRET = `whsec_${Buffer.from("a signing secret of the stories!").toString("base64")}`;

const key_of = async (person) => {
  const made = (await person.call("POST", "/api/keys", { name: "a2a" })).body.key;
  return typeof made === "string" ? made : made.key;
};

const a2a = async (box, agent, key, text, contextId) => {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], ...(contextId && { contextId }) };
  const answer = await fetch(`${box.web}/a2a/${agent}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }),
  });
  const { result } = await answer.json();
  assert.equal(result?.task.status.state, "TASK_STATE_COMPLETED", JSON.stringify(result));
  return result.task.artifacts.flatMap(({ parts }) => parts.map((part) => part.text)).join("");
};

const story_of = async (t, env = {}) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, ...env });
  const ada = await box.customer("ada@example.org", "collective");
  const agent = await box.running_agent(ada);
  const ask = async (message, more = {}) => {
    const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message, ...more });
    assert.equal(status, 200, JSON.stringify(body));
    return body.message;
  };
  const conversations = async () => (await ada.call("GET", `/api/agents/${agent}/conversations`)).body.conversations;
  const messages = async (conversationId) =>
    (await ada.call("GET", `/api/chat?agentId=${agent}&conversationId=${conversationId}`)).body.messages.map(({ content }) => content);
  return { model, box, ada, agent, ask, conversations, messages, path: `/api/agents/${agent}/conversations` };
};

const opened_to_all = async (box, owner, agent) => {
  const config = { bus: { accept: "all", delivery: "deliver" } };
  assert.equal((await owner.call("PUT", `/api/agents/${agent}/config`, { config })).status, 200);
  await box.until_status(owner, agent, "running");
};

test("an owner has several conversations with an agent, each with a history of its own", async (t) => {
  const { model, box, ada, agent, ask, conversations, messages, path } = await story_of(t);
  model.will(say("Noted."), say("Which word?"), say("It was heron."));
  const first = await ask("The word is heron.");
  const made = await ada.call("POST", path, {});
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body.conversation;
  await ask("What is the word?");
  assert.deepEqual(
    model.asked
      .at(-1)
      .messages.slice(1)
      .map(({ content }) => content),
    ["What is the word?"],
    "the new conversation is the current one, and begins empty",
  );
  await ask("And now?", { conversationId: first.conversationId });
  assert.match(JSON.stringify(model.asked.at(-1)), /heron/);
  assert.doesNotMatch(JSON.stringify(model.asked.at(-1)), /What is the word/);
  assert.deepEqual(await messages(id), ["What is the word?", "Which word?"]);
  assert.deepEqual(await messages(first.conversationId), ["The word is heron.", "Noted.", "And now?", "It was heron."]);
  assert.equal((await ada.call("GET", `/api/chat?agentId=${agent}`)).body.count, 6, "without one, all of the agent's");
  const page = (await ada.call("GET", `/api/chat?agentId=${agent}&conversationId=${first.conversationId}&limit=2`)).body.messages;
  const before = `/api/chat?agentId=${agent}&conversationId=${first.conversationId}&limit=3&before=${page[0].id}`;
  assert.deepEqual(
    (await ada.call("GET", before)).body.messages.map(({ content }) => content),
    ["The word is heron.", "Noted."],
  );

  assert.deepEqual(
    (await conversations()).map(({ title, channel, audience }) => [title, channel, audience]),
    [
      ["The word is heron.", "console", "owner"],
      ["What is the word?", "console", "owner"],
    ],
  );
  const edited = await ada.call("PATCH", `${path}/${id}`, { title: "Words", pinned: true, archived: true });
  assert.deepEqual([edited.body.conversation.title, edited.body.conversation.archived], ["Words", true]);
  assert.equal((await conversations())[0].id, id, "pinned ones come first");
  const { body: found } = await ada.call("GET", `/api/chat?agentId=${agent}&q=HERON`);
  assert.deepEqual([found.count, found.messages[0].conversationId], [2, first.conversationId]);

  const history = join(box.folder, "agents", agent, "workspace", ".agentbox", "conversations", id);
  assert.ok(existsSync(history));
  assert.equal((await ada.call("DELETE", `${path}/${id}`)).status, 200);
  assert.ok(!existsSync(history), "the agent keeps nothing of it");
  assert.equal((await ada.call("GET", `${path}/${id}`)).status, 404);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: agent, message: "?", conversationId: id })).status, 404);
  assert.equal((await ada.call("GET", `/api/chat?agentId=${agent}`)).body.count, 4);

  const eve = await box.customer("eve@example.org");
  for (const [method, at, body] of [
    ["GET", path],
    ["POST", path, {}],
    ["GET", `${path}/${first.conversationId}`],
    ["PATCH", `${path}/${first.conversationId}`, { title: "mine" }],
    ["DELETE", `${path}/${first.conversationId}`],
  ])
    assert.equal((await eve.call(method, at, body)).status, 404, `${method} ${at}`);
  model.check();
});

test("a caller over A2A has a conversation for each context, which goes with the caller's account", async (t) => {
  const { model, box, ada, agent, ask, conversations, messages, path } = await story_of(t);
  await opened_to_all(box, ada, agent);
  const eve = await box.customer("eve@example.org");
  const key = await key_of(eve);
  model.will(say("Hello Eve."), say("Your word is pelican."), say("Which word?"), say("Yes, Ada?"));
  await a2a(box, agent, key, "My word is pelican.", "kitchen");
  await a2a(box, agent, key, "What is my word?", "kitchen");
  assert.match(JSON.stringify(model.asked.at(-1)), /My word is pelican/, "the context is continued");
  await a2a(box, agent, key, "What is my word?", "garden");
  assert.doesNotMatch(JSON.stringify(model.asked.at(-1)), /pelican/);
  const theirs = await conversations();
  assert.deepEqual(
    theirs.map(({ channel, audience, peer }) => [channel, audience, peer]),
    [
      ["a2a", "peer", `user:${eve.id}`],
      ["a2a", "peer", `user:${eve.id}`],
    ],
  );
  const said = await Promise.all(theirs.map(({ id }) => messages(id)));
  const kitchen = theirs[said.findIndex((texts) => texts.length === 4)];
  assert.match(said.flat().join(), /My word is pelican/, "the owner can read it");
  const into = await ada.call("POST", "/api/chat", { agentId: agent, message: "Hi", conversationId: kitchen.id });
  assert.equal(into.status, 409, "but not write into it");
  await ask("Hello");
  assert.doesNotMatch(JSON.stringify(model.asked.at(-1)), /pelican/);

  const peers = join(box.folder, "agents", agent, "workspace", ".agentbox", "peers");
  assert.equal(readdirSync(peers).length, 1);
  assert.equal((await ada.call("DELETE", `${path}/${kitchen.id}`)).status, 200);
  assert.equal(readdirSync(join(peers, readdirSync(peers)[0], "conversations")).length, 1);
  const left = await eve.call("DELETE", "/api/settings/account", { currentPassword: PASSWORD });
  assert.ok(left.status < 300, JSON.stringify(left.body));
  await until("what Eve said is gone", async () => (await conversations()).every(({ audience }) => audience === "owner"));
  assert.deepEqual(readdirSync(peers), []);
  assert.equal((await ada.call("GET", `/api/chat?agentId=${agent}`)).body.count, 2);
  model.check();
});

test("the owner sees what the agent remembers of a peer, and deletes it", async (t) => {
  const { model, box, ada, agent, ask, conversations } = await story_of(t);
  await opened_to_all(box, ada, agent);
  const eve = await box.customer("eve@example.org");
  const key = await key_of(eve);
  model.will(
    call(["remember", { text: "Eve likes pelicans" }]),
    say("Noted."),
    call(["remember", { text: "Ada likes herons" }]),
    say("Noted."),
  );
  await a2a(box, agent, key, "I like pelicans.", "kitchen");
  await ask("I like herons.");
  const [theirs, own] = ["peer", "owner"].map((audience) => conversations().then((all) => all.find((one) => one.audience === audience)));
  const { id } = await theirs;
  const of_peer = () => ada.call("GET", `/api/memory?agentId=${agent}&conversationId=${id}`);
  const facts = (await of_peer()).body.memories;
  assert.deepEqual(
    facts.map(({ text }) => text),
    ["Eve likes pelicans"],
  );
  assert.deepEqual(
    (await ada.call("GET", `/api/memory?agentId=${agent}`)).body.memories.map(({ text }) => text),
    ["Ada likes herons"],
  );
  const wrong = await ada.call("GET", `/api/memory?agentId=${agent}&conversationId=${(await own).id}`);
  assert.deepEqual([wrong.status, wrong.body.error.startsWith("conversationId")], [400, true]);
  assert.equal((await eve.call("GET", `/api/memory?agentId=${agent}&conversationId=${id}`)).status, 404);
  const removed = await ada.call("DELETE", "/api/memory", { agentId: agent, memoryId: facts[0].id, conversationId: id });
  assert.equal(removed.status, 200, JSON.stringify(removed.body));
  assert.deepEqual((await of_peer()).body.memories, []);
  model.will(say("Hello."));
  await a2a(box, agent, key, "Hello", "kitchen");
  assert.doesNotMatch(model.asked.at(-1).messages[0].content, /pelicans/);
  model.check();
});

test("peers use those of the owner's tools that the owner lets them use", async (t) => {
  const { model, box, ada, agent } = await story_of(t);
  const eve = await box.customer("eve@example.org");
  const key = await key_of(eve);
  await opened_to_all(box, ada, agent);
  const tools = async () => {
    model.will(say("Hello."));
    await a2a(box, agent, key, "Hello");
    return model.asked.at(-1).tools.map((tool) => tool.function.name);
  };
  const own = await tools();
  for (const name of ["read_file", "write_file", "remember", "recall", "search_history"]) assert.ok(own.includes(name), name);
  for (const name of ["send_message", "schedule_prompt", "pay", "git_log", "notify_owner", "fetch_page", "use_skill"])
    assert.ok(!own.includes(name), name);
  const config = { bus: { accept: "all", delivery: "deliver" }, peerTools: ["fetch_page"] };
  assert.equal((await ada.call("PUT", `/api/agents/${agent}/config`, { config })).status, 200);
  await box.until_status(ada, agent, "running");
  await box.backend_call("POST", `/api/agents/${agent}/restart`);
  await box.until_status(ada, agent, "running");
  assert.deepEqual(
    (await tools()).filter((name) => !own.includes(name)),
    ["fetch_page"],
  );
  const wrong = await ada.call("PUT", `/api/agents/${agent}/config`, { config: { peerTools: ["rob_bank"] } });
  assert.deepEqual([wrong.status, /config\.peerTools\[0\]/.test(JSON.stringify(wrong.body))], [400, true]);
  model.check();
});

// Random, and the same for the same seed.
const random_of = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

test("nothing that one audience said reaches a model for another, whatever way it came in", async (t) => {
  const seed = Number(process.env.STORY_SEED ?? Date.now() % 1_000_000);
  t.diagnostic(`STORY_SEED=${seed}`);
  const random = random_of(seed);
  const any = (list) => list[Math.floor(random() * list.length)];
  const { model, box, ada, agent, ask } = await story_of(t, {
    EMAIL_WEBHOOK_SECRET: MAIL_SECRET,
    EMAIL_ALLOWED_SENDERS: "@friends.example.org",
    SUMMARIZER_ALLOW_PRIVATE: "true",
  });
  await opened_to_all(box, ada, agent);

  // Each canary names its audience. The model says all of them that its prompt holds, and tries its tools.
  const canary = /canary-(\w+)-\d+/g;
  const canaries = (text) => [...new Set([...text.matchAll(canary)].map(([whole]) => whole))];
  const audiences = (text) => [...new Set([...text.matchAll(canary)].map(([, audience]) => audience))];
  const answer = (body) => {
    const seen = audiences(JSON.stringify(body));
    assert.ok(seen.length <= 1, `a prompt mixes ${seen.join(" and ")}: STORY_SEED=${seed}`);
    const known = canaries(JSON.stringify(body)).join(" ");
    const last = body.messages.at(-1);
    if (seen[0] === "gus") assert.ok(!body.tools, "callers whom nobody knows get no tools");
    if (!body.tools || last.role === "tool" || random() < 0.3) return say(`I know: ${known}`);
    const newest = canaries(last.content).at(-1) ?? "nothing";
    const wanted = any([
      ["remember", { text: `The word is ${newest}` }],
      ["write_file", { path: `notes/${newest}.txt`, content: newest }],
      ["recall", {}],
      ["search_history", { words: "canary" }],
      ["list_files", {}],
      ["search_files", { pattern: "canary" }],
      ["read_file", { path: ".agentbox/memory.jsonl" }],
    ]);
    return body.tools.some((tool) => tool.function.name === wanted[0]) ? call(wanted) : say(`I know: ${known}`);
  };
  model.script.shift = () => answer;

  const peers = {};
  for (const name of ["bob", "carol"]) {
    const person = await box.customer(`${name}@example.org`, "network");
    const key = await key_of(person);
    peers[name] = async (text, context = any(["", "tea"])) =>
      assert.deepEqual(audiences(await a2a(box, agent, key, text, context)), [name]);
  }
  for (const name of ["dan", "erin"]) {
    const person = await box.customer(`${name}@example.org`, "network");
    const bus_agent = await BusAgent.of(box, person, name);
    peers[name] = (text) => bus_agent.sends({ to: agent, action: "SAY", payload: { text } });
  }
  const { subdomain } = (await ada.call("GET", `/api/agents/${agent}`)).body.agent;
  peers.fay = async (text) => {
    const data = { from: "fay@friends.example.org", to: `${subdomain}@agents.example.org`, subject: "Word", text };
    const at = new Date(),
      id = randomUUID(),
      body = JSON.stringify(data);
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": new Webhook(MAIL_SECRET).sign(id, at, body),
    };
    assert.equal((await send(box.web, "POST", "/api/webhooks/email", { headers, body })).status, 200);
  };
  // A visitor of an open channel, whom nobody knows.
  const hears = createServer((request, response) => request.resume().on("end", () => response.end()));
  hears.listen(0, "127.0.0.1");
  await once(hears, "listening");
  t.after(() => (hears.closeAllConnections(), hears.close()));
  const options = { url: `http://127.0.0.1:${hears.address().port}/` };
  const made = await ada.call("POST", `/api/agents/${agent}/channels`, { kind: "webhook", token: MAIL_SECRET, options });
  assert.ok(made.status < 300, JSON.stringify(made.body));
  const opened = await ada.call("PATCH", `/api/agents/${agent}/channels/${made.body.channel.id}`, { access: "open" });
  assert.equal(opened.status, 200, JSON.stringify(opened.body));
  peers.gus = async (text) => {
    const at = new Date(),
      id = randomUUID(),
      body = JSON.stringify({ sender: "gus", text });
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": new Webhook(MAIL_SECRET).sign(id, at, body),
    };
    const path = `/api/channel-events/${made.body.channel.id}`;
    await until("the channel takes the event", async () => (await send(box.web, "POST", path, { headers, body })).status === 200);
  };
  const own_bus = await BusAgent.of(box, ada, "Herald");
  const said = async (name, filler = "") => {
    const text = `Remember canary-${name}-${Math.floor(random() * 1e9)}. ${filler}`;
    if (name !== "owner") return peers[name](text);
    const way = any(["chat", "new", "schedule", "bus"]);
    if (way === "bus") return own_bus.sends({ to: agent, action: "SAY", payload: { text } });
    if (way === "schedule") {
      const task = { name: "Word", agentId: agent, cronSchedule: "0 9 1 1 *", prompt: text };
      const planned = await ada.call("POST", "/api/scheduled-tasks", task);
      assert.ok(planned.status < 300, JSON.stringify(planned.body));
      await ada.call("POST", `/api/scheduled-tasks/${planned.body.id}/run`);
      return undefined;
    }
    if (way === "new") assert.equal((await ada.call("POST", `/api/agents/${agent}/conversations`, {})).status, 201);
    await ask(text);
  };
  const settled = () =>
    until("every message has its answer", async () => {
      const { messages } = (await ada.call("GET", `/api/agents/${agent}/messages?limit=200`)).body;
      return messages.every(({ delivery }) => delivery !== "sent");
    });

  const names = ["owner", "owner", ...Object.keys(peers)];
  const round = async (turns) => {
    const said_now = [];
    for (let turn = 0; turn < turns; ++turn) {
      said_now.push(said(any(names), random() < 0.2 ? "long ".repeat(4_000) : ""));
      if (random() < 0.5) await Promise.all(said_now.splice(0));
    }
    await Promise.all(said_now);
    await settled();
  };
  await round(16);
  await box.backend_call("POST", `/api/agents/${agent}/restart`);
  await box.until_status(ada, agent, "running");
  await round(12);
  await box.end("SIGTERM");
  await box.serve();
  await box.until_status(ada, agent, "running");
  // Fills the owner's conversation and a peer's, until they are summarized.
  for (let turn = 0; turn < 10; ++turn) {
    await ask(`Remember canary-owner-${turn}. ${"long ".repeat(5_500)}`);
    await peers.bob(`Remember canary-bob-${turn}. ${"long ".repeat(5_500)}`, "tea");
  }
  for (const name of ["owner", "bob"])
    assert.ok(
      model.asked.some(({ messages }) => messages[0].content.startsWith("You summarize") && audiences(messages[1].content).includes(name)),
      `a conversation of ${name} is summarized`,
    );
  await round(12);
  for (const name of names.slice(1)) await said(name);
  await settled();

  // The memory that the owner sees, and the files that the owner and git have, are the owner's.
  const memory = (await ada.call("GET", `/api/memory?agentId=${agent}`)).body;
  assert.ok(audiences(JSON.stringify(memory)).every((audience) => audience === "owner"));

  const place = mkdtempSync(join(tmpdir(), "agentbox-conversations-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const admin = (...args) => run(["admin", "agent", ...args, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
  const file = join(place, "scout.agent");
  const exported = await admin("export", agent, "--to", file);
  assert.equal(exported.code, 0, JSON.stringify(exported));
  const imported = await admin("import", file, "--owner", "ada@example.org");
  assert.equal(imported.code, 0, JSON.stringify(imported));
  const [, copy] = imported.out.match(/as (ag_\w+)/);
  await box.backend_call("POST", `/api/agents/${copy}/start`);
  await box.until_status(ada, copy, "running");
  const listed = (await ada.call("GET", `/api/agents/${copy}/conversations`)).body.conversations;
  assert.ok(listed.some(({ audience }) => audience === "peer") && listed.some(({ audience }) => audience === "public"));
  for (const { id, audience } of listed) {
    const asked = { agentId: copy, message: "What do you know?", conversationId: id };
    const expected = audience === "owner" ? 200 : 409;
    assert.equal((await ada.call("POST", "/api/chat", asked)).status, expected);
    const { messages } = (await ada.call("GET", `/api/chat?agentId=${copy}&conversationId=${id}&limit=200`)).body;
    assert.ok(audiences(JSON.stringify(messages)).length <= 1, "a conversation of the copy is one audience's");
  }
  assert.ok(!existsSync(join(box.folder, "agents", copy, "workspace", ".agentbox", "peers")));
  const commits = readFileSync(join(box.folder, "agents", agent, "workspace", ".git", "info", "exclude"), "utf8");
  assert.match(commits, /peers/);
  assert.deepEqual(model.faults, []);
});
