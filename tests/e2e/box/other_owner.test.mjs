// Root runs commands on a box that is another user's, as the administrator of a machine with the Debian package does:
// whatever they write in its data folder is that user's, and nobody else's folder gets its secrets.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, binary, INTERNAL_KEY, PASSWORD, run } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const skip = about_files || (process.getuid() !== 0 ? "needs root" : undefined);
const OWNER = 65534;
const give = (path, user) => execFileSync("chown", ["-R", `${user}:${user}`, path]);
const of_others = (path) =>
  execFileSync("find", [path, "!", "-uid", `${OWNER}`], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-owner-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const succeeds = async (...args) => {
  const ended = await run(args);
  assert.equal(ended.code, 0, `${args.join(" ")}: ${JSON.stringify(ended)}`);
  return ended.out;
};

test("what root's commands write in the folder of another user is that user's", { skip }, async (t) => {
  const place = folder(t),
    key = join(place, "key");
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  await box.end("SIGTERM");
  // As an upgrade has left it.
  mkdirSync(join(box.folder, "rollback"));
  cpSync(join(box.folder, "store"), join(box.folder, "rollback", "store"), { recursive: true });
  writeFileSync(
    join(box.folder, "rollback", "schema"),
    readFileSync(join(box.folder, "store.schema"), "utf8").trim() + " 2026-01-01T00:00:00Z\n",
  );
  give(box.folder, OWNER);
  const data = ["--data", box.folder];
  const commands = [
    ["backup", ...data, "--to", join(place, "backup")],
    ["pack", ...data, "--to", join(place, "pack")],
    ["setup", ...data, "--registration", "closed", "--own-ca", "--name", "box.lan", "--web-listen", "127.0.0.1:0", "--yes"],
    ["setup", "renew", ...data],
    ["rollback", ...data, "--yes"],
    ["admin", "rotate-master-key", ...data],
    ["verify", ...data],
  ];
  copyFileSync(join(box.folder, "master.key"), key);
  for (const words of commands) {
    await succeeds(...words);
    assert.deepEqual(of_others(box.folder), [], words.join(" "));
  }
  assert.equal(lstatSync(join(place, "backup")).uid, 0, "root's own files stay root's");
  for (const [name, words] of [
    ["restored", ["restore", "--from", join(place, "backup")]],
    ["unpacked", ["unpack", join(place, "pack")]],
    ["made", ["init", "--email", "you@example.org"]],
  ]) {
    const to = mkdtempSync(join(tmpdir(), `agentbox-${name}-`));
    t.after(() => rmSync(to, { recursive: true, force: true }));
    give(to, OWNER);
    await succeeds(...words, "--data", to, ...(name === "made" ? [] : ["--key", key]));
    assert.deepEqual(of_others(to), [], name);
  }
  give(box.folder, 0);
  await box.serve();
  assert.match((await run(["health", ...data])).out, /^healthy/);
});

test("root backs up and packs a running box of another user where only root may look", { skip }, async (t) => {
  const place = folder(t),
    backend = { env: { INTERNAL_API_KEY: INTERNAL_KEY } };
  const box = await Box.start(t, { RUN_AS: "nobody" });
  for (const [words, written] of [
    [["backup", "--to", join(place, "backup")], join("backup", "store", "meta")],
    [["pack", "--to", join(place, "pack")], "pack"],
  ]) {
    const ended = await run([...words, "--data", box.folder], backend);
    assert.equal(ended.code, 0, JSON.stringify(ended));
    assert.ok(existsSync(join(place, written)), written);
  }
});

test("a command of root's follows no link that the owner has put into the folder", { skip }, async (t) => {
  const place = folder(t),
    victim = join(place, "victim");
  writeFileSync(victim, "of root");
  const data = mkdtempSync(join(tmpdir(), "agentbox-linked-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  execFileSync(binary, ["init", "--data", data, "--email", "you@example.org", "--password", PASSWORD], { stdio: "ignore" });
  give(data, OWNER);
  rmSync(join(data, "agentbox.toml"));
  symlinkSync(victim, join(data, "agentbox.toml"));
  const ended = await run(["setup", "--data", data, "--registration", "closed", "--yes"]);
  assert.notEqual(ended.code, 0);
  assert.equal(readFileSync(victim, "utf8"), "of root");
});

test("root's commands open nothing through a link that the owner has put into the folder", { skip }, async (t) => {
  const place = folder(t),
    victim = join(place, "victim"),
    missing = join(place, "missing"),
    data = mkdtempSync(join(tmpdir(), "agentbox-linked-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  execFileSync("chmod", ["755", place]);
  execFileSync(binary, ["init", "--data", data, "--email", "you@example.org", "--password", PASSWORD], { stdio: "ignore" });
  writeFileSync(victim, "of root");
  let count = 0;
  const commands = () => [
    ["backup", "--data", data, "--to", join(place, `backup${++count}`)],
    ["pack", "--data", data, "--to", join(place, `pack${count}`)],
    ["verify", "--data", data],
    ["admin", "rotate-master-key", "--data", data],
  ];
  for (const name of ["store/agentbox.lock", "store/CURRENT", "agentbox.toml", "master.key"])
    for (const target of [victim, missing]) {
      const path = join(data, name);
      renameSync(path, join(place, "kept"));
      symlinkSync(target, path);
      give(data, OWNER);
      for (const words of commands()) await run(words);
      assert.equal(readFileSync(victim, "utf8"), "of root", `${name} -> ${target}`);
      assert.ok(!existsSync(missing), `${name} -> ${target}`);
      assert.equal(lstatSync(victim).uid, 0);
      rmSync(path, { force: true });
      renameSync(join(place, "kept"), path);
    }
  const outside = join(place, "outside");
  renameSync(join(data, "store"), outside);
  give(outside, 0);
  symlinkSync(outside, join(data, "store"));
  give(data, OWNER);
  const list = () => execFileSync("find", [outside, "-printf", "%P %s %T@ %U\n"], { encoding: "utf8" });
  const before = list();
  for (const words of commands()) {
    await run(words);
    assert.equal(list(), before, words.join(" "));
  }
});

test("a pipe in the place of a file does not hold a command up", { skip: about_files }, async (t) => {
  const place = folder(t),
    data = join(place, "data");
  execFileSync(binary, ["init", "--data", data, "--email", "you@example.org", "--password", PASSWORD], { stdio: "ignore" });
  for (const name of ["agentbox.toml", "master.key", "endpoints.json"]) {
    const path = join(data, name);
    const had = existsSync(path);
    if (had) renameSync(path, join(place, "kept"));
    execFileSync("mkfifo", ["-m", "600", path]);
    for (const words of [["doctor"], ["backup", "--to", join(place, "backup")]]) {
      const ended = await run([...words, "--data", data], { timeout: 60_000 });
      assert.ok([1, 2].includes(ended.code), `${words[0]} ${name}: ${JSON.stringify(ended)}`);
      assert.match(ended.out + ended.err, /is not a regular file/, `${words[0]} ${name}`);
    }
    rmSync(path);
    if (had) renameSync(join(place, "kept"), path);
  }
});

test("a pack and a backup go into no folder that another user owns or may write in", { skip }, async (t) => {
  const box = await Box.start(t),
    place = folder(t),
    outside = join(place, "outside");
  await box.end("SIGTERM");
  mkdirSync(join(outside, "home"), { recursive: true });
  const copy = join(place, "box.agentbox.copy");
  mkdirSync(copy);
  writeFileSync(join(copy, "pack"), "");
  symlinkSync(outside, join(copy, "agents"));
  give(copy, OWNER);
  const refused = async (...words) => {
    const ended = await run([...words, "--data", box.folder]);
    assert.equal(ended.code, 2, JSON.stringify(ended));
    return ended.err;
  };
  assert.match(await refused("pack", "--to", join(place, "box.agentbox"), "--with-key"), /box\.agentbox\.copy belongs to user 65534/);
  assert.match(await refused("backup", "--to", copy), /belongs to user 65534, who could read and change/);
  chownSync(copy, 0, 0);
  execFileSync("chmod", ["o+w", copy]);
  assert.match(await refused("backup", "--to", copy), /other users can write in/);
  assert.ok(existsSync(join(outside, "home")) && !existsSync(join(copy, "store")), "nothing was done there");
});
