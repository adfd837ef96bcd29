// Agents that run commands: what they get, what they reach, and what ends them. At each level of isolation a hostile
// command tries what it must not.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { attacks_of } from "../support/command_attacks.mjs";
import { commands_of, story_of, with_service } from "../support/command_story.mjs";
import { call, say } from "../peers/model_server.mjs";
import { processes } from "../support/processes.mjs";

const skip = process.getuid() !== 0 ? "reads the agent's token as root" : undefined;

test("a model runs commands and code, whose files the turn's commit has", { skip }, async (t) => {
  const { ada, agent, model, box } = await story_of(t);
  model.will(
    call(["run_command", { shell: "echo hello; echo trouble >&2; echo data > made.txt; exit 3" }]),
    call(["run_code", { language: "python", code: "print(6 * 7)" }]),
    call(["run_code", { language: "javascript", code: "console.log(require('fs').readFileSync('made.txt', 'utf8'))" }]),
    call(["run_command", { arguments: ["cat"], input: 'it\'s "quoted" $HOME' }]),
    say("Done."),
  );
  const answer = await fetch(`${box.web}/api/chat`, {
    method: "POST",
    headers: { cookie: ada.cookie, "content-type": "application/json" },
    body: JSON.stringify({ agentId: agent, message: "work", stream: true }),
  });
  const events = await answer.text();
  model.check();
  const results = model.asked
    .at(-1)
    .messages.filter(({ role }) => role === "tool")
    .map(({ content }) => JSON.parse(content));
  assert.equal(results[0].exitCode, 3);
  assert.equal(results[0].output, "hello\ntrouble\n");
  assert.deepEqual(results[0].changedFiles, ["made.txt"]);
  assert.equal(results[1].output, "42\n");
  assert.equal(results[2].output, "data\n\n");
  assert.equal(results[3].output, 'it\'s "quoted" $HOME');
  assert.match(events, /event: tool_output\ndata: \{"id":"[^"]+","name":"run_command","output":"hello\\n/);
  const { body } = await ada.call("GET", `/api/agents/${agent}/commands`);
  assert.equal(body.available, true);
  assert.deepEqual(
    body.commands.map(({ exitCode }) => exitCode),
    [3, 0, 0, 0],
  );
});

