// What a machine's administrator and its service manager ask of the binary: version, health, doctor, the manual page,
// completions, and systemd's notifications.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, run, until } from "../support/box.mjs";

const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-machine-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const program = (name) => ["/usr/bin", "/bin", "/usr/sbin"].map((where) => join(where, name)).find(existsSync);

test("version says how the binary was built", async () => {
  const { code, out } = await run(["version", "--json"]);
  const facts = JSON.parse(out);
  assert.equal(code, 0);
  assert.match(facts.version, /^\d+\.\d+\.\d+$/);
  assert.match(facts.commit, /^[0-9a-f]{40}$/);
  assert.match(facts.compiler, /^(GNU|Clang) \d+\./);
  assert.match(facts.builtFrom["librocksdb-dev"], /^\d/);
  assert.match(facts.runsWith.openssl, /^OpenSSL 3\./);
  assert.equal((await run(["--version"])).out, `agentbox ${facts.version}\n`);
  assert.ok((await run(["version"])).out.startsWith(`agentbox ${facts.version}\ncommit    ${facts.commit}`));
  const { version } = JSON.parse((await run(["openapi"])).out).info;
  assert.equal(version, facts.version);
});

test("health asks the running box and says so by its exit code", async (t) => {
  const box = await Box.start(t);
  const ask = () => run(["health", "--data", box.folder]);
  assert.deepEqual(await ask(), { code: 0, out: "healthy\n", err: "" });
  await box.end("SIGTERM");
  const { code, out } = await run(["health", "--data", box.folder, "--backend-listen", "127.0.0.1:1"]);
  assert.equal(code, 1);
  assert.match(out, /^no box answers: /);
});

