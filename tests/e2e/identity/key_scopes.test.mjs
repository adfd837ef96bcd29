// API keys that open the product: what each scope opens, and what none does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD, SCOPES, send, until } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";
import { code_of } from "../support/totp.mjs";

const { OpenAI } = package_named("openai");

const with_key =
  (box, key) =>
  async (method, path, body, headers = {}) => {
    const {
      status,
      headers: seen,
      body: answer,
    } = await send(box.web, method, path, {
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...(body && { "content-type": "application/json" }), ...headers },
      body: body && JSON.stringify(body),
    });
    return { status, headers: seen, body: answer };
  };

const make_key = async (person, scopes, more = {}) => {
  const made = await person.call("POST", "/api/keys", { name: "script", scopes, ...more });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
};

test("a script with a key runs an agent from its making to its end", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const made = await make_key(ada, ["files", "chat", "agents:write", "agents:read", "schedules", "usage"]);
  assert.deepEqual([made.scopes, made.agents], [["agents:read", "agents:write", "chat", "files", "schedules", "usage"], null]);
  assert.deepEqual((await ada.call("GET", `/api/keys/${made.id}`)).body.scopes, made.scopes);
  const script = with_key(box, made.key);

  const { id } = (await script("POST", "/api/agents/provision", { name: "Scout", tier: "starter" })).body.agent;
  await until("the agent runs", async () => (await script("GET", `/api/agents/${id}`)).body.agent.status === "running");
  assert.deepEqual(
    (await script("GET", "/api/agents")).body.agents.map((agent) => agent.id),
    [id],
  );
  assert.equal((await script("POST", `/api/agents/${id}/files/write`, { path: "plan.md", content: "Friday" })).status, 200);
  assert.match((await script("POST", "/api/chat", { agentId: id, message: "read the file plan.md" })).body.message.content, /Friday/);
  assert.equal((await script("GET", `/api/chat?agentId=${id}`)).body.count, 2);
  assert.equal((await script("POST", "/api/memory", { agentId: id, text: "the code is 4711" })).status, 200);
  const task = { name: "weekly", cronSchedule: "0 9 * * 1", prompt: "what is new?", agentId: id };
  const { id: task_id } = (await script("POST", "/api/scheduled-tasks", task)).body;
  assert.equal((await script("DELETE", "/api/scheduled-tasks", { taskId: task_id })).status, 200);
  assert.equal((await script("GET", "/api/dashboard/cost")).status, 200);
  assert.equal((await script("PUT", `/api/agents/${id}/config`, { config: { systemPrompt: "Be brief." } })).status, 200);
  assert.equal((await script("POST", `/api/instance/${id}/stop`, {})).status, 200);
  assert.equal((await script("DELETE", `/api/agents/${id}`)).status, 200);
  await until("the key's use is kept", async () => {
    await box.end("SIGTERM");
    await box.serve();
    return (await ada.call("GET", `/api/keys/${made.id}`)).body.lastUsedAt;
  });
});

