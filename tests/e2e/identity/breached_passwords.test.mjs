// BREACHED_PASSWORDS: the operator's own list of passwords that nobody may choose.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, PASSWORD, run } from "../support/box.mjs";

const register = (person, email, password = PASSWORD) => person.call("POST", "/api/register", { email, password });

test("passwords of the operator's list are refused; a list that is none keeps the box from starting", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-list-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "breached.txt");
  const hash = (text) => createHash("sha1").update(text).digest("hex").toUpperCase();
  const bad = ["a password known to all", "another one of those", "and a third, with ünlauts"];
  const others = Array.from({ length: 5_000 }, (_, at) => hash(`filler ${at}`));
  const lines = [...bad.map(hash), ...others].sort().map((line, at) => `${line}:${at + 1}`);
  writeFileSync(file, lines.join("\r\n") + "\r\n");
  const box = await Box.start(t, { BREACHED_PASSWORDS: file });
  const refuses = ({ status, body }) => {
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.error, /^password is in a list of passwords known from breaches/);
  };
  for (const password of bad) refuses(await register(box.person(), "ada@example.org", password));
  const ada = box.person();
  assert.equal((await register(ada, "ada@example.org")).status, 200);
  await ada.log_in("ada@example.org", PASSWORD);
  const change = { currentPassword: PASSWORD, newPassword: bad[0] };
  refuses(await ada.call("POST", "/api/settings/password", change));

  await box.end("SIGTERM");
  const start = () => run(["serve", "--data", box.folder], { env: { BREACHED_PASSWORDS: file } });
  for (const [content, complaint] of [
    [[...lines].reverse().join("\n"), /not sorted by hash/],
    ["no hashes at all, but text that goes on for more than one line of a list would be long\n".repeat(9), /no list of SHA-1 hashes/],
    ["", /is empty/],
  ]) {
    writeFileSync(file, content);
    const refused = await start();
    assert.notEqual(refused.code, 0);
    assert.match(refused.err, complaint);
  }
  rmSync(file);
  assert.match((await start()).err, /BREACHED_PASSWORDS: cannot open .*No such file/);
});
