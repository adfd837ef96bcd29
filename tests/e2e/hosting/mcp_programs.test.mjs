// MCP servers that are programs of an agent: servers from npm as the administrator loads them, and programs that
// misbehave.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, run, until } from "../support/box.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { load } from "../support/mcp_packages.mjs";
import { end_process, mounts, processes } from "../support/processes.mjs";

const skip = process.getuid() !== 0 ? "agents' programs need users of their own here" : undefined;

const story_of = async (t, env = {}) => {
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, ...env });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const workspace = join(box.folder, "agents", agent, "workspace");
  const configure = (mcpServers) => ada.call("PUT", `/api/agents/${agent}/config`, { config: { mcpServers } });
  const configured = async (mcpServers) => {
    const { status, body } = await configure(mcpServers);
    assert.equal(status, 200, JSON.stringify(body));
  };
  // Tools that reach others are asked for in a conversation that has texts of a server, unless a rule says otherwise.
  const rules = [{ effect: "outward", turns: "any", decision: "allow" }];
  assert.equal((await ada.call("PUT", `/api/agents/${agent}/gate`, { rules })).status, 200);
  const hears = async (message, ...script) => {
    model.will(...script);
    const answer = await ada.call("POST", "/api/chat", { agentId: agent, message });
    assert.equal(answer.status, 200, `${JSON.stringify(answer.body)} ${model.faults}`);
    return answer.body;
  };
  const servers = async () => (await ada.call("GET", `/api/agents/${agent}/mcp-servers`)).body.servers;
  const tools = async () => (await servers()).flatMap((server) => server.tools);
  const log = async () => (await ada.call("GET", `/api/logs/${agent}/history?limit=1000`)).body.lines.map(({ text }) => text);
  return { box, model, ada, agent, workspace, configure, configured, hears, servers, tools, log };
};

// The node processes that run this file for the agent, as the machine sees them: those with its workspace.
const running = ({ agent }, path) =>
  processes().filter(
    ({ pid, arguments: [program, file] }) => program === "node" && file === path && mounts(pid).includes(`/agents/${agent}/workspace `),
  );

const FILES = "/opt/mcp/server-filesystem/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";

