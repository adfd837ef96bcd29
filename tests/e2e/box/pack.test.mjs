// A box in one file: packed while it runs, checked as a whole, and a box again elsewhere.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, binary, INTERNAL_KEY, PASSWORD, run } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const backend = { env: { INTERNAL_API_KEY: INTERNAL_KEY } };
const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-pack-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
// Of a box that is opened, which removes it at its end.
const box_folder = () => mkdtempSync(join(tmpdir(), "agentbox-unpacked-"));
const succeeds = async (args, options) => {
  const ended = await run(args, options);
  assert.equal(ended.code, 0, `${args.join(" ")}: ${JSON.stringify(ended)}`);
  return ended.out;
};
const refuses = (ended, ...patterns) => {
  assert.equal(ended.code, 2, JSON.stringify(ended));
  for (const pattern of patterns) assert.match(ended.err, pattern);
};

// A running box with an agent that remembers something, and its pack.
const packed = async (t, fill = () => {}) => {
  const box = await Box.start(t),
    place = folder(t),
    file = join(place, "box.agentbox"),
    key = join(place, "key");
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  await ada.call("POST", "/api/chat", { agentId: agent, message: "remember that the vault is blue" });
  const workspace = join(box.folder, "agents", agent, "workspace");
  fill(workspace);
  const said = await succeeds(["pack", "--data", box.folder, "--to", file], backend);
  copyFileSync(join(box.folder, "master.key"), key);
  return { box, ada, agent, workspace, place, file, key, said };
};

