// The disk space that the box keeps for itself, and agents that take more than their plan's storage.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, rmdirSync, statfsSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, run, until } from "../support/box.mjs";
import { agent_processes } from "../support/processes.mjs";
import { about_files } from "../support/story_store.mjs";

const MEGABYTE = 1 << 20;
const free_on = (folder) => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

// A data folder on a file system of 96 MB, of which the box keeps 24 free.
const on_a_small_disk = async (t) => {
  const mount = mkdtempSync(join(tmpdir(), "agentbox-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=96m,mode=0755", "tmpfs", mount], { stdio: "pipe" });
  } catch (error) {
    rmdirSync(mount);
    return { why_not: `no disk can be mounted: ${error.stderr}` };
  }
  const folder = join(mount, "data"),
    filler = join(mount, "filler");
  mkdirSync(folder);
  const made = await run(["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password]);
  assert.equal(made.code, 0, made.err);
  const box = await Box.open(t, folder, { DISK_RESERVE: "24M" });
  t.after(() => {
    execFileSync("umount", ["--lazy", mount]);
    rmdirSync(mount);
  });
  // Until so many bytes are free.
  const fill_to = (left) => {
    const file = openSync(filler, "w");
    while (free_on(mount) > left) writeSync(file, Buffer.alloc(64 * 1024));
    closeSync(file);
  };
  return { box, folder, mount, fill_to, free: () => rmSync(filler) };
};

test(
  "at the disk reserve uploads, agents' files and backups stop with a clear error, and all else goes on",
  { skip: about_files },
  async (t) => {
    if (process.getuid() !== 0) return t.skip("only root may mount a small disk");
    const disk = await on_a_small_disk(t);
    if (disk.why_not) return t.skip(disk.why_not);
    const { box } = disk;
    const ada = await box.customer("ada@example.org");
    const id = await box.running_agent(ada);
    const upload = async (content) => {
      const form = new FormData();
      form.append("agentId", id);
      form.append("file", new Blob([content]), "notes.txt");
      const answer = await fetch(`${box.web}/api/files`, { method: "POST", headers: { cookie: ada.cookie }, body: form });
      return { status: answer.status, body: await answer.json() };
    };
    const health = async () => (await fetch(`${box.web}/health`)).json();
    assert.equal((await upload("hello")).status, 201);
    assert.deepEqual([(await health()).status, (await health()).disk], ["ok", "ok"]);

    disk.fill_to(25 * MEGABYTE);
    const large = await upload(Buffer.alloc(4 * MEGABYTE));
    assert.deepEqual([large.status, large.body.code], [503, "DISK_RESERVE_REACHED"], "it would go below");
    // Room for a file, and none for a copy of all files.
    writeFileSync(join(disk.folder, "agents", id, "workspace", "film"), Buffer.alloc(4 * MEGABYTE));
    disk.fill_to(26 * MEGABYTE);
    const too_large = await box.backend_call("POST", "/api/admin/backups", {});
    assert.equal(too_large.code, "DISK_RESERVE_REACHED", JSON.stringify(too_large));
    assert.deepEqual((await box.backend_call("GET", "/api/admin/backups")).backups, []);
    disk.fill_to(23 * MEGABYTE);
    const refused = await upload("hello again");
    assert.deepEqual([refused.status, refused.body.code], [503, "DISK_RESERVE_REACHED"]);
    assert.match(refused.body.error, /nearly full/);
    const backup = await box.backend_call("POST", "/api/admin/backup", { to: join(disk.mount, "backup") });
    assert.equal(backup.code, "DISK_RESERVE_REACHED", JSON.stringify(backup));
    const whole = await box.backend_call("POST", "/api/admin/backups", {});
    assert.equal(whole.code, "DISK_RESERVE_REACHED", JSON.stringify(whole));
    const exported = await box.backend_call("POST", `/api/admin/agents/${id}/export`, { file: join(disk.mount, "scout.agent") });
    assert.equal(exported.code, "DISK_RESERVE_REACHED", JSON.stringify(exported));
    assert.deepEqual([(await health()).status, (await health()).degraded], ["ok", true]);
    assert.deepEqual([(await health()).store, (await health()).disk], ["ok", "reserve reached"]);
    assert.equal((await fetch(`${box.web}/readyz`)).status, 200);

    // The store has the room that is left.
    const signed_in = await ada.log_in("ada@example.org", PASSWORD);
    assert.equal(signed_in.status, 200);
    assert.equal((await ada.call("PATCH", "/api/settings", { name: "Ada" })).status, 200);
    assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "are you there?" })).status, 200);

    disk.free();
    assert.equal((await upload("hello again")).status, 201);
    assert.equal((await health()).status, "ok");
  },
);

test("an agent whose files exceed its plan's storage is stopped, with the reason", { skip: about_files }, async (t) => {
  if (process.getuid() !== 0) return t.skip("only root may mount a small disk");
  const disk = await on_a_small_disk(t); // where agents are counted every few seconds once the reserve is reached
  if (disk.why_not) return t.skip(disk.why_not);
  const { box } = disk;
  const ada = await box.customer("ada@example.org");
  const greedy = await box.running_agent(ada);
  // As a process does that asks nobody: sparse, so that this small disk has room for it.
  const hoard = openSync(join(disk.folder, "agents", greedy, "workspace", "hoard"), "w");
  writeSync(hoard, "x", 600 * MEGABYTE);
  closeSync(hoard);
  disk.fill_to(23 * MEGABYTE);
  const stopped = await until("the agent is stopped", async () => {
    const { agent } = (await ada.call("GET", `/api/agents/${greedy}`)).body;
    return agent.status === "stopped" && agent.statusReason ? agent : undefined;
  });
  assert.match(stopped.statusReason, /files take .* and its plan has room for/);
  assert.deepEqual(agent_processes(box), []);
});
