// Backup, restore and verify: a backup holds everything but the secrets, and with the master key it becomes a box that
// serves again.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, binary, INTERNAL_KEY, PASSWORD, run } from "../support/box.mjs";
import { about_files, keep_in_folder } from "../support/story_store.mjs";

const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-backup-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const succeeds = async (args, options) => {
  const ended = await run(args, options);
  assert.equal(ended.code, 0, `${args.join(" ")}: ${JSON.stringify(ended)}`);
  return ended.out;
};
const complains = (ended, ...patterns) => {
  assert.deepEqual([ended.code, ended.out], [2, ""], JSON.stringify(ended));
  const lines = ended.err
    .trimEnd()
    .split("\n")
    .filter((line) => !line.startsWith("{"));
  assert.equal(lines.length, 1, ended.err);
  for (const pattern of patterns) assert.match(lines[0], pattern);
};
const files_in = (path) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files_in(join(path, entry.name)) : entry.isFile() ? [join(path, entry.name)] : [],
  );
const holding = (path, secret) => files_in(path).filter((file) => readFileSync(file).includes(secret));
const backend = { env: { INTERNAL_API_KEY: INTERNAL_KEY } };

// A box with a life behind it: settings with a secret, a user with a key, an agent that remembers something.
const lived_in = async (t) => {
  const box = await Box.start(t);
  appendFileSync(join(box.folder, "agentbox.toml"), 'local_api_key = "the-model-servers-key"\nlog_level = "info"\n');
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  await ada.call("POST", "/api/chat", { agentId: agent, message: "remember that the vault is blue" });
  const { key } = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  const boot = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const settings = readFileSync(join(box.folder, "agentbox.toml"), "utf8");
  const master_key = readFileSync(join(box.folder, "master.key"), "utf8").trim();
  const secrets = {
    master_key,
    master_key_bytes: Buffer.from(master_key, "hex"),
    internal_key: settings.match(/internal_api_key = "(.*)"/)[1],
    model_key: "the-model-servers-key",
    gateway_token: boot.gateway_token,
    box_token: boot.box_token,
    password: PASSWORD,
    admin_password: ADMIN.password,
    session: ada.cookie.split("=")[1],
    api_key: key.split("_").at(-1),
  };
  for (const [name, secret] of Object.entries(secrets)) assert.ok(secret?.length >= 20, `${name}: ${secret}`);
  return { box, ada, agent, key, settings, secrets };
};

// Ends the box permanently, its agents too, as if the machine were lost; the folder stays until the test's end.
const lose = async ({ box, agent }) => {
  await box.end("SIGKILL");
  const { pid } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "agent.pid")));
  process.kill(pid, "SIGKILL");
};

const is_itself_again = async (t, data, life, env) => {
  const again = await Box.open(t, data, { ...life.box.env, ...env });
  assert.equal((await life.ada.call("GET", "/api/auth/session")).body.user.email, "ada@example.org", "the session lives");
  const ada = again.person();
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200);
  assert.equal((await ada.call("GET", "/api/settings")).body.plan, "solo");
  assert.equal((await ada.call("POST", "/api/keys/validate", { apiKey: life.key })).body.valid, true);
  await again.until_status(ada, life.agent, "running");
  assert.equal((await ada.call("GET", `/api/chat?agentId=${life.agent}`)).body.count, 2);
  const recalled = await ada.call("POST", "/api/chat", { agentId: life.agent, message: "what do you remember?" });
  assert.match(recalled.body.message?.content ?? JSON.stringify(recalled.body), /blue/);
  assert.equal(readFileSync(join(data, "agentbox.toml"), "utf8"), life.settings);
  return again;
};

