// Commands of agents that run in containers: what they get, what they reach, and what ends them. The attacks are those of
// commands.test.mjs, in the second container that such an agent has for its commands.
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { attacks_of } from "../support/command_attacks.mjs";
import { agent_that_runs, story_of } from "../support/command_story.mjs";
import { Docker, IMAGE, no_docker, TOOLS_IMAGE } from "../support/docker.mjs";
import { until } from "../support/box.mjs";
import { call, say } from "../peers/model_server.mjs";
import { load } from "../support/mcp_packages.mjs";
import { processes } from "../support/processes.mjs";
import { HOST, site_of } from "../peers/echo_site.mjs";

const skip = no_docker();
const CANARY = "canary-4711-of-the-forge";

const runs = (...words) => processes().some(({ arguments: found }) => words.every((word) => found.includes(word)));

test("agents in containers run commands in a container without a network or a token", { skip, timeout: 600_000 }, async (t) => {
  const docker = await Docker.start(t),
    site = await site_of(t);
  const env = { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: IMAGE, AGENT_TOOLS: TOOLS_IMAGE };
  const story = await story_of(t, { ...env, SUMMARIZER_ALLOW_PRIVATE: "true", SSL_CERT_FILE: site.cert });
  const { box, ada, agent, model, token, ask, start, finish, sh, workspace } = story;
  docker.box = box;
  const of_commands = () => docker.containers().filter(({ Config }) => Config.Labels["agentbox.commands"]);
  // On a connection of its own: making the image takes longer than the box keeps an idle one.
  const health = async () => (await fetch(`${box.backend}/health`, { headers: { connection: "close" } })).json();

  await t.test("without the image they are off and say so, until it is there", async () => {
    const { commands, commandsReason } = await health();
    assert.equal(commands, "off");
    assert.match(commandsReason, /The image .* is not on this box/);
    const refused = await ask("POST", "", { shell: "true" });
    assert.equal(refused.status, 409);
    assert.match(refused.body.error, /Commands are off on this box: The image .*agentbox\/agent-tools:story/);
    docker.import_tools();
    await until("commands are on", async () => (await health()).commands === "on", 60_000);
  });

  await t.test("a model runs commands and code, whose files the turn's commit has", async () => {
    model.will(
      call(["run_command", { shell: "echo hello; echo trouble >&2; echo data > made.txt; exit 3" }]),
      call(["run_code", { language: "python", code: "print(6 * 7)" }]),
      call(["run_code", { language: "javascript", code: "console.log(require('fs').readFileSync('made.txt', 'utf8'))" }]),
      call(["run_command", { arguments: ["cat"], input: 'it\'s "quoted" $HOME' }]),
      call(["run_command", { arguments: ["git", "--version"] }]),
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
    assert.equal(results[0].exitCode, 3, JSON.stringify(results[0]) + box.log);
    assert.equal(results[0].output, "hello\ntrouble\n");
    assert.deepEqual(results[0].changedFiles, ["made.txt"]);
    assert.equal(results[1].output, "42\n");
    assert.equal(results[2].output, "data\n\n");
    assert.equal(results[3].output, 'it\'s "quoted" $HOME');
    assert.match(results[4].output, /^git version/);
    const offered = model.asked.at(-1).tools.map((tool) => tool.function.name);
    assert.ok(offered.includes("run_command") && !offered.some((name) => name.startsWith("browser_")), offered.join());
    const { browser, browserReason } = await health();
    assert.deepEqual([browser, browserReason], ["off", "Agents in containers have no browser."]);
    assert.match(events, /event: tool_output\ndata: \{"id":"[^"]+","name":"run_command","output":"hello\\n/);
  });

  await t.test("all of them share one container, which is closed", async () => {
    const [{ HostConfig, Config, Mounts, NetworkSettings }, ...others] = of_commands();
    assert.deepEqual(others, []);
    assert.equal(HostConfig.NetworkMode, "none");
    assert.deepEqual(Object.keys(NetworkSettings.Networks), ["none"]);
    assert.deepEqual([HostConfig.ReadonlyRootfs, HostConfig.Privileged, HostConfig.AutoRemove], [true, false, true]);
    assert.deepEqual(Mounts.map(({ Destination }) => Destination).sort(), ["/opt/mcp", "/run/agentbox", "/workspace"]);
    assert.ok(HostConfig.Memory > 0 && HostConfig.PidsLimit > 0 && HostConfig.NanoCpus > 0);
    assert.doesNotMatch(JSON.stringify([Config, HostConfig]), new RegExp(`${token}|token|secret|key=`, "i"));
    assert.equal(existsSync(join(box.folder, "agents", agent, "run/commands/box.sock")), false, "no other process can reach the box by it");
  });

  await t.test("a process runs on between turns, is written to, and is stopped", async () => {
    const id = await start({ shell: "while read line; do echo got $line; done; echo end", background: true });
    assert.equal((await ask("POST", `/${id}/input`, { text: "one\n" })).status, 200);
    await until("the answer", async () => (await ask("GET", `/${id}/output?waitMs=1000`)).body.output.includes("got one"));
    assert.equal((await ask("POST", `/${id}/input`, { text: "two\n", end: true })).status, 200);
    const all = await finish(id);
    assert.deepEqual([all.output, all.exitCode], ["got one\ngot two\nend\n", 0]);
    const polite = await start({ shell: "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done", background: true });
    await until("its start", async () => (await ask("GET", `/${polite}/output`)).body.output.includes("up"));
    assert.equal((await ask("DELETE", `/${polite}`)).body.exitCode, 5);
    const stubborn = await start({ shell: "trap '' TERM; setsid sleep 4711 & echo up; while :; do sleep 0.05; done", background: true });
    await until("its start", async () => (await ask("GET", `/${stubborn}/output`)).body.output.includes("up"));
    const killed = await ada.call("DELETE", `/api/agents/${agent}/commands/${stubborn}`);
    assert.deepEqual([killed.body.exitCode, killed.body.endedBecause], [137, "It was stopped."]);
    assert.equal(runs("sleep", "4711"), false, "what left its session has ended with it");
  });

  await t.test("a start takes a moment once the container is there", async () => {
    const times = [];
    for (let number = 0; number < 20; ++number) {
      const begun = performance.now();
      const id = await start({ shell: "true" });
      times.push(performance.now() - begun);
      await finish(id);
    }
    times.sort((a, b) => a - b);
    t.diagnostic(`p50 ${times[10].toFixed(1)} ms`);
    assert.ok(times[10] < 500, `${times[10]} ms`);
  });

  await t.test("a hostile command is refused everything", async (t) => {
    const eve = await box.customer("eve@example.org");
    const other = await agent_that_runs(box, eve);
    const neighbour = join(other.workspace, "notes");
    writeFileSync(neighbour, "the neighbour's notes", { mode: 0o644 });
    const host = createServer((socket) => socket.end("hello"));
    host.listen(0, "0.0.0.0");
    await once(host, "listening");
    t.after(() => host.close());
    const secret = join(box.folder, "master.key");
    for (const [path, text] of [
      ["AGENT.md", "The owner's words"],
      [
        "attack.py",
        attacks_of({ box: box.child.pid, files: [secret, neighbour, "/run/agentbox/boot.json"], host_port: host.address().port }),
      ],
    ]) {
      writeFileSync(join(workspace, path), text);
      chmodSync(join(workspace, path), 0o666);
    }
    if (!existsSync(join(workspace, "skills"))) mkdirSync(join(workspace, "skills"));
    chmodSync(join(workspace, "skills"), 0o777);
    const marked = await other.start({ shell: "echo words-of-eve > /tmp/kept; exec sleep 4722", background: true });
    const beside = await start({ shell: "echo beside > /tmp/beside; exec sleep 4723", background: true });
    const { output, exitCode } = await sh("python3 attack.py; ls /tmp; ls /proc | grep -c '^[0-9]'");
    assert.match(output, /^end\n[0-9]\n$/, output);
    assert.equal(exitCode, 0);
    assert.equal(readFileSync(join(workspace, "AGENT.md"), "utf8"), "The owner's words");
    assert.equal(of_commands().length, 2, "each agent has a container of its own");
    for (const [whose, id] of [
      [other.ask, marked],
      [ask, beside],
    ])
      assert.equal((await whose("GET", `/${id}/output`)).body.running, true);
    assert.equal((await ask("GET", `/${marked}/output`)).status, 404);
    assert.equal((await eve.call("POST", `/api/instance/${other.agent}/stop`)).status, 200);
    await until("the end of Eve's container", () => of_commands().length === 1 && !runs("sleep", "4722"));
    assert.equal((await ask("DELETE", `/${beside}`)).status, 200);
  });

  await t.test("time, memory, processes and the disk are bounded", { timeout: 240_000 }, async () => {
    const late = await sh("sleep 100", { timeoutSeconds: 1 });
    assert.deepEqual([late.exitCode, late.endedBecause], [137, "It took longer than 1 s."]);
    const hungry = await sh("python3 -c 'a=[]\nwhile True: a.append(bytearray(8<<20))'");
    assert.notEqual(hungry.exitCode, 0);
    const herd = await sh("for i in $(seq 20); do python3 -c 'import time; a=bytearray(200<<20); time.sleep(5)' & done; wait; echo lived");
    const [{ HostConfig }] = of_commands();
    assert.ok(HostConfig.Memory <= (512 + 32) << 20, `${HostConfig.Memory}: the kernel holds all of them to it`);
    assert.ok(herd.output.includes("lived") || herd.exitCode !== 0, JSON.stringify(herd));
    const bomb = await sh("bomb() { bomb | bomb & }; bomb; sleep 1; echo lived", { timeoutSeconds: 20 });
    assert.ok(bomb.exitCode !== null, JSON.stringify(bomb));
    const full = await sh("head -c 2G /dev/zero > /tmp/full; wc -c < /tmp/full");
    assert.ok(Number(full.output.trim().split("\n").at(-1)) <= 256 << 20, full.output);
    const filling = await sh("for i in $(seq 40); do head -c 100M /dev/zero > fill$i || exit 9; done; echo filled", {
      timeoutSeconds: 120,
    });
    assert.match(filling.endedBecause ?? "", /files take more than its plan/, JSON.stringify(filling));
    assert.equal((await sh("rm -f fill*; echo again")).output, "again\n");
    assert.equal((await health()).commands, "on");
  });

  await t.test("a secret is put in by the proxy, and the command never sees it", async () => {
    const { status, body } = await ada.call("POST", "/api/credentials", { name: "FORGE", secret: CANARY, hosts: [HOST], form: "bearer" });
    assert.equal(status, 201, JSON.stringify(body));
    const python = `import urllib.request as r; a = r.urlopen(r.Request("${site.https}/api/x", headers={"Authorization": "Bearer cred:FORGE"}), timeout=20); print(a.status, a.read().decode())`;
    const said = await sh(`echo $HTTPS_PROXY; exec python3 -c '${python}'`);
    assert.match(said.output, /127\.0\.0\.1:3128\n200 you sent Bearer cred:FORGE /, JSON.stringify(said));
    assert.equal(site.seen.at(-1).authorization, `Bearer ${CANARY}`);
    assert.equal(said.output.includes(CANARY) || box.whole_log.includes(CANARY), false);
  });

  const asks_server = async () => {
    model.will(call(["files__read_text_file", { path: "/workspace/made.txt" }]), say("Done."));
    const answer = await ada.call("POST", "/api/chat", { agentId: agent, message: "look" });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.match(model.results[0].content, /data/, box.log);
  };
  await t.test("an MCP server that is a program runs there, with the packages that the administrator has loaded", async () => {
    await load(t, box, "@modelcontextprotocol/server-filesystem");
    const mcpServers = { files: { package: "server-filesystem", args: ["/workspace"], tools: ["read_text_file"] } };
    const { status, body } = await ada.call("PUT", `/api/agents/${agent}/config`, { config: { mcpServers } });
    assert.equal(status, 200, JSON.stringify(body));
    const servers = async () => (await ada.call("GET", `/api/agents/${agent}/mcp-servers`)).body.servers;
    await until("its tools", async () => (await servers()).some(({ tools }) => tools.includes("files__read_text_file")), 120_000);
    await asks_server();
    assert.equal((await health()).mcpPrograms, "on");
  });

  await t.test("a container that somebody removes is made anew for the next command", async () => {
    const lost = await start({ shell: "sleep 4731", background: true });
    docker.ask("rm", "-f", of_commands()[0].Id);
    assert.equal((await finish(lost)).running, false);
    assert.equal((await sh("echo again")).output, "again\n");
  });

  await t.test("nothing is left running when the box is killed, and commands go on after its start", async () => {
    const id = await start({ shell: "setsid sleep 4741 & (sleep 4742 &) ; sleep 4743", background: true });
    await until("its start", async () => (await ask("GET", `/${id}/output`)).body.running && runs("sleep", "4743"));
    await box.end("SIGKILL");
    await until("its end", () => !["4741", "4742", "4743"].some((time) => runs("sleep", time)));
    await until("the end of its container", () => of_commands().length === 0);
    await box.serve();
    await box.until_status(ada, agent, "running");
    await until("the agent answers", async () => (await ask("GET", "")).status === 200);
    assert.equal((await sh("echo again")).output, "again\n");
    await asks_server();
  });

  await t.test("a box that stops ends all of them", async () => {
    await start({ shell: "sleep 4751", background: true });
    await box.end("SIGTERM");
    await until("the end of its container", () => of_commands().length === 0 && !runs("sleep", "4751"));
  });
});