test("two that wait for the same output cost no processor time", { skip }, async (t) => {
  const { box, start, ask } = await story_of(t);
  const id = await start({ shell: "sleep 30", background: true });
  const spent = () => {
    const fields = readFileSync(`/proc/${box.child.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return Number(fields[11]) + Number(fields[12]); // hundredths of a second
  };
  const before = spent();
  const answers = await Promise.all([5000, 4000, 4500].map((wait) => ask("GET", `/${id}/output?waitMs=${wait}`)));
  assert.ok(answers.every(({ status, body }) => status === 200 && body.running));
  assert.ok(spent() - before < 50, `${spent() - before} hundredths of a second`);
});

test("what ended commands have written takes no more of the box than a few of them", { skip }, async (t) => {
  const { start, finish, ask } = await story_of(t);
  const ids = [];
  for (let number = 0; number < 8; ++number) {
    ids.push(await start({ shell: "yes 0123456789 | head -c 1000000" }));
    const { output } = await finish(ids.at(-1));
    assert.equal(output.length, 1_000_000);
  }
  const kept = await Promise.all(ids.map(async (id) => 1_000_000 - (await ask("GET", `/${id}/output?from=0`)).body.dropped));
  assert.equal(kept.at(-1), 1_000_000);
  assert.ok(
    kept.every((bytes) => bytes >= 60_000),
    kept.join(),
  );
  assert.ok(kept.reduce((sum, bytes) => sum + bytes) < 4_500_000, kept.join());
});

test("a process runs on between turns, is written to, and is stopped", { skip }, async (t) => {
  const { start, ask, finish, ada, agent } = await story_of(t);
  const id = await start({ shell: "while read line; do echo got $line; done; echo end", background: true });
  assert.equal((await ask("POST", `/${id}/input`, { text: "one\n" })).status, 200);
  const first = await until("the answer", async () => {
    const { body } = await ask("GET", `/${id}/output?waitMs=1000`);
    return body.output.includes("got one") && body;
  });
  assert.equal(first.running, true);
  assert.equal((await ask("POST", `/${id}/input`, { text: "two\n", end: true })).status, 200);
  const all = await finish(id);
  assert.equal(all.output, "got one\ngot two\nend\n");
  assert.equal(all.exitCode, 0);
  assert.equal((await ask("POST", `/${id}/input`, { text: "x" })).status, 409);

  // How it ended is known even if that is before the box's request has been passed on in full.
  for (let time = 0; time < 8; ++time) {
    const polite = await start({ shell: "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done", background: true });
    await until("its start", async () => (await ask("GET", `/${polite}/output`)).body.output.includes("up"));
    const stopped = await ask("DELETE", `/${polite}`);
    assert.equal(stopped.body.exitCode, 5, JSON.stringify(stopped.body));
    assert.match((await finish(polite)).output, /bye/);
  }

  const stubborn = await start({ shell: "trap '' TERM; echo up; while :; do sleep 0.05; done", background: true });
  await until("its start", async () => (await ask("GET", `/${stubborn}/output`)).body.output.includes("up"));
  const killed = await ada.call("DELETE", `/api/agents/${agent}/commands/${stubborn}`);
  assert.equal(killed.body.exitCode, 137);
  assert.equal(killed.body.endedBecause, "It was stopped.");
});

test("bad orders are refused with the field, and other agents' commands do not exist", { skip }, async (t) => {
  const { ask, start, sh, box } = await story_of(t);
  for (const [body, error] of [
    [{}, /either arguments .* or shell/],
    [{ shell: "true", arguments: ["true"] }, /either arguments .* or shell/],
    [{ arguments: [] }, /arguments/],
    [{ arguments: [""] }, /arguments\[0\]/],
    [{ shell: "a\0b" }, /shell/],
    [{ shell: "true", environment: { "A=B": "x" } }, /environment\.A=B/],
    [{ shell: "true", environment: { A: 5 } }, /environment\.A /],
    [{ shell: "true", timeoutSeconds: 1801 }, /timeoutSeconds/],
    [{ shell: "true", timeoutSeconds: 0 }, /timeoutSeconds/],
  ]) {
    const { status, body: answer } = await ask("POST", "", body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(answer.error, error);
  }
  assert.equal((await sh("pwd", { folder: "nowhere" })).exitCode, 126);
  assert.equal((await sh("echo $A", { environment: { A: "it's $(id)" } })).output, "it's $(id)\n");
  const id = await start({ shell: "sleep 60" });
  const eve = await box.customer("eve@example.org");
  const other = await box.running_agent(eve);
  assert.equal((await eve.call("DELETE", `/api/agents/${other}/commands/${id}`)).status, 404);
  assert.equal((await ask("GET", "/cmd_nothing/output")).status, 404);
});

test("time, output, memory, processes, descriptors and the disk are bounded", { skip, timeout: 240_000 }, async (t) => {
  const { sh, start, ask, finish, box } = await story_of(t);
  const late = await sh("sleep 100", { timeoutSeconds: 1 });
  assert.equal(late.exitCode, 137);
  assert.equal(late.endedBecause, "It took longer than 1 s.");
  const loud = await sh("yes");
  assert.match(loud.endedBecause, /wrote more than/);
  const hungry = await sh("python3 -c 'a=[]\nwhile True: a.append(bytearray(8<<20))'");
  assert.notEqual(hungry.exitCode, 0);
  const herd = await sh("for i in $(seq 20); do python3 -c 'import time; a=bytearray(200<<20); time.sleep(20)' & done; wait");
  assert.match(herd.endedBecause ?? "", /memory/, JSON.stringify(herd));
  const bomb = await sh("bomb() { bomb | bomb & }; bomb; sleep 1; echo lived", { timeoutSeconds: 20 });
  assert.ok(bomb.exitCode !== null);
  const descriptors = await sh("python3 -c 'import os\nn=0\ntry:\n  while True: os.open(\"/dev/null\",0); n+=1\nexcept OSError: print(n)'");
  assert.ok(Number(descriptors.output) < 256, descriptors.output);
  const full = await sh("head -c 2G /dev/zero > /tmp/full; wc -c < /tmp/full");
  assert.ok(Number(full.output.trim().split("\n").at(-1)) <= 256 << 20, full.output);
  assert.equal((await fetch(`${box.backend}/health`)).status, 200);

  // Two hundred at once: some run, the others are refused with a reason, and the box goes on. A box whose store is on a
  // busy database may be the first to have too much.
  const reasons = [
    "429 Too many commands are running: wait for some to end, or stop them.",
    "503 The box is overloaded. Try again in a moment.",
  ];
  const asked = await Promise.all(Array.from({ length: 200 }, () => ask("POST", "", { shell: "sleep 1; echo $$" })));
  const ran = asked.filter(({ status }) => status === 201);
  assert.ok(ran.length >= 8, `${ran.length} ran`);
  for (const { status, body } of asked)
    if (status !== 201) assert.ok(reasons.includes(`${status} ${body.error}`), `${status} ${body.error}`);
  for (const { body } of ran) assert.equal((await finish(body.id)).exitCode, 0);
  const id = await start({ shell: "echo again" });
  assert.equal((await finish(id)).output, "again\n");
});

const red_team = (name, env, user, prepare) =>
  test(`a hostile command is refused everything: ${name}`, { skip, timeout: 120_000 }, async (t) => {
    const { box, sh, workspace } = await story_of(t, env, user, prepare);
    const eve = await box.customer("eve@example.org");
    const other = await box.running_agent(eve);
    const neighbour = join(box.folder, "agents", other, "workspace/notes");
    writeFileSync(neighbour, "the neighbour's notes", { mode: 0o644 });
    const host = createServer((socket) => socket.end("hello"));
    host.listen(0, "127.0.0.1");
    await once(host, "listening");
    t.after(() => host.close());
    for (const [path, text] of [
      ["AGENT.md", "The owner's words"],
      ["attack.py", attacks_of({ box: box.child.pid, files: [join(box.folder, "master.key"), neighbour], host_port: host.address().port })],
    ]) {
      writeFileSync(join(workspace, path), text);
      chmodSync(join(workspace, path), 0o666);
    }
    if (!existsSync(join(workspace, "skills"))) mkdirSync(join(workspace, "skills"));
    chmodSync(join(workspace, "skills"), 0o777);
    const { output, exitCode } = await sh("python3 attack.py");
    assert.equal(output, "end\n", output);
    assert.equal(exitCode, 0);
    assert.equal(readFileSync(join(workspace, "AGENT.md"), "utf8"), "The owner's words");
  });

red_team("a box of root", {});
red_team("RUN_AS, with its helper", { RUN_AS: "nobody" });
red_team("a box of a user", {}, 65_534);
red_team("a box of a user, with a service for commands", {}, 65_534, with_service);

test("a service for commands gives them a user of their own, and another one follows that has ended", { skip }, async (t) => {
  const { box, sh, start, ask, workspace } = await story_of(t, {}, 65_534, with_service);
  const helpers = () => processes().filter(({ arguments: words }) => words[1] === "spawn" && words.includes(join(box.folder, "agents")));
  const [first, ...others] = await until("the helper", () => helpers().length > 0 && helpers());
  assert.deepEqual(others, []);
  const made = await sh("id -u > made; cat made");
  assert.ok(Number(made.output) > 1_900_000_000, made.output);
  assert.equal(lstatSync(join(workspace, "made")).uid, 65_534, "its files are the box's on disk");
  const id = await start({ shell: "sleep 4714", background: true });
  process.kill(first.pid, "SIGKILL");
  const { body } = await ask("GET", `/${id}/output?waitMs=10000`);
  assert.equal(body.running, false, JSON.stringify(body));
  assert.equal((await sh("echo again")).output, "again\n");
  assert.notEqual(helpers()[0].pid, first.pid);
});

test("without its service a box of a user starts commands itself, and another tree than the box's is refused", { skip }, async (t) => {
  const { box, sh, ask } = await story_of(t, { AGENT_TOOLS: "/usr/.." }, 65_534, with_service);
  const refused = await until("the look at it", async () => {
    const answer = await ask("POST", "", { shell: "true" });
    return answer.status === 409 && answer;
  });
  assert.match(refused.body.error, /could not show them AGENT_TOOLS, which is another folder than its own --tools/);
  await box.end("SIGTERM");
  box.env = { ...box.env, COMMAND_HELPER: "/nonexistent/commands.sock", AGENT_TOOLS: "system" };
  await box.serve();
  await until("its agent", async () => (await ask("POST", "", { shell: "true" })).status === 201);
  assert.equal((await sh("id -u")).output, "65534\n");
});

test("nothing is left running when the box is killed", { skip }, async (t) => {
  for (const [env, user, prepare] of [[{}], [{ RUN_AS: "nobody" }], [{}, 65_534, with_service]]) {
    const { box, start, ask } = await story_of(t, env, user, prepare);
    const id = await start({ shell: "setsid sleep 4711 & (sleep 4712 &) ; sleep 4713", background: true });
    await until(
      "its start",
      async () => (await ask("GET", `/${id}/output`)).body.running && processes().some(({ arguments: words }) => words[1] === "4713"),
    );
    assert.ok(commands_of(box).length > 0 || env.RUN_AS || prepare);
    await box.end("SIGKILL");
    await until("its end", () => !processes().some(({ arguments: words }) => ["4711", "4712", "4713"].includes(words[1])));
  }
});

test("commands are off where they are not isolated, and say why", { skip }, async (t) => {
  const { ask, ada, agent, model } = await story_of(t, { AGENT_TOOLS: "off" });
  const refused = await ask("POST", "", { shell: "true" });
  assert.equal(refused.status, 409);
  assert.equal(refused.body.error, "Commands are off on this box: AGENT_TOOLS is off.");
  model.will(say("Hello."));
  await ada.call("POST", "/api/chat", { agentId: agent, message: "hello" });
  const names = model.asked.at(-1).tools.map((tool) => tool.function.name);
  assert.ok(!names.includes("run_command"), names.join());
  const { body } = await ada.call("GET", `/api/agents/${agent}/commands`);
  assert.equal(body.available, false);
  assert.equal(body.reason, "AGENT_TOOLS is off.");
});
