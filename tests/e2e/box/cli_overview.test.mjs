// The command line shows the running box: for people as tables, for programs as JSON; what loses something asks first.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, binary, run, until } from "../support/box.mjs";

const env = { INTERNAL_API_KEY: INTERNAL_KEY };

test("status, agents, usage, caps and keys, as tables and as JSON", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    agent = await box.running_agent(ada, "Scout");
  const cli = async (...args) => {
    const ended = await run([...args, "--data", box.folder], { env });
    assert.deepEqual([ended.code, ended.err], [0, ""], `${args}: ${JSON.stringify(ended)}`);
    return ended.out;
  };
  const parsed = async (...args) => JSON.parse(await cli(...args, "--json"));
  assert.match(await cli("status"), /^status +ok\nstore +\S+\nagents +1 of 1 running\nmodels +builtin\n/);
  const status = await parsed("status");
  assert.deepEqual([status.health.status, status.agents], ["ok", { total: 1, running: 1 }]);
  assert.match(await cli("agents"), new RegExp(`^ID +STATUS +NAME +MODEL +OWNER\n${agent} +running +Scout +\\S+ +ada@example.org\n$`));
  assert.deepEqual(
    (await parsed("agents", "--user", "ada@example.org")).map(({ id }) => id),
    [agent],
  );
  assert.deepEqual(await parsed("agents", "--status", "stopped"), []);

  await ada.call("POST", "/api/chat", { agentId: agent, message: "Hello?" });
  assert.ok((await parsed("usage", "--user", "ada@example.org")).day.calls >= 1);
  assert.match(await cli("usage"), /^PERIOD +CALLS +FAILED +INPUT +OUTPUT +USD\n\d{4}-\d\d-\d\d +\d/);
  await box.backend_call("PUT", "/api/admin/caps", { userId: ada.id, scope: "user", period: "day", tokens: 1000 });
  assert.match(await cli("caps", "--user", ada.id), /\S+ +user +\S+ +day +1000 +- +refuse\n$/);
  assert.equal((await parsed("caps", "--user", ada.id))[0].tokens, 1000);
  await box.backend_call("POST", "/api/admin/operator-keys", { name: "ci", scopes: ["backup"] });
  assert.match(await cli("keys"), /^ci +backup +\d{4}-/m);
  assert.deepEqual(
    (await parsed("keys")).map(({ name }) => name),
    ["ci"],
  );

  assert.match(await cli("agents", "stop", agent), /is stopped/);
  assert.match(await cli("agents", "start", agent), /is running/);
  const refused = await run(["agents", "delete", agent, "--data", box.folder], { env });
  assert.deepEqual([refused.code, refused.err], [2, `agentbox: Remove the agent ${agent} with all its files? Confirm with --yes\n`]);
  assert.match(await cli("agents", "delete", agent, "--yes"), /is removed/);
  assert.deepEqual(await parsed("agents"), []);
  await box.end("SIGTERM");
  assert.match((await run(["status", "--data", box.folder], { env })).err, /no box answers/);
  await box.serve();
});

test("logs prints what an agent writes, and follows it", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    agent = await box.running_agent(ada, "Scout");
  const printed = await run(["logs", agent, "--data", box.folder, "--json"], { env });
  const lines = printed.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(lines.length > 0 && lines.every(({ text }) => typeof text === "string"), printed.out);
  assert.match((await run(["logs", "ag_nobody", "--data", box.folder], { env })).err, /^agentbox: \S/);

  const child = spawn(binary, ["logs", agent, "-f", "-n", "1", "--data", box.folder], { env: { PATH: process.env.PATH, ...env } });
  t.after(() => child.kill());
  let out = "";
  child.stdout.on("data", (bytes) => (out += bytes));
  await until("the newest line", () => out.split("\n").length > 1);
  const before = out.length;
  await ada.call("POST", `/api/instance/${agent}/restart`, {});
  await until("a new line", () => out.length > before);
});

test("a scrape of a fresh box is small, and a route appears once it has answered", async (t) => {
  const box = await Box.start(t);
  const scrape = async () => {
    const answer = await fetch(`${box.backend}/metrics`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } });
    return answer.text();
  };
  // A request is counted once its answer is sent.
  const appears = (pattern) => until(`${pattern}`, async () => pattern.test(await scrape()));
  await appears(/^agentbox_http_requests_total\{listener="backend",method="GET",route="\/metrics",status="2xx"\} \d+$/m);
  const text = await scrape();
  assert.ok(text.length < 100_000, `${text.length} bytes`);
  assert.doesNotMatch(text, /route="\/api\/auth\/login"/);
  await box.person().log_in(ADMIN.email, ADMIN.password);
  await appears(/route="\/api\/auth\/login",status="2xx"\} 1$/m);
});