test("a backup of the running box holds no secret, and with the key it becomes the box again", { skip: about_files }, async (t) => {
  const life = await lived_in(t),
    to = join(folder(t), "backup"),
    data = join(folder(t), "data"),
    key_file = join(folder(t), "key");
  mkdirSync(to, { mode: 0o755 });
  const said = await succeeds(["backup", "--data", life.box.folder, "--to", to], backend);
  assert.match(said, /without master\.key: .*elsewhere/);
  for (const [name, secret] of Object.entries(life.secrets)) assert.deepEqual(holding(to, secret), [], name);
  assert.deepEqual(holding(life.box.folder, life.secrets.model_key), [join(life.box.folder, "agentbox.toml")], "such a search finds");
  assert.deepEqual(readdirSync(to).sort(), ["agentbox.toml.sealed", "agents", "manifest.mtree", "manifest.sig", "store", "store.schema"]);
  assert.deepEqual(readdirSync(join(to, "agents", life.agent)), ["workspace"]);
  for (const part of ["store", "agents"])
    assert.equal(statSync(join(to, part)).mode & 0o777, 0o700, `${part} of a folder that others may look into`);
  assert.equal(statSync(join(to, "agentbox.toml.sealed")).mode & 0o777, 0o600);
  writeFileSync(key_file, life.secrets.master_key);
  await lose(life);

  const restore = (...more) => run(["restore", "--from", to, "--data", data, ...more]);
  complains(await restore(), /does not hold its master key/, /--key/, /AGENTBOX_MASTER_KEY/);
  writeFileSync(join(to, "..", "other"), "0".repeat(64));
  complains(await restore("--key", join(to, "..", "other")), /does not open the backup/, /box that was backed up/);
  complains(await restore("--key", "/no/such.key"), /\/no\/such\.key/, /path/);
  complains(await restore("--key", "/dev/null"), /\/dev\/null is empty/);
  assert.ok(!existsSync(data), "what cannot be opened is not begun");

  await succeeds(["restore", "--from", to, "--data", data, "--key", key_file]);
  assert.equal(statSync(join(data, "master.key")).mode & 0o777, 0o600);
  assert.match(await succeeds(["verify", "--data", data]), /sound/);
  await is_itself_again(t, data, life);
  complains(await restore("--key", key_file), /already holds a box/, /--data/);
});

test("the key can stay in the environment, and then it is written nowhere", { skip: about_files }, async (t) => {
  const life = await lived_in(t),
    to = join(folder(t), "backup"),
    data = join(folder(t), "data");
  await succeeds(["backup", "--data", life.box.folder, "--to", to], backend);
  await lose(life);
  const env = { AGENTBOX_MASTER_KEY: life.secrets.master_key };
  assert.match(await succeeds(["restore", "--from", to, "--data", data], { env }), /set it for agentbox serve/);
  assert.ok(!existsSync(join(data, "master.key")));
  await is_itself_again(t, data, life, env);
});

test(
  "--with-key makes a backup that needs no other key and warns about it; the next one keeps the key and says so",
  { skip: about_files },
  async (t) => {
    const life = await lived_in(t),
      to = join(folder(t), "backup");
    await life.box.end("SIGTERM");
    const back_up = (...more) => succeeds(["backup", "--data", life.box.folder, "--to", to, ...more]);
    const lines = (await back_up("--with-key")).trimEnd().split("\n");
    assert.equal(lines.length, 2);
    assert.match(lines[1], /with master\.key: this folder gives access to every secret/);
    assert.equal(statSync(join(to, "master.key")).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(to, "master.key"), "utf8").trim(), life.secrets.master_key);
    const data = join(folder(t), "data");
    await succeeds(["restore", "--from", to, "--data", data]);
    assert.match(await back_up(), /with master\.key, which an earlier backup put there: this folder gives access/);
    assert.equal(readFileSync(join(to, "master.key"), "utf8").trim(), life.secrets.master_key);
    writeFileSync(join(to, "master.key"), "0".repeat(64));
    complains(await run(["backup", "--data", life.box.folder, "--to", to]), /has another master key now: add --with-key/);
    await back_up("--with-key");
    await life.box.serve();
    await life.box.backend_call("DELETE", `/api/agents/${life.agent}`);
    await life.box.end("SIGTERM");
    await is_itself_again(t, data, life);
  },
);

