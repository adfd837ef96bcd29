// The Debian package: installed in a fresh Debian, started as its user, upgraded with data, removed and purged.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { artifact, binary, folder, free_port, has_program, PASSWORD, run, sign_in, until } from "./dist.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const skip = process.getuid() !== 0 ? "a chroot needs root" : !has_program("mmdebstrap") && "there is no mmdebstrap";
const deb = artifact(/\.deb$/);
const DATA = "/var/lib/agentbox";

test("lintian has nothing to say", { skip: !has_program("lintian") && "there is no lintian" }, () => {
  assert.equal(run("lintian", ["--allow-root", "--fail-on", "none", "--info", deb]).replace(/^(N:.*|running with root.*)?\n/gm, ""), "");
});

test("the services are confined", { skip: !has_program("systemd-analyze") && "there is no systemd-analyze" }, () => {
  for (const [name, most] of [
    ["agentbox.service", 1.5],
    ["agentbox-commands@.service", 3.8], // it has seven capabilities
  ]) {
    const unit = join(repository, "image/debian", name);
    const { score } = /exposure level for \S+: (?<score>[\d.]+)/.exec(
      run("systemd-analyze", ["security", "--offline=true", "--no-pager", unit]),
    ).groups;
    assert.ok(Number(score) <= most, `${name}: exposure ${score}`);
  }
});

test(
  "AppArmor takes the profile that the service names",
  { skip: !has_program("apparmor_parser") && "there is no apparmor_parser" },
  (t) => {
    const unpacked = folder(t);
    run("dpkg-deb", ["-x", deb, unpacked]);
    const profile = join(unpacked, "etc/apparmor.d/usr.bin.agentbox");
    run("apparmor_parser", ["-Q", "-K", profile]);
    const named = /^AppArmorProfile=-(\S+)$/m.exec(readFileSync(join(unpacked, "lib/systemd/system/agentbox.service"), "utf8"))[1];
    assert.deepEqual(run("apparmor_parser", ["-N", profile]).trim().split("\n"), [named]);
    const broken = join(unpacked, "broken");
    writeFileSync(broken, readFileSync(profile, "utf8").replace("network unix,", "network unix"));
    assert.throws(() => run("apparmor_parser", ["-Q", "-K", broken]), "a profile that is wrong is refused");
  },
);

test("it is installed, started, upgraded with its data, removed and purged", { skip }, async (t) => {
  const children = new Set();
  const root = join(
    folder(t, () => {
      for (const child of children) child.kill("SIGKILL");
      if (mounted) run("umount", ["-l", join(root, "proc")]);
    }),
    "root",
  );
  let mounted = false;
  run("mmdebstrap", [
    "--quiet",
    "--variant=minbase",
    `--include=${run("dpkg-deb", ["-f", deb, "Depends"])
      .split(",")
      .map((one) => one.trim().split(/[ |]/)[0])
      .join(",")}`,
    "bookworm",
    root,
  ]);
  run("mount", ["--bind", "/proc", join(root, "proc")]);
  mounted = true;
  const inside = (...command) =>
    run("chroot", [
      root,
      "/usr/bin/env",
      "-i",
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
      "DEBIAN_FRONTEND=noninteractive",
      "LC_ALL=C",
      ...command,
    ]);
  const as_user = (...command) => inside("setpriv", "--reuid=agentbox", "--regid=agentbox", "--clear-groups", ...command);
  const install = (package_file) => {
    run("cp", [package_file, join(root, "tmp")]);
    return inside("dpkg", "--force-confold", "-i", `/tmp/${basename(package_file)}`);
  };

  assert.match(install(deb), /agentbox init --data/);
  const data = statSync(join(root, DATA));
  assert.equal(data.mode & 0o777, 0o700);
  assert.equal(inside("id", "-un", String(data.uid)).trim(), "agentbox");
  for (const path of [
    "usr/share/man/man1/agentbox.1.gz",
    "usr/share/bash-completion/completions/agentbox",
    "lib/systemd/system/agentbox.service",
    "lib/systemd/system/agentbox.socket",
    "lib/systemd/system/agentbox-redirect.socket",
    "lib/systemd/system/agentbox-commands.socket",
    "lib/systemd/system/agentbox-commands@.service",
    "etc/apparmor.d/usr.bin.agentbox",
    "etc/apparmor.d/local/usr.bin.agentbox",
  ])
    assert.ok(existsSync(join(root, path)), path);

  as_user("/usr/bin/agentbox", "init", "--data", DATA, "--email", "admin@example.org", "--password", PASSWORD);
  const conffile = join(root, "etc/agentbox/agentbox.toml");
  const ports = [await free_port(), await free_port(), await free_port()];
  const listen = ["web", "backend", "summarizer"].map((name, at) => `${name}_listen = "127.0.0.1:${ports[at]}"\n`).join("");
  writeFileSync(conffile, readFileSync(conffile, "utf8") + listen);
  const command = /^ExecStart=(.*)$/m.exec(readFileSync(join(root, "lib/systemd/system/agentbox.service"), "utf8"))[1].split(" ");
  const serve = async () => {
    const child = spawn(
      "chroot",
      [root, "setpriv", "--reuid=agentbox", "--regid=agentbox", "--clear-groups", "--no-new-privs", ...command],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    child.log = "";
    child.stderr.on("data", (bytes) => (child.log += bytes));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    children.add(child);
    await until("the box serves", async () => {
      assert.equal(child.exitCode, null, child.log);
      return (await sign_in(`http://127.0.0.1:${ports[0]}`, "admin@example.org")) === 200;
    });
    return { end: () => (child.kill("SIGTERM"), ended) };
  };

  const first = await serve();
  assert.equal(as_user("/usr/bin/agentbox", "health", "--data", DATA), "healthy\n");
  as_user("/usr/bin/agentbox", "admin", "create-user", "ada@example.org", "--password", PASSWORD, "--data", DATA);
  assert.equal(await first.end(), 0);

  // The next version, with the operator's settings as they were.
  const next = folder(t);
  const upgraded = run(join(repository, "image/debian/build.sh"), [binary, next], {
    env: { ...process.env, AGENTBOX_PACKAGE_VERSION: "99.0.0" },
  }).trim();
  install(upgraded);
  assert.match(inside("dpkg-query", "-W", "-f", "${Version} ${Status}", "agentbox"), /^99\.0\.0 install ok installed$/);
  assert.ok(readFileSync(conffile, "utf8").endsWith(listen));
  const second = await serve();
  assert.equal(await sign_in(`http://127.0.0.1:${ports[0]}`, "ada@example.org"), 200);
  assert.equal(await second.end(), 0);

  inside("dpkg", "-r", "agentbox");
  assert.ok(existsSync(join(root, DATA, "store")) && existsSync(conffile) && !existsSync(join(root, "usr/bin/agentbox")));
  inside("dpkg", "-P", "agentbox");
  assert.ok(existsSync(join(root, DATA, "store")), "data goes only if the question is answered so");
  assert.ok(!existsSync(join(root, "etc/agentbox")));
  for (const path of ["usr.bin.agentbox", "local/usr.bin.agentbox"]) assert.ok(!existsSync(join(root, "etc/apparmor.d", path)), path);

  install(upgraded);
  writeFileSync(join(root, "tmp/answers"), "agentbox agentbox/purge-data boolean true\n");
  inside("debconf-set-selections", "/tmp/answers");
  inside("dpkg", "-P", "agentbox");
  assert.ok(!existsSync(join(root, DATA)), "purged as answered");
  assert.throws(() => inside("id", "agentbox"));
});
