// MCP servers that are programs, and the credentials that they use and never see: `cred:NAME` in their environment, put
// in by the proxy for what it is bound to, and taken out of what comes back.
import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HOST, site_of } from "../peers/echo_site.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { Box, until } from "../support/box.mjs";
import { mounts, processes } from "../support/processes.mjs";

const skip = process.getuid() !== 0 ? "reads the memory of the agent's programs as root" : undefined;
const CANARY = "canary-4712-of-the-forge";

// A server of an API, as its makers write one: it takes its token from the environment, and sends it along. It keeps and
// tells all that it knows.
const SERVER = `
import json, os, sys, urllib.error, urllib.request
TOOLS = [{"name": name, "description": "Asks the forge", "annotations": {"readOnlyHint": True},
          "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}} for name in ("ask", "tell")]

def ask(url, data=None):
    request = urllib.request.Request(url, data=data, headers={"Authorization": "Bearer " + os.environ["FORGE_TOKEN"]})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers.get("x-echo"), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, None, error.read().decode()
    except Exception as error:
        return 0, None, str(error)

def result(method, params):
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "forge", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    status, echo, body = ask(params["arguments"]["url"], b"x" if params["name"] == "tell" else None)
    known = {"status": status, "echo": echo, "body": body, "environment": dict(os.environ)}
    with open("/workspace/known.json", "a") as kept:
        kept.write(json.dumps(known) + "\\n")
    print("the forge says", status, echo, body, file=sys.stderr, flush=True)
    return {"content": [{"type": "text", "text": json.dumps(known)}]}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result(message["method"], message.get("params"))}), flush=True)
`;

const files_below = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

// Whether what a process may write in its memory has these bytes.
const memory_has = (pid, text) => {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (const [, from, to] of readFileSync(`/proc/${pid}/maps`, "utf8").matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)) {
      const [begin, end] = [parseInt(from, 16), parseInt(to, 16)];
      const bytes = Buffer.alloc(end - begin);
      try {
        readSync(memory, bytes, 0, bytes.length, begin);
      } catch {
        continue; // of the kernel's own
      }
      if (bytes.includes(text)) return true;
    }
    return false;
  } finally {
    closeSync(memory);
  }
};

test("a server uses a credential by its name, and nobody but the site has the secret", { skip }, async (t) => {
  const site = await site_of(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "true", SSL_CERT_FILE: site.cert });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const workspace = join(box.folder, "agents", agent, "workspace");
  writeFileSync(join(workspace, "server.py"), SERVER, { mode: 0o644 });
  const credential = { name: "FORGE", secret: CANARY, hosts: [HOST], form: "bearer", paths: ["/api", "/away", "/forms"], methods: ["GET"] };
  assert.equal((await ada.call("POST", "/api/credentials", credential)).status, 201);
  const config = { mcpServers: { forge: { command: "python3", args: ["/workspace/server.py"], env: { FORGE_TOKEN: "cred:FORGE" } } } };
  assert.equal((await ada.call("PUT", `/api/agents/${agent}/config`, { config })).status, 200);

  const listed = async () => (await ada.call("GET", `/api/agents/${agent}/mcp-servers`)).body.servers.flatMap(({ tools }) => tools);
  await until("the tools of the server", async () => (await listed()).includes("forge__tell"), 120_000);

  const answer_of = async (tool, url) => {
    model.will(call([`forge__${tool}`, { url }]), say("Done."));
    const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message: `${tool} ${url}` });
    assert.equal(status, 200, JSON.stringify(body));
    const [{ content, ...rest }] = model.results;
    assert.ok(content, JSON.stringify(rest));
    return JSON.parse(content.slice(content.indexOf("{"), content.lastIndexOf("}") + 1));
  };

  const good = await answer_of("ask", `${site.https}/api/x`);
  assert.equal(good.status, 200, JSON.stringify(good));
  assert.equal(good.echo, "Bearer cred:FORGE");
  assert.match(good.body, /^you sent Bearer cred:FORGE and/);
  assert.equal(good.environment.FORGE_TOKEN, "cred:FORGE");
  assert.equal(site.seen.at(-1).authorization, `Bearer ${CANARY}`);
  assert.ok(!JSON.stringify(await answer_of("ask", `${site.https}/forms`)).includes(CANARY.slice(4, 12)), "in no other form");

  const before = site.seen.length;
  assert.match((await answer_of("ask", `${site.https}/other`)).body, /not bound to this path/);
  assert.match((await answer_of("tell", `${site.https}/api/x`)).body, /is not for POST/);
  assert.match((await answer_of("ask", `${site.http}/api/x`)).body, /is for https only/);
  assert.equal(site.seen.length, before, "the site has seen none of them");
  await answer_of("ask", `${site.https}/away`);
  assert.equal(site.seen.at(-1).url, "/away", "a redirect elsewhere leads nowhere");

  const { uses } = (await ada.call("GET", "/api/credentials/uses")).body;
  assert.ok(uses.some((use) => use.credential === "FORGE" && use.agent === agent && use.host === HOST && use.status === 200));
  const running = processes().filter(
    ({ pid, arguments: words }) => words[1] === "/workspace/server.py" && mounts(pid).includes(`/agents/${agent}/workspace `),
  );
  assert.equal(running.length, 1, "the server runs still");
  const [{ pid }] = running;
  assert.ok(memory_has(pid, "cred:FORGE"), "its memory is read");
  assert.ok(!memory_has(pid, CANARY), "the secret is not in it");
  assert.ok(!readFileSync(`/proc/${pid}/environ`, "latin1").includes(CANARY));
  const log = (await ada.call("GET", `/api/logs/${agent}/history?limit=1000`)).body;
  assert.match(JSON.stringify(log), /the forge says 200/);
  for (const [where, text] of [
    ["what the model was sent", JSON.stringify(model.asked)],
    ["the agent's log", JSON.stringify(log)],
    ["the traces", JSON.stringify((await ada.call("GET", `/api/traces?agentId=${agent}`)).body)],
    ["the uses", JSON.stringify(uses)],
    ["the box's log", box.whole_log],
  ])
    assert.ok(!text.includes(CANARY), where);
  assert.match(readFileSync(join(workspace, "known.json"), "utf8"), /cred:FORGE/);
  for (const path of files_below(box.folder)) assert.ok(!readFileSync(path).includes(CANARY), path);
});

test("a server has only the credentials of its own agent's owner", { skip }, async (t) => {
  const site = await site_of(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "true", SSL_CERT_FILE: site.cert });
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const credential = { name: "FORGE", secret: CANARY, hosts: [HOST], form: "bearer" };
  assert.equal((await ada.call("POST", "/api/credentials", credential)).status, 201);
  assert.equal((await eve.call("POST", "/api/credentials", { ...credential, name: "OTHER", secret: "another-canary-of-eve" })).status, 201);
  const agent = await box.running_agent(eve);
  writeFileSync(join(box.folder, "agents", agent, "workspace/server.py"), SERVER, { mode: 0o644 });
  const config = { mcpServers: { forge: { command: "python3", args: ["/workspace/server.py"], env: { FORGE_TOKEN: "cred:FORGE" } } } };
  assert.equal((await eve.call("PUT", `/api/agents/${agent}/config`, { config })).status, 200);
  model.will(call(["forge__ask", { url: `${site.https}/api/x` }]), say("Done."));
  assert.equal((await eve.call("POST", "/api/chat", { agentId: agent, message: "ask" })).status, 200);
  assert.match(JSON.stringify(model.results), /no credential named FORGE/);
  assert.deepEqual(site.seen, []);
});
