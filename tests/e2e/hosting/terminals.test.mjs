// Terminals of owners in their agents' workspaces: who may have one, what its shell sees, and what ends it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, INTERNAL_KEY, PASSWORD, until } from "../support/box.mjs";
import { story_of } from "../support/command_story.mjs";
import { processes } from "../support/processes.mjs";
import { include_terminals, open_terminal } from "../support/terminal_story.mjs";

const skip = process.getuid() !== 0 ? "reads the agent's token as root" : undefined;

const runs = (words) => processes().some(({ arguments: found }) => found.join(" ") === words);

const story = async (t, env = {}) => {
  const all = await story_of(t, env);
  await include_terminals(all.box, "solo");
  return { ...all, open: (size) => open_terminal(t, all.box, all.ada, all.agent, size) };
};
const audit_of = async (box) => {
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  return (await admin.call("GET", "/api/admin/audit?limit=100")).body;
};

test("a plan has no terminals until the administrator adds them", { skip }, async (t) => {
  const { box, ada, agent } = await story_of(t);
  const path = `/api/agents/${agent}/terminals`;
  const sentence = "The agent's plan does not include terminals. The administrator can add them to it.";
  const none = { included: false, available: false, reason: sentence, terminals: [] };
  assert.deepEqual((await ada.call("GET", path)).body, none);
  const refused = await ada.call("POST", path, { columns: 80, rows: 24 });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error, sentence);

  assert.match((await include_terminals(box, "nothing")).error, /^No such plan/);
  await include_terminals(box, "solo");
  const { plans } = await box.backend_call("GET", "/api/admin/plans/terminals");
  assert.deepEqual(
    plans.filter(({ included }) => included).map(({ plan }) => plan),
    ["solo"],
  );
  assert.deepEqual((await ada.call("GET", path)).body, { included: true, available: true, reason: null, terminals: [] });

  const eve = await box.customer("eve@example.org");
  const terminal = await open_terminal(t, box, ada, agent);
  for (const [method, at, body] of [
    ["GET", path],
    ["POST", path, { columns: 80, rows: 24 }],
    ["GET", terminal.path],
    ["POST", `${terminal.path}/input`, { text: "ls\r" }],
    ["PUT", `${terminal.path}/size`, { columns: 80, rows: 24 }],
    ["DELETE", terminal.path],
  ])
    assert.equal((await eve.call(method, at, body)).status, 404, `${method} ${at}`);
  // A builder of the agent gets none either.
  await ada.call("PUT", `/api/agents/${agent}/shares`, { email: "eve@example.org", role: "builder", unverified: true });
  assert.equal((await eve.call("POST", path, { columns: 80, rows: 24 })).status, 404);

  const running = (await ada.call("GET", path)).body.terminals.map(({ id }) => id);
  assert.deepEqual(running, [terminal.id]);
  await include_terminals(box, "solo", false);
  const { reason } = await terminal.ends();
  assert.equal(reason, "The plan no longer includes terminals.");
});

test("a shell has what a terminal has: programs that ask, ^C, sizes and every script", { skip }, async (t) => {
  const { open, workspace } = await story(t);
  writeFileSync(join(workspace, "notes.txt"), "high tide");
  const terminal = await open({ columns: 90, rows: 30 });
  assert.match(await terminal.says("ls"), /notes\.txt/);
  assert.match(await terminal.says("tty -s && stty size"), /30 90/);
  assert.match(await terminal.says("pwd"), /\/workspace/);

  await terminal.type("python3\r");
  await terminal.shows(">>> ");
  await terminal.type("print('größe', 6 * 7, '潮')\r");
  await terminal.shows("größe 42 潮");
  await terminal.type("exit()\r");

  await terminal.type("sleep 4711\r");
  await until("the program runs", () => runs("sleep 4711"));
  await terminal.type("\x03");
  await until("the program has ended", () => !runs("sleep 4711"));
  assert.match(await terminal.says("echo $?"), /130/);

  await terminal.type("exit 3\r");
  assert.deepEqual(await terminal.ends(), { exitCode: 3, reason: null });
});

test("a terminal can be resized, and what it writes waits for its reader", { skip }, async (t) => {
  const { ada, open } = await story(t);
  const terminal = await open();
  assert.equal((await ada.call("PUT", `${terminal.path}/size`, { columns: 132, rows: 43 })).status, 200);
  assert.match(await terminal.says("stty size"), /43 132/);
  const written = await terminal.says("head -c 3000000 /dev/zero | tr '\\0' x");
  assert.equal(written.match(/x/g).length >= 3_000_000, true, `${written.length}`);
  for (const [field, body] of [
    ["columns", { columns: 0, rows: 24 }],
    ["rows", { columns: 80, rows: 1_001 }],
  ]) {
    const refused = await ada.call("PUT", `${terminal.path}/size`, body);
    assert.equal(refused.status, 400);
    assert.match(refused.body.error, new RegExp(`^${field} `));
  }
});

