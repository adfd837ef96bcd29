// A store of each earlier schema, written by a real agentbox of its time, is opened, migrated, and has what was in it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ADMIN, Box, PASSWORD, run } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";
import { AGENT, OWNER } from "./schemas/content.mjs";

const fixtures = fileURLToPath(new URL("schemas", import.meta.url));
// Schemas 1 and 2 were over before fixtures were kept, and before anything was released.
const earliest = 3;
const schemas = readdirSync(fixtures)
  .map((name) => Number(/^(\d+)\.tar\.xz$/.exec(name)?.[1]))
  .filter(Boolean)
  .sort((a, b) => a - b);

const unpacked = (schema) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-schema-"));
  execFileSync("tar", ["--extract", "--file", join(fixtures, `${schema}.tar.xz`), "--directory", folder, "--no-same-owner"]);
  writeFileSync(join(folder, "agentbox.toml"), "");
  return folder;
};
const noted = (folder) => Number(readFileSync(join(folder, "store.schema"), "utf8").split(" ")[0]);

for (const schema of schemas)
  test(`a store of schema ${schema} is opened with everything in it`, async (t) => {
    const box = await Box.open(t, unpacked(schema));
    const present = noted(box.folder);
    assert.ok(present >= schema);
    const person = box.person(),
      admin = box.person();
    assert.equal((await admin.log_in(ADMIN.email, ADMIN.password)).status, 200);
    assert.equal((await person.log_in(OWNER, PASSWORD)).status, 200);
    const { agents } = (await person.call("GET", "/api/agents")).body;
    assert.deepEqual(
      agents.map(({ name, status }) => ({ name, status })),
      [{ name: AGENT, status: "stopped" }],
    );
    assert.equal((await person.call("POST", `/api/instance/${agents[0].id}/start`)).status, 200, "its token can be unsealed");
    await box.until_status(person, agents[0].id, "running");
    const { users } = await box.backend_call("GET", "/api/admin/users");
    assert.deepEqual(users.map(({ email }) => email).sort(), [ADMIN.email, OWNER]);
    assert.ok(existsSync(join(box.folder, "rollback", "store")), "the store is kept as it was");
    await person.call("POST", `/api/instance/${agents[0].id}/stop`);
    await box.end("SIGTERM");
    const verified = await run(["verify", "--data", box.folder]);
    assert.equal(verified.code, 0, verified.err);
    await box.serve(); // for its end
  });

test("there is a fixture of each schema up to the present one", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  const present = noted(box.folder);
  const expected = Array.from({ length: present - earliest + 1 }, (_, at) => earliest + at);
  assert.deepEqual(schemas, expected, "make the fixture of the present schema with tests/e2e/box/schemas/make.mjs, and keep the others");
});
