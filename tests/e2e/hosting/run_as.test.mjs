// RUN_AS: root starts the box, which opens its ports, gives the data folder to a user and becomes that user.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { binary, Box, run, until } from "../support/box.mjs";
import { agent_processes, end_process, environment, is_alive, processes } from "../support/processes.mjs";

const skip = process.getuid() !== 0 ? "only root can become another user" : undefined;
const nobody = 65534,
  first_agent_user = 1_900_000_000;
const helper_rights = 0x2011e4n; // DAC_READ_SEARCH, KILL, SETGID, SETUID, SETPCAP, NET_ADMIN, SYS_ADMIN

const status_of = (pid) =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/status`, "utf8")
      .split("\n")
      .map((line) => line.split(/:\s*/)),
  );
const is_without_rights = (pid) => {
  const status = status_of(pid);
  assert.deepEqual(status.Uid.split("\t"), Array(4).fill(`${nobody}`));
  assert.deepEqual(status.Gid.split("\t"), Array(4).fill(status.Gid.split("\t")[0]));
  assert.equal(status.Groups.trim(), "");
  for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) assert.equal(BigInt(`0x${status[set]}`), 0n, set);
  assert.equal(status.NoNewPrivs, "1");
};
const helper_of = (box) => processes().find(({ parent, arguments: [, command] }) => parent === box.child.pid && command === "spawn");
const isolation_of = async (box) => {
  const { isolation, isolationLacks } = await (await fetch(`${box.backend}/health`)).json();
  return { isolation, lacks: isolationLacks.join("; ") };
};
// The database of a running box replaces its files, so what is listed may be gone already.
const owners_below = (folder, found = new Set()) => {
  found.add(lstatSync(folder).uid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
    if (owner !== undefined && entry.isDirectory()) owners_below(path, found);
    else if (owner !== undefined) found.add(owner);
  }
  return found;
};

test("a new box that becomes a user before it has any agent runs its first one", { skip }, async (t) => {
  const box = await Box.start(t, { RUN_AS: "nobody" });
  const ada = await box.customer("ada@example.org");
  await box.running_agent(ada);
  assert.deepEqual([...owners_below(box.folder)], [nobody]);
  const [{ pid }] = agent_processes(box);
  assert.ok(status_of(pid).Uid.split("\t")[0] > first_agent_user);
});

test("a box of root becomes a user permanently, takes its agents along, and gives away nothing outside", { skip }, async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const say = async (message) => (await ada.call("POST", "/api/chat", { agentId: id, message })).body.message?.content;
  await say("remember that the demo is on Friday");
  const [{ pid: earlier }] = agent_processes(box);
  const owner = lstatSync(join(box.folder, "agents", id, "workspace")).uid;
  assert.notEqual(owner, 0, "agents of root have users of their own");
  await box.end("SIGTERM");

  // What a hostile agent may have left: ways out of the data folder.
  const outside = mkdtempSync(join(tmpdir(), "agentbox-outside-"));
  t.after(() => rmSync(outside, { recursive: true, force: true }));
  for (const name of ["linked", "followed"]) writeFileSync(join(outside, name), name);
  const workspace = join(box.folder, "agents", id, "workspace");
  linkSync(join(outside, "linked"), join(workspace, "linked"));
  symlinkSync(join(outside, "followed"), join(workspace, "followed"));
  symlinkSync(outside, join(workspace, "folder"));
  writeFileSync(join(workspace, "own"), "mine");
  chownSync(join(workspace, "own"), owner, owner);

  const low = 700 + (process.pid % 300);
  box.env = { ...box.env, RUN_AS: "nobody", WEB_LISTEN: `127.0.0.1:${low}` };
  await box.serve();
  await box.until_status(ada, id, "running");

  await t.test("it has no rights left, and of its children only the helper has some", () => {
    is_without_rights(box.child.pid);
    const children = readFileSync(`/proc/${box.child.pid}/task/${box.child.pid}/children`, "utf8").trim().split(" ");
    assert.ok(children.length >= 1);
    const helper = helper_of(box);
    for (const child of children) assert.equal(BigInt(`0x${status_of(child).CapEff}`), Number(child) === helper.pid ? helper_rights : 0n);
    assert.equal(environment(helper.pid), "", "it knows no secrets");
    assert.equal(new URL(box.web).port, `${low}`);
  });

  await t.test("all of the data folder is the user's, and nothing outside", () => {
    assert.equal(lstatSync(join(outside, "linked")).uid, 0);
    assert.equal(lstatSync(join(outside, "followed")).uid, 0);
    rmSync(join(workspace, "linked"));
    assert.deepEqual([...owners_below(box.folder)], [nobody]);
  });

  await t.test("its agents of another user have ended, run again and remember", async () => {
    assert.ok(!is_alive(earlier));
    assert.match(await say("what do you remember?"), /Friday/);
    const { isolation, lacks } = await isolation_of(box);
    assert.equal(isolation, "strong");
    assert.doesNotMatch(lacks, /own user/);
  });

  await t.test("each agent has a user of its own, whose files are the box's on disk", async () => {
    const bob = await box.customer("bob@example.org");
    const other = await box.running_agent(bob);
    const users = agent_processes(box).map(({ pid }) => status_of(pid).Uid.split("\t")[0]);
    assert.equal(new Set(users).size, 2);
    for (const user of users) assert.ok(user > first_agent_user && user < first_agent_user + 65536, user);
    const form = new FormData();
    form.append("agentId", id);
    form.append("file", new Blob(["hello"]), "notes.txt");
    const uploaded = await fetch(`${box.web}/api/files`, { method: "POST", headers: { cookie: ada.cookie }, body: form });
    assert.equal(uploaded.status, 201);
    await say("remember that the venue is Lisbon");
    assert.match(await say("what do you remember?"), /Lisbon/);
    const { files } = (await ada.call("GET", `/api/files?agentId=${id}`)).body;
    assert.ok(files.length > 0);
    assert.deepEqual([...owners_below(box.folder)], [nobody]);

    const pid_of = (agent) => agent_processes(box).find((one) => one.id === agent)?.pid;
    const before = pid_of(id);
    assert.equal((await ada.call("POST", `/api/instance/${id}/stop`, {})).status, 200);
    await until("the agent has ended", () => !is_alive(before));
    assert.equal((await ada.call("POST", `/api/instance/${id}/start`, {})).status, 200);
    await box.until_status(ada, id, "running");
    assert.match(await say("what do you remember?"), /Lisbon/);
    const deleted = pid_of(other);
    assert.equal((await bob.call("DELETE", `/api/agents/${other}`)).status, 200);
    await until("the deleted agent has ended", () => !is_alive(deleted));
  });

  await t.test("it starts again, from root or as the user", async () => {
    const helper = helper_of(box).pid,
      agents = agent_processes(box).map(({ pid }) => pid);
    assert.ok(agents.length > 0);
    await box.end("SIGKILL");
    await until("all of it has ended", () => ![helper, ...agents].some(is_alive));
    await box.serve();
    // Its record says "running" from before until the box has seen that it has to be started.
    await until("the agent answers and remembers", async () => /Friday/.test(await say("what do you remember?")));
    is_without_rights(box.child.pid);
  });

  await t.test("without its helper it starts no agents, and says so", async () => {
    const agents = agent_processes(box).map(({ pid }) => pid);
    end_process(helper_of(box).pid);
    await until("its agents have ended", () => !agents.some(is_alive));
    const reason = /own user \(the helper that starts agents has ended: restart the box\)/;
    await until("/health says so", async () => reason.test((await isolation_of(box)).lacks));
    await until("the agent's record says why", async () => {
      const { body } = await ada.call("GET", `/api/agents/${id}`);
      return /the helper that starts agents has ended/.test(JSON.stringify(body));
    });
    await box.end("SIGTERM");
    await box.serve();
    await box.until_status(ada, id, "running");
  });
});

test("where agents' users cannot reach the binary there is no helper, and the box says so", { skip }, async (t) => {
  const program = realpathSync(binary);
  const folder = mkdtempSync(join(dirname(program), "closed-")); // a hard link needs the same disk
  chownSync(folder, nobody, nobody);
  linkSync(program, join(folder, "agentbox"));
  const data = mkdtempSync(join(tmpdir(), "agentbox-story-"));
  const env = { PATH: process.env.PATH, RUN_AS: "nobody", LOG_FORMAT: "json" };
  for (const listener of ["WEB", "BACKEND", "SUMMARIZER"]) env[`${listener}_LISTEN`] = "127.0.0.1:0";
  const box = spawn(join(folder, "agentbox"), ["serve", "--init", "--email", "a@example.org", "--data", data], { env });
  t.after(async () => {
    box.kill("SIGKILL");
    if (box.exitCode === null && box.signalCode === null) await once(box, "exit");
    for (const one of [folder, data]) rmSync(one, { recursive: true, force: true });
  });
  let said = "";
  box.stderr.on("data", (text) => (said += text));
  await until("the isolation of agents", () => said.includes('"isolation_of_agents"'));
  assert.match(said, new RegExp(`"no_helper".*other users may not enter ${folder}`));
  assert.match(said, new RegExp(`without own user \\(other users may not enter ${folder}`));
});

test("spawn is not for other hands", async () => {
  const { code, err } = await run(["spawn"]);
  assert.notEqual(code, 0);
  assert.match(err, /spawn is for a box that root starts with RUN_AS/);
});

test("a user that there is not, root and the Docker Engine are refused", { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const serve = (env) =>
    run(["serve", "--init", "--email", "a@example.org", "--data", folder], { env: { WEB_LISTEN: "127.0.0.1:0", ...env } });
  for (const [env, reason] of [
    [{ RUN_AS: "no-such-user" }, /RUN_AS: there is no user no-such-user/],
    [{ RUN_AS: "root" }, /RUN_AS must not be root/],
    [{ RUN_AS: "nobody", AGENT_RUNTIME: "docker" }, /RUN_AS and AGENT_RUNTIME=docker exclude each other/],
  ]) {
    const { code, err } = await serve(env);
    assert.notEqual(code, 0);
    assert.match(err, reason);
  }
});