test("its shell sees the workspace alone: no files of the box, no secrets, no token", { skip }, async (t) => {
  const { box, open, token } = await story(t);
  const terminal = await open();
  const everything = await terminal.says(
    `env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' ' '; ls /proc | head -50; ls -la / /workspace /run ${box.folder}`,
  );
  assert.doesNotMatch(everything, new RegExp(token));
  assert.match(everything, /No such file or directory/);
  assert.equal(everything.includes(INTERNAL_KEY), false);
  assert.match(await terminal.says("cat .agentbox/* skills/x 2>&1 | head -3; echo a > AGENT.md"), /No such|denied|Read-only/);
  // The box itself is not reached.
  const port = new URL(box.backend).port;
  assert.match(await terminal.says(`curl -sS --noproxy '*' -m 5 http://127.0.0.1:${port}/health`), /refused|Couldn't connect|Failed/i);
});

test("its opening and its end are in the audit log, and nothing that was typed", { skip }, async (t) => {
  const { box, open } = await story(t);
  const terminal = await open();
  await terminal.says("echo canary-4711");
  await terminal.type("exit\r");
  await terminal.ends();
  const acts = async () => JSON.stringify(await audit_of(box));
  await until("the end is recorded", async () => (await acts()).includes("terminal of an agent ended"));
  const all = await acts();
  assert.match(all, /terminal of an agent opened/);
  assert.match(all, /ok, after \d+ s/);
  assert.doesNotMatch(all, /canary/);
});

test("a terminal ends without input, without its page, and with its agent", { skip }, async (t) => {
  const { ada, agent, open } = await story(t, { TERMINAL_IDLE_TIME: "4s" });
  const idle = await open();
  await idle.type("sleep 4712\r");
  assert.equal((await idle.ends()).reason, "Nothing was typed for a long time.");
  await until("its program has ended", () => !runs("sleep 4712"));

  const left = await open();
  await left.type("sleep 4713\r");
  await until("the program runs", () => runs("sleep 4713"));
  left.stream.close();
  const typed = setInterval(() => left.type(" ").catch(() => undefined), 1_000); // so that it is not idle
  t.after(() => clearInterval(typed));
  await until("its program has ended", () => !runs("sleep 4713"), 40_000);
  clearInterval(typed);

  const last = await open();
  assert.equal((await ada.call("POST", `/api/instance/${agent}/stop`)).status, 200);
  assert.equal((await last.ends()).reason, "The agent was stopped.");
  const refused = await ada.call("POST", `/api/agents/${agent}/terminals`, { columns: 80, rows: 24 });
  assert.equal(`${refused.status} ${refused.body.error}`, "409 The agent does not run.");
});

test("a terminal ends with the session that has opened it, also while another one reads it", { skip }, async (t) => {
  const { box, ada, agent } = await story(t);
  const other = box.person();
  assert.equal((await other.log_in("ada@example.org", PASSWORD)).status, 200);
  const terminal = await open_terminal(t, box, other, agent);
  await terminal.type("sleep 4714\r");
  await until("the program runs", () => runs("sleep 4714"));
  assert.equal((await other.call("POST", "/api/auth/signout")).status, 200);
  const reading = setInterval(() => ada.call("GET", terminal.path).catch(() => undefined), 500);
  t.after(() => clearInterval(reading));
  await until("its program has ended", () => !runs("sleep 4714"), 10_000);
});

test("an agent has two terminals at most", { skip }, async (t) => {
  const { ada, agent, open } = await story(t);
  const [first] = [await open(), await open()];
  const path = `/api/agents/${agent}/terminals`;
  const third = await ada.call("POST", path, { columns: 80, rows: 24 });
  assert.equal(`${third.status} ${third.body.error}`, "429 This agent has 2 open terminals: close one first.");
  assert.equal((await ada.call("DELETE", first.path)).status, 200);
  assert.equal((await first.ends()).reason, "It was closed.");
  assert.equal((await ada.call("POST", path, { columns: 80, rows: 24 })).status, 201);
});

test("where commands are off, it says why", { skip }, async (t) => {
  const { ada, agent } = await story(t, { AGENT_TOOLS: "off" });
  const found = (await ada.call("GET", `/api/agents/${agent}/terminals`)).body;
  assert.deepEqual(found, { included: true, available: false, reason: "AGENT_TOOLS is off.", terminals: [] });
  const refused = await ada.call("POST", `/api/agents/${agent}/terminals`, { columns: 80, rows: 24 });
  assert.equal(`${refused.status} ${refused.body.error}`, "409 AGENT_TOOLS is off.");
});
