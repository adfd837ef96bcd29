// The command line: what each command says of itself, what it does to a running box, and how it fails: exit code 2 and
// one line that says what to do.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run } from "../support/box.mjs";
import { over_postgres } from "../support/story_store.mjs";

const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-cli-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const free_ports = { WEB_LISTEN: "127.0.0.1:0", BACKEND_LISTEN: "127.0.0.1:0", SUMMARIZER_LISTEN: "127.0.0.1:0" };
const mode = (path) => (statSync(path).mode & 0o777).toString(8);

// Exit code 2, nothing on stdout, and one line that fits every pattern.
const complains = (ended, ...patterns) => {
  assert.equal(ended.code, 2, JSON.stringify(ended));
  assert.equal(ended.out, "");
  const lines = ended.err.trimEnd().split("\n");
  assert.equal(lines.length, 1, ended.err);
  assert.match(lines[0], /^agentbox: /);
  for (const pattern of patterns) assert.match(lines[0], pattern);
};

const succeeds = async (args, options) => {
  const ended = await run(args, options);
  assert.deepEqual([ended.code, ended.err], [0, ""], `${args.join(" ")}: ${JSON.stringify(ended)}`);
  return ended.out;
};

const set_up = async (t) => {
  const data = join(folder(t), "data");
  await succeeds(["init", "--data", data, "--email", ADMIN.email, "--password", ADMIN.password]);
  return data;
};

test("every command has a help page that names its arguments", async () => {
  const page = await succeeds(["--help"]);
  const commands = [...page.split("Subcommands:")[1].matchAll(/^ {2}(\S+) +(\S.*)$/gm)].map(([, name]) => name);
  assert.deepEqual(commands, [
    "serve",
    "setup",
    "init",
    "demo",
    "status",
    "agents",
    "keys",
    "usage",
    "caps",
    "logs",
    "channels",
    "admin",
    "backup",
    "restore",
    "verify",
    "pack",
    "unpack",
    "standby-invite",
    "standby",
    "promote",
    "store",
    "migrate-store",
    "rollback",
    "images",
    "catalogue",
    "mcp",
    "health",
    "doctor",
    "openapi",
    "routes",
    "settings",
    "version",
    "completion",
    "man",
    "agent",
    "summarizer",
  ]);
  const takes = {
    setup: ["--email", "--own-ca", "--acme-directory", "--backup-schedule", "--yes", "renew"],
    init: ["--email", "--password", "--data"],
    demo: ["--reset", "--days", "--outside", "--data"],
    pack: ["--to", "--with-key", "--with-image"],
    unpack: ["--key", "--check", "--data"],
    "standby-invite": ["--to", "--data"],
    standby: ["--of", "--invitation", "--data"],
    promote: ["--force", "--data"],
    store: ["init"],
    "migrate-store": ["--from", "--to"],
    rollback: ["--data", "--yes"],
    images: ["load"],
    catalogue: ["update"],
    channels: ["list", "add", "pair"],
    mcp: ["load", "list", "remove"],
    backup: ["--to", "--with-key"],
    status: ["--json"],
    agents: ["--json", "--user", "delete"],
    keys: ["--json"],
    usage: ["--json", "--user"],
    caps: ["--json", "--user"],
    logs: ["--json", "--follow", "agent"],
    restore: ["--from", "--key", "--data"],
    verify: ["--data"],
    health: ["--data", "--backend-listen"],
    doctor: ["--json", "--bundle", "--data"],
    version: ["--json"],
    completion: ["shell"],
    man: [],
    agent: ["--boot"],
    openapi: ["listener"],
    routes: ["listener"],
    summarizer: ["--summarizer-listen"],
    admin: [],
    settings: [],
    serve: ["--init", "--email"],
  };
  for (const command of commands) {
    const help = await succeeds([command, "--help"]);
    for (const word of [`Usage: agentbox ${command}`, ...takes[command]]) assert.ok(help.includes(word), `${command}: ${help}`);
    if (help.includes("Subcommands:") && command !== "agents" && command !== "setup") continue;
    const [, examples = ""] = help.split("Examples:\n");
    assert.ok(examples.split(`  agentbox ${command}`).length > 2, `two examples of ${command}: ${help}`);
  }
  const admin = await succeeds(["admin", "--help"]);
  for (const [, command] of admin.split("Subcommands:")[1].matchAll(/^ {2}([a-z-]+) /gm)) {
    const help = await succeeds(["admin", command, "--help"]);
    const [, examples = ""] = help.split("Examples:\n");
    assert.ok(examples.split(`  agentbox admin ${command}`).length > 2, `two examples of admin ${command}: ${help}`);
  }
  for (const command of [
    "users",
    "show",
    "plan",
    "grant",
    "revoke",
    "disable",
    "enable",
    "password",
    "sign-out",
    "audit",
    "operator-keys",
    "invites",
    "invoice",
    "credits",
  ]) {
    assert.match(admin, new RegExp(`^ {2}${command} +\\S`, "m"));
    assert.match(await succeeds(["admin", command, "--help"]), /Usage: agentbox admin/);
  }
  assert.match(await succeeds(["--version"]), /^agentbox \d+\.\d+\.\d+\n$/);
});

