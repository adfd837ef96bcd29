// `agentbox setup`: by flags, by questions on a terminal, and with an authority of the box's own.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { binary, Box, run } from "../support/box.mjs";

// Of a box that is opened, which removes it at its end.
const box_folder = () => mkdtempSync(join(tmpdir(), "agentbox-setup-"));
const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-setup-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return join(path, "data");
};
const succeeds = async (args) => {
  const ended = await run(args);
  assert.equal(ended.code, 0, JSON.stringify(ended));
  return ended.out;
};
const refuses = async (args, ...patterns) => {
  const ended = await run(args);
  assert.equal(ended.code, 2, JSON.stringify(ended));
  for (const pattern of patterns) assert.match(ended.err, pattern);
};
const settings_in = (data) => readFileSync(join(data, "agentbox.toml"), "utf8");

test("a script sets a box up by flags and changes single settings of it", async (t) => {
  const data = folder(t);
  const setup = (...more) => ["setup", "--data", data, ...more];
  await refuses(setup(), /--email/);
  await refuses(setup("--email", "you@example.org", "--backup-schedule", "sometimes"), /BACKUP_SCHEDULE is no cron expression/);
  await refuses(setup("--email", "you@example.org", "--registration", "maybe"), /registration/i);
  assert.ok(!existsSync(data), "nothing was begun");
  const said = await succeeds(
    setup("--email", "you@example.org", "--web-listen", "127.0.0.1:0", "--backup-schedule", "0 3 * * *", "--registration", "closed"),
  );
  assert.match(said, /shown this once/);
  assert.match(said, /agentbox serve --data/);
  assert.match(settings_in(data), /^backup_schedule = "0 3 \* \* \*"$/m);
  assert.match(settings_in(data), /^registration = "closed"$/m);
  assert.equal(statSync(join(data, "agentbox.toml")).mode & 0o777, 0o600);

  appendFileSync(join(data, "agentbox.toml"), '# a note of mine\nlog_level = "info"\n');
  const before = settings_in(data);
  await refuses(setup("--registration", "open"), /Change 1 settings in .*agentbox\.toml\? Confirm with --yes/);
  assert.equal(settings_in(data), before);
  await succeeds(setup("--registration", "open", "--yes"));
  assert.equal(settings_in(data), before.replace('registration = "closed"', 'registration = "open"'));
  await refuses(setup("--tls-cert", "/x.pem", "--yes"), /TLS_CERT and TLS_KEY belong together/);
  await refuses(setup("--smtp-url", "smtp://mail.example.org", "--yes"), /SMTP_URL needs SMTP_FROM/);
  await refuses(setup("--email", "me@example.org", "--yes"), /is set up already.*agentbox admin create-user --admin/);
  await refuses(setup("--name", "box.lan", "--yes"), /--name .*add --own-ca/);
  assert.match(settings_in(data), /# a note of mine/);
});

test("certificate files that the box could not use are refused", async (t) => {
  const data = folder(t),
    tls = mkdtempSync(join(tmpdir(), "agentbox-tls-"));
  t.after(() => rmSync(tls, { recursive: true, force: true }));
  const file = (name) => join(tls, name);
  for (const name of ["box", "other"])
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=box",
        "-keyout",
        file(`${name}.key`),
        "-out",
        file(`${name}.pem`),
      ],
      { stdio: "ignore" },
    );
  const setup = (certificate, key) => [
    "setup",
    "--data",
    data,
    "--email",
    "you@example.org",
    "--tls-cert",
    file(certificate),
    "--tls-key",
    file(key),
  ];
  await refuses(setup("none.pem", "box.key"), /TLS certificate .*none\.pem cannot be used/);
  await refuses(setup("box.key", "box.pem"), /TLS certificate .*box\.key cannot be used/);
  await refuses(setup("box.pem", "other.key"), /other\.key does not belong to certificate/);
  assert.ok(!existsSync(data), "nothing was begun");
  await succeeds(setup("box.pem", "box.key"));
  assert.ok(settings_in(data).includes(`tls_cert = "${file("box.pem")}"`));
});

