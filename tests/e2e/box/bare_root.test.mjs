// Root without capabilities, as containers often have it: it owns its files and may become no other user.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box } from "../support/box.mjs";

const skip = process.getuid() !== 0 ? "needs root" : undefined;

test("a box of a root without capabilities works, and says that its agents have no users of their own", { skip }, async (t) => {
  const root = mkdtempSync(join(tmpdir(), "agentbox-browsed-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "README.md"), "# Project\n");
  execFileSync("git", ["-C", root, "init", "-q"]);
  const box = await Box.start(t, { BROWSE_ROOT: root }, ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]);
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: agent, message: "remember that the vault is blue" })).status, 200);
  const status = await box.backend_call("GET", "/api/browse/git-status");
  assert.equal(status.isGitRepo, true, JSON.stringify(status));
  assert.equal((await fetch(`${box.summarizer}/health`)).status, 200);
  const { isolation, isolationLacks } = await (await fetch(`${box.backend}/health`)).json();
  assert.notEqual(isolation, "none");
  assert.ok(
    isolationLacks.some((lack) => lack.includes("own user (root may not change users here)")),
    JSON.stringify(isolationLacks),
  );
});