test(
  "a backup is updated: new files are added, deleted ones removed, unchanged ones not copied again",
  { skip: about_files },
  async (t) => {
    const box = await Box.start(t),
      to = join(folder(t), "backup");
    const ada = await box.customer("ada@example.org", "collective"),
      provision = (name) => ada.call("POST", "/api/agents/provision", { name, tier: "pro" });
    const first = (await provision("First")).body.agent.id;
    await box.until_status(ada, first, "running");
    const workspace = join(box.folder, "agents", first, "workspace"),
      copy = join(to, "agents", first, "workspace");
    writeFileSync(join(workspace, "note"), "one");
    writeFileSync(join(workspace, "gone"), "soon");
    mkdirSync(join(workspace, "kind"));
    const back_up = () => succeeds(["backup", "--data", box.folder, "--to", to], backend);
    await back_up();
    const before = statSync(join(copy, "note"));

    rmSync(join(workspace, "gone"));
    rmSync(join(workspace, "kind"), { recursive: true });
    writeFileSync(join(workspace, "kind"), "a file now");
    writeFileSync(join(workspace, "new"), "two");
    const second = (await provision("Second")).body.agent.id;
    await box.until_status(ada, second, "running");
    await back_up();
    assert.equal(statSync(join(copy, "note")).ino, before.ino);
    assert.deepEqual(
      ["gone", "new", "kind"].map((name) => existsSync(join(copy, name)) && readFileSync(join(copy, name), "utf8")),
      [false, "two", "a file now"],
    );
    assert.deepEqual(readdirSync(join(to, "agents")).sort(), [first, second].sort());
    await ada.call("DELETE", `/api/agents/${first}`);
    await back_up();
    assert.deepEqual(readdirSync(join(to, "agents")), [second]);
  },
);

test("links in a workspace do not lead a backup outside", { skip: about_files }, async (t) => {
  const life = await lived_in(t),
    to = join(folder(t), "backup");
  const workspace = join(life.box.folder, "agents", life.agent, "workspace");
  symlinkSync(join(life.box.folder, "master.key"), join(workspace, "key"));
  symlinkSync(life.box.folder, join(workspace, "box"));
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  await succeeds(["backup", "--data", life.box.folder, "--to", to], backend);
  const copy = join(to, "agents", life.agent, "workspace");
  assert.equal(readlinkSync(join(copy, "key")), join(life.box.folder, "master.key"));
  assert.ok(lstatSync(join(copy, "box")).isSymbolicLink());
  assert.ok(!existsSync(join(copy, "pipe")));
  assert.deepEqual(holding(to, life.secrets.master_key), []);
});

test("paths longer than the system takes are backed up and restored like others", { skip: about_files }, async (t) => {
  const life = await lived_in(t),
    to = join(folder(t), "backup"),
    data = join(folder(t), "data"),
    key_file = join(folder(t), "key");
  const workspace = join(life.box.folder, "agents", life.agent, "workspace");
  const dig = `const fs = require("fs"), name = "d".repeat(250);
    for (let level = 0; level < 20; ++level) fs.mkdirSync(name), process.chdir(name);
    fs.writeFileSync("deep.txt", "found");
    for (let level = 0; level < 600; ++level) fs.mkdirSync("d"), process.chdir("d");
    fs.writeFileSync("too-deep.txt", "left out");`;
  execFileSync(process.execPath, ["-e", dig], { cwd: workspace });
  assert.match(
    await succeeds(["backup", "--data", life.box.folder, "--to", to], backend),
    /left out of .*workspace: 1 folder within more than 200 others/,
  );
  await succeeds(["backup", "--data", life.box.folder, "--to", to], backend);
  writeFileSync(key_file, life.secrets.master_key);
  await succeeds(["restore", "--data", data, "--from", to, "--key", key_file]);
  const there = join(data, "agents", life.agent, "workspace");
  assert.equal(execFileSync("find", [there, "-name", "deep.txt", "-execdir", "cat", "{}", ";"], { encoding: "utf8" }), "found");
  assert.equal(execFileSync("find", [there, "-name", "too-deep.txt"], { encoding: "utf8" }), "");
  execFileSync("rm", ["-rf", workspace, there, to]); // Node does not remove what has such a path
});

