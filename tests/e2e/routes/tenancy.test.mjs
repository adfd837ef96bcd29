// Two users, and every route that takes an id with the id of the other's: the answer is the one for what does not exist,
// and nothing happens.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { add_passkey } from "../support/authenticator.mjs";
import { ADMIN, Box, PASSWORD, send, until } from "../support/box.mjs";
import { running_command } from "../support/command_story.mjs";
import { running_terminal } from "../support/terminal_story.mjs";

const missing = {
  agent: "ag_aaaaaaaaaaaaaaaaaaaa",
  key: "1kaaaaaaaaaaaa",
  user: "4242",
  message: "0000000000000000",
  conversation: "c_aaaaaaaaaaaaaaaaaaaaaaaa",
  task: "task_aaaaaaaaaaaaaaaaaaaa",
  passkey: "pk_aaaaaaaaaaaaaaaaaaaa",
  session: "0".repeat(16),
  cap: "own-user--day",
  wallet: "wa_aaaaaaaaaaaaaaaaaaaa",
  memory: "mem_aaaaaaaaaaaaaaaaaaaa",
  call: "9999999999999-aaaaaaaaaaaa",
  trace: "a".repeat(32),
  swarm: "sw_aaaaaaaaaaaaaaaaaaaa",
  bus_key: "bk_aaaaaaaaaaaaaaaaaaaa",
  transfer: "tr_1800000000000-aaaaaaaaaaaa",
  ask: "ask_1800000000000-aaaaaaaaaaaa",
  credential: "cr_aaaaaaaaaaaaaaaaaaaa",
  command: "cmd_aaaaaaaaaaaaaaaa",
  terminal: "term_aaaaaaaaaaaaaaaa",
  device: `pd_${"a".repeat(24)}`,
};

// Bodies that the routes accept, where {} is none.
const bodies = {
  "PUT /api/agents/{id}/config": { config: {} },
  "POST /api/agents/{id}/channels": { kind: "webhook", token: "a secret of the other's" },
  "POST /api/agents/{id}/channels/{channel}/pairings": { code: "abcdefgh" },
  "PUT /api/agents/{id}/channels/{channel}/peers/{peer}": { standing: "allowed" },
  "POST /api/agents/{id}/verify": { verificationType: "eas" },
  "POST /api/agents/{id}/rewind": { message: "x" },
  "POST /api/agents/{id}/conversations/{conversation}/branch": { before: "x" },
  "DELETE /api/skills/{name}": { agentId: "ag_aaaaaaaaaaaaaaaaaaaa" },
  "PATCH /api/settings/second-factor/passkeys/{id}": { name: "mine" },
  "POST /api/radio/streams/{streamId}/rotate-key": { streamKey: "a key" },
  "DELETE /api/radio/streams/{streamId}": { streamKey: "a key" },
  "PUT /api/agents/{id}/gate": { rules: [] },
  "PUT /api/agents/{id}/shares": { email: "friend@example.org", role: "viewer" },
  "POST /api/shared/{id}/chat": { message: "what is the code?" },
  "POST /api/shared/{id}/chat/stop": { conversationId: missing.conversation, messageId: "x" },
  "POST /api/shared/{id}/schedules": { name: "x", cronSchedule: "0 9 * * 1", prompt: "what is the code?" },
  "PUT /api/credentials/{id}": { name: "FORGE", hosts: ["forge.example.org"], form: "bearer" },
  "POST /api/asks/{id}/answer": { decision: "allow" },
  "POST /api/agents/{id}/terminals": { columns: 80, rows: 24 },
  "POST /api/agents/{id}/terminals/{terminal}/input": { text: "cat code.txt\r" },
  "PUT /api/agents/{id}/terminals/{terminal}/size": { columns: 80, rows: 24 },
};
for (const row of ["PATCH /api/agents/{id}", "POST /api/agents/{id}/template", "POST /api/templates/{template}/agents"])
  bodies[row] = { name: "Mine" };
