// Agents that use MCP servers named in their config: servers made with the official SDKs, of the current protocol and of
// the older one with sessions, and servers that misbehave.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const { McpServer } = package_named("@modelcontextprotocol/sdk/server/mcp.js");
const { StreamableHTTPServerTransport } = package_named("@modelcontextprotocol/sdk/server/streamableHttp.js");
const current = package_named("@modelcontextprotocol/server");
const z = package_named("zod");

const listen = async (t, handler) => {
  const server = createServer(handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/mcp`;
};

const describe_weather = (server, object) => {
  server.registerTool(
    "forecast",
    { description: "The weather at a place", inputSchema: object({ place: z.string() }), annotations: { readOnlyHint: true } },
    async ({ place }) => ({
      content: [
        { type: "text", text: `Fair at ${place}` },
        { type: "image", data: "AA==", mimeType: "image/png" },
      ],
    }),
  );
  const storm = { description: "Always fails", inputSchema: object({}), annotations: { readOnlyHint: true } };
  server.registerTool("storm", storm, async () => ({ isError: true, content: [{ type: "text", text: "The mast is broken" }] }));
  return server;
};

// Of the older form: each client has a session.
const session_server = (t, log = []) => {
  const sessions = new Map();
  const serve = async (request, response) => {
    log.push([request.method, request.headers["mcp-session-id"], request.headers.authorization, request.headers["x-team-key"]]);
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      const server = describe_weather(new McpServer({ name: "weather", version: "1.0.0" }), (shape) => shape);
      await server.connect(transport);
    }
    await transport.handleRequest(request, response);
  };
  return listen(t, serve).then((url) => ({ url, sessions, log }));
};

// Of the current form: every request stands for itself.
const current_server = async (t) => {
  const handler = current.createMcpHandler(() => describe_weather(new current.McpServer({ name: "weather", version: "2.0.0" }), z.object));
  const log = [];
  const url = await listen(t, async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    log.push([request.headers["mcp-method"], request.headers["mcp-protocol-version"], request.headers["mcp-name"]]);
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method,
        headers: request.headers,
        body: parts.length ? Buffer.concat(parts) : undefined,
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const part of answer.body) response.write(part);
    response.end();
  });
  return { url, log };
};

class Story {
  static async start(t, env = { SUMMARIZER_ALLOW_PRIVATE: "true" }) {
    const story = new Story();
    story.model = await ModelServer.start(t);
    story.box = await Box.start(t, { LOCAL_MODEL_URL: story.model.url, ...env });
    story.ada = await story.box.customer("ada@example.org");
    story.agent = await story.box.running_agent(story.ada);
    t.after(() => story.model.check());
    return story;
  }
  configure(mcpServers) {
    return this.ada.call("PUT", `/api/agents/${this.agent}/config`, { config: { mcpServers } });
  }
  async configured(mcpServers) {
    const { status, body } = await this.configure(mcpServers);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  async hears(message, ...script) {
    this.model.will(...script);
    const answer = await this.ada.call("POST", "/api/chat", { agentId: this.agent, message });
    assert.equal(answer.status, 200, `${JSON.stringify(answer.body)} ${this.model.faults}`);
  }
  offered() {
    return this.model.asked
      .at(-1)
      .tools.map((tool) => tool.function.name)
      .filter((name) => name.includes("__"));
  }
  async servers() {
    return (await this.ada.call("GET", `/api/agents/${this.agent}/mcp-servers`)).body.servers;
  }
}

test("an agent calls the tools of a server with sessions, whose secrets it never sees", async (t) => {
  const story = await Story.start(t);
  const weather = await session_server(t);
  const { config } = await story.configured({ sky: { url: weather.url, token: "the-token", headers: { "X-Team-Key": "the-key" } } });
  assert.doesNotMatch(JSON.stringify(config), /the-token|the-key/);
  await story.hears("what is the weather?", call(["sky__forecast", { place: "Fastnet" }], ["sky__storm"]), say("Fair."));
  assert.deepEqual(story.offered(), ["sky__forecast", "sky__storm"]);
  assert.deepEqual(story.model.results, [
    { content: "Fair at Fastnet\n[image, image/png, not shown]", structured: null, isError: false },
    { content: "The mast is broken", structured: null, isError: true },
  ]);
  assert.equal(weather.sessions.size, 1, "one session for all");
  for (const [, , authorization, key] of weather.log) assert.deepEqual([authorization, key], ["Bearer the-token", "the-key"]);
  assert.deepEqual(await story.servers(), [
    { name: "sky", url: weather.url, command: null, tools: ["sky__forecast", "sky__storm"], error: null, signIn: null },
  ]);

  // The server has forgotten its sessions: a new one is opened.
  weather.sessions.clear();
  await story.hears("and now?", call(["sky__forecast", { place: "Rockall" }]), say("Fair."));
  assert.equal(story.model.results[0].content, "Fair at Rockall\n[image, image/png, not shown]");
  // A tool that is wrongly called says how to call it.
  await story.hears("and here?", call(["sky__forecast", { place: 7 }]), say("I do not know."));
  assert.match(JSON.stringify(story.model.results[0]), /place/);

  await story.configured({
    sky: { url: weather.url, token: { sealed: true }, headers: { "X-Team-Key": { sealed: true } }, tools: ["storm"] },
  });
  await story.hears("what can you do?", say("Little."));
  assert.deepEqual(story.offered(), ["sky__storm"], "those that the config names");
  await story.configured({ sky: { url: weather.url, enabled: false } });
  await story.hears("what can you do?", say("Less."));
  assert.deepEqual(story.offered(), []);
});

test("it calls the tools of a server of protocol 2026-07-28", async (t) => {
  const story = await Story.start(t);
  const weather = await current_server(t);
  await story.configured({ sky: { url: weather.url } });
  await story.hears("what is the weather?", call(["sky__forecast", { place: "Fastnet" }]), say("Fair."));
  assert.deepEqual(story.offered(), ["sky__forecast", "sky__storm"]);
  assert.equal(story.model.results[0].content, "Fair at Fastnet\n[image, image/png, not shown]");
  assert.deepEqual(weather.log, [
    ["server/discover", "2026-07-28", undefined],
    ["tools/list", "2026-07-28", undefined],
    ["tools/call", "2026-07-28", "forecast"],
  ]);
});

test("servers that fail leave the agent its other tools, and say why", async (t) => {
  const story = await Story.start(t);
  const weather = await current_server(t);
  const silent = await listen(t, () => {});
  const huge = await listen(t, (_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(`{"x":"${"x".repeat(2 << 20)}"}`),
  );
  const odd = await listen(t, (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>hello"));
  const closed = await listen(t, (_, response) => response.writeHead(401).end());
  const moved = await listen(t, (_, response) => response.writeHead(302, { location: weather.url }).end());
  await story.configured({
    sky: { url: weather.url },
    silent: { url: silent },
    huge: { url: huge },
    odd: { url: odd },
    closed: { url: closed },
    moved: { url: moved },
  });
  await story.hears("what is the weather?", call(["sky__forecast", { place: "Fastnet" }]), say("Fair."));
  assert.deepEqual(story.offered(), ["sky__forecast", "sky__storm"]);
  const errors = Object.fromEntries((await story.servers()).map(({ name, error }) => [name, error]));
  assert.equal(errors.sky, null);
  for (const [name, why] of [
    ["silent", /did not answer/],
    ["huge", /did not answer/],
    ["odd", /status 200/],
    ["closed", /status 401/],
    ["moved", /status 302/],
  ])
    assert.match(errors[name] ?? "", new RegExp(`^The MCP server ${name} .*${why.source}`), name);
});

test("private addresses are refused unless the box allows them, and one saved before is not reached", async (t) => {
  const story = await Story.start(t);
  const weather = await current_server(t);
  await story.configured({ sky: { url: weather.url } });
  await story.box.end("SIGTERM");
  story.box.env = { ...story.box.env, SUMMARIZER_ALLOW_PRIVATE: "off" };
  await story.box.serve();
  const refused = await story.configure({ sky: { url: weather.url } });
  assert.equal(refused.status, 400);
  assert.match(refused.body.error, /^config\.mcpServers\.sky\.url must not be a loopback or private address/);
  await story.hears("hello", say("Hello."));
  assert.deepEqual([story.offered(), weather.log], [[], []]);
  assert.match((await story.servers())[0].error, /did not answer/);
});

test("a wrong config is refused with the field's name", async (t) => {
  const story = await Story.start(t);
  const url = "https://mcp.example.org/mcp";
  for (const [servers, field] of [
    [{ "a b": { url } }, "config.mcpServers.a b"],
    [{ sky: {} }, "config.mcpServers.sky.url is required"],
    [{ sky: { url: "ftp://mcp.example.org" } }, "config.mcpServers.sky.url"],
    [{ sky: { url: "mcp.example.org" } }, "config.mcpServers.sky.url"],
    [{ sky: { url: "https://me:secret@mcp.example.org" } }, "config.mcpServers.sky.url"],
    [{ sky: { url, token: 7 } }, "config.mcpServers.sky.token"],
    [{ sky: { url, token: "a\nb" } }, "config.mcpServers.sky.token"],
    [{ sky: { url, headers: { Authorization: "x" } } }, "config.mcpServers.sky.headers.Authorization"],
    [{ sky: { url, headers: { "Mcp-Session-Id": "x" } } }, "config.mcpServers.sky.headers.Mcp-Session-Id"],
    [{ sky: { url, headers: { "a:b": "x" } } }, "config.mcpServers.sky.headers.a:b"],
    [{ sky: { url, headers: { "X-A": "a\r\nb" } } }, "config.mcpServers.sky.headers.X-A"],
    [{ sky: { url, timeoutSeconds: 121 } }, "config.mcpServers.sky.timeoutSeconds"],
    [Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`s${n}`, { url }])), "config.mcpServers"],
    [[], "config.mcpServers"],
  ]) {
    const { status, body } = await story.configure(servers);
    assert.equal(status, 400, JSON.stringify(servers));
    assert.ok(body.error.startsWith(field), body.error);
  }
  const eve = await story.box.customer("eve@example.org");
  assert.equal((await eve.call("GET", `/api/agents/${story.agent}/mcp-servers`)).status, 404);
});