test("a key without the scope is refused by name, and what has no scope is for sessions only", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const rows = {
    "agents:read": ["GET", `/api/agents/${id}`],
    "agents:write": ["POST", `/api/instance/${id}/stop`, {}],
    chat: ["GET", `/api/chat?agentId=${id}`],
    files: ["GET", `/api/agents/${id}/files/tree`],
    schedules: ["GET", "/api/scheduled-tasks"],
    usage: ["GET", "/api/dashboard/calls"],
    models: ["GET", "/v1/models"],
  };
  const keys = Object.fromEntries(await Promise.all(Object.keys(rows).map(async (scope) => [scope, (await make_key(ada, [scope])).key])));
  for (const [scope, key] of Object.entries(keys))
    for (const [needed, row] of Object.entries(rows)) {
      const answer = await with_key(box, key)(...row);
      if (scope === needed) assert.equal(answer.status, 200, `${needed} with ${scope}: ${JSON.stringify(answer.body)}`);
      else if (needed === "models") assert.deepEqual([answer.status, answer.body.error.code], [403, "SCOPE_REQUIRED"]);
      else
        assert.deepEqual(
          [answer.status, answer.body],
          [403, { error: `This key lacks the scope ${needed}`, code: "SCOPE_REQUIRED", scope: needed }],
        );
    }
  assert.deepEqual(Object.keys(rows).sort(), SCOPES.toSorted());
  const all = with_key(box, (await make_key(ada, SCOPES)).key);
  for (const [method, path] of [
    ["GET", "/api/keys"],
    ["POST", "/api/keys"],
    ["GET", "/api/settings"],
    ["GET", "/api/auth/sessions"],
    ["GET", `/api/agents/${id}/token`],
    ["POST", "/api/settings/password"],
    ["GET", "/api/admin/audit"],
  ])
    assert.equal((await all(method, path, method === "POST" ? {} : undefined)).status, 401, path);
  for (const body of [
    { scopes: ["everything"] },
    { scopes: [] },
    { scopes: "files" },
    { agents: [id] },
    { scopes: ["files"], agents: [] },
  ]) {
    const refused = await ada.call("POST", "/api/keys", { name: "x", ...body });
    assert.equal(refused.status, 400, JSON.stringify(body));
    assert.match(refused.body.error, /scopes|agents/);
  }
});

test("a key with scopes opens MCP with the tools that it names, and with none by itself", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const call_tool = (key, name, args) =>
    with_key(box, key)(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
    );
  const { key: bare } = await make_key(ada, ["usage"]);
  const refused = await call_tool(bare, "read_conversation", { agentId: id });
  assert.equal(refused.status, 403);
  assert.match(JSON.stringify(refused.body), /only if they name their tools/);
  const { key: named } = await make_key(ada, ["usage"], { tools: ["list_agents"] });
  assert.notEqual((await call_tool(named, "list_agents", {})).status, 403);
});

test("a key limited to agents finds no others", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const [one, other] = [await box.running_agent(ada, "One", "enterprise"), await box.running_agent(ada, "Other", "enterprise")];
  const script = with_key(
    box,
    (await make_key(ada, ["agents:read", "agents:write", "chat", "files", "schedules", "usage"], { agents: [one] })).key,
  );
  assert.deepEqual(
    (await script("GET", "/api/agents")).body.agents.map(({ id }) => id),
    [one],
  );
  assert.deepEqual(
    (await script("GET", "/api/agents/provision")).body.agents.map(({ id }) => id),
    [one],
  );
  const task = (agentId) => ({ name: "weekly", cronSchedule: "0 9 * * 1", prompt: "what is new?", agentId });
  const rows = [
    ["GET", (id) => `/api/agents/${id}`],
    ["GET", (id) => `/api/agents/${id}/files/tree`],
    ["GET", (id) => `/api/chat?agentId=${id}`],
    ["GET", (id) => `/api/instance/${id}`],
    ["GET", (id) => `/api/logs/${id}/history`],
    ["GET", (id) => `/api/memory?agentId=${id}`],
    ["GET", (id) => `/api/instance/${ada.id}?agentId=${id}`],
    ["POST", () => "/api/chat", (agentId) => ({ agentId, message: "hello" })],
    ["POST", () => "/api/scheduled-tasks", task],
  ];
  for (const [method, path, body] of rows) {
    const answer = await script(method, path(one), body?.(one));
    assert.ok([200, 201].includes(answer.status), `${path(one)}: ${JSON.stringify(answer.body)}`);
    const [hidden, missing] = [
      await script(method, path(other), body?.(other)),
      await script(method, path("ag_aaaaaaaaaaaaaaaaaaaa"), body?.("ag_aaaaaaaaaaaaaaaaaaaa")),
    ];
    assert.deepEqual([hidden.status, hidden.body], [404, missing.body], path(other));
  }
  // Two names: the one that is not the key's counts.
  assert.equal((await script("GET", `/api/instance/${one}?agentId=${other}`)).status, 404);
  assert.equal((await script("GET", `/api/instance/${ada.id}`)).status, 403, "none is named");
  for (const [method, path] of [
    ["GET", "/api/dashboard/cost"],
    ["POST", "/api/agents/provision"],
    ["GET", "/api/scheduled-tasks"],
    ["POST", "/api/chat"],
  ]) {
    const answer = await script(method, path, method === "POST" ? { name: "x", message: "x" } : undefined);
    assert.deepEqual([answer.status, answer.body.code], [403, "KEY_LIMITED_TO_AGENTS"], path);
  }
  const form = new FormData();
  form.append("agentId", other);
  form.append("file", new Blob(["x"]), "x");
  const key = (await make_key(ada, ["files"], { agents: [one] })).key;
  const upload = await fetch(`${box.web}/api/files`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: form });
  assert.equal(upload.status, 403, "the agent of a form is known too late");
});

