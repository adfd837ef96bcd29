// A signed catalogue of models replaces the box's, without a network and without a restart.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Box, INTERNAL_KEY, run } from "../support/box.mjs";

const embedded = join(dirname(fileURLToPath(import.meta.url)), "../../../appliance/models/catalogue.json");

test("a catalogue is taken over if it is signed by the key that is trusted", async (t) => {
  const box = await Box.start(t),
    place = mkdtempSync(join(tmpdir(), "agentbox-catalogue-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const key = join(place, "publisher"),
    other = join(place, "other"),
    file = join(place, "catalogue.json");
  for (const path of [key, other]) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
  const sign = (by, name_space = "agentbox-catalogue") => {
    rmSync(`${file}.sig`, { force: true });
    execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", by, "-n", name_space, file], { stdio: "ignore" });
  };
  const update = (...more) =>
    run(["catalogue", "update", file, "--data", box.folder, ...more], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
  const refused = async (ended, pattern) => {
    const { code, err } = await ended;
    assert.equal(code, 2, err);
    assert.match(err, pattern);
    assert.ok(!existsSync(join(box.folder, "catalogue.json")), "nothing was taken over");
  };
  const catalogue = JSON.parse(readFileSync(embedded));
  catalogue.models[0].name = "The Newest Name";
  writeFileSync(file, JSON.stringify(catalogue));

  await refused(update(), /there is no key to check the signature with/);
  await refused(update("--key", `${key}.pub`), /is not signed: .*\.sig is missing/);
  sign(other);
  await refused(update("--key", `${key}.pub`), /is not signed by the key in/);
  sign(key, "another-purpose");
  await refused(update("--key", `${key}.pub`), /is not signed by the key in/);
  sign(key);
  writeFileSync(file, JSON.stringify(catalogue) + " ");
  await refused(update("--key", `${key}.pub`), /is not signed by the key in/);
  writeFileSync(file, '{"models": 7}');
  sign(key);
  await refused(update("--key", `${key}.pub`), /models/);

  writeFileSync(file, JSON.stringify(catalogue));
  sign(key);
  copyFileSync(`${key}.pub`, join(box.folder, "catalogue.pub"));
  const done = await update();
  assert.equal(done.code, 0, done.err);
  assert.match(done.out, /the catalogue has \d+ models\nthe running box uses it\n/);
  const ada = await box.customer("ada@example.org", "network");
  assert.ok(JSON.stringify((await ada.call("GET", "/api/models")).body).includes("The Newest Name"));
  rmSync(join(box.folder, "catalogue.json"));
  rmSync(`${file}.sig`);
  assert.equal((await update("--unsigned")).code, 0);
});
