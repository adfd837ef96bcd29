// The box as an MCP server: the official SDK in its session form, and the stateless protocol by hand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { Client } = package_named("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = package_named("@modelcontextprotocol/sdk/client/streamableHttp.js");

const READING = [
  "list_agents",
  "list_files",
  "list_model_calls",
  "list_runs",
  "list_schedules",
  "read_conversation",
  "read_memory",
  "show_agent",
  "show_costs",
  "show_schedule",
  "summarize_page",
];
const READING_OF_ITSELF = READING.filter((name) => !["show_costs", "list_model_calls"].includes(name));
const key_of = async (person, tools) => (await person.call("POST", "/api/keys", { name: "mcp", ...(tools && { tools }) })).body.key;
const connect = async (t, base, token) => {
  const client = new Client({ name: "story", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", base), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  t.after(() => client.close());
  return { client, transport };
};
const names_of = async (client) => (await client.listTools()).tools.map(({ name }) => name);

test("the official SDK lists the tools and calls them, on both listeners", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const agent = await box.running_agent(ada);
  const key = await key_of(ada, ["*"]);
  for (const base of [box.web, box.backend]) {
    const { client, transport } = await connect(t, base, key);
    assert.equal(client.getServerVersion().name, "agentbox");
    const { tools } = await client.listTools();
    assert.ok(tools.length > READING.length);
    for (const { inputSchema, annotations, description } of tools)
      assert.ok(inputSchema.type === "object" && typeof annotations.readOnlyHint === "boolean" && description);
    const send_message = tools.find(({ name }) => name === "send_message");
    assert.deepEqual(Object.keys(send_message.inputSchema.properties).sort(), [
      "agentId",
      "allow",
      "conversationId",
      "files",
      "keep",
      "message",
    ]);

    const listed = await client.callTool({ name: "list_agents", arguments: {} });
    assert.deepEqual(
      listed.structuredContent.agents.map(({ id }) => id),
      [agent],
    );
    assert.deepEqual(JSON.parse(listed.content[0].text), listed.structuredContent);
    const shown = await client.callTool({ name: "show_agent", arguments: { agentId: agent } });
    assert.equal(shown.structuredContent.agent.status, "running");
    const said = await client.callTool({ name: "send_message", arguments: { agentId: agent, message: "Hello from outside" } });
    assert.ok(said.structuredContent.message.content, JSON.stringify(said));
    const history = await client.callTool({ name: "read_conversation", arguments: { agentId: agent, limit: 10 } });
    assert.ok(history.structuredContent.messages.some(({ content }) => content === "Hello from outside"));

    const made = await ada.call("POST", `/api/agents/${agent}/conversations`, { title: "Aside" });
    const aside = { agentId: agent, conversationId: made.body.conversation.id };
    assert.ok(!(await client.callTool({ name: "send_message", arguments: { ...aside, message: "Hello aside" } })).isError);
    const told = (await client.callTool({ name: "read_conversation", arguments: aside })).structuredContent.messages;
    assert.deepEqual(
      told.map(({ content }) => content).filter((content) => content.startsWith("Hello")),
      ["Hello aside"],
    );

    const schedule = { agentId: agent, name: "weekly", cronSchedule: "0 9 * * 1", prompt: "What is new?" };
    const { id } = (await client.callTool({ name: "create_schedule", arguments: schedule })).structuredContent;
    const detail = await client.callTool({ name: "show_schedule", arguments: { taskId: id } });
    assert.equal(detail.structuredContent.name, "weekly");
    assert.ok(!(await client.callTool({ name: "delete_schedule", arguments: { taskId: id } })).isError);

    for (const [name, wrong, reason] of [
      ["show_agent", {}, /agentId is required/],
      ["show_agent", { agentId: "ag_of_nobody" }, /./],
      ["send_message", { agentId: agent }, /message is required/],
      ["read_conversation", { agentId: agent, limit: "x" }, /limit/],
      ["send_message", { agentId: agent, message: 7 }, /message must be a string/],
    ]) {
      const failed = await client.callTool({ name, arguments: wrong });
      assert.equal(failed.isError, true, name);
      assert.match(JSON.parse(failed.content[0].text).error, reason);
    }
    await assert.rejects(client.callTool({ name: "drop_everything", arguments: {} }), /Unknown tool/);
    await client.ping();
    const session = transport.sessionId;
    assert.ok(session);
    await transport.terminateSession();
    const late = await send(base, "POST", "/mcp", {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "mcp-session-id": session },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    assert.equal(late.status, 404, "the session has ended");
  }
  const { client } = await connect(t, box.web, await key_of(eve, ["*"]));
  assert.deepEqual((await client.callTool({ name: "list_agents", arguments: {} })).structuredContent.agents, []);
  assert.equal((await client.callTool({ name: "show_agent", arguments: { agentId: agent } })).isError, true, "another's agent");
});

test("a key has the tools of its list, and every call is in the audit log", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const plain = await connect(t, box.web, await key_of(ada));
  assert.deepEqual(await names_of(plain.client), READING);
  await assert.rejects(plain.client.callTool({ name: "send_message", arguments: { agentId: agent, message: "x" } }), /Unknown tool/);
  const narrow = await connect(t, box.web, await key_of(ada, ["send_message", "list_agents"]));
  assert.deepEqual(await names_of(narrow.client), ["list_agents", "send_message"]);
  assert.ok(!(await narrow.client.callTool({ name: "list_agents", arguments: {} })).isError);
  await assert.rejects(narrow.client.callTool({ name: "show_agent", arguments: { agentId: agent } }), /Unknown tool/);
  assert.deepEqual(await names_of((await connect(t, box.web, await key_of(ada, []))).client), []);
  assert.deepEqual((await ada.call("GET", "/api/keys")).body.keys.map(({ tools }) => tools).filter(Boolean).length, 2);

  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  const calls = entries.filter(({ act }) => act === "MCP tool called").reverse(); // oldest first
  assert.deepEqual(
    calls.map(({ subject, outcome }) => [subject, outcome === "ok"]),
    [
      ["send_message", false],
      ["list_agents", true],
      ["show_agent", false],
    ],
  );
  assert.ok(
    calls.every(({ by, userId }) => by.startsWith("key:") && String(userId) === ada.id),
    JSON.stringify(calls),
  );

  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const own = await connect(t, box.backend, box_token);
  assert.deepEqual(await names_of(own.client), READING_OF_ITSELF);
  const { config } = (await ada.call("GET", `/api/agents/${agent}/config`)).body;
  assert.equal((await ada.call("PUT", `/api/agents/${agent}/config`, { config: { ...config, mcpTools: ["add_memory"] } })).status, 200);
  assert.ok((await names_of(own.client)).includes("add_memory"), "its config names it");
});

test("an agent reaches itself alone, unless its owner opens the others to it, and cannot schedule without end", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const agent = await box.running_agent(ada, "Scout", "enterprise"),
    sibling = await box.running_agent(ada, "Sibling", "enterprise");
  const say = (agentId, message) => ada.call("POST", "/api/chat", { agentId, message });
  assert.equal((await say(sibling, "remember that the vault code is 4711")).status, 200);
  const task = async (agentId) =>
    (await ada.call("POST", "/api/scheduled-tasks", { agentId, name: "own", cronSchedule: "0 9 * * *", prompt: "vault 4711" })).body.id;
  const [own_task, other_task] = [await task(agent), await task(sibling)];
  const configure = async (more) => {
    const { config } = (await ada.call("GET", `/api/agents/${agent}/config`)).body;
    return (await ada.call("PUT", `/api/agents/${agent}/config`, { config: { ...config, mcpTools: ["*"], ...more } })).status;
  };
  assert.equal(await configure({}), 200);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const { client } = await connect(t, box.backend, box_token);
  const call = async (name, args = {}) => {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
    return isError ? { error: JSON.parse(content[0].text).error } : structuredContent;
  };
  assert.ok(!(await names_of(client)).some((name) => ["show_costs", "list_model_calls"].includes(name)));
  await assert.rejects(client.callTool({ name: "show_costs", arguments: {} }), /Unknown tool/);
  const of_sibling = [
    ["show_agent", { agentId: sibling }],
    ["read_conversation", { agentId: sibling }],
    ["read_memory", { agentId: sibling }],
    ["add_memory", { agentId: sibling, text: "I was here" }],
    ["list_files", { agentId: sibling }],
    ["list_schedules", { agentId: sibling }],
    ["send_message", { agentId: sibling, message: "hello" }],
    ["stop_agent", { agentId: sibling }],
    ["create_schedule", { agentId: sibling, name: "x", cronSchedule: "@daily", prompt: "x" }],
    ["show_schedule", { taskId: other_task }],
    ["list_runs", { taskId: other_task }],
    ["change_schedule", { taskId: other_task, prompt: "x" }],
    ["run_schedule", { taskId: other_task }],
    ["delete_schedule", { taskId: other_task }],
  ];
  for (const [name, args] of of_sibling) assert.match((await call(name, args)).error ?? "", /^No such (agent|task)$/, name);
  assert.deepEqual(
    (await call("list_agents")).agents.map(({ id }) => id),
    [agent],
  );
  assert.deepEqual(
    (await call("list_schedules")).tasks.map(({ id }) => id),
    [own_task],
  );
  assert.equal((await call("show_agent")).agent.id, agent, "itself where none is named");
  assert.ok(!JSON.stringify(await call("read_conversation")).includes("4711"));

  // As the owner asked it to: within bounds.
  const itself = { name: "poll", prompt: "anything new?" };
  assert.match((await call("create_schedule", { ...itself, cronSchedule: "* * * * * *" })).error, /at least a minute apart/);
  assert.match((await call("create_schedule", { ...itself, cronSchedule: "0,30 * * * * *" })).error, /at least a minute apart/);
  const made = await call("create_schedule", { ...itself, cronSchedule: "* * * * *" });
  assert.deepEqual([made.agentId, made.madeByAgent, made.description], [agent, true, "Made by the agent itself."]);
  assert.match((await call("change_schedule", { taskId: made.id, cronSchedule: "*/5 * * * * *" })).error, /at least a minute apart/);
  assert.ok((await call("run_schedule", { taskId: made.id })).id);
  assert.ok((await call("run_schedule", { taskId: made.id })).error);
  assert.equal((await ada.call("GET", `/api/scheduled-tasks/${own_task}`)).body.madeByAgent, false);

  assert.equal(await configure({ mcpAgents: "everyone" }), 400);
  assert.equal(await configure({ mcpAgents: "all" }), 200);
  assert.equal((await call("list_agents")).agents.length, 2);
  assert.ok(JSON.stringify(await call("read_conversation", { agentId: sibling })).includes("4711"));
});