test("a password comes from a file or from standard input", async (t) => {
  const data = folder(t),
    password = "a password that is long enough",
    file = `${data}.password`;
  writeFileSync(file, `${password}\n`);
  const words = ["setup", "--data", data, "--email", "you@example.org", "--web-listen", "127.0.0.1:0"];
  await refuses([...words, "--password-file", `${file}.none`], /--password-file.*cannot read a secret from/);
  await refuses([...words, "--password-file", file, "--password", password], /--password/);
  assert.ok(!existsSync(data), "nothing was begun");
  await succeeds([...words, "--password-file", file]);
  const box = await Box.open(t, data, { WEB_LISTEN: "127.0.0.1:0", LOGIN_LIMITS: "off" });
  assert.equal((await box.person().log_in("you@example.org", password)).status, 200);
  const by_input = join(data, "other");
  execFileSync(binary, ["init", "--data", by_input, "--email", "you@example.org", "--password-file", "-"], {
    input: `${password}\n`,
    stdio: ["pipe", "ignore", "inherit"],
  });
  assert.ok(existsSync(join(by_input, "agentbox.toml")));
});

test("a box certifies itself for a local network, and offers its authority", async (t) => {
  const data = box_folder();
  const said = await succeeds([
    "setup",
    "--data",
    data,
    "--email",
    "you@example.org",
    "--web-listen",
    "127.0.0.1:0",
    "--own-ca",
    "--name",
    "box.lan",
    "--name",
    "10.1.2.3",
    "--agent-domain",
    "agents.box.lan",
    "--yes",
  ]);
  const root = new X509Certificate(readFileSync(join(data, "tls", "ca.crt"))),
    server = new X509Certificate(readFileSync(join(data, "tls", "server.crt")));
  assert.ok(root.ca && !server.ca && server.checkIssued(root) && server.verify(root.publicKey) && root.verify(root.publicKey));
  assert.ok(
    server.checkHost("box.lan") && server.checkIP("10.1.2.3") && server.checkIP("127.0.0.1") && server.checkHost("scout.agents.box.lan"),
  );
  assert.ok(said.includes(root.fingerprint256) && said.includes("/ca.crt"), said);
  assert.equal(root.publicKey.asymmetricKeyDetails.namedCurve, "prime256v1");
  for (const key of ["ca.key", "server.key"]) assert.equal(statSync(join(data, "tls", key)).mode & 0o777, 0o600);
  assert.equal(
    execFileSync(
      "openssl",
      ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", join(data, "tls", "ca.crt"), join(data, "tls", "server.crt")],
      { encoding: "utf8" },
    )
      .trim()
      .endsWith("OK"),
    true,
  );

  const box = await Box.open(t, data, { WEB_LISTEN: "127.0.0.1:0" });
  const fetched = await new Promise((resolve, reject) => {
    get(
      box.web.replace("http:", "https:") + "/ca.crt",
      { ca: readFileSync(join(data, "tls", "ca.crt")), servername: "box.lan", headers: { host: "box.lan" } },
      async (answer) => {
        const parts = [];
        for await (const part of answer) parts.push(part);
        resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() });
      },
    ).on("error", reject);
  });
  assert.equal(fetched.status, 200, fetched.text);
  assert.equal(fetched.headers["content-type"], "application/x-x509-ca-cert");
  assert.equal(fetched.text, readFileSync(join(data, "tls", "ca.crt"), "utf8"));

  await succeeds(["setup", "renew", "--data", data]);
  const renewed = new X509Certificate(readFileSync(join(data, "tls", "server.crt")));
  assert.notEqual(renewed.serialNumber, server.serialNumber);
  assert.equal(renewed.subjectAltName, server.subjectAltName);
  assert.ok(renewed.verify(root.publicKey));
});

test("an authority that lost its key is not replaced, and a new box takes all of its settings at once", async (t) => {
  const data = folder(t),
    setup = (...more) => ["setup", "--data", data, "--own-ca", "--name", "box.lan", ...more, "--yes"];
  await succeeds(setup("--email", "you@example.org", "--web-listen", "127.0.0.1:0", "--http-redirect-listen", "127.0.0.1:0"));
  const root = readFileSync(join(data, "tls", "ca.crt"));
  rmSync(join(data, "tls", "ca.key"));
  await refuses(setup(), /ca\.key is missing: put it back, or remove .*ca\.crt for a new authority/);
  assert.deepEqual(readFileSync(join(data, "tls", "ca.crt")), root);
  const other = folder(t);
  await refuses(
    ["setup", "--data", other, "--email", "you@example.org", "--smtp-url", "smtp://mail.example.org"],
    /SMTP_URL needs SMTP_FROM/,
  );
  assert.ok(!existsSync(other), "nothing was begun");
});

