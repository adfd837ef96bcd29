// Backups that the box makes by itself: whole, the newest few, and none that is half done.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, PASSWORD, run, until } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const NAME = /^\d{8}T\d{6}Z$/;

test("scheduled backups are whole, and only the newest are kept", { skip: about_files }, async (t) => {
  const box = await Box.start(t, { BACKUP_SCHEDULE: "* * * * * *", BACKUP_KEEP: "2" });
  const folder = join(box.folder, "backups");
  const complete = () => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => NAME.test(name)).sort();
  const ada = await box.customer("ada@example.org");
  const first = (await until("the first backups", () => complete().length === 2 && complete()))[1];
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  await until("newer ones have taken their place", () => complete()[0] > first);
  assert.ok(complete().length <= 3, "one more at most while an old one is being removed");

  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  assert.ok(
    entries.some(({ act, outcome }) => act === "backup made by schedule" && outcome === "ok"),
    JSON.stringify(entries).slice(-500),
  );
  const metrics = await (
    await fetch(`${box.backend}/metrics`, { headers: { authorization: "Bearer internal-key-of-the-stories" } })
  ).text();
  const newest = Number(/^agentbox_backup_last_success_timestamp_seconds (\S+)$/m.exec(metrics)[1]);
  assert.ok(Math.abs(newest - Date.now() / 1000) < 60, String(newest));

  assert.equal(await box.end("SIGTERM"), 0);
  for (const name of readdirSync(folder))
    assert.ok(existsSync(join(folder, name, "agentbox.toml.sealed")), "nothing half done is left by a stop");
  const beside = mkdtempSync(join(tmpdir(), "agentbox-restored-"));
  t.after(() => rmSync(beside, { recursive: true, force: true }));
  const restored = join(beside, "data");
  const ended = await run([
    "restore",
    "--from",
    join(folder, complete().at(-1)),
    "--data",
    restored,
    "--key",
    join(box.folder, "master.key"),
  ]);
  assert.equal(ended.code, 0, ended.err);
  const again = await Box.open(t, restored);
  assert.equal((await again.person().log_in("ada@example.org", PASSWORD)).status, 200);
  assert.ok(ada.id);
});

test("a backup that a crash cut off is removed, and one that was missed is made at the start", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  const folder = join(box.folder, "backups");
  await box.end("SIGTERM");
  for (const name of ["20250101T000000Z", "20250102T000000Z"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "20250101T000000Z", "agentbox.toml.sealed"), ""); // the file that is written last
  writeFileSync(join(folder, "notes.txt"), "the operator's own");
  box.env = { ...box.env, BACKUP_SCHEDULE: "0 0 1 1 *" };
  await box.serve();
  await until("the missed one is made", () =>
    readdirSync(folder).some(
      (name) => NAME.test(name) && name > "20250102T000000Z" && existsSync(join(folder, name, "agentbox.toml.sealed")),
    ),
  );
  const names = readdirSync(folder);
  assert.ok(names.includes("20250101T000000Z") && !names.includes("20250102T000000Z"));
  assert.ok(names.includes("notes.txt"));
});

test("a schedule that is none is refused at the start", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  await box.end("SIGTERM");
  const ended = await run(["serve", "--data", box.folder, "--backup-schedule", "every night"], {
    env: { WEB_LISTEN: "127.0.0.1:0", BACKEND_LISTEN: "127.0.0.1:0", SUMMARIZER_LISTEN: "127.0.0.1:0" },
  });
  assert.equal(ended.code, 2, ended.err);
  assert.match(ended.err, /^agentbox: BACKUP_SCHEDULE is no cron expression/m);
});
