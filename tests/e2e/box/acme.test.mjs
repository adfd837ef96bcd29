// Certificates from an authority (ACME): pebble, which Debian has, with the DNS of its challenge test server.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { ADMIN, Box, binary, run, send, until } from "../support/box.mjs";
import { free_ports } from "../support/ports.mjs";

const NAME = "box.example.test";

const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-acme-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const start = async (t, program, args, env = {}) => {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += bytes));
  await once(child, "spawn");
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
  return { said: () => said };
};

// GET over TLS that is checked with `ca`, for the name of the box.
const ask = (url, ca) =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(url);
    get({ host: hostname, port, path: pathname, ca, servername: NAME, agent: false, headers: { host: NAME } }, async (answer) => {
      const certificate = new X509Certificate(answer.socket.getPeerCertificate(true).raw);
      let text = "";
      for await (const part of answer) text += part;
      resolve({ status: answer.statusCode, text, certificate });
    }).on("error", reject);
  });

// An authority that looks for boxes at these ports of this machine, whatever their names.
const authority = async (t, { http, tls }, { validity } = {}) => {
  const path = folder(t),
    first = await free_ports(4),
    [port, management, dns, control] = [0, 1, 2, 3].map((n) => first + n);
  const key = join(path, "key.pem"),
    certificate = join(path, "cert.pem");
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=pebble",
      "-addext",
      "subjectAltName=IP:127.0.0.1",
      "-keyout",
      key,
      "-out",
      certificate,
    ],
    { stdio: "ignore" },
  );
  writeFileSync(
    join(path, "config.json"),
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate,
        privateKey: key,
        httpPort: http,
        tlsPort: tls,
        ocspResponderURL: "",
        externalAccountBindingRequired: false,
        ...(validity && { certificateValidityPeriod: validity }),
      },
    }),
  );
  await start(t, "pebble-challtestsrv", [
    "-defaultIPv6",
    "",
    "-defaultIPv4",
    "127.0.0.1",
    "-http01",
    "",
    "-https01",
    "",
    "-tlsalpn01",
    "",
    "-dns01",
    `127.0.0.1:${dns}`,
    "-management",
    `127.0.0.1:${control}`,
  ]);
  const pebble = await start(t, "pebble", ["-config", join(path, "config.json"), "-strict=false", "-dnsserver", `127.0.0.1:${dns}`], {
    PEBBLE_VA_NOSLEEP: "1",
    PEBBLE_VA_ALWAYS_VALID: "0",
    PEBBLE_WFE_NONCEREJECT: "20",
  });
  const ca = readFileSync(certificate);
  await until("pebble listens", () => /ACME directory available/.test(pebble.said()));
  const root = await until(
    "pebble offers its root",
    () =>
      new Promise((resolve) =>
        get({ host: "127.0.0.1", port: management, path: "/roots/0", ca, agent: false }, async (answer) => {
          let text = "";
          for await (const part of answer) text += part;
          resolve(text);
        }).on("error", () => resolve(undefined)),
      ),
  );
  return {
    root,
    settings: { ACME_DIRECTORY: `https://127.0.0.1:${port}/dir`, ACME_CA: certificate, ACME_EMAIL: ADMIN.email },
    said: pebble.said,
  };
};

const begin = (t, env) => Box.start(t, { BASE_URL: `https://${NAME}`, ...env });

const certificate_of = (box) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(box.web);
    const socket = connect({ host: hostname, port, servername: NAME, rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate(true).raw));
      socket.destroy();
    }).on("error", reject);
  });

// Fails at once if the authority refuses.
const is_issued = (box) =>
  until(
    "the certificate is issued",
    () => {
      assert.doesNotMatch(box.whole_log, /certificate_not_issued/);
      return /"certificate_issued"/.test(box.whole_log);
    },
    60_000,
  );

