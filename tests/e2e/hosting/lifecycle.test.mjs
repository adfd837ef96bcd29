// What can be done with an agent beside starting and stopping it: repair, update, heartbeats, actions by name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { agent_processes } from "../support/processes.mjs";

const with_agent = async (t, env) => {
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org", "network");
  return { box, ada, id: await box.running_agent(ada) };
};
const pid_of = (box, id) => agent_processes(box).find((one) => one.id === id)?.pid;
const detail = async (person, id) => (await person.call("GET", `/api/agents/${id}`)).body.agent;

test("a repair ends the process, hung or not, and starts another", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const hung = pid_of(box, id);
  process.kill(hung, "SIGSTOP"); // checks are two minutes apart: only its owner has noticed
  const begun = await ada.call("POST", `/api/instance/${id}/repair`);
  assert.deepEqual([begun.status, begun.body.success, begun.body.status], [200, true, "provisioning"]);
  await until("another process", () => ![undefined, hung].includes(pid_of(box, id)));
  await box.until_status(ada, id, "running");
  const { watchdog } = await detail(ada, id);
  assert.deepEqual([watchdog.state, watchdog.repairs], ["repairing", 1], "it is verified half a minute later");
  assert.match(watchdog.history.at(-1).reason, /Its owner has it repaired/);

  await ada.call("POST", `/api/instance/${id}/stop`);
  assert.equal((await box.backend_call("POST", `/api/agents/${id}/repair`)).status, "provisioning");
  await box.until_status(ada, id, "running");
});

test("an update runs it anew in the same workspace", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const first = pid_of(box, id);
  await ada.call("POST", "/api/chat", { agentId: id, message: "remember that the demo is on Friday" });
  const updated = await ada.call("POST", `/api/instance/${id}/update`, {});
  assert.deepEqual([updated.status, updated.body.status], [200, "running"]);
  assert.notEqual(pid_of(box, id), first);
  assert.equal((await ada.call("GET", `/api/memory?agentId=${id}`)).body.count, 1);
  assert.equal((await ada.call("POST", `/api/instance/${id}/update`)).status, 200, "no body is none that says anything");

  const image = { image: "registry.example/agent:2" };
  assert.equal((await ada.call("POST", `/api/instance/${id}/update`, image)).status, 403);
  assert.match((await box.backend_call("POST", `/api/agents/${id}/update`, image)).error, /^image: .*processes/);
  for (const wrong of ["../../containers", "a b", "/a", "a?b", "a#b", "%2e"])
    assert.match((await box.backend_call("POST", `/api/agents/${id}/update`, { image: wrong })).error, /^image must be/);
  assert.equal((await detail(ada, id)).status, "running");
});

test("agentId in the body or query selects one of several agents, and only one of the caller's", async (t) => {
  const { box, ada, id: first } = await with_agent(t);
  const { id: second } = await box.backend_call("POST", "/api/agents", { name: "Second", userId: ada.id });
  const status_of = async (id) => (await detail(ada, id)).status;
  const at = (path, body, person = ada) => person.call("POST", `/api/instance/${path}`, body);

  assert.match((await at(`${ada.id}/stop`)).body.error, /^You have 2 agents: name the one/);
  const started = await at(`${ada.id}/start`, { agentId: second });
  assert.deepEqual([started.status, started.body.id, started.body.status], [200, second, "running"]);
  assert.equal((await at(`${ada.id}/stop?agentId=${second}`)).body.id, second);
  assert.deepEqual([await status_of(first), await status_of(second)], ["running", "stopped"]);
  assert.equal((await ada.call("GET", `/api/instance/${ada.id}?agentId=${second}`)).body.id, second);
  assert.equal((await ada.call("GET", `/api/instance/${ada.id}/stats?agentId=${second}`)).body.id, second);
  assert.equal((await at(`${first}/restart`, { agentId: first })).status, 200, "saying it twice is fine");

  for (const [path, body] of [
    [`${first}/stop`, { agentId: second }],
    [`${first}/stop?agentId=${second}`],
    [`${ada.id}/stop?agentId=${first}`, { agentId: second }],
  ]) {
    const refused = await at(path, body);
    assert.equal(refused.status, 400, path);
    assert.match(refused.body.error, /^agentId/);
  }
  assert.match((await box.backend_call("POST", `/api/agents/${first}/stop`, { agentId: second })).error, /^agentId/);
  const eve = await box.customer("eve@example.org");
  assert.equal((await at(`${eve.id}/stop`, { agentId: first }, eve)).status, 404);
  await ada.call("DELETE", `/api/agents/${second}`);
  assert.equal((await at(`${ada.id}/stop`, { agentId: second })).status, 404, "also with one agent alone");
  const nonsense = await fetch(`${box.web}/api/instance/${first}/stop`, {
    method: "POST",
    headers: { cookie: ada.cookie, "content-type": "application/json" },
    body: "nonsense",
  });
  assert.equal(nonsense.status, 400);
  assert.equal(await status_of(first), "running");
});