test("the manual page has every command and every setting", async (t) => {
  const { out } = await run(["man"]);
  const help = (await run(["--help"])).out;
  const commands = [...help.split("Subcommands:")[1].matchAll(/^ {2}(\S+) +\S/gm)].map(([, name]) => name);
  const plain = out.replaceAll("\\-", "-").replaceAll("\\fB", "").replaceAll("\\fI", "").replaceAll("\\fR", "");
  for (const command of commands) assert.ok(plain.includes(`.SS agentbox ${command}`), command);
  const settings = [...(await run(["settings"])).out.matchAll(/^\| `[A-Z0-9_]+` \| `(--[a-z0-9-]+)` \|/gm)].map(([, flag]) => flag);
  assert.ok(settings.length > 100);
  for (const flag of settings) assert.ok(plain.includes(`\n${flag} `), flag);
  assert.ok(!plain.includes("agentbox confined"), "a hidden command");
  const groff = program("groff");
  if (!groff) return t.diagnostic("groff is not installed: the page is not formatted");
  const formatted = execFileSync(groff, ["-man", "-Tascii", "-ww"], { input: out, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
  assert.match(formatted, /agentbox.* host AI agents on one box/);
});

test("bash completes commands, options and choices", async (t) => {
  const path = join(folder(t), "completion");
  writeFileSync(path, (await run(["completion", "bash"])).out);
  const completed = (...words) => {
    const script = `source ${path}; COMP_WORDS=(agentbox ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _agentbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\n").filter(Boolean);
  };
  assert.deepEqual(completed("doc"), ["doctor"]);
  assert.ok(completed("admin", "").includes("create-user"));
  assert.deepEqual(completed("openapi", "b"), ["backend"]);
  assert.deepEqual(completed("doctor", "--js"), ["--json"]);
  assert.deepEqual(completed("serve", "--log-level", "w"), ["warning"]);
  assert.ok(completed("serve", "--web-l").includes("--web-listen"));
  assert.deepEqual(completed("admin", "users", "--web-l"), []);
});

for (const shell of ["zsh", "fish"])
  test(`${shell} reads its completions`, async (t) => {
    const text = (await run(["completion", shell])).out;
    for (const word of ["doctor", "create-user", "web-listen"]) assert.ok(text.includes(word), word);
    const path = join(folder(t), "completion");
    writeFileSync(path, text);
    const installed = program(shell);
    if (!installed) return t.diagnostic(`${shell} is not installed: the file is not read`);
    execFileSync(installed, shell === "fish" ? ["--no-execute", path] : ["-n", path], { env: { ...process.env, HOME: folder(t) } });
    if (shell !== "fish") return;
    const completed = (line) =>
      execFileSync(installed, ["--no-config", "-c", `source ${path}; complete -C '${line}'`], {
        encoding: "utf8",
        env: { ...process.env, HOME: folder(t) },
      });
    assert.match(completed("agentbox doc"), /^doctor\t/m);
    assert.match(completed("agentbox admin cre"), /^create-user\t/m);
    assert.match(completed("agentbox openapi b"), /^backend/m);
  });

const diagnose = async (args, options) => {
  const { code, out, err } = await run(["doctor", "--json", "--agent-runtime", "process", ...args], options);
  const report = JSON.parse(out || assert.fail(err));
  return { code, err, ...report, about: (check) => report.findings.find((finding) => finding.check === check) };
};

test("doctor finds nothing wrong with a box that runs, and its archive holds no secret", async (t) => {
  const box = await Box.start(t, { LOCAL_API_KEY: "sk-a-very-secret-key" });
  const archive = join(folder(t), "support.tar");
  const env = {
    INTERNAL_API_KEY: "internal-key-of-the-stories",
    LOCAL_API_KEY: "sk-a-very-secret-key",
    LOCAL_MODEL_URL: "http://127.0.0.1:1/v1",
    OPENROUTER_BASE_URL: "https://user:a-password@router.example.test/v1?key=in-the-query",
  };
  const ended = await diagnose(["--data", box.folder, "--bundle", archive], { env });
  assert.deepEqual(ended.about("box"), { check: "box", level: "ok", found: "it runs and answers", advice: "" });
  assert.equal(ended.about("data folder").level, "ok");
  assert.equal(ended.about("master key").level, "ok");
  assert.equal(ended.about("model server").level, "problem", "nothing listens there");
  assert.match(ended.about("model server").advice, /LOCAL_MODEL_URL/);
  assert.equal(ended.code, 1);

  assert.equal(statSync(archive).mode & 0o777, 0o600);
  const names = execFileSync("tar", ["-tf", archive], { encoding: "utf8" }).trim().split("\n");
  for (const name of ["doctor.json", "version.json", "settings.txt", "data-folder.txt", "box-health.json", "box-metrics.txt"])
    assert.ok(names.includes(`agentbox-support/${name}`), name);
  const bytes = readFileSync(archive);
  const secrets = [
    readFileSync(join(box.folder, "master.key"), "utf8").trim(),
    ...Object.values(env).slice(0, 2),
    ADMIN.password,
    "a-password",
    "in-the-query",
  ];
  secrets.push(/internal_api_key = "(.*)"/.exec(readFileSync(join(box.folder, "agentbox.toml"), "utf8"))[1]);
  for (const secret of secrets) assert.equal(bytes.indexOf(secret), -1, "a secret is in the archive");
  assert.match(execFileSync("tar", ["-xOf", archive, "agentbox-support/settings.txt"], { encoding: "utf8" }), /^LOCAL_API_KEY=\[set\]$/m);
  assert.match((await run(["doctor", "--data", box.folder, "--bundle", archive])).err, /cannot write .*exists/);
});

test("doctor says what is wrong with a box that does not run, and what to do", async (t) => {
  const data = join(folder(t), "data");
  const none = await diagnose(["--data", data]);
  assert.match(none.about("data folder").advice, /agentbox init/);
  assert.equal(none.code, 1);

  await run(["init", "--data", data, "--email", ADMIN.email, "--password", ADMIN.password]);
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const taken = `127.0.0.1:${server.address().port}`;
  const tls = join(folder(t), "tls");
  mkdirSync(tls);
  const openssl = (...args) => execFileSync("openssl", args, { stdio: "ignore" });
  const make = (name, days) =>
    openssl(
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-subj",
      "/CN=box",
      "-days",
      days,
      "-keyout",
      join(tls, `${name}.key`),
      "-out",
      join(tls, `${name}.pem`),
    );
  make("soon", "3");
  make("other", "300");
  chmodSync(join(data, "master.key"), 0o644);
  const settings = ["--data", data, "--web-listen", taken, "--backend-listen", "127.0.0.1:0", "--agent-port-range", "32700-32800"];
  const ended = await diagnose([
    ...settings,
    "--tls-cert",
    join(tls, "soon.pem"),
    "--tls-key",
    join(tls, "soon.key"),
    "--idp-issuer",
    "https://no-such-host.invalid",
  ]);
  assert.match(ended.about("web listener").found, /used by another program/);
  assert.equal(ended.about("backend listener").level, "ok");
  assert.match(ended.about("master key").advice, /^chmod 600 /);
  assert.match(ended.about("agents' ports").advice, /AGENT_PORT_RANGE/);
  assert.match(ended.about("certificate").found, /valid for [23] more days/);
  assert.match(ended.about("DNS").found, /no-such-host\.invalid \(IDP_ISSUER\)/);
  assert.equal(ended.code, 1);
  const mixed = await diagnose([...settings, "--tls-cert", join(tls, "soon.pem"), "--tls-key", join(tls, "other.key")]);
  assert.match(mixed.about("certificate").found, /not the key/);
  const text = (await run(["doctor", ...settings])).out;
  assert.match(text, /^problem +web listener +127/m);
  assert.match(text, /\d+ problems?, \d+ warnings?\n$/);
});

test("doctor says whether a service starts agents' commands", async (t) => {
  const data = folder(t),
    socket = join(data, "commands.sock"),
    of = async (...args) => (await diagnose(["--data", data, ...args])).about("service for agents' commands");
  assert.equal(await of(), undefined);
  const missing = await of("--command-helper", socket);
  assert.equal(missing.level, "note");
  assert.match(missing.advice, /agentbox-commands\.socket/);
  const service = createServer().listen(socket);
  t.after(() => service.close());
  await once(service, "listening");
  assert.deepEqual((await of("--command-helper", socket)).level, "ok");
});

test("doctor examines what it can of a box whose settings cannot be read", async (t) => {
  const data = join(folder(t), "data"),
    archive = `${data}.tar`;
  await run(["init", "--data", data, "--email", ADMIN.email, "--password", ADMIN.password]);
  writeFileSync(join(data, "agentbox.toml"), 'web_listn = "127.0.0.1:0"\n');
  const ended = await diagnose(["--data", data, "--bundle", archive]);
  assert.equal(ended.code, 1);
  assert.equal(ended.about("settings").level, "problem");
  assert.match(ended.about("settings").found, /line 1: unknown setting 'web_listn'; did you mean 'web_listen'\?/);
  assert.ok(ended.about("disk") && !ended.about("web listener"));
  assert.match(execFileSync("tar", ["-xOf", archive, "agentbox-support/data-folder.txt"], { encoding: "utf8" }), / store$/m);
});

test("root asks the doctor about a box of another user", async (t) => {
  if (process.getuid() !== 0) return t.skip("needs root");
  const box = await Box.start(t),
    nobody = 65534;
  await box.end("SIGTERM");
  for (const name of ["", "master.key", "agentbox.toml"]) chownSync(join(box.folder, name), nobody, nobody);
  const ask = async () => (await diagnose(["--data", box.folder])).about;
  const about = await ask();
  assert.deepEqual(
    ["data folder", "master key", "settings file"].map((check) => about(check).level),
    ["ok", "ok", "ok"],
  );
  chownSync(join(box.folder, "master.key"), 0, 0);
  assert.match((await ask())("master key").advice, /^chown 65534 .*master\.key$/);
  for (const name of ["", "master.key", "agentbox.toml"]) chownSync(join(box.folder, name), 0, 0);
});

// A datagram socket that node has not: socat's place is taken by a few lines of Python, which Debian's base has.
const LISTENER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True: print(s.recv(4096).decode(), flush=True)
`;

test("the service manager hears that the box is ready, alive and stopping", async (t) => {
  if (!program("python3")) return t.skip("there is no python3 to listen on a datagram socket");
  const socket = join(folder(t), "notify");
  const manager = spawn("python3", ["-c", LISTENER, socket], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => manager.kill());
  let heard = "";
  manager.stdout.on("data", (bytes) => (heard += bytes));
  await until("the manager listens", () => heard.includes("bound"));
  const box = await Box.start(t, { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "200000" });
  await until("it is ready", () => /^READY=1$/m.test(heard));
  await until("it shows that it is alive, again and again", () => heard.split("WATCHDOG=1").length > 3);
  assert.equal(await box.end("SIGTERM"), 0);
  await until("it stops", () => /^STOPPING=1$/m.test(heard));
});