const challenges = [
  ["HTTP-01", true],
  ["TLS-ALPN-01", false],
];
for (const [kind, with_http] of challenges) {
  test(`a box gets its certificate by ${kind}, and serves with it at once and after a restart`, async (t) => {
    const http = await free_ports(2),
      tls = http + 1;
    const { root, settings, said } = await authority(t, { http, tls });
    const box = await begin(t, {
      ...settings,
      WEB_LISTEN: `127.0.0.1:${tls}`,
      ...(with_http && { HTTP_REDIRECT_LISTEN: `127.0.0.1:${http}` }),
    });
    await is_issued(box);
    assert.match(box.whole_log, /"certificate_self_signed"/, "until then it says that it is self-signed");
    const answer = await until("the box serves with it", () => ask(`${box.web}/health`, root).catch(() => undefined));
    assert.deepEqual([answer.status, JSON.parse(answer.text).certificate], [200, "issued"]);
    assert.equal(answer.certificate.subjectAltName, `DNS:${NAME}`);
    assert.equal(/validate w\/ HTTP/.test(said()), with_http, said());
    for (const file of ["acme.pem", "acme-account.key", "acme.json"])
      assert.equal(statSync(join(box.folder, "tls", file)).mode & 0o777, 0o600, file);
    const doctor = JSON.parse((await run(["doctor", "--data", box.folder, "--json"], { env: { ...box.env } })).out);
    const found = doctor.findings.find((one) => one.check === "certificate");
    assert.equal(found.level, "ok", JSON.stringify(found));

    await box.end("SIGTERM");
    await box.serve();
    assert.equal((await ask(`${box.web}/health`, root)).certificate.serialNumber, answer.certificate.serialNumber);
    if (with_http) {
      const redirected = await send(box.redirect, "GET", "/.well-known/acme-challenge/unknown", { headers: { host: NAME } });
      assert.equal(redirected.status, 308, "no challenge is open any more");
    }
    await box.end("SIGTERM"); // another name needs another certificate
    box.env = { ...box.env, ACME_NAMES: `${NAME},www.example.test` };
    box.whole_log = "";
    await box.serve();
    await is_issued(box);
    const both = await until("the box serves with it", async () => {
      const { certificate } = await ask(`${box.web}/health`, root);
      return certificate.serialNumber !== answer.certificate.serialNumber ? certificate : undefined;
    });
    assert.equal(both.subjectAltName, `DNS:${NAME}, DNS:www.example.test`);
  });
}

test("at two thirds of its lifetime a certificate is renewed while the box serves", async (t) => {
  const port = await free_ports(1),
    validity = 45;
  const { root, settings } = await authority(t, { http: port, tls: port }, { validity });
  const box = await begin(t, { ...settings, WEB_LISTEN: `127.0.0.1:${port}` });
  await is_issued(box);
  const seen = new Map(); // serial number to the certificate and when it was first served
  await until(
    "a second certificate is served",
    async () => {
      const { status, certificate } = await ask(`${box.web}/health`, root).catch((error) => {
        if (seen.size > 0) throw error; // until the first one is loaded
        return {};
      });
      if (status === undefined) return false;
      assert.equal(status, 200);
      if (!seen.has(certificate.serialNumber)) seen.set(certificate.serialNumber, { certificate, at: Date.now() });
      return seen.size === 2;
    },
    90_000,
  );
  const [old, renewed] = [...seen.values()];
  const begun = Date.parse(old.certificate.validFrom),
    passed = (renewed.at - begun) / 1000;
  assert.ok(passed >= (validity * 15) / 24, `not before its time: after ${passed} s`);
  assert.ok(passed < validity, `no moment without a valid certificate: after ${passed} s`);
  assert.doesNotMatch(box.whole_log, /certificate_not_issued/);
});