test("a stop that a start overtakes does not claim to have stopped it", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const pid = pid_of(box, id);
  process.kill(pid, "SIGSTOP"); // it cannot obey yet
  const stop = ada.call("POST", `/api/instance/${id}/stop`);
  await until("the stop is under way", async () => (await detail(ada, id)).status === "stopping");
  const start = ada.call("POST", `/api/instance/${id}/start`);
  await until("the start is accepted", async () => (await detail(ada, id)).status === "provisioning");
  process.kill(pid, "SIGCONT");
  const [stopped, started] = await Promise.all([stop, start]);
  assert.deepEqual([started.status, started.body.status], [200, "running"]);
  assert.equal(stopped.status, 409, JSON.stringify(stopped.body));
  assert.match(stopped.body.error, /opposite.*running/);
});

test("a message to an agent that is about to run waits for it; one that is stopped refuses", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const chat = (message, more) => ada.call("POST", "/api/chat", { agentId: id, message, ...more });
  const restarting = ada.call("POST", `/api/instance/${id}/restart`);
  await until("the restart begins", async () => (await detail(ada, id)).status === "provisioning");
  const answers = await Promise.all([chat("remember that one is one"), chat("remember that two is two")]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await restarting).body.status, "running");
  const { messages } = (await ada.call("GET", `/api/agents/${id}/messages`)).body;
  assert.deepEqual(
    messages.filter(({ role }) => role === "user").map(({ delivery }) => delivery),
    ["answered", "answered"],
  );

  await ada.call("POST", `/api/instance/${id}/stop`);
  const refused = await chat("hello?");
  assert.deepEqual([refused.status, refused.body.error], [409, "This agent is not running: start it, then send the message again."]);
  assert.equal((await chat("hello?", { stream: true })).status, 409, "also before a stream begins");
  assert.equal((await ada.call("GET", `/api/chat?agentId=${id}`)).body.count, messages.length, "and nothing of it is kept");
});

test("an answer streams as it comes", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const answer = await fetch(`${box.web}/api/chat`, {
    method: "POST",
    headers: { cookie: ada.cookie, "content-type": "application/json" },
    body: JSON.stringify({ agentId: id, message: "remember that the demo is on Friday", stream: true }),
  });
  assert.match(answer.headers.get("content-type"), /^text\/event-stream/);
  const events = (await answer.text())
    .split("\n\n")
    .filter((text) => text.startsWith("event:"))
    .map((text) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(text);
      return [name, JSON.parse(data)];
    });
  const [last, done] = events.pop();
  assert.equal(last, "done");
  assert.deepEqual([...new Set(events.map(([name]) => name))], ["tool_call", "tool_result", "delta"]);
  const words = events.filter(([name]) => name === "delta").map(([, { content }]) => content);
  assert.equal(words.join(""), done.message.content);
  assert.equal((await ada.call("GET", `/api/chat?agentId=${id}`)).body.messages.at(-1).content, done.message.content);
  assert.ok(done.usage.total_tokens > 0);
});

test("a heartbeat is set, shown and removed", async (t) => {
  const { ada, id } = await with_agent(t);
  const get = async () => (await ada.call("GET", `/api/heartbeat?agentId=${id}`)).body.heartbeat;
  const post = (body) => ada.call("POST", "/api/heartbeat", { agentId: id, ...body });
  const { frequency, enabled, lastHeartbeat, nextHeartbeat } = await get();
  assert.deepEqual([frequency, enabled, lastHeartbeat, nextHeartbeat], ["3h", true, null, null]);
  const before = Date.now();
  const set = await post({ frequency: "30m" });
  assert.equal(set.status, 200);
  const next = Date.parse(set.body.heartbeat.nextHeartbeat);
  assert.ok(next >= before + 30 * 60_000 - 1_000 && next <= Date.now() + 30 * 60_000, set.body.heartbeat.nextHeartbeat);
  assert.ok(set.body.heartbeat.lastUpdated);
  assert.equal((await post({ enabled: false })).body.heartbeat.nextHeartbeat, null);
  assert.equal((await get()).frequency, "30m");
  for (const wrong of ["", "0m", "3", "3s", "h3", "-1h", "400d", 3])
    assert.match((await post({ frequency: wrong })).body.error, /frequency/, String(wrong));
  assert.deepEqual((await ada.call("GET", "/api/scheduled-tasks")).body.tasks, []);
  assert.match((await ada.call("GET", "/api/heartbeat")).body.error, /agentId/);
  assert.match((await ada.call("POST", "/api/heartbeat", {})).body.error, /agentId/);
  assert.deepEqual((await ada.call("DELETE", "/api/heartbeat", { agentId: id })).body, { success: true });
  assert.equal((await get()).frequency, "3h");
});