test("a packed box serves again on another machine", { skip: about_files }, async (t) => {
  const life = await packed(t, (workspace) => {
    writeFileSync(join(workspace, "naïve ☂.md"), "umbrella");
    writeFileSync(join(workspace, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    mkdirSync(join(workspace, "empty"));
    symlinkSync("run.sh", join(workspace, "latest"));
    symlinkSync("/etc/passwd", join(workspace, "outside"));
    symlinkSync("../../../master.key", join(workspace, "upwards"));
  });
  assert.match(life.said, /left out: the link .*outside: it leads to \/etc\/passwd/);
  assert.match(life.said, /left out: the link .*upwards/);
  assert.match(life.said, /without master\.key: carry it separately/);
  assert.equal(statSync(life.file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(life.place).sort(), ["box.agentbox", "key"], "nothing else is left beside it");
  const secrets = [readFileSync(life.key, "utf8").trim(), INTERNAL_KEY, PASSWORD];
  const content = execFileSync("tar", ["--zstd", "-xOf", life.file], { maxBuffer: 2 ** 30, encoding: "latin1" });
  for (const secret of secrets) assert.ok(!content.includes(secret));
  assert.ok(content.includes("#mtree\n./agentbox.json type=file"));

  const data = box_folder(),
    unpack = (...more) => run(["unpack", life.file, "--data", data, ...more]);
  refuses(await unpack(), /does not hold its master key/, /--key/, /AGENTBOX_MASTER_KEY/);
  writeFileSync(join(life.place, "other"), "0".repeat(64));
  refuses(await unpack("--key", join(life.place, "other")), /does not open/);
  assert.match(await succeeds(["unpack", life.file, "--check", "--key", life.key]), /is sound: \d+ entries/);
  assert.deepEqual(readdirSync(data), []);
  const told = await succeeds(["unpack", life.file, "--data", data, "--key", life.key]);
  assert.match(told, /agentbox serve --data/);
  assert.deepEqual(readdirSync(data).sort(), ["agentbox.toml", "agents", "master.key", "store", "store.schema"]);
  const there = join(data, "agents", life.agent, "workspace");
  assert.equal(readFileSync(join(there, "naïve ☂.md"), "utf8"), "umbrella");
  assert.equal(statSync(join(there, "run.sh")).mode & 0o777, 0o755);
  assert.ok(statSync(join(there, "empty")).isDirectory());
  assert.ok(lstatSync(join(there, "latest")).isSymbolicLink());
  assert.ok(!existsSync(join(there, "outside")));
  refuses(await unpack("--key", life.key), /already holds a box/, /--data/);

  await life.ada.call("DELETE", `/api/agents/${life.agent}`);
  await life.box.end("SIGTERM");
  const again = await Box.open(t, data, life.box.env);
  assert.ok(!existsSync(join(data, "rollback")), "it was not upgraded");
  const ada = again.person();
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200);
  await again.until_status(ada, life.agent, "running");
  const recalled = await ada.call("POST", "/api/chat", { agentId: life.agent, message: "what do you remember?" });
  assert.match(recalled.body.message?.content ?? JSON.stringify(recalled.body), /blue/);
});

test("an unpack that fails leaves nothing of a box, and can be repeated", { skip: about_files }, async (t) => {
  const life = await packed(t),
    data = box_folder(),
    in_the_way = join(data, "store.schema");
  const unpack = () => run(["unpack", life.file, "--data", data, "--key", life.key]);
  mkdirSync(join(in_the_way, "not a file"), { recursive: true });
  refuses(await unpack(), /the restore failed: .*store\.schema/);
  assert.deepEqual(readdirSync(data), ["store.schema"]);
  rmSync(in_the_way, { recursive: true });
  assert.equal((await unpack()).code, 0);
  const box = await Box.open(t, data);
  assert.equal((await box.person().log_in("ada@example.org", PASSWORD)).status, 200);
});

test(
  "a pack that was truncated, altered or made by somebody else is refused before anything is written",
  { skip: about_files },
  async (t) => {
    const life = await packed(t),
      data = join(folder(t), "data");
    const unpack = (file, ...more) => run(["unpack", file, "--data", data, "--key", life.key, ...more]);
    const whole = readFileSync(life.file),
      bad = join(life.place, "bad.agentbox");
    for (const length of [0, 10, whole.length >> 1, whole.length - 1_000, whole.length - 20]) {
      copyFileSync(life.file, bad);
      truncateSync(bad, length);
      refuses(await unpack(bad), /not sound|not a pack|damaged/);
    }
    for (const at of [100, whole.length >> 2, whole.length >> 1, whole.length - 200]) {
      const altered = Buffer.from(whole);
      altered[at] ^= 1;
      writeFileSync(bad, altered);
      refuses(await unpack(bad), /not sound|not a pack|not signed/);
    }
    refuses(await unpack(join(life.place, "none")), /there is no file/);

    // The same entries, packed anew by other programs.
    const parts = join(life.place, "parts");
    mkdirSync(parts);
    execFileSync("tar", ["--zstd", "-xf", life.file, "-C", parts]);
    const repack = (change, list = []) => {
      change();
      const names = execFileSync("tar", ["--zstd", "-tf", life.file], { encoding: "utf8" })
        .trim()
        .split("\n")
        .map((name) => name.replace(/\/$/, ""));
      execFileSync("tar", [
        "--zstd",
        "--format=pax",
        "--no-recursion",
        "-cf",
        bad,
        "-C",
        parts,
        ...names.filter((name) => !list.includes(name)),
      ]);
      return unpack(bad);
    };
    const memory = join("agents", life.agent, "workspace", "planted");
    writeFileSync(join(parts, memory), "not signed");
    refuses(await repack(() => appendFileSync(join(parts, "agentbox.toml.sealed"), "x")), /altered/);
    execFileSync("tar", ["--zstd", "-xf", life.file, "-C", parts]);
    refuses(await repack(() => {}, ["manifest.sig"]), /not signed|altered/);
    refuses(await repack(() => {}, ["manifest.mtree", "manifest.sig"]), /ends before its manifest/);

    const hostile = (python) => {
      execFileSync("python3", [
        "-c",
        `
import tarfile, io, sys
t = tarfile.open(sys.argv[1], "w", format=tarfile.PAX_FORMAT)
def add(name, text=b"x", **more):
    i = tarfile.TarInfo(name); i.size = len(text)
    for k, v in more.items(): setattr(i, k, v)
    t.addfile(i, io.BytesIO(text))
add("agentbox.json", open(sys.argv[2], "rb").read())
${python}
t.close()`,
        bad,
        join(parts, "agentbox.json"),
      ]);
      return unpack(bad);
    };
    refuses(await hostile(`add("../escape")`), /would lead out of its folder/);
    refuses(await hostile(`add("/etc/escape")`), /would lead out of its folder/);
    refuses(await hostile(`add("agents/../../escape")`), /would lead out of its folder/);
    refuses(await hostile(`add("agents/a/workspace/l", b"", type=tarfile.SYMTYPE, linkname="/etc")`), /leads out of its folder/);
    refuses(await hostile(`add("agents/a/workspace/l", b"", type=tarfile.SYMTYPE, linkname="x/../../y")`), /leads out of its folder/);
    refuses(
      await hostile(`add("agents/a/workspace/l", b"", type=tarfile.LNKTYPE, linkname="agentbox.json")`),
      /neither a file, a folder nor/,
    );
    refuses(await hostile(`add("agents/a/workspace/p", b"", type=tarfile.FIFOTYPE)`), /neither a file, a folder nor/);
    refuses(await hostile(`add("endpoints.json")`), /which no box has/);
    assert.ok(!existsSync(data), "nothing was begun");
  },
);

test("--with-key makes a file that opens by itself, and files keep their holes", { skip: about_files }, async (t) => {
  const life = await packed(t, (workspace) => {
    const size = 2 ** 40,
      file = openSync(join(workspace, "holes"), "w");
    ftruncateSync(file, size);
    writeSync(file, "in the middle", 2 ** 39);
    closeSync(file);
    const hole = openSync(join(workspace, "hole"), "w");
    ftruncateSync(hole, 10_000_000);
    closeSync(hole);
  });
  const file = join(life.place, "demo.agentbox"),
    data = join(folder(t), "data");
  assert.match(await succeeds(["pack", "--data", life.box.folder, "--to", file, "--with-key"], backend), /gives access to every secret/);
  assert.match(await succeeds(["unpack", file, "--data", data]), /holds its own key/);
  assert.equal(readFileSync(join(data, "master.key"), "utf8"), readFileSync(life.key, "utf8"));
  const there = join(data, "agents", life.agent, "workspace");
  assert.deepEqual([statSync(join(there, "holes")).size, statSync(join(there, "hole")).size], [2 ** 40, 10_000_000]);
  assert.ok(statSync(join(there, "holes")).blocks * 512 < 2 ** 20);
  refuses(await run(["pack", "--data", life.box.folder, "--to", file], backend), /exists already/);
  refuses(await run(["pack", "--data", life.box.folder, "--to", join(life.box.folder, "x.agentbox")], backend), /inside the data folder/);
});

test("an interrupted pack is continued by the next one", { skip: about_files }, async (t) => {
  const life = await packed(t),
    file = join(life.place, "next.agentbox");
  mkdirSync(`${file}.copy`);
  writeFileSync(join(`${file}.copy`, "pack"), "");
  await succeeds(["backup", "--data", life.box.folder, "--to", `${file}.copy`], backend);
  writeFileSync(`${file}.part`, "the beginning of a pack");
  const told = await succeeds(["pack", "--data", life.box.folder, "--to", file], backend);
  assert.doesNotMatch(told, /continuing/, "the copy was not known to be complete");
  assert.ok(!existsSync(`${file}.copy`) && !existsSync(`${file}.part`));
  assert.match(await succeeds(["unpack", file, "--check", "--key", life.key]), /is sound/);
});

// A box with a large file, whose pack is killed when a third of it is written.
const killed_pack = async (t) => {
  const size = 400 * 2 ** 20;
  const life = await packed(t, (workspace) => {
    const file = openSync(join(workspace, "film"), "w");
    for (let done = 0; done < size; done += 2 ** 22) writeSync(file, randomBytes(2 ** 22));
    closeSync(file);
  });
  const file = join(life.place, "next.agentbox"),
    part = `${file}.part`;
  const written = () => (existsSync(part) ? statSync(part).size : 0);
  const pack = ["pack", "--data", life.box.folder, "--to", file];
  const killed = spawn(binary, pack, { env: { ...process.env, ...backend.env }, stdio: "ignore" });
  const ended = once(killed, "exit");
  while (written() < size / 3 && killed.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
  const at_once = await run(pack, backend);
  killed.kill("SIGKILL");
  await ended;
  assert.ok(!existsSync(file), "only a complete file has its name");
  refuses(at_once, /another pack to .*next\.agentbox is being made/);
  return { ...life, file, part, size, copy: `${file}.copy` };
};
const is_whole = async (life) => {
  assert.match(await succeeds(["unpack", life.file, "--check", "--key", life.key]), /is sound/);
  const film = execFileSync("tar", ["--zstd", "-tvf", life.file], { encoding: "utf8" })
    .split("\n")
    .find((line) => line.endsWith("/film"));
  assert.match(film, new RegExp(` ${life.size} `));
};

test("a pack that was killed while it was written keeps what it had", { skip: about_files }, async (t) => {
  const life = await killed_pack(t);
  writeFileSync(join(life.workspace, "later.md"), "after the copy");
  refuses(await run(["unpack", life.part, "--check", "--key", life.key]), /not sound/);
  const told = await succeeds(["pack", "--data", life.box.folder, "--to", life.file], backend);
  assert.match(told, /continuing the pack of 20\S+Z, which was interrupted/);
  const kept = Number(told.match(/had packed ([\d.]+) MB of it/)?.[1]);
  assert.ok(kept >= 60 && kept <= life.size / 1e6, told);
  await is_whole(life);
  assert.deepEqual(readdirSync(life.place).sort(), ["box.agentbox", "key", "next.agentbox"]);
  const names = execFileSync("tar", ["--zstd", "-tf", life.file], { encoding: "utf8" });
  assert.doesNotMatch(names, /later\.md/, "it is the box of the time that it names");
});

test("a pack that was interrupted before the master key was replaced is begun anew", { skip: about_files }, async (t) => {
  const life = await killed_pack(t),
    key = join(life.place, "new-key");
  await life.box.end("SIGTERM");
  await succeeds(["admin", "rotate-master-key", "--data", life.box.folder]);
  assert.doesNotMatch(await succeeds(["pack", "--data", life.box.folder, "--to", life.file]), /continuing/);
  copyFileSync(join(life.box.folder, "master.key"), key);
  await succeeds(["unpack", life.file, "--data", join(folder(t), "data"), "--key", key]);
});

test("what was damaged or removed since a pack was interrupted is made again", { skip: about_files }, async (t) => {
  const life = await killed_pack(t);
  const draft = openSync(life.part, "r+");
  writeSync(draft, "damage", 500);
  closeSync(draft);
  assert.match(await succeeds(["pack", "--data", life.box.folder, "--to", life.file], backend), /continuing/);
  await is_whole(life);

  const second = await killed_pack(t);
  rmSync(join(second.copy, "agents", second.agent, "workspace", "film"));
  assert.doesNotMatch(await succeeds(["pack", "--data", second.box.folder, "--to", second.file], backend), /continuing/);
  await is_whole(second);
});

test("what is not of a pack stays as it is", { skip: about_files }, async (t) => {
  const life = await packed(t),
    file = join(life.place, "next.agentbox");
  const pack = (to = file) => run(["pack", "--data", life.box.folder, "--to", to], backend);
  mkdirSync(`${file}.copy`);
  writeFileSync(join(`${file}.copy`, "mine.txt"), "precious");
  refuses(await pack(), /next\.agentbox\.copy is not of an interrupted pack: move it away/);
  assert.equal(readFileSync(join(`${file}.copy`, "mine.txt"), "utf8"), "precious");
  rmSync(`${file}.copy`, { recursive: true });
  symlinkSync(life.place, `${file}.copy`);
  refuses(await pack(), /is not of an interrupted pack/);
  rmSync(`${file}.copy`);
  writeFileSync(`${file}.part`, "mine");
  refuses(await pack(), /next\.agentbox\.part is not of an interrupted pack/);
  refuses(await pack(join(life.place, "nowhere", "x.agentbox")), /there is no folder .*nowhere/);
});

// An engine that has one image, and takes any other.
const engine = async (t) => {
  const socket = join(folder(t), "docker.sock"),
    loaded = [];
  const server = createServer((request, response) => {
    const parts = [];
    request
      .on("data", (part) => parts.push(part))
      .on("end", () => {
        if (request.url.endsWith("/images/agentbox%2Fagent%3Alatest/get")) return response.end("the layers of an image");
        if (request.url.includes("/images/load")) {
          const image = Buffer.concat(parts);
          if (image.includes("broken")) return response.end('{"errorDetail":{"message":"no such layer"},"error":"no such layer"}\n');
          loaded.push(image.toString());
          return response.end('{"stream":"Loaded image: agentbox/agent:latest\\n"}\n');
        }
        response.statusCode = 404;
        response.end("{}");
      });
  });
  await new Promise((resolve) => server.listen(socket, resolve));
  t.after(() => server.close());
  return { host: `unix://${socket}`, loaded };
};

test("the agents' image travels with the box and is loaded without a registry", { skip: about_files }, async (t) => {
  const box = await Box.start(t),
    place = folder(t),
    file = join(place, "box.agentbox"),
    data = join(place, "data"),
    docker = await engine(t);
  await succeeds(["pack", "--data", box.folder, "--to", file, "--with-key", "--with-image", "--docker-host", docker.host], backend);
  const told = await succeeds(["unpack", file, "--data", data]);
  const [, image] = told.match(/agentbox images load (\S+)/);
  assert.equal(readFileSync(image, "utf8"), "the layers of an image");
  assert.match(await succeeds(["images", "load", image, "--docker-host", docker.host]), /Loaded image: agentbox\/agent:latest/);
  assert.deepEqual(docker.loaded, ["the layers of an image"]);
  writeFileSync(image, "broken");
  refuses(await run(["images", "load", image, "--docker-host", docker.host]), /refused the image: no such layer/);
  refuses(await run(["images", "load", join(place, "none"), "--docker-host", docker.host]), /there is no image in/);
  refuses(await run(["images", "load", image, "--docker-host", "unix:///no/such.sock"]), /does not answer/);
  const missing = await run(
    ["pack", "--data", box.folder, "--to", join(place, "b"), "--with-image", "--agent-image", "x/y:1", "--docker-host", docker.host],
    backend,
  );
  refuses(missing, /has no image x\/y:1/, /--agent-image/);
});