bodies["POST /api/images/{image}/agents"] = { name: "Mine" };
const queries = {
  "GET /api/shared/{id}/messages": `?conversationId=${missing.conversation}`,
  "GET /api/shared/{id}/chat/stream": `?conversationId=${missing.conversation}&messageId=x`,
};
for (const files of ["/api/agents/{id}/files", "/api/shared/{id}/files"]) {
  const asked = { write: { path: "x.txt", content: "x" }, mkdir: { path: "x" }, move: { from: "x.txt", to: "y.txt" } };
  for (const [act, body] of Object.entries(asked)) bodies[`POST ${files}/${act}`] = body;
  for (const row of [`GET ${files}/read`, `GET ${files}/raw`, `DELETE ${files}`]) queries[row] = "?path=x.txt";
  queries[`GET ${files}/search`] = "?q=4711";
}
const takes_form = (route) => route === "POST /api/agents/{id}/files/upload"; // agent_files.test.mjs has it

// Ada with an agent that runs, a key and a conversation; Eve, who has an agent of her own; and the box's admin.
const neighbours = async (t) => {
  const box = await Box.start(t),
    admin = box.person();
  const [ada, eve] = [await box.customer("ada@example.org", "network"), await box.customer("eve@example.org", "network")];
  await admin.log_in(ADMIN.email, ADMIN.password);
  const agent = await box.running_agent(ada, "Ada's"),
    eves = await box.running_agent(eve, "Eve's");
  const command = await running_command(box, ada, agent);
  const terminal = await running_terminal(box, ada, agent);
  const forge = { name: "FORGE", secret: "0000004711", hosts: ["forge.example.org"], form: "bearer" };
  const credential = (await ada.call("POST", "/api/credentials", forge)).body.credential.id;
  await ada.call("POST", "/api/chat", { agentId: agent, message: "remember that the safe's code is 4711" });
  const call = (await ada.call("GET", "/api/dashboard/calls")).body.calls[0].id;
  const trace = (await ada.call("GET", "/api/traces?type=plan")).body.traces[0].id;
  const key = (await ada.call("POST", "/api/keys", { name: "laptop" })).body.id;
  const weekly = { name: "weekly", cronSchedule: "0 9 * * 1", prompt: "what is the code?", agentId: agent };
  const task = (await ada.call("POST", "/api/scheduled-tasks", weekly)).body.id;
  const passkey = (await add_passkey(box, ada, PASSWORD)).id;
  const session = (await ada.call("GET", "/api/auth/sessions")).body.sessions[0].id;
  const cap = (await ada.call("PUT", "/api/caps", { scope: "agent", target: agent, period: "day", tokens: 1_000_000 })).body.id;
  await ada.call("PUT", "/api/provider-keys/openrouter", { key: "sk-0000004711" });
  const wallet = (await ada.call("POST", "/api/agent/mpp", { action: "create-wallet", name: "purse" })).body.wallet.id;
  await ada.call("POST", "/api/wallet", { action: "create" });
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: ada.id, amount: "5", reference: "a gift" });
  const { address } = (await ada.call("GET", `/api/wallet/agents/${agent}`)).body;
  const transfer = (await ada.call("POST", "/api/wallet/transfer", { to: address, amount: "1" })).body.id;
  await ada.call("PUT", "/api/wallet/rules", { approvalAboveUsdc: "0" });
  await ada.call("POST", "/api/wallet/transfer", { to: address, amount: "1", memo: "4711" });
  const ask = (await ada.call("GET", "/api/asks")).body.asks[0].id;
  const memory = (await ada.call("POST", "/api/memory", { agentId: agent, text: "the safe's code is 4711" })).body.memory.id;
  await ada.call("POST", "/api/heartbeat", { agentId: agent, frequency: "3h" });
  await ada.call("POST", "/api/skills", { name: "page-watch", agentId: agent });
  const second = await box.running_agent(ada, "Ada's second", "enterprise");
  await ada.call("PUT", `/api/agents/${second}/shares`, { email: "eve@example.org", role: "builder", unverified: true });
  const swarm = (await ada.call("POST", "/api/swarms", { goal: "remember that the safe's code is 4711", agents: [agent, second] })).body.id;
  await until("the swarm is done", async () => (await ada.call("GET", `/api/swarms/${swarm}`)).body.state === "done");
  const push_keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  const phone = { endpoint: "https://push.example.org/4711", keys: push_keys };
  const device = (await ada.call("POST", "/api/notifications/devices", phone)).body.id;
  const bus_key = (await ada.call("POST", "/api/underground/keys", { agentId: agent, algorithm: "webhook" })).body.key.id;
  const [message] = (await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages;
  const seen = async () => {
    const paths = [
      "/api/settings",
      "/api/keys",
      `/api/keys/${key}`,
      "/api/agents",
      `/api/agents/${agent}`,
      `/api/instance/${agent}`,
      `/api/chat?agentId=${agent}`,
      `/api/agents/${agent}/config`,
      `/api/agents/${agent}/verify`,
      "/api/auth/sessions",
      "/api/settings/second-factor/passkeys",
      "/api/scheduled-tasks",
      `/api/scheduled-tasks/${task}/runs`,
      "/api/caps",
      "/api/provider-keys",
      "/api/agent/mpp?action=list-wallets",
      `/api/memory?agentId=${agent}`,
      `/api/files?agentId=${agent}`,
      `/api/skills?agentId=${agent}`,
      `/api/swarms/${swarm}`,
      `/api/underground/keys?agentId=${agent}`,
      "/api/wallet",
      "/api/wallet/transfers",
      "/api/asks",
      "/api/credentials",
      `/api/agents/${agent}/commands`,
      `/api/agents/${agent}/gate`,
      `/api/wallet/rules?agentId=${agent}`,
      `/api/wallet/agents/${agent}`,
    ];
    const answers = await Promise.all(paths.map((path) => ada.call("GET", path)));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      paths.map(() => 200),
    );
    for (const session of answers[paths.indexOf("/api/auth/sessions")].body.sessions) delete session.lastUsedAt; // Ada's own looks
    return [answers.map((answer) => answer.body), readFileSync(join(box.folder, "agents", agent, "run", "agent.pid"), "utf8")];
  };
  return {
    box,
    ada,
    eve,
    admin,
    eves,
    seen,
    theirs: {
      agent,
      shared: second,
      key,
      user: ada.id,
      message: message.id,
      conversation: message.conversationId,
      task,
      passkey,
      session,
      cap,
      wallet,
      memory,
      call,
      trace,
      swarm,
      bus_key,
      transfer,
      ask,
      credential,
      command,
      terminal,
      device,
    },
  };
};