test("settings lists every setting that serve has a flag for", async () => {
  const table = await succeeds(["settings"]),
    help = await succeeds(["serve", "--help"]);
  const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| `(--[a-z-]+)` \|/gm)];
  assert.ok(rows.length > 25, table);
  for (const [, name, flag] of rows) assert.ok(help.includes(`${flag} `) && help.includes(`(${name})`), `${flag} (${name})`);
  assert.equal([...help.matchAll(/\([A-Z_]{5,}\)/g)].length, rows.length);
});

test("openapi prints what the listeners serve", async (t) => {
  const box = await Box.start(t);
  for (const listener of ["web", "backend", "summarizer"]) {
    const printed = JSON.parse(await succeeds(["openapi", listener])),
      served = await (await fetch(`${box[listener]}/api/openapi.json`)).json();
    assert.deepEqual(printed.paths, served.paths);
    assert.deepEqual([printed.info.title, served.info.title], Array(2).fill(`agentbox ${listener} API`));
    assert.match(served.info.version, /^\d+\.\d+\.\d+$/);
    assert.equal(printed.info.version, served.info.version);
    assert.equal(printed.openapi, "3.1.0");
  }
  // No store is made for it.
  await succeeds(["openapi", "backend"], { env: { TMPDIR: "/nowhere" } });
  assert.equal(JSON.parse(await succeeds(["openapi"])).info.title, "agentbox web API", "of the web listener by default");
});

test("routes prints every route of a listener with its guard", async () => {
  for (const listener of ["web", "backend"]) {
    const lines = (await succeeds(["routes", listener])).trim().split("\n"),
      { paths } = JSON.parse(await succeeds(["openapi", listener]));
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => ["get", "post", "put", "patch", "delete"].includes(method))
        .map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    assert.deepEqual(lines.map((line) => line.split(/\s+/).slice(0, 2).join(" ").replace(/\+$/, "")).sort(), documented.sort());
  }
  assert.match(await succeeds(["routes", "backend"]), /^POST +\/api\/deployments +scope agents +deployments? \d+\/60s /m);
});

