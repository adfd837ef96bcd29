// Makes the fixture of a schema: the store of a small box that a real agentbox of that schema has written, with its key.
// usage: AGENTBOX_BINARY=BINARY node tests/e2e/box/schemas/make.mjs SCHEMA      writes SCHEMA.tar.xz beside this file
// Run it with the released binary before a migration is added: schemas.test.mjs asks for the fixture of each schema.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Box } from "../../support/box.mjs";
import { AGENT, OWNER } from "./content.mjs";

const schema = process.argv[2];
assert.match(schema ?? "", /^\d+$/, "name the schema of the binary");

test(`schema ${schema}`, async (t) => {
  const box = await Box.start(t);
  const person = await box.customer(OWNER);
  const id = await box.running_agent(person, AGENT);
  const stopped = await person.call("POST", `/api/instance/${id}/stop`);
  assert.equal(stopped.status, 200, JSON.stringify(stopped.body));
  await box.until_status(person, id, "stopped");
  assert.equal(await box.end("SIGTERM"), 0);
  const note = join(box.folder, "store.schema"); // of agentbox 0.1.0 and later
  if (existsSync(note)) assert.equal(readFileSync(note, "utf8").split(" ")[0], schema, "the binary has another schema");
  execFileSync(
    "tar",
    [
      "--create",
      "--xz",
      "--file",
      fileURLToPath(new URL(`${schema}.tar.xz`, import.meta.url)),
      "--directory",
      box.folder,
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--sort=name",
      "--exclude=LOG*",
      "--exclude=LOCK",
      "store",
      "master.key",
    ],
    { env: { ...process.env, XZ_OPT: "-9e" } },
  );
});