test("a file of holes takes no room in a backup", { skip: about_files }, async (t) => {
  const life = await lived_in(t),
    to = join(folder(t), "backup"),
    data = join(folder(t), "data"),
    key_file = join(folder(t), "key");
  const workspace = (box) => join(box, "agents", life.agent, "workspace", "holes");
  const size = 2 ** 40,
    file = openSync(workspace(life.box.folder), "w");
  ftruncateSync(file, size);
  writeSync(file, "in the middle", 2 ** 39);
  closeSync(file);
  await succeeds(["backup", "--data", life.box.folder, "--to", to], backend);
  writeFileSync(key_file, life.secrets.master_key);
  await succeeds(["restore", "--data", data, "--from", to, "--key", key_file]);
  const copy = openSync(workspace(data)),
    middle = Buffer.alloc(20);
  readSync(copy, middle, 0, 20, 2 ** 39 - 1);
  closeSync(copy);
  assert.deepEqual([statSync(workspace(to)).size, statSync(workspace(data)).size], [size, size]);
  assert.ok(statSync(workspace(data)).blocks * 512 < 2 ** 20);
  assert.equal(middle.toString("latin1"), "\0in the middle\0\0\0\0\0\0");
});

test("a backup that could not be opened is not made", { skip: about_files }, async (t) => {
  const box = await Box.start(t),
    to = join(folder(t), "backup");
  const back_up = (where, env = {}) => run(["backup", "--data", box.folder, "--to", where], { env: { ...backend.env, ...env } });
  complains(await back_up(to, { AGENTBOX_MASTER_KEY: "f".repeat(64) }), /master key is not the one the box runs with/);
  complains(await back_up(box.folder), /holds a box, not a backup/, /--to/);
  complains(await back_up("/dev/null/backup"), /cannot make the folder of the backup/, /another one with --to/);
  complains(await back_up("/proc/backup"), /cannot make the folder of the backup \/proc\/backup/, /--to/);
  complains(await back_up(join(box.folder, "agentbox.toml")), /agentbox\.toml is inside the data folder/, /--to/);
  const file = join(folder(t), "file");
  writeFileSync(file, "");
  complains(await back_up(file), /file is not a folder/, /--to/);
  complains(await run(["backup", "--data", box.folder, "--to", to]), /refuses the key/);
  complains(await run(["backup", "--data", join(box.folder, "none"), "--to", to]), /there is no box in/);
  complains(await run(["backup", "--data", box.folder]), /--to is required/);
  await box.end("SIGTERM");
  complains(await back_up(to, { AGENTBOX_MASTER_KEY: "f".repeat(64) }), /does not belong to the store/);
});

test("a backup that is not whole is not restored", { skip: about_files }, async (t) => {
  const box = await Box.start(t),
    to = join(folder(t), "backup"),
    data = join(folder(t), "data");
  await succeeds(["backup", "--data", box.folder, "--to", to, "--with-key"], backend);
  const restore = (from) => run(["restore", "--from", from, "--data", data]);
  complains(await restore(folder(t)), /there is no backup in/);
  complains(await restore(box.folder), /not a backup|cut off|no backup/);
  complains(await run(["restore", "--data", data]), /--from is required/);

  const sealed = join(to, "agentbox.toml.sealed"),
    text = readFileSync(sealed, "utf8");
  rmSync(sealed);
  complains(await restore(to), /cut off/, /make it again/);
  writeFileSync(sealed, text.slice(0, -8));
  complains(await restore(to), /does not open the backup/);
  writeFileSync(sealed, text);
  const [sst] = files_in(join(to, "store", "shared_checksum"));
  const bytes = readFileSync(sst);
  writeFileSync(sst, bytes.subarray(0, bytes.length - 1));
  complains(await restore(to), /cannot be restored/);
  assert.ok(!existsSync(join(data, "store")));
  writeFileSync(sst, bytes);
  await succeeds(["restore", "--from", to, "--data", data]);
  assert.match(await succeeds(["verify", "--data", data]), /sound/);
});

