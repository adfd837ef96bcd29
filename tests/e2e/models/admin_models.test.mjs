// Model providers at run time: keys sealed in the store, in use without a restart; the settings win; servers on this
// machine are found and offered, and used only when an administrator says so.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ADMIN, Box, INTERNAL_KEY, run } from "../support/box.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";
import { RouterServer, failed } from "../peers/router_server.mjs";

const KEY = "sk-openai-of-the-box-0123456789",
  path = "/api/admin/models/providers";
const administrator = async (box) => {
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  return admin;
};
const provider_in = (list, name) => list.providers.find(({ provider }) => provider === name);
const files_below = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath ?? one.path, one.name));

test("an administrator configures a provider, and it serves without a restart and after one", async (t) => {
  const upstream = await RouterServer.start(t);
  const box = await Box.start(t, { OPENAI_BASE_URL: upstream.url });
  const admin = await administrator(box),
    ada = await box.customer("ada@example.org", "network");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script" })).body;
  const ask = async () => {
    const answer = await fetch(`${box.backend}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "openai/gpt-4o-mini", messages: [{ role: "user", content: "Hello?" }] }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  assert.equal((await ask()).status, 503, "nobody serves it yet");
  assert.equal(provider_in((await admin.call("GET", path)).body, "builtin").configured, true);

  assert.equal((await ada.call("PUT", path, { provider: "openai", key: KEY })).status, 403);
  for (const [body, field] of [
    [{ provider: "Acme", baseUrl: "http://127.0.0.1:1/v1" }, "provider"],
    [{ provider: "acme", key: KEY }, "baseUrl"],
    [{ provider: "acme", baseUrl: "http://127.0.0.1:1/v1", fallbackModel: "x" }, "fallbackModel"],
    [{ provider: "builtin" }, "provider"],
    [{ provider: "openai" }, "key"],
    [{ provider: "openai", key: "short" }, "key"],
    [{ provider: "openai", key: KEY, model: "x" }, "model"],
    [{ provider: "openai", key: KEY, baseUrl: "ftp://x" }, "baseUrl"],
    [{ provider: "openai", key: KEY, baseUrl: "http://user:pass@host/" }, "baseUrl"],
    [{ provider: "local" }, "baseUrl"],
  ]) {
    const refused = await admin.call("PUT", path, body);
    assert.equal(refused.status, 400, JSON.stringify(body));
    assert.ok(refused.body.error.startsWith(field), refused.body.error);
  }
  const put = await admin.call("PUT", path, { provider: "openai", key: KEY });
  assert.deepEqual(
    [put.status, put.body.configured, put.body.source, put.body.keyHint, put.body.baseUrl],
    [200, true, "stored", "6789", upstream.url],
  );
  const answer = await ask();
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(upstream.newest_key, KEY);
  const listed = (await admin.call("GET", path)).body;
  assert.equal(provider_in(listed, "builtin").configured, false, "it is for boxes without a provider");
  assert.equal(JSON.stringify(listed).includes(KEY), false);

  const moved = await admin.call("PUT", path, { provider: "openai", baseUrl: "https://elsewhere.example/v1" });
  assert.match(moved.body.error, /^key is required with another baseUrl/, "nobody reads the key by moving the address");

  await box.end("SIGTERM");
  for (const file of files_below(box.folder)) assert.equal(readFileSync(file).includes(KEY), false, `${file} has the key in clear`);
  await box.serve();
  assert.equal((await ask()).status, 200, "after a restart");
  assert.equal(box.whole_log.includes(KEY), false);

  assert.equal((await admin.call("DELETE", `${path}/openai`)).status, 200);
  assert.equal((await admin.call("DELETE", `${path}/openai`)).status, 404);
  assert.equal((await ask()).status, 503);
  const { entries } = await box.backend_call("GET", "/api/admin/audit");
  assert.deepEqual(
    entries.filter(({ act }) => act === "model provider removed by admin").map(({ subject }) => subject),
    ["openai"],
  );
});

test("the settings win over what an administrator stores", async (t) => {
  const upstream = await RouterServer.start(t);
  const box = await Box.start(t, { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: "sk-of-the-environment" });
  const admin = await administrator(box);
  const shown = provider_in((await admin.call("GET", path)).body, "openai");
  assert.deepEqual([shown.source, shown.setting, shown.keyHint], ["settings", "OPENAI_API_KEY", null]);
  const refused = await admin.call("PUT", path, { provider: "openai", key: KEY });
  assert.deepEqual([refused.status, refused.body.code], [409, "SET_BY_SETTINGS"]);
  assert.match(refused.body.error, /^OPENAI_API_KEY is set/);
});

test("a test of a provider shows latency and the first words, or what is wrong", async (t) => {
  const model = await ModelServer.start(t);
  const upstream = await RouterServer.start(t);
  const box = await Box.start(t, { ANTHROPIC_BASE_URL: upstream.url });
  const admin = await administrator(box);
  model.lists = ["llama3:8b"];
  assert.equal((await admin.call("PUT", path, { provider: "local", baseUrl: `${model.url}/`, model: "llama3:8b" })).status, 200);
  model.will(say("Hello there, operator."));
  const { body: good } = await admin.call("POST", `${path}/local/test`, {});
  assert.deepEqual([good.success, good.answer, good.error], [true, "Hello there, operator.", null]);
  assert.ok(good.latencyMs >= good.firstTokenMs && good.firstTokenMs >= 0, JSON.stringify(good));
  assert.equal(model.asked.at(-1).model, "llama3:8b");
  assert.equal((await admin.call("POST", `${path}/google/test`, {})).status, 409, "it is not configured");
  assert.equal((await admin.call("POST", `${path}/acme/test`, {})).status, 404);

  await admin.call("PUT", path, { provider: "openrouter", key: KEY, baseUrl: upstream.url });
  upstream.answers = { "openai/gpt-4o-mini": failed(401) };
  const { body: bad } = await admin.call("POST", `${path}/openrouter/test`, { model: "openai/gpt-4o-mini" });
  assert.deepEqual([bad.success, bad.code, bad.answer], [false, "bad_key", null]);
  assert.match(bad.error, /refused/);
  model.check();
});

// The usual ports are the machine's: this part runs in a network of its own, which has nothing but loopback.
const alone = process.env.AGENTBOX_STORY_ALONE !== undefined;

test("model servers on this machine are found and offered", { skip: alone && "this is the part alone" }, async () => {
  const child = spawn(
    "unshare",
    [
      "-rn",
      "sh",
      "-c",
      `ip link set lo up && exec ${process.execPath} --test --test-name-pattern "alone:" ${fileURLToPath(import.meta.url)}`,
    ],
    { env: { ...process.env, AGENTBOX_STORY_ALONE: "1", NODE_TEST_CONTEXT: undefined } },
  );
  let out = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (bytes) => (out += bytes));
  const code = await new Promise((resolve) => child.on("exit", resolve));
  assert.match(out, /pass 1\b/, out);
  assert.equal(code, 0, out);
});

const serve_models = async (t, port, owned_by, ...ids) => {
  const server = createServer((request, response) => {
    const data = ids.map((id) => ({ id, object: "model", owned_by }));
    const is_list = request.method === "GET" && request.url === "/v1/models";
    response
      .writeHead(is_list ? 200 : 404, { "content-type": "application/json" })
      .end(is_list ? JSON.stringify({ object: "list", data }) : "{}");
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  t.after(() => server.close());
};

if (alone)
  test("alone: Ollama and vLLM are found at the start and on request, and used only when told", async (t) => {
    await serve_models(t, 11434, "library", "llama3:8b", "qwen3:4b");
    const box = await Box.start(t);
    const admin = await administrator(box);
    const cli = (...args) => run(["admin", "models", ...args, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
    let list;
    for (list = {}; !list.found?.probedAt; ) list = (await admin.call("GET", path)).body;
    assert.deepEqual(list.found.servers, [
      { kind: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: ["llama3:8b", "qwen3:4b"], inUse: false },
    ]);
    assert.equal(provider_in(list, "local").configured, false, "nothing is used unasked");
    assert.match(box.whole_log, /"event":"local_model_server_found","kind":"Ollama"/);

    await serve_models(t, 8000, "vllm", "mistral-small");
    const { servers } = (await admin.call("POST", "/api/admin/models/local-servers")).body;
    assert.deepEqual(
      servers.map(({ kind, models }) => [kind, models]),
      [
        ["Ollama", ["llama3:8b", "qwen3:4b"]],
        ["vLLM", ["mistral-small"]],
      ],
    );

    assert.match((await cli()).out, /Ollama at http:\/\/127\.0\.0\.1:11434\/v1: agentbox admin models use local/);
    assert.match((await cli("use", "local", "--url", "http://127.0.0.1:11434/v1", "--model", "qwen3:4b")).out, /^local +ready +set here/m);
    assert.match((await cli("probe")).out, /Ollama at \S+, in use\n/);
    assert.equal((await admin.call("GET", "/api/models")).body.models[0].id, "llama3:8b");
    assert.match((await cli("remove", "local")).out, /removed/);
    assert.equal(provider_in((await admin.call("GET", path)).body, "local").configured, false);
  });

test("any number of OpenAI-compatible servers can be added by name, tested, and asked for their models", async (t) => {
  const [lab, attic] = [await ModelServer.start(t), await ModelServer.start(t)];
  lab.lists = ["qwen3:8b", "llama3:8b"];
  attic.lists = ["phi4"];
  lab.knows_caller = attic.knows_caller = false;
  const box = await Box.start(t);
  const admin = await administrator(box),
    ada = await box.customer("ada@example.org", "network");
  for (const [provider, server] of [
    ["lab", lab],
    ["attic-2", attic],
  ]) {
    const put = await admin.call("PUT", path, { provider, baseUrl: server.url });
    assert.deepEqual([put.status, put.body.provider, put.body.configured, put.body.source], [200, provider, true, "stored"]);
  }
  lab.will(say("Hello from the lab."));
  const tested = (await admin.call("POST", `${path}/lab/test`, {})).body;
  assert.deepEqual([tested.success, tested.answer, tested.models], [true, "Hello from the lab.", lab.lists], JSON.stringify(tested));

  const { key } = (await ada.call("POST", "/api/keys", { name: "script" })).body;
  const ask = async (body) => {
    const answer = await fetch(`${box.backend}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Hello?" }], ...body }),
    });
    return answer.json();
  };
  attic.will(say("Hello from the attic."));
  const named = await ask({ model: "attic-2/phi4" });
  assert.equal(named.choices?.[0].message.content, "Hello from the attic.", JSON.stringify(named));
  assert.equal(attic.asked.at(-1).model, "phi4");
  attic.will(say("It is me again."));
  assert.equal((await ask({ model: "auto" })).choices?.[0].message.content, "It is me again.", "nothing else is configured");
  const listed = await box.backend_call("GET", "/api/ai/models");
  assert.deepEqual(
    listed.models.map(({ id }) => id).filter((id) => /^(lab|attic-2)\//.test(id)),
    ["attic-2/phi4", "lab/qwen3:8b", "lab/llama3:8b"],
  );

  // An agent may prefer one of them.
  const agent = await box.running_agent(ada);
  const prefer = (aiProvider) => ada.call("PUT", `/api/agents/${agent}/config`, { config: { aiProvider } });
  const refused = await prefer("cellar");
  assert.deepEqual([refused.status, /^config\.aiProvider must be one of: .*model servers/.test(refused.body.error)], [400, true]);
  assert.equal((await prefer("lab")).status, 200);
  lab.will(say("Hello, Scout."));
  const said = await ada.call("POST", "/api/chat", { agentId: agent, message: "Who are you?" });
  assert.equal(said.body.message?.content, "Hello, Scout.", JSON.stringify(said.body));
  const offered = (await ada.call("GET", "/api/models")).body.models.filter(({ provider }) => provider === "lab");
  assert.deepEqual(
    offered.map(({ id, available }) => [id, available]),
    lab.lists.map((name) => [`lab/${name}`, true]),
  );

  await box.end("SIGTERM");
  await box.serve();
  lab.will(say("Still here."));
  assert.equal((await ask({ model: "lab/llama3:8b" })).choices?.[0].message.content, "Still here.");
  await admin.log_in(ADMIN.email, ADMIN.password);
  assert.equal((await admin.call("DELETE", `${path}/lab`)).status, 200);
  assert.equal(provider_in((await admin.call("GET", path)).body, "lab"), undefined);
  assert.equal((await ask({ model: "lab/llama3:8b" })).error?.code, "model_not_found");
});

test("a key of the settings that is too short is reported, and the box comes up without that provider", async (t) => {
  const box = await Box.start(t, { OPENAI_API_KEY: "short" });
  assert.match(box.whole_log, /"level":"warning".*provider_not_used.*OPENAI_API_KEY is too short/);
  const admin = await administrator(box);
  const { configured, problem } = provider_in((await admin.call("GET", path)).body, "openai");
  assert.deepEqual([configured, /OPENAI_API_KEY is too short/.test(problem)], [false, true]);
});
