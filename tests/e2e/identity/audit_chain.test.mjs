// The audit log cannot be changed unnoticed: whoever can write the store cannot change, remove or move what was signed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, createPublicKey, verify } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, run } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const record = async (box) => (await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0")).entries;
const admin = (box, ...args) => run(["admin", ...args, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
const tamper = (folder, ...args) => execFileSync(join(process.env.AGENTBOX_STORY_PACKAGES, "tamper"), [folder, ...args.map(String)]);

// A box with some entries, stopped, so that all of them are signed.
const stopped_box = async (t) => {
  const box = await Box.start(t);
  for (let n = 0; n < 8; ++n) await box.person().log_in(ADMIN.email, n % 2 ? ADMIN.password : "a wrong password");
  const ids = (await record(box)).map(({ id }) => id);
  assert.equal(ids.length, 8);
  await box.end("SIGTERM");
  return { box, ids };
};

test("an unchanged log is verified, before and after a restart", async (t) => {
  const { box } = await stopped_box(t);
  await box.serve();
  const ended = await admin(box, "audit", "verify");
  assert.deepEqual([ended.code, ended.err], [0, ""], JSON.stringify(ended));
  assert.match(
    ended.out,
    /^the audit log is unchanged: 8 entries, signed up to entry \d+ on .*, 0 after it; 0 without personal data; 0 older than the chain$/m,
  );
});

test("each way to change the log is found, and the first bad entry is named", { skip: about_files }, async (t) => {
  const { box, ids } = await stopped_box(t);
  const untouched = mkdtempSync(join(tmpdir(), "agentbox-audit-"));
  t.after(() => rmSync(untouched, { recursive: true, force: true }));
  cpSync(join(box.folder, "store"), untouched, { recursive: true });
  const ways = [
    [["change", ids[3]], ids[3], /was changed/],
    [["remove", ids[3]], ids[4], /does not follow the one before it/],
    [["remove", ids[0]], ids[1], /before this one were removed/],
    [["swap", ids[2], ids[5]], ids[2], /was changed/],
    [["cut", ids[6]], ids[6], /from this one on were removed/],
  ];
  for (const [way, entry, what] of ways) {
    tamper(box.folder, ...way);
    await box.serve();
    const ended = await admin(box, "audit", "verify");
    assert.deepEqual([ended.code, ended.err], [1, ""], `${way}: ${JSON.stringify(ended)}`);
    assert.match(ended.out, new RegExp(`^entry ${entry}: `), `${way}`);
    assert.match(ended.out, what, `${way}`);
    await box.end("SIGTERM");
    rmSync(join(box.folder, "store"), { recursive: true });
    cpSync(untouched, join(box.folder, "store"), { recursive: true });
  }
  await box.serve();
  assert.equal((await admin(box, "audit", "verify")).code, 0);
});

test("a log of an older version begins its chain with the next entry", async (t) => {
  const { box } = await stopped_box(t);
  tamper(box.folder, "downgrade");
  await box.serve();
  assert.match(
    (await admin(box, "audit", "verify")).out,
    /unchanged: 0 entries, none of them signed yet; 0 without personal data; 8 older than the chain/,
  );
  await box.person().log_in(ADMIN.email, ADMIN.password);
  assert.match((await admin(box, "audit", "verify")).out, /unchanged: 1 entries, none of them signed yet; .* 8 older than the chain/);
  const entries = await record(box);
  assert.equal(entries.length, 9);
});

test("an export can be verified without the box", async (t) => {
  const { box } = await stopped_box(t);
  await box.serve();
  await box.person().log_in(ADMIN.email, ADMIN.password);
  const ended = await admin(box, "audit", "export");
  assert.equal(ended.code, 0, ended.err);
  const lines = ended.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  // As operations.md has it.
  const digest = (...fields) =>
    createHash("sha256")
      .update(canonical(...fields))
      .digest("hex");
  const canonical = (...fields) => fields.map((field) => `${Buffer.byteLength(String(field))}:${field},`).join("");
  const [key] = lines.filter(({ type }) => type === "key");
  const public_key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(key.publicKey, "hex").toString("base64url") },
    format: "jwk",
  });
  let previous = "0".repeat(64),
    entries = 0,
    heads = 0,
    last;
  for (const line of lines) {
    if (line.type === "entry") {
      ++entries;
      assert.equal(line.previous, previous);
      assert.equal(line.personal, digest("agentbox audit personal 1", line.salt, line.userId, line.subject, line.address, line.as));
      assert.equal(
        line.hash,
        digest("agentbox audit entry 1", line.previous, line.id, line.at, line.act, line.outcome, line.by, line.personal),
      );
      [previous, last] = [line.hash, line.id];
    }
    if (line.type === "head") {
      ++heads;
      assert.deepEqual([line.entry, line.hash], [last, previous], "a head follows its entry");
      const text = canonical("agentbox audit head 1", line.kind, line.entry, line.hash, line.first, line.at);
      assert.ok(verify(null, Buffer.from(text), public_key, Buffer.from(line.signature, "hex")));
    }
  }
  assert.equal(entries, 9);
  assert.ok(heads >= 1, `${heads}`);
});

test("a person's data can be erased, and the chain holds", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  await box.customer("eve@example.org");
  const erased = await admin(box, "audit", "erase", "--user", ada.id, "--subject", "ada@example.org", "--as", "Grace", "--yes");
  assert.match(erased.out, /^personal data erased from [1-9]\d* entries\n$/, JSON.stringify(erased));
  const entries = await record(box);
  assert.doesNotMatch(JSON.stringify(entries), /ada@example/);
  assert.ok(
    entries.some(({ subject }) => subject === "eve@example.org"),
    "nobody else's",
  );
  const noted = entries.at(-1);
  assert.deepEqual([noted.act, noted.by, noted.as], ["personal data erased by admin", "internal", "Grace"]);
  const ended = await admin(box, "audit", "verify");
  assert.equal(ended.code, 0, ended.out);
  assert.match(ended.out, /[1-9]\d* without personal data/);
  assert.equal((await admin(box, "audit", "erase", "--yes")).code, 2);
});
