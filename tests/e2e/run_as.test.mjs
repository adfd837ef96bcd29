// RUN_AS: root starts the box, which opens its ports, gives the data folder to a user and becomes that user.
import assert from "node:assert/strict";
import { chownSync, linkSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, run } from "./box.mjs";
import { agent_processes, is_alive } from "./processes.mjs";

const skip = process.getuid() !== 0 ? "only root can become another user" : undefined;
const nobody = 65534;

const status_of = (pid) => Object.fromEntries(readFileSync(`/proc/${pid}/status`, "utf8").split("\n").map((line) => line.split(/:\s*/)));
const is_without_rights = (pid) => {
  const status = status_of(pid);
  assert.deepEqual(status.Uid.split("\t"), Array(4).fill(`${nobody}`));
  assert.deepEqual(status.Gid.split("\t"), Array(4).fill(status.Gid.split("\t")[0]));
  assert.equal(status.Groups.trim(), "");
  for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) assert.equal(BigInt(`0x${status[set]}`), 0n, set);
  assert.equal(status.NoNewPrivs, "1");
};
const owners_below = (folder, found = new Set()) => {
  found.add(lstatSync(folder).uid);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) owners_below(join(folder, entry.name), found);
    else found.add(lstatSync(join(folder, entry.name)).uid);
  return found;
};

test("a box of root becomes a user for good, takes its agents along, and gives away nothing outside", { skip }, async (t) => {
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

  await t.test("it has no rights left, and neither have its children", () => {
    is_without_rights(box.child.pid);
    const children = readFileSync(`/proc/${box.child.pid}/task/${box.child.pid}/children`, "utf8").trim().split(" ");
    assert.ok(children.length >= 1);
    for (const child of children) assert.equal(BigInt(`0x${status_of(child).CapEff}`), 0n);
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
    const { isolation } = await (await fetch(`${box.backend}/health`)).json();
    assert.ok(["strong", "basic"].includes(isolation), isolation);
  });

  await t.test("it starts again, from root or as the user", async () => {
    await box.end("SIGKILL");
    await box.serve();
    await box.until_status(ada, id, "running");
    assert.match(await say("what do you remember?"), /Friday/);
    is_without_rights(box.child.pid);
  });
});

test("a user that there is not, root and the Docker Engine are refused", { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const serve = (env) => run(["serve", "--init", "--email", "a@example.org", "--data", folder], { env: { WEB_LISTEN: "127.0.0.1:0", ...env } });
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