// `ask(id)` with the other's id and with nobody's: the two answers differ in nothing but the id.
const are_alike = async (what, ask, theirs, nobodys) => {
  const [real, none] = [await ask(theirs), await ask(nobodys)];
  const without = (answer, id) => [answer.status, JSON.stringify(answer.body).replaceAll(id, "ID")];
  assert.deepEqual(without(real, theirs), without(none, nobodys), what);
  assert.equal(JSON.stringify(real.body).includes("4711"), false, what);
  return real;
};

test("every route with an id in its path", async (t) => {
  const { box, eve, admin, theirs, seen } = await neighbours(t),
    before = await seen();
  const { paths } = (await send(box.web, "GET", "/api/openapi.json")).body;
  // What a parameter of a route may name.
  const named = { userId: ["agent", "user"], taskId: ["task"] };
  for (const name of ["conversation", "command", "terminal"]) named[name] = [name];
  const of_id = {
    "/api/keys/": "key",
    "/api/caps/": "cap",
    "/api/credentials/": "credential",
    "/api/settings/second-factor/passkeys/": "passkey",
    "/api/auth/sessions/": "session",
    "/api/swarms/": "swarm",
    "/api/traces/": "trace",
    "/api/wallet/transfers/": "transfer",
    "/api/asks/": "ask",
    "/api/notifications/devices/": "device",
  };
  const kinds = (path, name) => {
    const [, kind] = Object.entries(of_id).find(([start]) => path.startsWith(start)) ?? [];
    return kind ? [kind] : (named[name] ?? ["agent"]);
  };
  const is_id = (name) => name !== "provider"; // everybody may have a key at each
  let asked = 0;
  const is_page = (path) => !path.startsWith("/api/"); // of the console, the same for everybody
  for (const [path, methods] of Object.entries(paths).filter(([path]) => !is_page(path)))
    for (const [, parameter] of [...path.matchAll(/{(\w+)}/g)].filter(([, name]) => is_id(name)))
      for (const method of Object.keys(methods).filter((one) => !/(admin|support) session$/.test(methods[one]["x-guard"])))
        for (const kind of kinds(path, parameter))
          for (const [name, person] of Object.entries({ eve, admin })) {
            const route = `${method.toUpperCase()} ${path}`;
            const what = `${route} by ${name} with the ${kind} of another`;
            if (takes_form(route)) continue;
            const body = methods[method].requestBody && (bodies[route] ?? {});
            const ask = (id) => person.call(method.toUpperCase(), path.replace(`{${parameter}}`, id) + (queries[route] ?? ""), body);
            const answer = await are_alike(what, ask, theirs[kind], missing[kind]);
            assert.equal(answer.status, 404, what);
            ++asked;
          }
  assert.ok(asked >= 20, `${asked} questions`);
  assert.deepEqual(await seen(), before, "nothing happened to what is Ada's");
});