test("init makes a private folder and an administrator, once", async (t) => {
  const data = join(folder(t), "deep", "data");
  const said = await succeeds(["init", "--data", data, "--email", "Root@Example.org"]);
  const [, password] = said.match(/password {2}(\S+) +\(shown this once\)/);
  assert.ok(password.length >= 16);
  assert.deepEqual([mode(data), mode(join(data, "agentbox.toml")), mode(join(data, "master.key"))], ["700", "600", "600"]);
  const [, internal_key] = readFileSync(join(data, "agentbox.toml"), "utf8").match(/^internal_api_key = "(\S{43})"$/m);
  for (const secret of [internal_key, readFileSync(join(data, "master.key"), "utf8").trim()])
    assert.ok(!said.includes(secret), "the keys are nobody's to see");

  const box = await Box.open(t, data),
    root = box.person();
  assert.equal((await root.log_in("root@example.org", password)).status, 200);
  assert.equal((await root.call("GET", "/api/auth/session")).body.user.isAdmin, true);
  complains(await run(["init", "--data", data, "--email", "eve@example.org"]), /set up already/, /agentbox serve --data/);

  const elsewhere = join(folder(t), "data");
  const init = (...more) => run(["init", "--data", elsewhere, ...more]);
  complains(await init(), /--email is required/, /agentbox init --help/);
  complains(await init("--email", "root"), /--email/, /valid/);
  complains(await init("--email", "a@wallet.app"), /--email/, /reserved/);
  complains(await init("--email", "a@example.org", "--password", "short"), /--password/, /8 characters/);
  complains(await init("--email", "a@example.org", "--password", "password1"), /--password/);
  assert.throws(() => statSync(elsewhere), /ENOENT/, "what was refused made nothing");
});

