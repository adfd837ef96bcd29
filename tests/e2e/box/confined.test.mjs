// A box that its service manager confines: it has a /tmp of its own and writes to its data folder only, and what its
// commands write for their user is whole all the same.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, PASSWORD, run } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const skip = about_files || (process.getuid() !== 0 ? "only root can give a process another view of the file system" : undefined);
const backend = { env: { INTERNAL_API_KEY: INTERNAL_KEY } };
const succeeds = async (...args) => {
  const ended = await run(args, backend);
  assert.equal(ended.code, 0, `${args.join(" ")}: ${JSON.stringify(ended)}`);
  return ended.out;
};

// The box sees `hidden` empty, and cannot write to `shown`.
const story_of = async (t) => {
  const place = mkdtempSync(join(tmpdir(), "agentbox-confined-")),
    hidden = join(place, "hidden"),
    shown = join(place, "shown");
  t.after(() => rmSync(place, { recursive: true, force: true }));
  for (const folder of [hidden, shown]) mkdirSync(folder);
  const view = `mount -t tmpfs none ${hidden} && mount -o bind,ro ${shown} ${shown} && exec "$@"`;
  const box = await Box.start(t, {}, ["unshare", "--mount", "sh", "-c", view, "sh"]);
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const tell = async (what) =>
    assert.equal((await ada.call("POST", "/api/chat", { agentId: agent, message: `remember that ${what}` })).status, 200);
  await tell("the vault is blue");
  const key = join(place, "key");
  copyFileSync(join(box.folder, "master.key"), key);
  return { box, ada, agent, tell, hidden, shown, key };
};
const recalls = async (t, life, data, what) => {
  const again = await Box.open(t, data, {
    ...life.box.env,
    WEB_LISTEN: "127.0.0.1:0",
    BACKEND_LISTEN: "127.0.0.1:0",
    SUMMARIZER_LISTEN: "127.0.0.1:0",
  });
  const ada = again.person();
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200);
  const { messages } = (await ada.call("GET", `/api/chat?agentId=${life.agent}`)).body;
  assert.ok(
    messages.some(({ content }) => content.includes(what)),
    JSON.stringify(messages),
  );
  await again.end("SIGTERM");
};
const new_folder = () => mkdtempSync(join(tmpdir(), "agentbox-restored-"));

test("a backup and a pack have the store wherever they go, and the next backup is the newest", { skip }, async (t) => {
  const life = await story_of(t),
    { box } = life;
  const places = { hidden: join(life.hidden, "backup"), shown: join(life.shown, "backup") };
  for (const to of Object.values(places)) {
    assert.match(await succeeds("backup", "--data", box.folder, "--to", to), /backed up to/);
    assert.deepEqual(readdirSync(to).sort(), ["agentbox.toml.sealed", "agents", "manifest.mtree", "manifest.sig", "store", "store.schema"]);
  }
  const tables = join(places.hidden, "store", "shared_checksum");
  const [table] = readdirSync(tables),
    { ino } = statSync(join(tables, table));
  await life.tell("the door is green");
  await succeeds("backup", "--data", box.folder, "--to", places.hidden);
  assert.equal(statSync(join(tables, table)).ino, ino, "what has not changed is not copied again");
  const pack = join(life.hidden, "box.agentbox");
  await succeeds("pack", "--data", box.folder, "--to", pack);
  assert.ok(!existsSync(join(box.folder, "exchange")), "nothing stays in the data folder");
  const other = await run(["backup", "--data", box.folder, "--to", join(life.hidden, "x")], {
    env: { ...backend.env, AGENTBOX_MASTER_KEY: "0".repeat(64) },
  });
  assert.equal(other.code, 2);
  assert.match(other.err, /master key is not the one the box runs with/);

  await box.end("SIGTERM");
  for (const [from, what] of [
    [places.shown, "blue"],
    [places.hidden, "green"],
  ]) {
    const data = new_folder();
    await succeeds("restore", "--from", from, "--data", data, "--key", life.key);
    await recalls(t, life, data, what);
  }
  const data = new_folder();
  await succeeds("unpack", pack, "--data", data, "--key", life.key);
  await recalls(t, life, data, "green");
});

test("an agent is exported to and imported from where the box sees nothing", { skip }, async (t) => {
  const life = await story_of(t),
    file = join(life.hidden, "scout.agent");
  assert.match(
    await succeeds("admin", "agent", "export", life.agent, "--to", file, "--data", life.box.folder),
    new RegExp(`exported to ${file}`),
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(execFileSync("tar", ["--zstd", "-tf", file], { encoding: "utf8" }), /agentbox\.json/);
  assert.match(
    await succeeds("admin", "agent", "import", file, "--owner", "ada@example.org", "--data", life.box.folder),
    /imported Scout as ag_/,
  );
  assert.ok(!existsSync(join(life.box.folder, "exchange")));
});

test("the reserve of the data folder's disk is not asked of another disk", { skip }, async (t) => {
  const disk = mkdtempSync(join(tmpdir(), "agentbox-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "none", disk]);
  t.after(() => {
    execFileSync("umount", [disk]);
    rmSync(disk, { recursive: true });
  });
  const box = await Box.start(t, { DISK_RESERVE: "128M" });
  assert.deepEqual(await box.backend_call("POST", "/api/admin/backup", { to: join(disk, "store") }), {
    success: true,
    to: join(disk, "store"),
  });
});