test("2026-07-28 is stateless, and its headers say what the body says", async (t) => {
  const box = await Box.start(t);
  const key = await key_of(await box.customer("ada@example.org"));
  const VERSION = "2026-07-28";
  const meta = (version = VERSION) => ({
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "s", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  });
  const ask = (method, params = {}, { version = VERSION, headers = {} } = {}) =>
    send(box.web, "POST", "/mcp", {
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "mcp-protocol-version": version,
        "mcp-method": method,
        ...(params.name && { "mcp-name": params.name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: "a", method, params: { _meta: meta(version), ...params } }),
    });
  const discovered = await ask("server/discover");
  assert.equal(discovered.status, 200, discovered.text);
  assert.deepEqual(
    [discovered.body.id, discovered.body.result.resultType, discovered.body.result.supportedVersions[0]],
    ["a", "complete", VERSION],
  );
  assert.ok(discovered.body.result.capabilities.tools && discovered.body.result.ttlMs > 0 && discovered.body.result.cacheScope);
  const { result } = (await ask("tools/list")).body;
  assert.deepEqual([result.tools.map(({ name }) => name), result.resultType, result.cacheScope], [READING, "complete", "private"]);
  assert.ok(result.ttlMs >= 0);
  const called = (await ask("tools/call", { name: "list_agents", arguments: {} })).body.result;
  assert.deepEqual([called.resultType, called.isError, called.structuredContent.agents], ["complete", false, []]);

  const error_of = async (...given) => {
    const { status, body } = await ask(...given);
    return [status, body.error?.code];
  };
  assert.deepEqual(await error_of("initialize"), [404, -32601]);
  assert.deepEqual(await error_of("tools/destroy"), [404, -32601]);
  assert.deepEqual(await error_of("tools/list", {}, { headers: { "mcp-method": "tools/call" } }), [400, -32020]);
  assert.deepEqual(await error_of("tools/list", {}, { headers: { "mcp-protocol-version": "2025-11-25" } }), [400, -32020]);
  assert.deepEqual(await error_of("tools/call", { name: "list_agents" }, { headers: { "mcp-name": "show_costs" } }), [400, -32020]);
  assert.deepEqual(await error_of("tools/call", { name: "nothing" }), [200, -32602]);
  const unknown = await ask("tools/list", {}, { version: "1900-01-01" });
  assert.deepEqual([unknown.status, unknown.body.error.code, unknown.body.error.data.requested], [400, -32022, "1900-01-01"]);
  assert.ok(unknown.body.error.data.supported.includes(VERSION));
  assert.equal((await ask("tools/list", {}, { headers: { origin: "https://evil.example" } })).status, 403);
  assert.equal((await ask("tools/list", {}, { headers: { origin: box.web } })).status, 200);

  const raw = (body, headers = {}) =>
    send(box.backend, "POST", "/mcp", {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body,
    });
  for (const [body, code] of [
    ["{", -32700],
    ["[]", -32600],
    ["{}", -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
  ]) {
    const { status, body: answer } = await raw(body);
    assert.deepEqual([status, answer.error.code], [400, code], body);
  }
  assert.equal((await raw('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status, 202);
  assert.equal((await raw('{"jsonrpc":"2.0","id":1,"method":"ping"}', { authorization: `Bearer ${INTERNAL_KEY}` })).status, 401);
  assert.equal((await raw('{"jsonrpc":"2.0","id":1,"method":"ping"}', { origin: "https://evil.example" })).status, 403);
  assert.equal((await send(box.web, "GET", "/mcp", { headers: { authorization: `Bearer ${key}` } })).status, 405, "nothing to push");
  assert.equal((await send(box.web, "POST", "/mcp", { body: "{}" })).status, 401);
});