test("admin looks after the users of the running box", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const admin = (...args) => succeeds(["admin", ...args, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
  const session = async () => (await ada.call("GET", "/api/auth/session")).body.user;
  const shown = (text, name) => text.match(new RegExp(`^${name} +(.*)$`, "m"))[1];

  assert.match(await admin("users"), /^ID +PLAN +ADMIN +E-MAIL\n1 +- +yes +admin@example.org\n2 +solo +no +ada@example.org\n$/);
  assert.equal(shown(await admin("show", "ADA@example.org"), "id"), ada.id);
  assert.equal(shown(await admin("show", ada.id), "email"), "ada@example.org");
  assert.equal(shown(await admin("plan", "ada@example.org", "network"), "plan"), "network");
  assert.equal(shown(await admin("plan", ada.id, "none"), "plan"), "-");
  assert.equal((await ada.call("GET", "/api/settings")).body.plan, null);

  assert.equal(shown(await admin("grant", ada.id), "isAdmin"), "yes");
  assert.equal((await session()).isAdmin, true);
  assert.equal(shown(await admin("revoke", ada.id, "--yes"), "isAdmin"), "no");
  assert.equal((await session()).isAdmin, false);

  assert.equal(shown(await admin("disable", ada.id, "--yes"), "isDisabled"), "yes");
  assert.equal(await session(), null);
  assert.match(await admin("users"), /ada@example.org {2}\(disabled\)/);
  await admin("enable", ada.id);
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200);

  assert.match(await admin("sign-out", ada.id), /ended/);
  assert.equal(await session(), null);
  await ada.log_in("ada@example.org", PASSWORD);
  assert.doesNotMatch(await admin("password", ada.id, "--password", "given by the admin"), /given by/);
  assert.equal(await session(), null);
  assert.equal((await ada.log_in("ada@example.org", "given by the admin")).status, 200);
  const [, random] = (await admin("password", ada.id)).match(/^new password: (\S{16,})$/m);
  assert.equal((await ada.log_in("ada@example.org", random)).status, 200);

  const fails = (...args) => run(["admin", ...args, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
  complains(await fails("show", "nobody@example.org"), /No such user/);
  complains(await fails("show", "../agents"), /path is malformed/);
  complains(await fails("plan", ada.id, "gold"), /plan must be one of/);
  complains(await fails("password", ada.id, "--password", "short"), /8 characters/);
  complains(await fails("show"), /user is required/, /--help/);
  complains(await fails("pasword", ada.id), /did you mean "password"/);
  complains(await run(["admin", "users", "--data", box.folder]), /refuses the key/, /INTERNAL_API_KEY/);

  await box.end("SIGTERM");
  complains(await fails("users"), /no box answers/, /agentbox serve --data/);
  complains(await run(["admin", "users", "--data", folder(t)]), /INTERNAL_API_KEY is not set/, /--data/);
});

test("invalid arguments and settings are explained, with the nearest valid one", async (t) => {
  const data = await set_up(t);
  complains(await run([]), /subcommand is required/, /--help/);
  complains(await run(["srve"]), /unknown command "srve"; did you mean "serve"/);
  complains(await run(["serve", "--web-listn", "127.0.0.1:1"]), /unknown option "--web-listn"; did you mean "--web-listen"/);
  complains(await run(["admin", "--data", "folder", "users"]), /--data comes after the command: agentbox admin users --data/);
  complains(await run(["frobnicate"]), /unknown command "frobnicate": see agentbox --help/);
  complains(await run(["admin", "frobnicate"]), /unknown command "frobnicate": see agentbox admin --help/);
  complains(await run(["serve", "--data", "data", "--nosuch", "1"]), /unknown option "--nosuch": see agentbox serve --help/);
  complains(await run(["serve", "data"]), /unexpected argument "data": see agentbox serve --help/);
  complains(await run(["openapi", "both"]), /web/, /backend/);
  const refused = (line) => {
    writeFileSync(join(data, "agentbox.toml"), `# settings\n${line}\n`);
    return run(["serve", "--data", data], { env: free_ports });
  };
  complains(await refused('web_listn = "127.0.0.1:1"'), /agentbox.toml: line 2/, /did you mean 'web_listen'/);
  complains(await refused('frobnicate = "on"'), /line 2/, /agentbox settings/);
  complains(await refused("log_level = loud"), /line 2/, /quotes/);
  complains(await refused('log_level = "loud"'), /LOG_LEVEL/, /debug, info, warning, error/);
  complains(await refused("[server]"), /line 2/, /tables/);
  complains(await refused('tls_cert = "cert.pem"'), /TLS_CERT and TLS_KEY/);
  complains(await refused('tls_cert = "/no/cert.pem"\ntls_key = "/no/key.pem"'), /\/no\/cert.pem/, /PEM file/);
  complains(await refused('trusted_proxies = ["10.0.0.0/33"]'), /10\.0\.0\.0\/33/);
  writeFileSync(join(data, "agentbox.toml"), "");
  complains(await run(["serve", "--data", data, "--config", "/no/such.toml"], { env: free_ports }), /\/no\/such.toml/, /path/);
  for (const [name, value] of [
    ["IDLE_TIMEOUT", "soon"],
    ["WEB_LISTEN", "localhost"],
    ["AGENT_PORT_RANGE", "9-1"],
    ["RATE_LIMITS", "maybe"],
    ["BASE_URL", "ftp://x"],
    ["NETWORK_THREADS", "-1"],
    ["ADMIN_EMAILS", "root"],
    ["AGENT_RUNTIME", "vm"],
    ["TRUSTED_PROXIES", "300.1.1.1"],
  ])
    complains(
      await run(["serve", "--data", folder(t)], { env: { ...free_ports, [name]: value } }),
      new RegExp(`^agentbox: ${name} \\(environment\\)`),
    );
  writeFileSync(join(data, "agentbox.toml"), "");
  const key = await run(["verify", "--data", data], { env: { AGENTBOX_MASTER_KEY: "hunter2hunter2" } });
  complains(key, /AGENTBOX_MASTER_KEY/, /64 hex/);
  assert.doesNotMatch(key.err, /hunter2/);
});

test("a port in use is named, and nothing is left running", async (t) => {
  const data = await set_up(t);
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const taken = `127.0.0.1:${other.address().port}`;
  for (const listener of ["WEB_LISTEN", "BACKEND_LISTEN", "SUMMARIZER_LISTEN"]) {
    const ended = await run(["serve", "--data", data], { env: { ...free_ports, [listener]: taken } });
    complains(ended, new RegExp(`port ${other.address().port} is in use`), /127\.0\.0\.1/, /choose another port/);
  }
  assert.throws(() => statSync(join(data, "endpoints.json")), /ENOENT/);
  complains(
    await run(["serve", "--data", data], { env: { ...free_ports, WEB_LISTEN: "192.0.2.1:3000" } }),
    /192\.0\.2\.1/,
    /not an address of this machine/,
  );
});

test("a folder that cannot be used is named", async (t) => {
  const parent = folder(t),
    file = join(parent, "file"),
    closed = join(parent, "closed");
  writeFileSync(file, "");
  mkdirSync(closed);
  // Root may write everywhere: such a run is somebody else's.
  const nobody = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  chmodSync(parent, 0o755);
  chmodSync(closed, 0o555);
  const init = (data, options) => run(["init", "--data", data, "--email", ADMIN.email, "--password", ADMIN.password], options);
  complains(await init(file), /file is not a folder/, /--data/);
  complains(await init(join(file, "data")), /cannot make the data folder/, /--data/);
  complains(await init(closed, nobody), /cannot write to the data folder/, /change its owner/);
  complains(await init(join(closed, "data"), nobody), /cannot make the data folder/);
  complains(await run(["verify", "--data", join(parent, "none")]), /there is no box in/, /--data/);
  complains(await run(["verify", "--data", ""]), /AGENTBOX_DATA \(--data\) must name a folder/);
});

test("a missing, a malformed and a foreign master key are distinguished", async (t) => {
  const data = await set_up(t),
    key_file = join(data, "master.key"),
    key = readFileSync(key_file, "utf8");
  const with_key = (text) => {
    text === null ? rmSync(key_file) : writeFileSync(key_file, text);
    return run(["serve", "--data", data], { env: free_ports });
  };
  complains(await with_key("not a key\n"), /master\.key must hold 64 hex digits/, /original file/);
  complains(await with_key(""), /master\.key is empty/, /original file/);
  complains(await with_key(key.slice(0, 62)), /64 hex digits/);
  complains(await with_key("0".repeat(64)), /does not belong to the store/, /AGENTBOX_MASTER_KEY/);
  complains(await with_key(null), /master key .* is missing/, /put it back/, /AGENTBOX_MASTER_KEY/);
  complains(await run(["verify", "--data", data], { env: { AGENTBOX_MASTER_KEY: "f".repeat(64) } }), /does not belong/);
  assert.match(await succeeds(["verify", "--data", data], { env: { AGENTBOX_MASTER_KEY: key.trim() } }), /sound/);
  assert.throws(() => statSync(key_file), /ENOENT/, "a key from the environment is not written down");
});

test("a folder has one box at a time", async (t) => {
  const box = await Box.start(t);
  complains(await run(["serve", "--data", box.folder], { env: free_ports }), /in use|another/, new RegExp(box.folder));
  // A database is checked while the box runs.
  if (over_postgres) assert.match(await succeeds(["verify", "--data", box.folder]), /sound/);
  else complains(await run(["verify", "--data", box.folder]), /in use|another/);
  assert.equal((await fetch(`${box.web}/health`)).status, 200, "the running box is not disturbed");
  await box.end("SIGTERM");
  assert.match(await succeeds(["verify", "--data", box.folder]), /sound/);
  await box.serve();
});

test("an agent without a usable boot file ends with a sentence", async (t) => {
  const boot = join(folder(t), "boot.json");
  for (const text of [null, "", "{", "{}", JSON.stringify({ listen: 7 }), "[".repeat(40)]) {
    if (text !== null) writeFileSync(boot, text);
    const ended = await run(["agent", "--boot", boot]);
    assert.notEqual(ended.code, 0, `${text}`);
    assert.match(ended.err, /^agentbox agent: .*(boot file|nested deeper)/, `${text}`);
  }
});
