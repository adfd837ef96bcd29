// The audit log as a stream: syslog over TLS, TCP and UDP, and JSON lines by POST, to real collectors.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as http_server } from "node:http";
import { createServer as tcp_server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createServer as tls_server } from "node:tls";
import { ADMIN, Box, run, until } from "../support/box.mjs";

// A certificate for localhost that is its own authority.
const certificate_for = (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-collector-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const key = join(folder, "key.pem"),
    file = join(folder, "certificate.pem");
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  execFileSync("openssl", ["req", "-x509", ...curve, "-keyout", key, "-out", file, "-days", "2", ...names], { stdio: "ignore" });
  return { file, key: readFileSync(key), cert: readFileSync(file) };
};

// Messages of a stream with octet counting: "<length> <message>".
const unframed = (bytes) => {
  const messages = [];
  for (let rest = bytes; rest.length > 0; ) {
    const space = rest.indexOf(32);
    const size = Number(rest.subarray(0, space));
    messages.push(rest.subarray(space + 1, space + 1 + size).toString());
    rest = rest.subarray(space + 1 + size);
  }
  return messages;
};

// A collector over TLS or TCP that keeps the messages of connections that were closed in order.
const start_collector = async (t, make, port = 0) => {
  const collector = { messages: [] };
  const server = make((socket) => {
    const parts = [];
    socket.on("data", (bytes) => parts.push(bytes));
    socket.on("error", () => {});
    socket.on("end", () => {
      collector.messages.push(...unframed(Buffer.concat(parts)));
      socket.end();
    });
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  collector.port = server.address().port;
  collector.stop = () => new Promise((resolve) => server.close(resolve));
  t.after(() => server.close());
  return collector;
};

const id_of = (message) => Number(/ \[audit@32473 id="(\d+)"/.exec(message)[1]);
const health = async (box) => (await fetch(`${box.backend}/health`)).json();
const fail_once = (box) => box.person().log_in(ADMIN.email, "not the password");
const audited = async (box) => (await box.backend_call("GET", "/api/admin/audit?after=0&limit=1000")).entries;
// Everything that is in the log has arrived.
const until_streamed = (box) =>
  until("the collector has everything", async () => {
    const { auditStream, auditStreamPending } = await health(box);
    return auditStream === "ok" && auditStreamPending === 0;
  });

test("syslog over TLS: every entry in order, retried while the collector is away, and on after a restart", async (t) => {
  const certificate = certificate_for(t);
  const make = (on_socket) => tls_server(certificate, on_socket);
  let collector = await start_collector(t, make);
  const { port } = collector;
  const box = await Box.start(t, { AUDIT_STREAM: `syslog+tls://localhost:${port}`, AUDIT_STREAM_CA: certificate.file });
  for (let at = 0; at < 3; at++) await fail_once(box);
  await until_streamed(box);
  const first = await audited(box);
  assert.deepEqual(
    collector.messages.map(id_of),
    first.map(({ id }) => id),
  );
  const message = collector.messages.at(-1);
  assert.match(
    message,
    /^<108>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ agentbox \d+ \d+ \[audit@32473 id="\d+" act="sign-in by password"/,
  );
  const json = JSON.parse(message.slice(message.indexOf("] ") + 2));
  assert.deepEqual([json.act, json.outcome, json.subject], ["sign-in by password", "Invalid credentials", ADMIN.email]);
  assert.match(json.hash, /^[0-9a-f]{64}$/);

  await collector.stop();
  await fail_once(box);
  const failing = await until("the box says that it fails", async () => {
    const answer = await health(box);
    return answer.auditStream === "failing" && answer;
  });
  assert.ok(failing.auditStreamPending >= 1 && failing.auditStreamProblem.includes("The collector"), JSON.stringify(failing));
  assert.equal(failing.status, "ok", "the box itself works");
  const doctor = await run(["doctor", "--json", "--data", box.folder], {
    env: { AUDIT_STREAM: box.env.AUDIT_STREAM, AUDIT_STREAM_CA: certificate.file },
  });
  const finding = JSON.parse(doctor.out).findings.find(({ check }) => check === "audit stream");
  assert.equal(finding.level, "problem", doctor.out);
  await box.end("SIGTERM");
  collector = await start_collector(t, make, port);
  await box.serve();
  await until_streamed(box);
  const all = await audited(box);
  const later = all.map(({ id }) => id).filter((id) => id > first.at(-1).id);
  assert.deepEqual(collector.messages.map(id_of), later, "the position outlives a restart");
  const metrics = await (
    await fetch(`${box.backend}/metrics`, { headers: { authorization: "Bearer internal-key-of-the-stories" } })
  ).text();
  assert.match(metrics, /agentbox_audit_stream_pending 0\n/);
});

test("a collector whose certificate is not of the authority gets nothing", async (t) => {
  const collector = await start_collector(t, (on_socket) => tls_server(certificate_for(t), on_socket));
  const box = await Box.start(t, { AUDIT_STREAM: `syslog+tls://localhost:${collector.port}`, AUDIT_STREAM_CA: certificate_for(t).file });
  await fail_once(box);
  const { auditStreamProblem } = await until("it fails", async () => {
    const answer = await health(box);
    return answer.auditStream === "failing" && answer;
  });
  assert.match(auditStreamProblem, /certificate/);
  assert.deepEqual(collector.messages, []);
});

test("syslog over TCP and UDP", async (t) => {
  const collector = await start_collector(t, (on_socket) => tcp_server({ allowHalfOpen: true }, on_socket));
  const box = await Box.start(t, { AUDIT_STREAM: `syslog+tcp://127.0.0.1:${collector.port}` });
  await fail_once(box);
  await until_streamed(box);
  const ids = (await audited(box)).map(({ id }) => id);
  assert.deepEqual(collector.messages.map(id_of), ids);

  const datagrams = [];
  const socket = createSocket("udp4");
  t.after(() => socket.close());
  socket.on("message", (bytes) => datagrams.push(bytes.toString()));
  await new Promise((resolve) => socket.bind(0, "127.0.0.1", resolve));
  await box.end("SIGTERM");
  box.env.AUDIT_STREAM = `syslog+udp://127.0.0.1:${socket.address().port}`;
  await box.serve();
  await fail_once(box);
  await until("a datagram", () => datagrams.some((text) => text.includes("Invalid credentials")));
});

test("JSON lines by POST, with a token that appears in no log; an answer other than 2xx is tried again", async (t) => {
  const token = "token-of-the-collector";
  const got = { lines: [], refusals: 2, authorization: new Set() };
  const server = http_server(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    got.authorization.add(request.headers.authorization);
    if (got.refusals-- > 0) return response.writeHead(503).end();
    got.lines.push(...Buffer.concat(parts).toString().trimEnd().split("\n"));
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const box = await Box.start(t, { AUDIT_STREAM: `http://127.0.0.1:${server.address().port}/in`, AUDIT_STREAM_TOKEN: token });
  await fail_once(box);
  await until_streamed(box);
  const ids = (await audited(box)).map(({ id }) => id);
  assert.deepEqual(
    got.lines.map((line) => JSON.parse(line).id),
    ids,
  );
  assert.deepEqual([...got.authorization], [`Bearer ${token}`]);
  assert.ok(!box.whole_log.includes(token));
  const { settings } = await box.backend_call("GET", "/api/admin/settings");
  assert.ok(!JSON.stringify(settings).includes(token));
  const wrong = await run(["serve", "--data", box.folder], { env: { AUDIT_STREAM: "ftp://example.org" } });
  assert.match(wrong.err, /AUDIT_STREAM \(environment\) must be a URL/);
});
