// Agents are renamed, changed in part and listed page by page; sessions and ways of signing in say what they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD, send } from "../support/box.mjs";

// Made by the operator, so that they do not start.
const with_agents = async (t, names) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const ids = [];
  for (const name of names) {
    const made = await box.backend_call("POST", "/api/agents", {
      name,
      userId: ada.id,
      config: { systemPrompt: "Be kind.", temperature: 0.2, channels: { telegram: { enabled: false, botToken: "secret" } } },
    });
    assert.ok(made.id, JSON.stringify(made));
    ids.push(made.id);
  }
  return { box, ada, ids };
};

test("one request changes a name, a model, a prompt or a limit, and nothing else", async (t) => {
  const {
    box,
    ada,
    ids: [id],
  } = await with_agents(t, ["Scout"]);
  const patch = (body, person = ada) => person.call("PATCH", `/api/agents/${id}`, body);
  const before = (await ada.call("GET", `/api/agents/${id}`)).body.agent;
  const renamed = await patch({ name: "Pathfinder" });
  assert.deepEqual(
    [renamed.status, renamed.body.name, renamed.body.model, renamed.body.restartNeeded],
    [200, "Pathfinder", before.model, false],
  );
  assert.equal((await ada.call("GET", `/api/agents/${id}`)).body.agent.subdomain, before.subdomain, "its addresses stay");
  const answer = await patch({
    model: "agentbox/builtin",
    config: { systemPrompt: "Be brief.", temperature: null, tools: ["read_file"], maxTokens: 500 },
  });
  assert.equal(answer.status, 200, answer.body.error);
  const changed = answer.body;
  assert.deepEqual(
    [changed.name, changed.model, changed.config],
    [
      "Pathfinder",
      "agentbox/builtin",
      {
        systemPrompt: "Be brief.",
        channels: { telegram: { enabled: false, botToken: { sealed: true } } },
        tools: ["read_file"],
        maxTokens: 500,
      },
    ],
  );
  assert.deepEqual((await ada.call("GET", `/api/agents/${id}/config`)).body.config, changed.config);
  for (const [field, body] of [
    ["name", { name: " " }],
    ["model", { model: "no-such-model" }],
    ["config.tools", { config: { tools: ["fly"] } }],
    ["config.temperature", { config: { temperature: 3 } }],
    ["config.model", { config: { model: "no-such-model" } }],
    ["name, model or config", {}],
    ["config", { config: 5 }],
  ]) {
    const refused = await patch(body);
    assert.equal(refused.status, 400, field);
    assert.ok(refused.body.error.startsWith(field), refused.body.error);
  }
  const eve = await box.customer("eve@example.org");
  assert.equal((await patch({ name: "Mine" }, eve)).status, 404);
  assert.equal((await ada.call("GET", `/api/agents/${id}`)).body.agent.name, "Pathfinder");
});

test("a running agent says that a change waits for its next start", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  assert.equal((await ada.call("PATCH", `/api/agents/${id}`, { name: "New" })).body.restartNeeded, false);
  assert.equal((await ada.call("PATCH", `/api/agents/${id}`, { config: { systemPrompt: "Be brief." } })).body.restartNeeded, true);
});