test("actions by name do the same as their own routes, to the caller's agents only", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const eve = await box.customer("eve@example.org");
  const get = (person, query) => person.call("GET", `/api/agent?${query}`);
  assert.equal((await get(ada, "action=status")).body.agent.id, id, "the only one needs no name");
  assert.deepEqual(
    (await get(ada, `action=list&userId=${eve.id}`)).body.agents.map((agent) => agent.id),
    [id],
  );
  assert.deepEqual((await get(eve, `action=list&userId=${ada.id}`)).body.agents, []);
  assert.equal((await get(eve, `action=status&userId=${ada.id}`)).status, 404);
  assert.equal((await get(eve, `action=messages&agentId=${id}`)).status, 404);
  const told = await ada.call("POST", "/api/agent", { action: "message", message: "remember that one is one" });
  assert.equal(told.status, 200, JSON.stringify(told.body));
  assert.equal((await get(ada, "action=messages")).body.count, 2);
  assert.equal((await ada.call("POST", "/api/agent", { action: "stop" })).body.status, "stopped");
  assert.equal((await eve.call("POST", "/api/agent", { action: "start", agentId: id, userId: ada.id })).status, 404);
  assert.equal((await detail(ada, id)).status, "stopped");
  assert.equal((await ada.call("POST", "/api/agent", { action: "start", agentId: id })).body.status, "running");
  assert.match((await ada.call("POST", "/api/agent", { action: "explode" })).body.error, /^action must be one of/);
  assert.match((await ada.call("POST", "/api/agent", { action: "message" })).body.error, /^message/);
  assert.match((await ada.call("GET", "/api/agent")).body.error, /action/);
});

test("payment wallets are created and shown, and pay on the box's own ledger without a chain", async (t) => {
  const { box, ada } = await with_agent(t);
  const eve = await box.customer("eve@example.org");
  const post = (person, body) => person.call("POST", "/api/agent/mpp", body);
  const get = (person, query) => person.call("GET", `/api/agent/mpp?${query}`);
  const { wallet } = (await post(ada, { action: "create-wallet", name: "purse" })).body;
  assert.deepEqual([wallet.name, wallet.kind], ["purse", "created"]);
  assert.match(wallet.address, /^0x[0-9a-fA-F]{40}$/);
  const known = { action: "register-wallet", address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" };
  assert.equal((await post(ada, known)).body.wallet.kind, "registered");
  assert.equal((await post(ada, known)).status, 409);
  assert.match((await post(ada, { ...known, address: known.address.replace("5aA", "5aa") })).body.error, /^address/);
  const list = (await get(ada, "action=list-wallets")).body;
  assert.deepEqual([list.count, list.wallets[0].address], [2, wallet.address]);
  assert.deepEqual((await get(eve, `action=list-wallets&userId=${ada.id}`)).body.wallets, []);
  assert.equal((await get(eve, `action=get-wallet&walletId=${wallet.id}`)).status, 404);
  assert.equal((await get(ada, `action=get-wallet&walletId=${wallet.id}`)).body.wallet.address, wallet.address);
  const balance = (await get(ada, `action=get-balance&walletId=${wallet.id}`)).body;
  assert.deepEqual([balance.balance, balance.currency, balance.network], ["0", "USDC", "ledger"]);
  assert.equal((await get(ada, `action=get-balance&walletId=${list.wallets[1].id}`)).status, 503, "a wallet from elsewhere");
  const payment = { action: "make-payment", walletId: wallet.id, to: known.address, amount: "1.5" };
  assert.match((await post(ada, payment)).body.error, /^to must be a wallet of this box/);
  const { wallet: eves } = (await post(eve, { action: "create-wallet", name: "purse" })).body;
  assert.equal((await post(ada, { ...payment, to: eves.address })).body.code, "INSUFFICIENT_BALANCE");
  for (const amount of ["0", "-1", "1e3", "0.0000001", "", undefined])
    assert.match((await post(ada, { ...payment, amount })).body.error, /amount/, String(amount));
  assert.match((await post(ada, { ...payment, to: "0x1" })).body.error, /^to/);
  assert.equal((await post(ada, { ...payment, walletId: list.wallets[1].id })).status, 409, "its key is elsewhere");
  assert.equal(JSON.stringify([list, wallet]).includes("key"), false);
});
