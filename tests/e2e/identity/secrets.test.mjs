// Where no secret may ever be: in a log, in what the system shows of a process, in a file that others can read.
import assert from "node:assert/strict";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run, send, until } from "../support/box.mjs";
import { agent_processes, command_line, descriptors, environment, listening_sockets, own_processes } from "../support/processes.mjs";
import { open_web_socket } from "../support/web_socket.mjs";

const MODEL_KEY = "sk-model-8c1f5bd0a3";
const WRONG = "a password that is not the right one";
const json = { "content-type": "application/json" };
const bearer = (token) => ({ authorization: `Bearer ${token}` });

// A model whose owner quotes the key in its refusal, as some do, and otherwise says nothing of use.
const quoting_model = async (t) => {
  const server = createServer((request, response) => {
    const message = `Incorrect API key provided: ${request.headers.authorization?.slice("Bearer ".length)}.`;
    request.resume().on("end", () => response.writeHead(401, json).end(JSON.stringify({ error: { message } })));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/v1`;
};

const boot_of = (box, id) => JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
const log_of_agent = (box, id) => readFileSync(join(box.folder, "agents", id, "run", "agent.log"), "utf8");

const assert_none_in = (text, secrets, where) => {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret?.length >= 8, `${name} is worth hiding: ${secret}`);
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64").replace(/=+$/, "")])
      assert.ok(!text.includes(form), `${where} shows ${name}`);
  }
};

const assert_json_lines = (text, where) => {
  const lines = text.trimEnd().split("\n");
  for (const line of lines) {
    const { time, level, event } = JSON.parse(line);
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, where);
    assert.ok(["debug", "info", "warning", "error"].includes(level) && event, line);
  }
  assert.ok(lines.length > 0, `${where} says something`);
};

// Everything somebody may type, send, get or be given, in the right places and in wrong ones.
const tell_all = async (box) => {
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const { gateway_token, box_token, listen } = boot_of(box, id);
  const created = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  const session = (await ada.call("GET", "/api/auth/session")).body;
  const secrets = {
    "the admin's password": ADMIN.password,
    "a user's password": PASSWORD,
    "a wrong password": WRONG,
    "the internal key": INTERNAL_KEY,
    "the model's key": MODEL_KEY,
    "the master key": readFileSync(join(box.folder, "master.key"), "utf8").trim(),
    "a session": ada.cookie.split("=")[1],
    "an API key": created.key,
    "a gateway token": gateway_token,
    "a box token": box_token,
    ...(session.csrfToken && { "a CSRF token": session.csrfToken }),
  };

  await ada.call("POST", "/api/auth/login", { email: "ada@example.org", password: WRONG });
  await ada.call("POST", "/api/auth/login", { email: PASSWORD, password: 7 });
  await ada.call("POST", `/api/${PASSWORD}?password=${encodeURIComponent(PASSWORD)}`, { [PASSWORD]: PASSWORD });
  await ada.call("POST", "/api/settings/password", { currentPassword: WRONG, newPassword: PASSWORD });
  assert.equal((await send(box.web, "POST", "/api/keys/validate", { headers: bearer(created.key) })).status, 200);
  for (const token of Object.values(secrets)) {
    await send(box.backend, "GET", `/api/agents?token=${encodeURIComponent(token)}`, { headers: bearer(token) });
    await send(box.web, "GET", `/${encodeURIComponent(token)}`, {
      headers: { ...bearer(token), cookie: `app-session=${token}`, "x-csrf-token": token },
    });
    await send(box.web, "POST", "/api/auth/login", { headers: { ...json, cookie: `a=${token}` }, body: `{"password":"${token}"` });
  }
  await run(["admin", "users"], { env: { AGENTBOX_DATA: box.folder, INTERNAL_API_KEY: INTERNAL_KEY } });

  // The agent, by chat, on its own host by link, cookie, token and WebSocket, and directly.
  const refused = await ada.call("POST", "/api/chat", { agentId: id, message: "hello" });
  assert.equal(refused.status, 502, JSON.stringify(refused.body));
  const { host } = new URL((await ada.call("GET", `/api/agents/${id}`)).body.agent.url);
  const opened = await send(box.web, "GET", `/api/agents/${id}/open`, { headers: { cookie: ada.cookie } });
  const { pathname, search, searchParams } = new URL(opened.headers.location);
  secrets["a ticket"] = searchParams.get("ticket");
  const redeemed = await send(box.web, "GET", pathname + search, { headers: { host } });
  const cookie = redeemed.headers["set-cookie"][0].split(";")[0];
  secrets["the cookie of an agent's host"] = cookie.split("=")[1];
  assert.equal((await send(box.web, "GET", pathname + search, { headers: { host } })).status, 401, "a spent ticket");
  assert.equal((await send(box.web, "GET", "/v1/models", { headers: { host, cookie } })).status, 200);
  assert.equal((await send(box.web, "GET", `/v1/models?token=${gateway_token}`, { headers: { host } })).status, 401);
  const { socket } = await open_web_socket(box.web, `/ws?token=${gateway_token}`, { host });
  socket.say({ type: "message", content: "hello" });
  assert.notEqual(await socket.hear(), undefined);
  await send(`http://${listen}`, "GET", `/ws?token=${gateway_token}`);
  await send(`http://${listen}`, "GET", "/v1/models", { headers: bearer(box_token) });

  for (const path of ["/api/summarize", "/api/extract"])
    await send(box.summarizer, "POST", path, {
      headers: { ...json, ...bearer(MODEL_KEY), cookie: ada.cookie },
      body: JSON.stringify({ url: `http://user:${MODEL_KEY}@127.0.0.1:9/?key=${created.key}` }),
    });
  return { ada, id, secrets };
};

test("no log holds a secret, whatever was typed where, and every line is JSON", async (t) => {
  const box = await Box.start(t, {
    LOG_LEVEL: "debug",
    LOCAL_MODEL_URL: await quoting_model(t),
    LOCAL_API_KEY: MODEL_KEY,
    LOCAL_MODEL: "m",
  });
  const { ada, id, secrets } = await tell_all(box);
  const [{ pid }] = agent_processes(box);
  process.kill(pid, "SIGKILL");
  await until("it is started again", () => agent_processes(box).some((one) => one.pid !== pid));
  await box.until_status(ada, id, "running");
  const told = log_of_agent(box, id);
  await ada.call("DELETE", `/api/agents/${id}`);
  await ada.call("POST", "/api/auth/signout");
  assert.equal(await box.end("SIGTERM"), 0);

  for (const [where, text] of [
    ["the log of box and summarizer", box.whole_log],
    ["the log of the agent", told],
  ]) {
    assert_json_lines(text, where);
    assert_none_in(text, secrets, where);
  }
  for (const said of ['"listener":"web"', '"listener":"backend"', '"listener":"summarizer"', '"route":"proxied"'])
    assert.ok(box.whole_log.includes(said), `the story went by ${said}`);
});

test("the system shows no secret of a process, and children inherit none", async (t) => {
  const box = await Box.start(t, { LOCAL_MODEL_URL: await quoting_model(t), LOCAL_API_KEY: MODEL_KEY, LOCAL_MODEL: "m" });
  const { secrets } = await tell_all(box);
  const own = own_processes(box),
    agents = agent_processes(box);
  assert.deepEqual([own.length, agents.length], [2, 1]);
  for (const { pid, arguments: given } of own) {
    assert_none_in(command_line(pid), secrets, `the command line of ${given}`);
    assert_none_in(environment(pid), secrets, `the environment of ${given}`);
  }
  const [{ pid }] = agents;
  assert_none_in(command_line(pid), secrets, "the agent's command line");
  assert_none_in(environment(pid), secrets, "the agent's environment");
  const names = environment(pid)
    .split("\0")
    .filter(Boolean)
    .map((line) => line.split("=")[0]);
  assert.deepEqual(names.sort(), ["HOME", "LANG", "PATH"], "the agent gets an environment of its own");
});

test("children inherit no descriptor of the box", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const workspace = join(box.folder, "agents", id, "workspace");
  const own_log = join(box.folder, "agents", id, "run", "agent.log");
  const of_box = Object.values(descriptors(box.child.pid)).filter((what) => /^(socket|pipe):/.test(what));
  const [agent] = agent_processes(box),
    summarizer = own_processes(box).find(({ pid }) => pid !== box.child.pid);
  // The socket it accepts from: the box keeps it, so that requests queue while it starts anew. What people connect to stays the box's.
  const { 0: _, 1: __, 2: ___, ...of_summarizer } = descriptors(summarizer.pid);
  const listener = [...new Set(Object.values(of_summarizer).filter((what) => what.startsWith("socket:") && of_box.includes(what)))];
  assert.equal(listener.length, 1);
  for (const url of [box.web, box.backend, box.summarizer]) assert.ok(!listening_sockets(url).includes(listener[0]), url);
  // The pipe to which it writes what it has fetched, for the ledger of what leaves the box.
  const reports = Object.values(of_summarizer).filter((what) => what.startsWith("pipe:") && of_box.includes(what));
  assert.equal(reports.length, 1);
  for (const [pid, standard, allowed] of [
    [agent.pid, [own_log, own_log], []],
    [summarizer.pid, undefined, [...listener, ...reports]],
  ]) {
    const { 0: input, 1: output, 2: errors, ...others } = descriptors(pid);
    assert.equal(input, "/dev/null");
    if (standard) assert.deepEqual([output, errors], standard);
    for (const what of Object.values(others)) {
      assert.ok(allowed.includes(what) || !of_box.includes(what), `${pid} shares ${what} with the box`);
      assert.ok(!what.startsWith(box.folder) || what.startsWith(workspace), `${pid} holds ${what}`);
    }
  }
});

test("the data folder is private, down to every file", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  await ada.call("POST", "/api/chat", { agentId: id, message: "remember that this is private" });
  const mode = (path) => lstatSync(path).mode & 0o777;
  // Agents of a root box are other users: they may pass through to their own files and see nothing on the way.
  const passages = ["", "agents", `agents/${id}`, `agents/${id}/run`].map((path) => join(box.folder, path).replace(/\/$/, ""));
  for (const path of passages) assert.equal(mode(path) & 0o066, 0, `${path} can be listed: ${mode(path).toString(8)}`);
  const files = readdirSync(box.folder, { recursive: true }).map((path) => join(box.folder, path));
  assert.ok(files.some((path) => path.endsWith("memory.jsonl")) && files.some((path) => path.endsWith("master.key")));
  const is_behind_a_closed_folder = (path) => files.some((above) => path.startsWith(`${above}/`) && (mode(above) & 0o011) === 0);
  for (const path of files)
    if (!passages.includes(path) && !is_behind_a_closed_folder(path))
      assert.equal(mode(path) & 0o077, 0, `${path} is open to others: ${mode(path).toString(8)}`);
});
