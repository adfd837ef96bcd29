// The start of a box: a folder that is none is refused, a person sees where the box is, a program reads JSON.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, binary, run, send, until } from "../support/box.mjs";

const folder = (t) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-start-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const env = { WEB_LISTEN: "127.0.0.1:0", BACKEND_LISTEN: "127.0.0.1:0", SUMMARIZER_LISTEN: "127.0.0.1:0" };

test("a folder without a box is refused, and --init makes one", async (t) => {
  const data = join(folder(t), "typo");
  const refused = await run(["serve", "--data", data], { env });
  assert.deepEqual([refused.code, refused.out], [2, ""]);
  assert.match(refused.err, /^agentbox: there is no box in .*typo: check --data, or run agentbox init --data/);
  assert.equal(existsSync(data), false, "nothing is made");
  assert.match((await run(["serve", "--data", data, "--init"], { env })).err, /--init needs --email/);

  const child = spawn(binary, ["serve", "--data", data, "--init", "--email", ADMIN.email, "--password", ADMIN.password], {
    env: { PATH: process.env.PATH, ...env },
  });
  let out = "",
    err = "";
  child.stderr.on("data", (bytes) => (err += bytes));
  child.stdout.on("data", (bytes) => (out += bytes));
  while (!out.includes("\n")) await new Promise((resolve) => setTimeout(resolve, 20));
  const { web } = JSON.parse(out);
  const answer = await send(web, "POST", "/api/auth/login", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ADMIN),
  });
  assert.equal(answer.status, 200, answer.text);
  assert.match(err, /agentbox is set up in /);
  child.kill("SIGTERM");
  await new Promise((resolve) => child.on("exit", resolve));
  const box = await Box.open(t, data); // no --init any more
  assert.equal((await send(box.web, "GET", "/health")).status, 200);
  await box.end("SIGTERM"); // before its folder is removed
});

test("LOG_FORMAT=text is for people: a banner and readable lines; JSON else", async (t) => {
  const box = await Box.start(t, { LOG_FORMAT: "text", REGISTRATION: "closed" });
  await send(box.web, "GET", "/health");
  await box.end("SIGTERM");
  assert.match(
    box.whole_log,
    new RegExp(
      `\n  console   ${box.web.replace("127.0.0.1", "localhost")}\n  backend   ${box.backend}\n  data      ${box.folder}\n  admin     ${ADMIN.email}\n  agents    as processes: `,
    ),
  );
  assert.match(box.whole_log, /^\d\d:\d\d:\d\d\.\d{3} {2}info {5}request  listener=web .*route=\/health /m);
  assert.doesNotMatch(box.whole_log, /^\{/m);
  assert.doesNotMatch(box.whole_log, /\x1b/, "no colours where there is no terminal");

  box.env = { ...box.env, LOG_FORMAT: "auto" };
  box.whole_log = "";
  await box.serve();
  await send(box.web, "GET", "/health");
  await box.end("SIGTERM");
  const lines = box.whole_log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const decimals = lines
    .flatMap((line) => Object.values(line))
    .filter((value) => typeof value === "number")
    .map((value) => String(value).split(".")[1] ?? "");
  assert.ok(lines.length > 2 && decimals.every((digits) => digits.length <= 3), JSON.stringify(lines));
  box.env = { ...box.env, LOG_FORMAT: "json" };
  await box.serve();
});

// A certificate for this machine.
const with_tls = (t) => {
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
      "/CN=localhost",
      "-keyout",
      key,
      "-out",
      certificate,
    ],
    { stdio: "ignore" },
  );
  return { TLS_CERT: certificate, TLS_KEY: key };
};

test("plain HTTP on the port with TLS is told so, and HTTP_REDIRECT_LISTEN redirects", async (t) => {
  const box = await Box.start(t, { ...with_tls(t), HTTP_REDIRECT_LISTEN: "127.0.0.1:0" });
  const { hostname, port } = new URL(box.web);
  const answer = await new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: hostname, port }, () => socket.write("GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    socket
      .on("data", (bytes) => (text += bytes))
      .on("end", () => resolve(text))
      .on("error", reject);
  });
  const [head, body] = answer.split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.equal(Number(/Content-Length: (\d+)/.exec(head)[1]), Buffer.byteLength(body));
  assert.deepEqual(JSON.parse(body).code, "HTTPS_REQUIRED");

  const redirected = await send(box.redirect, "POST", "/api/auth/login?x=1", { body: "{}" });
  assert.deepEqual([redirected.status, redirected.headers.location], [308, `https://127.0.0.1:${port}/api/auth/login?x=1`]);
  const named = await send(box.redirect, "GET", "/", { headers: { host: "box.lan:80" } });
  assert.equal(named.headers.location, `https://box.lan:${port}/`);
  const alone = await run(["serve", "--data", box.folder], { env: { ...env, HTTP_REDIRECT_LISTEN: "127.0.0.1:0" } });
  assert.match(alone.err, /HTTP_REDIRECT_LISTEN needs TLS_CERT and TLS_KEY/);
  box.backend_call = () => Promise.reject(new Error("not needed"));
});

test("a box on all addresses without BASE_URL warns, and its mails have links to an allowed host only", async (t) => {
  const box = await Box.start(t, { WEB_LISTEN: "0.0.0.0:0", ALLOWED_HOSTS: ".lan,box.example.org" });
  await until("the warning is written", () => /"event":"base_url_is_not_set"/.test(box.whole_log));
  const port = new URL(box.web).port;
  const forgot = (host) =>
    send(`http://127.0.0.1:${port}`, "POST", "/api/auth/forgot-password", {
      headers: { host, "content-type": "application/json" },
      body: JSON.stringify({ email: ADMIN.email }),
    });
  assert.equal((await forgot("evil.example")).status, 200);
  const mail = await box.mail_with("reset", ADMIN.email);
  assert.match(mail.body, new RegExp(`http://box\\.example\\.org:${port}/login\\?reset=`));
  assert.doesNotMatch(mail.body, /evil|0\.0\.0\.0/);
});

test("a backup into the data folder is refused", async (t) => {
  const box = await Box.start(t);
  const options = { env: { INTERNAL_API_KEY: INTERNAL_KEY } };
  for (const to of [box.folder, join(box.folder, "backups", "mine"), join(box.folder, "agents", "..", "copy")]) {
    const refused = await run(["backup", "--data", box.folder, "--to", to], options);
    assert.deepEqual([refused.code, refused.out], [2, ""], JSON.stringify(refused));
    assert.match(refused.err, /is inside the data folder|holds a box/);
  }
  assert.match(
    (await box.backend_call("POST", "/api/admin/backup", { to: join(box.folder, "copy") })).error,
    /^to must be a folder outside/,
  );
});