test("an authority that asks for patience is left alone for so long, by a restarted box too", async (t) => {
  const path = folder(t),
    key = join(path, "key.pem"),
    certificate = join(path, "cert.pem");
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=busy",
      "-addext",
      "subjectAltName=IP:127.0.0.1",
      "-keyout",
      key,
      "-out",
      certificate,
    ],
    { stdio: "ignore" },
  );
  let asked = 0;
  const busy = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    ++asked;
    response.writeHead(503, { "retry-after": "7000", "content-type": "application/problem+json" });
    response.end(JSON.stringify({ type: "urn:ietf:params:acme:error:rateLimited", detail: "too many boxes today" }));
  });
  await new Promise((resolve) => busy.listen(0, "127.0.0.1", resolve));
  t.after(() => busy.close());
  const box = await begin(t, {
    WEB_LISTEN: "127.0.0.1:0",
    ACME_DIRECTORY: `https://127.0.0.1:${busy.address().port}/dir`,
    ACME_CA: certificate,
  });
  const line = await until(
    "the refusal is logged",
    () => box.whole_log.split("\n").find((one) => one.includes('"certificate_not_issued"')),
    60_000,
  );
  const { reason, retry_in_seconds } = JSON.parse(line);
  assert.match(reason, /503|too many boxes today/);
  assert.ok(retry_in_seconds > 6_990 && retry_in_seconds <= 7_000, line);
  const before = asked;
  await box.end("SIGTERM");
  await box.serve();
  const own = await certificate_of(box);
  const health = JSON.parse((await ask(`${box.web}/health`, own.toString())).text);
  assert.deepEqual([health.certificate, health.certificateProblem], ["self-signed", reason], "it still says why");
  assert.equal(asked, before);
});

test("what the authority objects to reaches the log, the health and doctor; the box goes on self-signed", async (t) => {
  const first = await free_ports(3);
  const { settings } = await authority(t, { http: first + 1, tls: first + 2 }); // where no box is
  const box = await begin(t, { ...settings, WEB_LISTEN: `127.0.0.1:${first}` });
  await until("the refusal is logged", () => /"certificate_not_issued"/.test(box.whole_log), 60_000);
  const line = box.whole_log
    .split("\n")
    .filter((one) => one.includes("certificate_not_issued"))
    .map((one) => JSON.parse(one))[0];
  assert.match(line.reason, /could not validate box\.example\.test by tls-alpn-01: .*(refused|connect)/i);
  assert.deepEqual([line.failures, line.retry_in_seconds], [1, 60]);
  const own = await certificate_of(box);
  assert.equal(own.subjectAltName, `DNS:${NAME}`);
  const health = JSON.parse((await ask(`${box.web}/health`, own.toString())).text);
  assert.equal(health.certificate, "self-signed");
  assert.match(health.certificateProblem, /could not validate/);
  const doctor = JSON.parse((await run(["doctor", "--data", box.folder, "--json"], { env: box.env })).out);
  const found = doctor.findings.find((one) => one.check === "certificate");
  assert.equal(found.level, "problem");
  assert.match(found.found, /self-signed until the authority certifies it: .*could not validate/);
  assert.match(found.advice, /port 443/);
});

test("a validation gets no page, and others cannot speak acme-tls/1", async (t) => {
  const port = await free_ports(1);
  const { settings } = await authority(t, { http: port, tls: port });
  const box = await begin(t, { ...settings, WEB_LISTEN: `127.0.0.1:${port}` });
  await is_issued(box);
  const refused = await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername: NAME, ALPNProtocols: ["acme-tls/1"], rejectUnauthorized: false }, () =>
      resolve("accepted"),
    );
    socket.on("error", (error) => resolve(error.code));
  });
  assert.match(refused, /ALERT|ALPN|PROTOCOL/i);
});

test("settings that do not go together are refused with what to do", async (t) => {
  const data = join(folder(t), "data");
  const directory = "https://acme.example.test/directory";
  await run(["init", "--data", data, "--email", ADMIN.email, "--password", ADMIN.password]);
  const refused = async (env, pattern) => {
    const ended = await run(["serve", "--data", data], { env });
    assert.equal(ended.code, 2, ended.err);
    assert.match(ended.err, pattern);
  };
  await refused(
    { ACME_DIRECTORY: directory, BASE_URL: `https://${NAME}`, TLS_CERT: "a.pem", TLS_KEY: "a.key" },
    /ACME_DIRECTORY and TLS_CERT exclude each other/,
  );
  await refused({ ACME_DIRECTORY: directory }, /needs a host name to certify: set ACME_NAMES, or BASE_URL/);
  for (const base of ["https://192.0.2.1", "https://[2001:db8::1]:8443"])
    await refused({ ACME_DIRECTORY: directory, BASE_URL: base }, /certifies host names only, and .* is none/);
  await refused({ ACME_DIRECTORY: directory, ACME_NAMES: ".example.test" }, /certifies host names only/);
  await refused({ ACME_DIRECTORY: directory.replace("https", "http"), ACME_NAMES: NAME }, /must begin with https/);
  await refused({ ACME_DIRECTORY: directory, ACME_NAMES: NAME, ACME_CA: "/nowhere.pem" }, /ACME_CA: cannot read/);
});