// Whatever takes an id elsewhere than in its path: [route, name of the id, what it names, what is asked].
const paymentProof = {
  transactionHash: `0x${"12".repeat(32)}`,
  amount: "1.0",
  currency: "pathUSD",
  chainId: 4217,
  from: `0x${"34".repeat(20)}`,
  to: `0x${"56".repeat(20)}`,
  timestamp: Math.floor(Date.now() / 1000),
};
const weekly = { name: "x", cronSchedule: "0 9 * * 1", prompt: "what is the code?" };
const query = (more) => (name, id) => ({ query: new URLSearchParams({ [name]: id, ...more }) });
const body = (more) => (name, id) => ({ body: { [name]: id, ...more } });
const form = (name, id) => {
  const fields = new FormData();
  fields.append(name, id);
  fields.append("file", new Blob(["x"]), "x.txt");
  return { form: fields };
};
const of_mine =
  (asked, end) =>
  (name, id, { me }) => ({ ...asked(name, id), path: `/api/instance/${me}${end}` });
const of_shared =
  (asked, end) =>
  (name, id, { theirs }) => ({ ...asked(name, id), path: `/api/shared/${theirs.shared}/${end}` });
const of_eves =
  (asked, end) =>
  (name, id, { eves }) => ({ ...asked(name, id), path: `/api/agents/${eves}/${end}` });
const with_eves =
  (form, more = {}) =>
  (name, id, { eves }) =>
    form({ agentId: eves, ...more })(name, id);