test("servers from npm are programs of the agent, confined as its commands", { skip }, async (t) => {
  const story = await story_of(t);
  assert.match(await load(t, story.box, "@modelcontextprotocol/server-filesystem"), /^loaded server-filesystem \(.*2026/);
  await load(t, story.box, "@modelcontextprotocol/server-memory");
  const listed = await run(["mcp", "list", "--data", story.box.folder]);
  assert.match(listed.out, /^server-filesystem {2}@modelcontextprotocol\/server-filesystem \d.*\nserver-memory /);
  await story.configured({
    files: { package: "server-filesystem", args: ["/workspace"], tools: ["write_file", "read_text_file"] },
    memory: { package: "server-memory", env: { MEMORY_FILE_PATH: "/workspace/graph.jsonl" }, tools: ["create_entities", "read_graph"] },
  });
  await until(
    "the tools of both",
    async () => {
      const found = await story.tools();
      return found.includes("files__write_file") && found.includes("memory__read_graph");
    },
    120_000,
  );
  const entities = [{ name: "Fastnet", entityType: "rock", observations: ["has a lighthouse"] }];
  await story.hears(
    "keep this",
    call(["files__write_file", { path: "/workspace/notes.txt", content: "a note" }], ["memory__create_entities", { entities }]),
    call(["files__read_text_file", { path: "/workspace/notes.txt" }], ["memory__read_graph"]),
    call(["files__read_text_file", { path: "/etc/passwd" }]),
    say("Done."),
  );
  const results = story.model.asked
    .at(-1)
    .messages.filter(({ role }) => role === "tool")
    .map(({ content }) => JSON.parse(content));
  assert.equal(readFileSync(join(story.workspace, "notes.txt"), "utf8"), "a note");
  assert.match(readFileSync(join(story.workspace, "graph.jsonl"), "utf8"), /lighthouse/);
  assert.match(results[2].content, /a note/);
  assert.match(results[3].content, /Fastnet/);
  assert.equal(results[4].isError, true, "the server keeps to the folder that it was given");
  const [{ pid }] = running(story, FILES);
  assert.notEqual(statSync(`/proc/${pid}`).uid, statSync(`/proc/${story.box.child.pid}`).uid, "a user of the agent's own");
  assert.ok(!readFileSync(`/proc/${pid}/environ`, "latin1").includes("INTERNAL_API_KEY"));
  const networks = [pid, story.box.child.pid].map((one) => statSync(`/proc/${one}/ns/net`).ino);
  assert.notEqual(...networks, "a network of its own");
  const commands = (await story.ada.call("GET", `/api/agents/${story.agent}/commands`)).body.commands;
  assert.deepEqual(commands, [], "the agent does not reach it as a command");

  // One that dies is started again; its words are in the agent's log.
  end_process(pid);
  await until("its end", () => running(story, FILES).length === 0);
  await until("that the box knows", async () => (await story.log()).some((line) => line.includes("the server has ended")));
  await story.hears("read it again", call(["files__read_text_file", { path: "/workspace/notes.txt" }]), say("Done."));
  assert.match(story.model.results[0].content ?? "", /a note/, JSON.stringify(story.model.results[0]));
  const lines = await until("the log", async () => {
    const found = (await story.log()).filter((line) => line.includes("mcp_server_wrote"));
    return found.length > 1 && found;
  });
  assert.ok(lines.some((line) => /"server":"files".*Secure MCP Filesystem Server running on stdio/.test(line)));
  assert.ok(lines.some((line) => /the server has ended: Its exit code is 137/.test(line)));

  // It ends with the agent, and with the box.
  const told = async (act) => assert.equal((await story.ada.call("POST", `/api/instance/${story.agent}/${act}`)).status, 200, act);
  await told("stop");
  await story.box.until_status(story.ada, story.agent, "stopped");
  await until("the end of the servers", () => running(story, FILES).length === 0);
  const listed_with = (error) => until(`a list with ${error}`, async () => error.test((await story.servers())[0].error ?? ""), 90_000);
  await listed_with(/The agent does not run/); // lists are kept for a minute
  await told("start");
  await story.box.until_status(story.ada, story.agent, "running");
  await listed_with(/^$/);
  await story.hears("and now?", call(["files__read_text_file", { path: "/workspace/notes.txt" }]), say("Done."));
  assert.match(story.model.results[0].content, /a note/);
  assert.equal(running(story, FILES).length, 1);
  await story.box.end("SIGKILL");
  await until("that nothing is left", () => running(story, FILES).length === 0);

  // A box that finds the packages at its start has them as the one that has loaded them.
  await story.box.serve();
  await story.box.until_status(story.ada, story.agent, "running");
  await until("the tools", async () => (await story.tools()).includes("files__read_text_file"), 120_000);
  await story.hears("and after the restart?", call(["files__read_text_file", { path: "/workspace/notes.txt" }]), say("Done."));
  assert.match(story.model.results[0].content, /a note/);
});

test("a server's resources, prompts and questions are the agent's and the owner's", { skip }, async (t) => {
  const story = await story_of(t);
  await load(t, story.box, "@modelcontextprotocol/server-everything");
  const tools = ["echo", "list_resources", "read_resource", "list_prompts", "get_prompt", "trigger-elicitation-request"];
  await story.configured({ all: { package: "server-everything", args: ["stdio"], tools } });
  // The server adds this one after it is connected, and says so.
  await until("the tool that it adds", async () => (await story.tools()).includes("all__trigger-elicitation-request"));
  await story.hears(
    "look",
    call(["all__list_resources"], ["all__list_prompts"]),
    call(["all__read_resource", { uri: "demo://resource/static/document/features.md" }]),
    call(["all__get_prompt", { name: "args-prompt", arguments: { city: "Cork" } }]),
    say("Done."),
  );
  const results = story.model.asked
    .at(-1)
    .messages.filter(({ role }) => role === "tool")
    .map(({ content }) => JSON.parse(content));
  assert.match(results[0].content, /features\.md/);
  assert.match(results[1].content, /args-prompt/);
  assert.match(results[2].content, /Everything Server/);
  assert.match(results[3].content, /^user: .*Cork/);

  // The call waits for the owner, and the turn goes on with what it came to.
  await story.hears("ask me", call(["all__trigger-elicitation-request"]), say("I have asked."));
  assert.equal(story.model.results[0].state, "waiting");
  const { body } = await story.ada.call("GET", `/api/asks?waiting=true`);
  const [{ id, kind, title, act }] = body.asks;
  assert.deepEqual([kind, act.server, act.name], ["mcp_question", "all", "all__trigger-elicitation-request"]);
  assert.match(title, /^The MCP server all asks: Please provide inputs/);
  assert.equal(act.requestedSchema.properties.name.type, "string");
  const answer = (content, decision = "allow") => story.ada.call("POST", `/api/asks/${id}/answer`, { decision, content });
  for (const [content, error] of [
    [{}, /^content\.name is required/],
    [{ name: "Ada", integer: 101 }, /^content\.integer must be at most 100/],
    [{ name: "Ada", untitledSingleSelectEnum: "Gunther" }, /^content\.untitledSingleSelectEnum must be one of/],
    [{ name: "Ada", shoe: 7 }, /^content\.shoe is not a field/],
    [{ name: 7 }, /^content\.name must be text/],
  ]) {
    const refused = await answer(content);
    assert.equal(refused.status, 400, JSON.stringify(content));
    assert.match(refused.body.error, error);
  }
  story.model.will(say("Thank you, Ada."));
  assert.equal((await answer({ name: "Ada", check: true, integer: 7 })).status, 200);
  const told = await until("what the agent is told", () =>
    story.model.asked.at(-1).messages.findLast(({ role, content }) => role === "user" && content.includes("Ada")),
  );
  assert.match(told.content, /User provided the requested information|"name": ?\\?"Ada/);
  assert.equal((await story.ada.call("GET", `/api/asks/${id}`)).body.state, "done");

  // One that the owner refuses ends the call.
  await story.hears("ask me again", call(["all__trigger-elicitation-request"]), say("I have asked."));
  const second = (await story.ada.call("GET", `/api/asks?waiting=true`)).body.asks[0];
  story.model.will(say("As you like."));
  assert.equal((await story.ada.call("POST", `/api/asks/${second.id}/answer`, { decision: "refuse" })).status, 200);
  await until("what the agent is told", () =>
    story.model.asked.at(-1).messages.some(({ role, content }) => role === "user" && content.includes(second.id)),
  );
});

const PROGRAMS = {
  "silent.mjs": `process.stdin.resume();`,
  "gone.mjs": `console.error("no such thing"); process.exit(3);`,
  "huge.mjs": `process.stdin.on("data", () => process.stdout.write("x".repeat(3 << 20) + "\\n"));`,
  // Garbage, a batch, requests of its own, and answers that nobody asked for come before what is right.
  "odd.mjs": `
    import { createInterface } from "node:readline";
    const write = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    console.log("hello, I am a server");
    const results = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } },
      "tools/list": { tools: [{ name: "env", description: "Shows the environment", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
      "tools/call": { content: [{ type: "text", text: JSON.stringify({ env: process.env, uid: process.getuid() }) }] },
    };
    let pings = 0;
    createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, result, error } = JSON.parse(line);
      if (result || error) return console.error("answered " + JSON.stringify({ id, result, error }));
      if (id === undefined) return;
      write({ id: 4711, result: {} });
      write({ id: "p" + ++pings, method: "ping" });
      write({ id: "s" + pings, method: "sampling/createMessage", params: {} });
      console.log(JSON.stringify([{ jsonrpc: "2.0", id, result: results[method] }]));
    });`,
};

test("programs that fail leave the agent its other tools, and say why", { skip }, async (t) => {
  const story = await story_of(t);
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(story.workspace, name), text, { mode: 0o644 });
  const program = (name) => ({ command: "node", args: [`/workspace/${name}`] });
  await story.configured({
    odd: { ...program("odd.mjs"), env: { SEA_AREA: "Fastnet", API_TOKEN: "cred:sea" } },
    silent: program("silent.mjs"),
    gone: program("gone.mjs"),
    huge: program("huge.mjs"),
    missing: { command: "/usr/bin/no-such-program" },
  });
  await story.hears("look", call(["odd__env"]), say("Done."));
  const { env } = JSON.parse(story.model.results[0].content);
  assert.deepEqual([env.SEA_AREA, env.API_TOKEN], ["Fastnet", "cred:sea"]);
  assert.equal(env.HTTPS_PROXY, "http://127.0.0.1:3128", "its way out is the box's proxy");
  const errors = Object.fromEntries((await story.servers()).map(({ name, error }) => [name, error]));
  assert.equal(errors.odd, null);
  for (const [name, why] of [
    ["silent", /did not answer in time/],
    ["gone", /no such thing/],
    ["huge", /more than 1 MB/],
    ["missing", /exit code is 12[67]/],
  ])
    assert.match(errors[name] ?? "", new RegExp(`^The MCP server ${name} .*${why.source}`), name);
  const lines = await until("its words in the log", async () => {
    const found = (await story.log()).join("\n");
    return found.includes("answered") && found;
  });
  assert.match(lines, /not JSON on standard output: hello/);
  assert.match(lines, /answered .*p1.*result/);
  assert.match(lines, /answered .*s1.*-32601/);
});

test("configs name programs only where agents may run them, and give them no secrets", { skip }, async (t) => {
  const story = await story_of(t);
  for (const [server, field] of [
    [{ command: "node", url: "https://mcp.example.org" }, "config.mcpServers.a must have one of"],
    [{ command: "" }, "config.mcpServers.a.command"],
    [{ command: "node", args: "x" }, "config.mcpServers.a.args"],
    [{ command: "node", args: ["a\0b"] }, "config.mcpServers.a.args[0]"],
    [{ command: "node", token: "x" }, "config.mcpServers.a: token"],
    [{ command: "node", env: { "A B": "x" } }, "config.mcpServers.a.env.A B"],
    [{ command: "node", env: { LD_PRELOAD: "x" } }, "config.mcpServers.a.env.LD_PRELOAD"],
    [{ command: "node", env: { HTTPS_PROXY: "x" } }, "config.mcpServers.a.env.HTTPS_PROXY"],
    [{ command: "node", env: { GITHUB_TOKEN: "ghp_x" } }, "config.mcpServers.a.env.GITHUB_TOKEN must be cred:"],
    [{ package: "no-such" }, "config.mcpServers.a.package is no package of this box"],
    [{ package: "../agents" }, "config.mcpServers.a.package is no package of this box"],
    [{ url: "https://mcp.example.org", args: [] }, "config.mcpServers.a: args"],
  ]) {
    const { status, body } = await story.configure({ a: server });
    assert.equal(status, 400, JSON.stringify(server));
    assert.ok(body.error.startsWith(field), body.error);
  }
  // Rules that refuse commands refuse programs, too.
  await story.configured({ a: { command: "node", args: ["-v"] } });
  await story.ada.call("PUT", `/api/agents/${story.agent}/gate`, { rules: [{ effect: "code", turns: "any", decision: "refuse" }] });
  assert.match((await story.servers())[0].error, /The rules of the agent refuse commands/);
  await story.box.end("SIGTERM");
  story.box.env = { ...story.box.env, AGENT_TOOLS: "off" };
  await story.box.serve();
  const { status, body } = await story.configure({ a: { command: "node" } });
  assert.equal(status, 400);
  assert.match(body.error, /^config\.mcpServers\.a\.command: agents run no programs on this box: AGENT_TOOLS is off/);
});

test("what is no package is not loaded", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-packages-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const box = await Box.start(t);
  const packing = (name, script) => {
    const place = join(folder, name);
    execFileSync("sh", ["-ec", `mkdir -p ${place}/package; cd ${place}; ${script}; tar -czf ${place}.tgz -C ${place} .`]);
    return `${place}.tgz`;
  };
  writeFileSync(join(folder, "text.tgz"), "no archive");
  const bin = `echo '{"name":"@a/tool","version":"1.2.3","bin":"run.js","dependencies":{"left-pad":"1"}}' > package/package.json`;
  for (const [file, why] of [
    [join(folder, "text.tgz"), /gzipped tar archive|truncated/],
    [join(folder, "none.tgz"), /there is no file/],
    [packing("empty", ":"), /neither a packed npm package/],
    [packing("needy", bin), /has no left-pad, which the package needs: install it/],
    [packing("linked", `${bin}; ln -s ../../../../etc package/etc`), /leads out of its folder/],
    [packing("absolute", `${bin}; ln -s /etc package/etc`), /leads out of its folder/],
    [packing("missing", `echo '{"name":"tool","bin":"run.js"}' > package/package.json`), /names no program/],
  ]) {
    const { code, err } = await run(["mcp", "load", file, "--data", box.folder]);
    assert.notEqual(code, 0, file);
    assert.match(err, why);
  }
  const good = packing("good", `${bin}; touch package/run.js; mkdir -p package/node_modules/left-pad`);
  assert.equal((await run(["mcp", "load", good, "--name", "tool", "--data", box.folder])).code, 0);
  assert.equal((await run(["mcp", "load", good, "--data", box.folder])).out.slice(0, 13), "replaced tool");
  assert.equal((await run(["mcp", "list", "--data", box.folder])).out, "tool  @a/tool 1.2.3\n");
  assert.equal((await run(["mcp", "remove", "tool", "--data", box.folder])).code, 0);
  assert.ok(!existsSync(join(box.folder, "mcp/tool")));
  assert.match((await run(["mcp", "remove", "tool", "--data", box.folder])).err, /there is no package tool/);
});