// A stopped box with one file in a workspace, and its backup with the key.
const backed_up = async (t) => {
  const box = await Box.start(t),
    to = join(folder(t), "backup"),
    workspace = join(box.folder, "agents", "ag_made", "workspace"),
    command = ["backup", "--data", box.folder, "--to", to];
  await box.end("SIGTERM");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "note"), "one");
  await succeeds([...command, "--with-key"]);
  const restored = async () => {
    const data = join(folder(t), "data");
    await succeeds(["restore", "--from", to, "--data", data]);
    keep_in_folder(data);
    assert.match(await succeeds(["verify", "--data", data]), /sound/);
    assert.ok(existsSync(join(data, "master.key")));
    return readFileSync(join(data, "agents", "ag_made", "workspace", "note"), "utf8");
  };
  return { to, workspace, command, restored, copy: join(to, "agents", "ag_made", "workspace") };
};

for (const [how, trap, code] of [
  ["is killed", "", "SIGXFSZ"],
  ["finds no room", 'trap "" XFSZ; ', 2],
])
  test(`a backup that ${how} leaves the one before whole, with its key`, async (t) => {
    const { to, workspace, command, restored } = await backed_up(t);
    writeFileSync(join(workspace, "note"), "two");
    writeFileSync(join(workspace, "big"), Buffer.alloc(8 << 20, "x"));
    // No file may become larger than 4 MB.
    const ended = await new Promise((resolve) =>
      execFile("bash", ["-c", `${trap}ulimit -f 4096; exec "$@"`, "bash", binary, ...command], (error, out, err) =>
        resolve({ code: error ? (error.code ?? error.signal) : 0, out, err }),
      ),
    );
    assert.equal(ended.code, code, JSON.stringify(ended));
    assert.equal(existsSync(join(to, ".next")), code !== 2, "a draft that may have filled the disk is removed");
    assert.equal(await restored(), "one");
    await succeeds(command);
    assert.equal(await restored(), "two");
    assert.deepEqual(
      readdirSync(to).filter((name) => name.startsWith(".")),
      [],
    );
  });

test("a backup that was cut off while it was put into its place is complete", { skip: about_files }, async (t) => {
  const { to, workspace, command, restored } = await backed_up(t);
  writeFileSync(join(workspace, "note"), "two");
  cpSync(to, `${to}.before`, { recursive: true });
  await succeeds(command);
  const after = `${to}.after`;
  renameSync(to, after);
  renameSync(`${to}.before`, to);
  mkdirSync(join(to, ".ready"));
  for (const part of ["agents", "manifest.mtree", "manifest.sig", "agentbox.toml.sealed", "store", "master.key", "store.schema"])
    renameSync(join(after, part), join(to, ".ready", part));
  mkdirSync(join(to, "skills"));
  assert.equal(await restored(), "two");
  assert.ok(!existsSync(join(to, "skills")), "a part that the newer backup does not have");
});

test("a changed bit outside of the store is found before anything is restored", { skip: about_files }, async (t) => {
  const { to, copy, restored } = await backed_up(t),
    data = join(folder(t), "data");
  const flip = (file) => {
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(file, bytes);
  };
  const refused = async (...patterns) => complains(await run(["restore", "--from", to, "--data", data]), /is damaged/, ...patterns);
  for (const file of [join(copy, "note"), join(to, "store.schema")]) {
    flip(file);
    await refused(/has changed/);
    flip(file);
  }
  flip(join(to, "manifest.mtree"));
  await refused(/does not have the signature of its box/);
  flip(join(to, "manifest.mtree"));
  writeFileSync(join(copy, "planted"), "");
  await refused(/planted/);
  rmSync(join(copy, "planted"));
  const note = readFileSync(join(copy, "note"));
  rmSync(join(copy, "note"));
  await refused(/note is missing/);
  writeFileSync(join(copy, "note"), note);
  assert.ok(!existsSync(data));
  assert.equal(await restored(), "one");
});

test("verify finds a changed bit and says where", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  await box.end("SIGTERM");
  const [sst] = files_in(join(box.folder, "store")).filter((file) => file.endsWith(".sst"));
  const bytes = readFileSync(sst);
  bytes[10] ^= 1;
  writeFileSync(sst, bytes);
  const ended = await run(["verify", "--data", box.folder]);
  assert.ok(ended.code === 1 || ended.code === 2, JSON.stringify(ended));
  assert.match(ended.out + ended.err, new RegExp(sst.split("/").at(-1)));
});