const of_skill = (more) => (name, id) => ({ ...body(more)(name, id), path: "/api/skills/page-watch" });
const asked_by_id = [
  ["GET /api/instance/{userId}", "agentId", "agent", of_mine(query({}), "")],
  ["GET /api/instance/{userId}/stats", "agentId", "agent", of_mine(query({}), "/stats")],
  ...["start", "stop", "restart", "repair", "reset-memory", "update"].flatMap((act) =>
    [query({}), body({})].map((asked) => [`POST /api/instance/{userId}/${act}`, "agentId", "agent", of_mine(asked, `/${act}`)]),
  ),
  ["GET /api/chat", "agentId", "agent", query({})],
  ["GET /api/chat", "conversationId", "conversation", with_eves(query)],
  ["GET /api/chat", "before", "message", with_eves(query)],
  ["GET /api/chat/stream", "agentId", "agent", query({ messageId: "x" })],
  ["GET /api/shared/{id}/messages", "conversationId", "conversation", of_shared(query({}), "messages")],
  ["GET /api/shared/{id}/messages", "before", "message", of_shared(query({ conversationId: missing.conversation }), "messages")],
  ["POST /api/shared/{id}/chat", "conversationId", "conversation", of_shared(body({ message: "what is the code?" }), "chat")],
  ["GET /api/shared/{id}/chat/stream", "conversationId", "conversation", of_shared(query({ messageId: "x" }), "chat/stream")],
  ["GET /api/shared/{id}/chat/stream", "messageId", "message", of_shared(query({ conversationId: missing.conversation }), "chat/stream")],
  ["POST /api/shared/{id}/chat/stop", "conversationId", "conversation", of_shared(body({ messageId: "x" }), "chat/stop")],
  ["POST /api/shared/{id}/chat/stop", "messageId", "message", of_shared(body({ conversationId: missing.conversation }), "chat/stop")],
  ["GET /api/chat/stream", "messageId", "message", with_eves(query)],
  ["GET /api/dashboard/calls", "before", "call", query({})],
  ["GET /api/traces", "agent", "agent", query({})],
  ["GET /api/traces", "before", "call", query({ errors: "true" })],
  ["GET /api/credits/entries", "before", "call", query({})],
  ["GET /api/agents/{id}/messages", "before", "message", of_eves(query({}), "messages")],
  ["GET /api/agents/{id}/messages", "conversationId", "conversation", of_eves(query({}), "messages")],
  ["POST /api/chat", "conversationId", "conversation", with_eves(body, { message: "what is the code?" })],
  ["POST /api/chat", "agentId", "agent", body({ message: "what is the code?" })],
  ["POST /api/chat/stop", "agentId", "agent", body({})],
  ["GET /api/agent", "agentId", "agent", query({ action: "status" })],
  ["POST /api/agent", "agentId", "agent", body({ action: "stop" })],
  ["POST /api/agent", "agentId", "agent", body({ action: "message", message: "what is the code?" })],
  ["GET /api/agent/mpp", "walletId", "wallet", query({ action: "get-wallet" })],
  ["POST /api/agent/mpp", "walletId", "wallet", body({ action: "make-payment", to: paymentProof.to, amount: "1" })],
  ["POST /api/agents/clone", "parentAgentId", "agent", body({ name: "x", paymentProof })],
  [
    "POST /api/agents/clone",
    "message",
    "message",
    (name, id, { eves }) => body({ name: "x", parentAgentId: eves, paymentProof })(name, id),
  ],
  ["GET /api/caps", "agent", "agent", query({})],
  ["PUT /api/caps", "target", "agent", body({ scope: "agent", period: "day", tokens: 1 })],
  ["PUT /api/caps", "target", "key", body({ scope: "key", period: "day", tokens: 1 })],
  ["GET /api/memory", "agentId", "agent", query({})],
  ["GET /api/memory", "conversationId", "conversation", with_eves(query)],
  [
    "DELETE /api/memory",
    "conversationId",
    "conversation",
    (name, id, { eves, theirs }) => body({ agentId: eves, memoryId: theirs.memory })(name, id),
  ],
  ["POST /api/agents/{id}/rewind", "message", "message", of_eves(body({}), "rewind")],
  [
    "POST /api/agents/{id}/conversations/{conversation}/branch",
    "before",
    "message",
    (name, id, { eves, theirs }) => ({ ...body({})(name, id), path: `/api/agents/${eves}/conversations/${theirs.conversation}/branch` }),
  ],
  ["POST /api/memory", "agentId", "agent", body({ text: "the door is green" })],
  ["DELETE /api/memory", "agentId", "agent", (name, id, { theirs }) => body({ memoryId: theirs.memory })(name, id)],
  ["DELETE /api/memory", "memoryId", "memory", with_eves(body)],
  ["GET /api/files", "agentId", "agent", query({})],
  ["POST /api/files", "agentId", "agent", form],
  ["DELETE /api/files", "agentId", "agent", body({ path: "x.txt" })],
  ["GET /api/scheduled-tasks", "agentId", "agent", query({})],
  ["POST /api/scheduled-tasks", "agentId", "agent", body(weekly)],
  ["PUT /api/scheduled-tasks", "taskId", "task", body({ name: "mine" })],
  ["DELETE /api/scheduled-tasks", "taskId", "task", body({})],
  ["GET /api/heartbeat", "agentId", "agent", query({})],
  ["POST /api/heartbeat", "agentId", "agent", body({ frequency: "90m" })],
  ["DELETE /api/heartbeat", "agentId", "agent", body({})],
  ["GET /api/skills", "agentId", "agent", query({})],
  ["POST /api/skills", "agentId", "agent", body({ name: "page-watch" })],
  ["POST /api/skills/{name}", "agentId", "agent", of_skill({ inputs: { url: "https://example.org" } })],
  ["DELETE /api/skills/{name}", "agentId", "agent", of_skill({})],
  ["GET /api/skill-packages", "agentId", "agent", query({})],
  ["POST /api/skill-packages", "agentId", "agent", query({ digest: "a".repeat(64) })],
  ["POST /api/skill-packages/review", "agentId", "agent", query({})],
  ["POST /api/skill-packages/check", "agentId", "agent", body({ skill: "page-watch" })],
  ["GET /api/underground/keys", "agentId", "agent", query({})],
  ["POST /api/underground/keys", "agentId", "agent", body({ algorithm: "webhook" })],
  ["DELETE /api/underground/keys", "agentId", "agent", (name, id, { theirs }) => body({ keyId: theirs.bus_key })(name, id)],
  ["DELETE /api/underground/keys", "keyId", "bus_key", with_eves(body)],
  ["GET /api/underground/messages", "agentId", "agent", query({})],
  [
    "POST /api/skills/instant-split",
    "agentId",
    "agent",
    body({ totalAmount: "1", recipients: [{ address: paymentProof.to, share: 100 }] }),
  ],
  ["POST /api/wallet/transfer", "agentId", "agent", body({ to: paymentProof.to, amount: "1" })],
  ["GET /api/wallet/transfers", "before", "transfer", query({})],
  ["GET /api/asks", "agentId", "agent", query({})],
  ["GET /api/asks", "before", "ask", query({})],
  ["GET /api/wallet/rules", "agentId", "agent", query({})],
  ["PUT /api/wallet/rules", "agentId", "agent", body({ dailyUsdc: "1" })],
];

