// Each scheduled backup is restored on trial, and compared with the box; administrators learn when that fails or is long
// ago.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, run, until } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const internal = { authorization: `Bearer ${INTERNAL_KEY}` };
const health = async (base, headers = {}) => (await fetch(`${base}/health`, { headers })).json();
const mails_about = async (box, subject) =>
  (await box.backend_call("GET", "/api/admin/outbox?limit=1000")).mails.filter((mail) => mail.subject === subject);

test("a scheduled backup is restored and found equal to the box", { skip: about_files }, async (t) => {
  const box = await Box.start(t, { BACKUP_SCHEDULE: "* * * * * *", BACKUP_KEEP: "2" });
  for (let i = 0; i < 5; ++i) await box.customer(`person${i}@example.org`);
  const drill = await until("a drill after the last registration", async () => {
    const { restoreDrill } = await box.backend_call("GET", "/api/admin/backups");
    return restoreDrill?.lastProvenRestore && restoreDrill.compared > 20 && restoreDrill;
  });
  assert.match(drill.backup, /^\d{8}T\d{6}Z$/);
  assert.ok(drill.records > drill.compared, JSON.stringify(drill));
  assert.equal(drill.problem, null);
  assert.equal(drill.old, false);

  assert.ok(Date.now() - Date.parse((await health(box.backend, internal)).lastProvenRestore) < 60_000);
  assert.equal((await health(box.backend)).lastProvenRestore, null, "not for everybody");
  assert.equal((await health(box.web, internal)).lastProvenRestore, null, "the web listener takes no such key");
  const metrics = await (await fetch(`${box.backend}/metrics`, { headers: internal })).text();
  const proven = Number(/^agentbox_backup_last_proven_restore_timestamp_seconds (\S+)$/m.exec(metrics)[1]);
  assert.ok(Math.abs(proven - Date.now() / 1000) < 60, String(proven));
  const doctor = await run(["doctor", "--json", "--data", box.folder, "--backup-schedule", "* * * * * *"], {
    env: { INTERNAL_API_KEY: INTERNAL_KEY },
  });
  const finding = JSON.parse(doctor.out).findings.find(({ check }) => check === "restore drill");
  assert.equal(finding.level, "ok", JSON.stringify(finding));

  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  assert.ok(entries.some(({ act, outcome }) => act === "restore drill" && outcome === "ok"));
  assert.equal(await box.end("SIGTERM"), 0);
  assert.deepEqual(
    readdirSync(join(box.folder, "backups")).filter((name) => name.startsWith(".")),
    [],
    "no scratch folder is left",
  );
});

test("an old proof is a warning by mail, once", { skip: about_files }, async (t) => {
  // Its only backup, made since none exists, is a year from the next one.
  const box = await Box.start(t, { BACKUP_SCHEDULE: "0 0 1 1 *", RESTORE_PROOF_AGE: "2s" });
  const subject = "No backup has been restored for a while";
  await until("the warning", async () => (await mails_about(box, subject)).length > 0);
  const { restoreDrill } = await box.backend_call("GET", "/api/admin/backups");
  assert.equal(restoreDrill.old, true);
  const doctor = await run(["doctor", "--json", "--data", box.folder, "--backup-schedule", "0 0 1 1 *"], {
    env: { INTERNAL_API_KEY: INTERNAL_KEY },
  });
  const finding = JSON.parse(doctor.out).findings.find(({ check }) => check === "restore drill");
  assert.ok(finding.level === "note" || finding.level === "warning", JSON.stringify(finding));
  assert.ok(existsSync(box.folder));
});
