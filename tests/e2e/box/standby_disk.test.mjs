// The disk of the standby is full: the box goes on and says so, and nothing is lost once there is room again.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, PASSWORD, until } from "../support/box.mjs";
import { listener_ports } from "../support/ports.mjs";
import { Standby } from "../support/standby.mjs";
import { about_files } from "../support/story_store.mjs";

const small_disk = (t, megabytes) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

const fill = (path) => {
  const file = openSync(path, "w");
  const block = Buffer.alloc(1 << 16, "x");
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    assert.equal(error.code, "ENOSPC");
  } finally {
    closeSync(file); // an open file that is removed keeps its room
  }
};

test("sync: a standby whose disk is full is left behind with an alarm, and catches up", { skip: about_files }, async (t) => {
  const disk = small_disk(t, 96);
  if (!disk) return t.skip("a file system in memory cannot be mounted: not root");
  const [port] = await listener_ports(1);
  const box = await Box.start(t, { STANDBY: "sync", STANDBY_LISTEN: `127.0.0.1:${port}` });
  const standby = await Standby.invite(t, box);
  standby.folder = join(disk, "data");
  await standby.follow();
  await box.customer("before@example.org");

  mkdirSync(join(disk, "other"));
  fill(join(disk, "other", "ballast"));
  // Each is acknowledged, the first ones after five seconds without the standby.
  const people = [];
  await until(
    "the standby does not keep up",
    async () => {
      const email = `person${people.length}@example.org`;
      await box.customer(email);
      people.push(email);
      // Big enough to fill what its log has allocated already.
      for (let i = 0; i < 20; ++i) await box.backend_call("POST", "/api/admin/invites", { note: "x".repeat(190), count: 100 });
      return (await standby.state()).degraded;
    },
    60_000,
  );
  assert.match(box.whole_log, /standby_lost/);
  assert.match(standby.log, /[Nn]o space|space/, "the standby says why");
  const health = await (await fetch(`${box.web}/health`)).json();
  assert.equal(health.standbyDegraded, true);
  assert.equal(health.store, "ok", "the box itself has room");

  rmSync(join(disk, "other"), { recursive: true });
  const caught_up = async () => !(await standby.state()).degraded;
  await until("the standby has caught up", caught_up, 60_000).catch(({ message }) =>
    assert.fail(`${message}: ${standby.log.slice(-4_000)}`),
  );
  await box.customer("after@example.org");
  await box.end("SIGKILL");
  const promoted = await standby.promote();
  assert.equal(promoted.code, 0, promoted.err);
  const second = await Box.open(t, standby.folder);
  for (const email of ["before@example.org", ...people, "after@example.org"])
    assert.equal((await second.person().log_in(email, PASSWORD)).status, 200, email);
});