// The ids that the web's routes take besides their paths, as their description has them. What is uploaded has none.
const described_ids = async (box) => {
  const found = ["POST /api/files agentId", "POST /api/agents/{id}/rewind message", "POST /api/agents/clone message"];
  for (const [path, methods] of Object.entries((await send(box.web, "GET", "/api/openapi.json")).body.paths))
    for (const [method, { parameters = [], requestBody, "x-guard": guard }] of Object.entries(methods)) {
      const members = Object.keys(requestBody?.content?.["application/json"]?.schema?.properties ?? {});
      const names = [...parameters.filter((one) => one.in === "query").map((one) => one.name), ...members];
      const ids = names.filter((name) => /Id$|^(target|before|owner|user|key|agent)$/.test(name));
      if (guard === "session" || guard.startsWith("session or key"))
        found.push(...ids.map((name) => `${method.toUpperCase()} ${path} ${name}`));
    }
  // Secrets, places in a log or a list that belong to the path or the caller, and a booking, which has two owners:
  // settlement_skills.test.mjs.
  const no_ids = [
    "PUT /api/provider-keys/{provider} key",
    "POST /api/billing key",
    "GET /api/logs/{agentId}/stream lastEventId",
    "GET /api/swarms/{id}/events lastEventId",
    "GET /api/events lastEventId",
    "GET /api/underground/messages before",
    "GET /api/underground/dead-letters before",
    "POST /api/skills/booking-settlement bookingId",
    "POST /api/agents/{id}/browser key", // of a keyboard
    "POST /oauth/consent clientId", // of a program, which belongs to no user
    // Whether the person of a channel is the owner.
    "POST /api/agents/{id}/channels/{channel}/invitations owner",
    "POST /api/agents/{id}/channels/{channel}/pairings owner",
  ];
  return [...new Set(found)].filter((one) => !no_ids.includes(one));
};