test("setup takes the authority by flags", async (t) => {
  const data = join(folder(t), "data");
  const set_up = async (...flags) => {
    const ended = await run(["setup", "--data", data, "--yes", ...flags]);
    assert.equal(ended.code, 0, ended.err);
    return readFileSync(join(data, "agentbox.toml"), "utf8");
  };
  const directory = ["--acme-directory", "https://acme.example.test/directory"];
  const made = await set_up(
    "--email",
    "you@example.org",
    "--web-listen",
    "127.0.0.1:0",
    "--base-url",
    `https://${NAME}`,
    ...directory,
    "--acme-email",
    "you@example.org",
    "--http-redirect-listen",
    "127.0.0.1:0",
  );
  assert.match(made, /^acme_directory = "https:\/\/acme\.example\.test\/directory"$/m);
  assert.match(await set_up("--no-tls"), /^acme_directory = ""$/m);

  // From one kind of certificate to another, without a word about the one before.
  assert.match(await set_up("--own-ca", "--name", "box.lan"), /^tls_cert = ".*server\.crt"$/m);
  const unnamed = await run(["setup", "--data", data, "--yes", ...directory]);
  assert.match(unnamed.err, /needs a host name to certify/, "the address was the own authority's");
  const authority = await set_up(...directory, "--acme-names", `${NAME},www.${NAME}`);
  assert.match(authority, /^tls_cert = ""$/m);
  assert.ok(authority.includes(`base_url = "https://${NAME}:0"`), authority);
  assert.match(authority, /^acme_directory = "https:.*"$/m);
  const tls = (name) => join(data, "tls", name);
  const files = await set_up("--tls-cert", tls("server.crt"), "--tls-key", tls("server.key"));
  assert.match(files, /^acme_directory = ""$/m);
  assert.match(files, /^tls_cert = ".*server\.crt"$/m);
  assert.match(await set_up("--own-ca", "--name", "box.lan"), /^base_url = "https:\/\/box\.lan/m);
  assert.match(await set_up("--no-tls"), /^base_url = ""$/m);
  assert.match(await set_up("--own-ca", "--name", "box.lan"), /^tls_ca = ".*ca\.crt"$/m);
  assert.match(await set_up("--tls-cert", tls("server.crt"), "--tls-key", tls("server.key")), /^tls_ca = ""$/m);
});

test("setup asks for the authority on a terminal", async (t) => {
  const data = join(folder(t), "data");
  const answers = [
    [/E-mail address of the first admin/, "you@example.org"],
    [/Password \(/, ""],
    [/Address of the web listener/, "127.0.0.1:0"],
    [/TLS: none/, "acme"],
    [/Directory of the authority, whose terms you accept \[https:/, "http://not.secure.test"],
    [/must begin with https[^]*Directory of the authority/, ""],
    [/Host names to certify/, ""],
    [/Address that the authority may write to/, "ops@example.org"],
    [/Address for plain HTTP/, "127.0.0.1:0"],
    [/Public web address/, `https://${NAME}`],
  ];
  const terminal = spawn("script", ["-qec", `${binary} setup --data ${data}`, "/dev/null"], {
    env: { PATH: process.env.PATH, TERM: "dumb" },
  });
  let said = "",
    seen = 0;
  terminal.stdout.on("data", (bytes) => {
    said += bytes;
    const rest = said.slice(seen);
    if (!/: $/.test(rest)) return;
    if (answers.length > 0 && !answers[0][0].test(rest)) return terminal.kill();
    seen = said.length;
    terminal.stdin.write(`${answers.length > 0 ? answers.shift()[1] : /Use [^\n]*\?/.test(rest) ? "no" : ""}\n`);
  });
  const [code] = await once(terminal, "close");
  assert.equal(code, 0, said);
  const text = readFileSync(join(data, "agentbox.toml"), "utf8");
  for (const line of [
    'acme_directory = "https://acme-v02.api.letsencrypt.org/directory"',
    'acme_email = "ops@example.org"',
    'http_redirect_listen = "127.0.0.1:0"',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in ${text}`);
});
