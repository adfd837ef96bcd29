// ./dev audit: what is known against the linked packages, from a tracker that the test wrote.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const audit = join(dirname(fileURLToPath(import.meta.url)), "../image/audit.mjs");
const debian = (name, versionInfo) => ({
  name,
  versionInfo,
  externalRefs: [{ referenceLocator: `pkg:deb/debian/${name}@${versionInfo}` }],
});

const audited = (t, packages, tracker) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-audit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name, value) => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  const { status, stdout } = spawnSync(
    "node",
    [audit, file("spdx.json", { packages }), tracker ? file("tracker.json", tracker) : join(folder, "none")],
    { encoding: "utf8" },
  );
  return { status, stdout };
};
const cve = (status, more = {}) => ({ releases: { bookworm: { status, urgency: "medium", ...more } } });

test("a version before the fix is named with the fix, one behind it is not", (t) => {
  const tracker = {
    "no-such-parser": {
      "CVE-1": cve("resolved", { fixed_version: "2.0-1+deb12u2" }),
      "CVE-2": cve("resolved", { fixed_version: "1.9-1" }),
      "CVE-3": cve("undetermined"),
    },
    "no-such-codec": { "CVE-4": cve("open") },
    "not-linked": { "CVE-5": cve("open") },
  };
  const { status, stdout } = audited(
    t,
    [debian("no-such-parser", "2.0-1+deb12u1"), debian("no-such-codec", "1.0-1"), { name: "agentbox", versionInfo: "0.1.0" }],
    tracker,
  );
  assert.equal(status, 1);
  assert.deepEqual(stdout.trim().split("\n"), [
    "CVE-1  no-such-parser 2.0-1+deb12u1: fixed in 2.0-1+deb12u2",
    "CVE-4  no-such-codec 1.0-1: open, medium",
    "audit: 2 packages, 2 known vulnerabilities, 1 fixed in a newer package",
  ]);
});

test("what has no fix yet is listed and is no failure", (t) => {
  const { status, stdout } = audited(t, [debian("no-such-codec", "1.0-1")], { "no-such-codec": { "CVE-4": cve("open") } });
  assert.equal(status, 0);
  assert.match(stdout, /^CVE-4 /);
});

test("without a tracker the packages are listed, and it says that they were not compared", (t) => {
  const { status, stdout } = audited(t, [debian("no-such-codec", "1.0-1")]);
  assert.equal(status, 0);
  assert.match(stdout, /cannot be read.*not compared:\n {2}no-such-codec 1\.0-1\n$/);
});