test("a certificate of the own authority that ends soon is renewed at the start", async (t) => {
  const data = box_folder(),
    tls = join(data, "tls");
  await succeeds([
    "setup",
    "--data",
    data,
    "--email",
    "you@example.org",
    "--web-listen",
    "127.0.0.1:0",
    "--own-ca",
    "--name",
    "box.lan",
    "--yes",
  ]);
  const request = join(data, "request");
  execFileSync("openssl", ["req", "-new", "-key", join(tls, "server.key"), "-subj", "/CN=box.lan", "-out", request]);
  writeFileSync(join(data, "names"), "subjectAltName=DNS:box.lan,DNS:localhost\n");
  execFileSync(
    "openssl",
    [
      "x509",
      "-req",
      "-in",
      request,
      "-CA",
      join(tls, "ca.crt"),
      "-CAkey",
      join(tls, "ca.key"),
      "-CAcreateserial",
      "-days",
      "5",
      "-extfile",
      join(data, "names"),
      "-out",
      join(tls, "server.crt"),
    ],
    { stdio: "ignore" },
  );
  const box = await Box.open(t, data, { WEB_LISTEN: "127.0.0.1:0" });
  const server = new X509Certificate(readFileSync(join(tls, "server.crt")));
  assert.ok(Date.parse(server.validTo) > Date.now() + 300 * 86_400_000, server.validTo);
  assert.equal(server.subjectAltName, "DNS:box.lan, DNS:localhost");
  assert.match(box.whole_log, /certificate_renewed/);
});

test("without an authority there is none to fetch, and nothing to renew", async (t) => {
  const box = await Box.start(t);
  assert.equal((await fetch(`${box.web}/ca.crt`)).status, 404);
  await refuses(["setup", "renew", "--data", box.folder], /there is no authority/);
});

test("on a terminal it asks, with defaults, and asks again for what is not valid", async (t) => {
  const data = box_folder();
  const answers = [
    "no address",
    "you@example.org",
    "a password that is long enough",
    "nonsense",
    "127.0.0.1:0",
    "none",
    "",
    "agents.lan",
    "closed",
  ];
  // The questions about model servers depend on the machine: the rest is answered by what they say.
  const terminal = spawn("script", ["-qec", `${binary} setup --data ${data}`, "/dev/null"], {
    env: { PATH: process.env.PATH, TERM: "dumb" },
  });
  let said = "",
    seen = 0;
  terminal.stdout.on("data", (bytes) => {
    said += bytes;
    for (;;) {
      const rest = said.slice(seen),
        asked =
          /(E-mail address of the first admin|Password \(|Address of the web listener|TLS: none|Public web address|Domain of the agents|Who may register|Use [^\n]*\?|Model server|Mail server|Backups \(cron|Backups that are kept)[^\n]*?: $/.exec(
            rest,
          );
      if (!asked) return;
      seen = said.length;
      const is_later = /Use |Model server|Mail server|Backups/.test(asked[1]);
      const answer = is_later
        ? ({ "Backups (cron": "0 3 * * *", "Backups that are kept": "14" }[asked[1]] ?? (asked[1].startsWith("Use") ? "no" : ""))
        : answers.shift();
      terminal.stdin.write(`${answer}\n`);
    }
  });
  const code = await new Promise((resolve) => terminal.on("close", resolve));
  assert.equal(code, 0, said);
  assert.match(said, /must be host:port|must be/);
  const text = settings_in(data);
  for (const line of [
    'web_listen = "127.0.0.1:0"',
    'agent_domain = "agents.lan"',
    'registration = "closed"',
    'backup_schedule = "0 3 * * *"',
    'backup_keep = "14"',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in ${text}`);
  const box = await Box.open(t, data, { WEB_LISTEN: "127.0.0.1:0", LOGIN_LIMITS: "off" });
  assert.equal((await box.person().log_in("you@example.org", "a password that is long enough")).status, 200);
});