test("every id in a body or a query", async (t) => {
  const { box, eve, admin, eves, theirs, seen } = await neighbours(t),
    before = await seen();
  const judged = new Set(asked_by_id.map(([route, name]) => `${route} ${name}`));
  assert.deepEqual([...judged].sort(), (await described_ids(box)).sort());
  for (const [route, name, kind, asked] of asked_by_id)
    for (const person of [eve, admin]) {
      const [method, pattern] = route.split(" "),
        me = (await person.call("GET", "/api/auth/session")).body.user.id;
      const ask = async (id) => {
        const { path = pattern, query, body, form } = asked(name, id, { eves, theirs, me });
        if (!form) return person.call(method, query ? `${path}?${query}` : path, body);
        const answer = await fetch(box.web + path, { method, headers: { cookie: person.cookie }, body: form });
        return { status: answer.status, body: await answer.json() };
      };
      const answer = await are_alike(`${route} ${name}`, ask, theirs[kind], missing[kind]);
      const what = `${route} ${name}: ${answer.status} ${JSON.stringify(answer.body)}`;
      const listed = ["asks", "messages", "tasks", "calls", "traces", "skills", "packages", "entries", "transfers"]
        .map((list) => answer.body?.[list])
        .find(Boolean);
      if (answer.status === 200) assert.deepEqual(listed, [], what);
      else assert.ok(answer.status >= 400 && answer.status < 500, what);
    }
  assert.deepEqual(await seen(), before, "nothing happened to what is Ada's");

  // Ids are looked for by exactly what they are.
  const { agent } = theirs;
  for (const id of [
    ` ${agent}`,
    `${agent} `,
    agent.toUpperCase(),
    `${agent}%00`,
    `./${agent}`,
    `${eves}/../${agent}`,
    `${eves},${agent}`,
    `*`,
    `${eves}%2f..%2f${agent}`,
  ]) {
    const answer = await send(box.web, "GET", `/api/agents/${id.replaceAll(" ", "%20")}`, { headers: { cookie: eve.cookie } });
    assert.ok([400, 404].includes(answer.status), `${id}: ${answer.status}`);
  }
});

test("lists and settings show one's own, whatever else is asked for", async (t) => {
  const { box, eve, admin, eves, theirs, ada } = await neighbours(t);
  for (const query of ["", `?userId=${ada.id}`, `?user=${ada.id}&owner=${ada.id}`]) {
    assert.deepEqual(
      (await eve.call("GET", `/api/agents${query}`)).body.agents.map((agent) => agent.id),
      [eves],
    );
    assert.deepEqual(
      (await eve.call("GET", `/api/agents/provision${query}`)).body.agents.map((agent) => agent.id),
      [eves],
    );
    assert.equal((await eve.call("GET", `/api/keys${query}`)).body.count, 0);
    assert.equal((await eve.call("GET", `/api/settings${query}`)).body.id, eve.id);
    assert.deepEqual((await admin.call("GET", `/api/agents${query}`)).body.agents, [], "an admin's own, too");
  }
  assert.deepEqual((await box.person().call("GET", "/api/agents")).body, { agents: [], count: 0, next: null, status: "ok" });
  // Fields that would name an owner are no fields of these routes.
  const made = await eve.call("POST", "/api/keys", { name: "mine", userId: ada.id, user_id: Number(ada.id) });
  assert.equal(made.status, 201);
  assert.equal((await ada.call("GET", "/api/keys")).body.count, 1);
  await eve.call("PATCH", "/api/settings", { name: "Mallory", id: ada.id, userId: ada.id });
  assert.equal((await ada.call("GET", "/api/settings")).body.name, "ada@example.org");
  assert.equal((await ada.call("GET", `/api/agents/${theirs.agent}`)).body.agent.name, "Ada's");
});

test("an agent's usage is charged to its owner, whatever it claims", async (t) => {
  const { box, ada, eve, theirs } = await neighbours(t);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", theirs.agent, "run", "boot.json")));
  const usage = async (person) => (await box.backend_call("GET", `/api/usage/summary?userId=${person.id}`)).day.calls;
  const before = [await usage(ada), await usage(eve)];
  const answer = await send(box.backend, "POST", "/v1/chat/completions", {
    headers: {
      authorization: `Bearer ${box_token}`,
      "content-type": "application/json",
      "x-user-id": eve.id,
      "x-user-email": "eve@example.org",
    },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], user: eve.id }),
  });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([await usage(ada), await usage(eve)], [before[0] + 1, before[1]]);
  await box.backend_call("DELETE", `/api/agents/${theirs.agent}`);
  assert.equal(
    (await send(box.backend, "GET", "/v1/models", { headers: { authorization: `Bearer ${box_token}` } })).status,
    401,
    "a deleted agent's token is dead",
  );
});