test("agents are listed by creation or name, in pages that fit together", async (t) => {
  const { ada, ids } = await with_agents(t, ["beta", "Alpha", "alpha", "gamma", "delta"]);
  const list = async (query = "") => (await ada.call("GET", `/api/agents${query}`)).body;
  const names = (body) => body.agents.map((agent) => agent.name);
  assert.deepEqual(
    (await list()).agents.map((agent) => agent.id),
    ids,
    "in the order of their creation",
  );
  assert.equal((await list()).next, null);
  assert.deepEqual(
    (await list("?order=desc")).agents.map((agent) => agent.id),
    ids.toReversed(),
  );
  const by_name = await list("?sort=name");
  assert.deepEqual(
    names(by_name).map((name) => name.toLowerCase()),
    ["alpha", "alpha", "beta", "delta", "gamma"],
  );
  for (const query of ["sort=name", "sort=name&order=desc", "sort=created", "order=desc"]) {
    const whole = names(await list(`?${query}`)),
      paged = [];
    for (let cursor = ""; cursor !== null; ) {
      const page = await list(`?${query}&limit=2${cursor && `&cursor=${cursor}`}`);
      assert.ok(page.count <= 2);
      paged.push(...names(page));
      cursor = page.next;
    }
    assert.deepEqual(paged, whole, query);
  }
  const first = await list("?sort=name&limit=2");
  await ada.call("DELETE", `/api/agents/${first.agents.at(-1).id}`);
  assert.deepEqual(
    names(await list(`?sort=name&limit=2&cursor=${first.next}`)),
    ["beta", "delta"],
    "the place stays though its agent is gone",
  );
  for (const query of ["sort=size", "order=up", "limit=0", "limit=x", "cursor=!", `sort=created&cursor=${first.next}`])
    assert.equal((await ada.call("GET", `/api/agents?${query}`)).status, 400, query);
});

test("sessions show browser, address and last use", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0";
  const body = JSON.stringify({ email: "ada@example.org", password: PASSWORD });
  const signed_in = await send(box.web, "POST", "/api/auth/login", {
    headers: { "user-agent": agent, "content-type": "application/json" },
    body,
  });
  assert.equal(signed_in.status, 200);
  const { sessions } = (await ada.call("GET", "/api/auth/sessions")).body;
  assert.equal(sessions.length, 2);
  const other = sessions.find((session) => !session.current),
    current = sessions.find((session) => session.current);
  assert.deepEqual([other.browser, other.userAgent, other.address], ["Firefox on Linux", agent, "127.0.0.1"]);
  assert.equal(current.address, "127.0.0.1");
  for (const session of sessions) assert.ok(Math.abs(Date.parse(session.lastUsedAt) - Date.now()) < 60_000, session.lastUsedAt);
  assert.equal((await ada.call("DELETE", `/api/auth/sessions/${other.id}`)).status, 200);
  assert.equal((await ada.call("GET", "/api/auth/sessions")).body.count, 1);
});

test("a sign-in page learns which ways there are", async (t) => {
  const plain = await Box.start(t);
  assert.deepEqual((await send(plain.web, "GET", "/api/auth/methods")).body, {
    password: true,
    wallet: true,
    socialId: false,
    breakGlass: false,
    providers: [],
    registration: "open",
    sendsMail: false,
  });
  const full = await Box.start(t, {
    IDP_ISSUER: "https://id.example.org/realm",
    IDP_CLIENT_ID: "box",
    IDP_CLIENT_SECRET: "secret",
    CODEHOST_CLIENT_ID: "box",
    CODEHOST_CLIENT_SECRET: "secret",
    REGISTRATION: "invite",
  });
  const methods = (await send(full.web, "GET", "/api/auth/methods")).body;
  assert.deepEqual(methods.providers, [
    { id: "idp", name: "id.example.org", url: "/api/auth/idp" },
    { id: "codehost", name: "github.com", url: "/api/auth/codehost" },
  ]);
  assert.equal(methods.registration, "invite");
});

test("a cron expression may have tabs, as in a crontab", async (t) => {
  const {
    ada,
    ids: [agentId],
  } = await with_agents(t, ["Scout"]);
  const made = await ada.call("POST", "/api/scheduled-tasks", {
    name: "weekly",
    cronSchedule: "0\t9 \t*\t*\t1",
    prompt: "what is new?",
    agentId,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const preview = async (text) => (await ada.call("GET", `/api/scheduled-tasks/preview?cronSchedule=${encodeURIComponent(text)}`)).body;
  assert.deepEqual(await preview("0\t9\t*\t*\t1"), await preview("0 9 * * 1"));
});