test("a key that may change agents gets none of their credentials", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const { token } = (await ada.call("GET", `/api/agents/${id}/token`)).body;
  const script = with_key(box, (await make_key(ada, ["agents:read", "agents:write"])).key);
  for (const [method, path] of [
    ["POST", `/api/agents/${id}/rotate-token`],
    ["GET", `/api/agents/${id}/token`],
    ["POST", "/api/provision"],
  ])
    assert.equal((await script(method, path, method === "POST" ? {} : undefined)).status, 401, path);
  assert.equal((await ada.call("GET", `/api/agents/${id}/token`)).body.token, token, "nothing was rotated");
});

test("a key that is wrong is 401 everywhere, whatever comes with it", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const made = await make_key(ada, ["agents:read", "models"]);
  const dead = await make_key(ada, ["agents:read", "models"]);
  await ada.call("DELETE", `/api/keys/${dead.id}`);
  for (const key of [dead.key, `${made.key}x`, made.key.slice(0, -1), `sk_${made.id}`, "sk_", "garbage"])
    for (const path of ["/api/agents", `/api/agents/${id}`, "/api/agents/provision", "/api/wallet", "/v1/models"]) {
      if (path === "/api/wallet" && key === "garbage") continue;
      assert.equal((await with_key(box, key)("GET", path)).status, 401, `${path} with ${key}`);
      if (key.startsWith("sk_") && path !== "/api/wallet")
        assert.equal(
          (await with_key(box, key)("GET", path, undefined, { cookie: ada.cookie })).status,
          401,
          `${path} with ${key} and a session`,
        );
    }
  assert.equal((await with_key(box)("GET", "/api/agents")).status, 200, "nothing sent, nothing listed");
  assert.equal((await with_key(box, made.key)("GET", "/api/agents")).body.count, 1);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  assert.equal((await with_key(box, made.key)("GET", "/api/agents")).status, 401, "its user is disabled");
});

test("keys of before, without scopes, open what they opened; /v1 is on the web listener, too", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "old" })).body;
  for (const baseURL of [`${box.web}/v1`, `${box.backend}/v1`]) {
    const client = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
    assert.ok((await client.models.list()).data.length > 0);
    const answer = await client.chat.completions.create({ model: "auto", messages: [{ role: "user", content: "Say hello." }] });
    assert.equal(answer.choices[0].message.role, "assistant");
    await assert.rejects(new OpenAI({ baseURL, apiKey: "sk_wrong", maxRetries: 0 }).models.list(), OpenAI.AuthenticationError);
  }
  assert.deepEqual((await with_key(box, key)("GET", "/api/agents")).body, {
    error: "This key lacks the scope agents:read",
    code: "SCOPE_REQUIRED",
    scope: "agents:read",
  });
});

test("the scripts of a user with a second factor work with a key", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { key } = await make_key(ada, ["agents:read", "chat"]);
  const factor = "/api/settings/second-factor";
  const { secret } = (await ada.call("POST", `${factor}/begin`, { currentPassword: PASSWORD })).body;
  assert.equal((await ada.call("POST", `${factor}/confirm`, { code: code_of(secret) })).status, 200);
  assert.equal((await box.person().log_in("ada@example.org", PASSWORD)).body.code, "SECOND_FACTOR_REQUIRED");
  assert.equal((await with_key(box, key)("GET", "/api/agents")).status, 200);
});
