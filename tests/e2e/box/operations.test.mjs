// The box as its operator sees it: how it says that it is ready, how it is, how it ends, what it measures.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connect_tls } from "node:tls";
import { Box, INTERNAL_KEY, send, until } from "../support/box.mjs";
import { call, hang, ModelServer, say } from "../peers/model_server.mjs";
import { parse_metrics, value_of } from "../support/prometheus.mjs";
import { over_postgres } from "../support/story_store.mjs";

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const LISTENERS = ["web", "backend", "summarizer"];

const events = (box) =>
  box.whole_log
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).event);

// Whether somebody listens there.
const is_open = (url) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on("connect", () => resolve(socket.destroy() && true)).on("error", () => resolve(false));
  });

const metrics = async (box) => {
  const answer = await fetch(`${box.backend}/metrics`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  return parse_metrics(await answer.text());
};

test("one line says that the box is ready and where it listens, and it is true", async (t) => {
  const box = await Box.start(t);
  let more = "";
  box.child.stdout.on("data", (bytes) => (more += bytes));
  assert.equal(box.event, "ready");
  for (const listener of LISTENERS) {
    assert.match(box[listener], /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await (await fetch(`${box[listener]}/health`)).json()).status, "ok");
  }
  const written = join(box.folder, "endpoints.json");
  const { event, web, backend, summarizer } = box;
  assert.deepEqual(JSON.parse(readFileSync(written)), { event, web, backend, summarizer }, "other programs find it, too");
  assert.equal(statSync(written).mode & 0o777, 0o600);
  assert.equal(await box.end("SIGINT"), 0, "as with SIGTERM");
  assert.equal(more, "", "nothing else is written to stdout");
  assert.equal(existsSync(written), false);
});

test("health reports the store, Docker and the kill switch to everyone, without a rate limit", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on", PROVISIONING_ENABLED: "false" });
  for (const listener of [box.web, box.backend]) {
    const { timestamp, ...answer } = await (await fetch(`${listener}/health`)).json();
    assert.match(timestamp, ISO_TIME);
    assert.deepEqual(answer, {
      status: "ok",
      degraded: false,
      docker: answer.docker,
      agents: "processes",
      agentsReason: "AGENT_RUNTIME is process",
      provisioning: "disabled",
      store: "ok",
      disk: "ok",
      isolation: answer.isolation,
      isolationLacks: answer.isolationLacks,
      gate: "on",
      commands: answer.commands,
      commandsReason: answer.commandsReason,
      browser: answer.browser,
      browserReason: answer.browserReason,
      mcpPrograms: answer.mcpPrograms,
      mcpProgramsReason: answer.mcpProgramsReason,
      stalledEventLoops: 0,
      missingPackages: answer.missingPackages,
      certificate: null,
      certificateProblem: null,
      auditStream: null,
      auditStreamProblem: null,
      auditStreamPending: null,
      lastProvenRestore: null,
      standby: null,
      standbyDegraded: null,
      standbyLagMs: null,
      bucket: null,
      bucketProblem: null,
      bucketLagMs: null,
      reason: null,
    });
    for (const name of answer.missingPackages)
      assert.throws(() => execFileSync("dpkg", ["-s", name], { stdio: "ignore" }), `${name} is not installed`);
    assert.ok(["available", "unavailable"].includes(answer.docker));
    assert.ok(["none", "basic", "strong", "container"].includes(answer.isolation));
    for (const feature of ["commands", "browser", "mcpPrograms"])
      if (answer[feature] === "on") assert.equal(answer[`${feature}Reason`], null);
      else assert.match(answer[`${feature}Reason`], /\.$/, `a sentence says why there is no ${feature}`);
    const machine = await (await fetch(`${listener}/api/health`)).json();
    assert.ok(["healthy", "degraded", "unhealthy"].includes(machine.health));
    assert.ok(machine.memory.used <= machine.memory.total && machine.cpu.cores > 0 && machine.uptime >= 0, JSON.stringify(machine));
    const head = await fetch(`${listener}/health`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    assert.equal((await fetch(`${listener}/health`, { method: "POST" })).status, 405);
  }
  const asked = await Promise.all(Array.from({ length: 200 }, () => fetch(`${box.backend}/health`).then(({ status }) => status)));
  assert.deepEqual([...new Set(asked)], [200], "no limit counts them");
});

test("an agent answers for itself, without a token", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const { listen } = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
  const ask = async (path) => (await fetch(`http://${listen}${path}`)).json();
  assert.deepEqual(await ask("/healthz"), { ok: true, status: "live" });
  const { uptimeMs, ...ready } = await ask("/readyz");
  assert.deepEqual(ready, { ready: true, failing: [] });
  assert.ok(Number.isInteger(uptimeMs) && uptimeMs >= 0);
});

test("metrics are Prometheus text, behind the internal key, and count what happens", async (t) => {
  const box = await Box.start(t);
  for (const [authorization, status] of [
    ["", 401],
    [`Basic ${INTERNAL_KEY}`, 401],
    ["Bearer wrong", 403],
  ])
    assert.equal((await fetch(`${box.backend}/metrics`, { headers: { authorization } })).status, status);
  assert.equal((await fetch(`${box.web}/metrics`)).status, 404, "not where browsers come");

  const session = { listener: "web", method: "GET", route: "/api/auth/session" };
  await fetch(box.web + session.route);
  const before = await until("the route appears, as each does with its first answer", async () => {
    const families = await metrics(box);
    return families.get("agentbox_http_requests_total")?.samples.some(({ labels }) => labels.route === session.route) && families;
  });
  const ada = await box.customer("ada@example.org");
  for (let i = 0; i < 3; ++i) await ada.call("GET", "/api/auth/session");
  await fetch(`${box.web}/api/agents/with"quotes\\and\nmore`);
  connect(Number(new URL(box.web).port), "127.0.0.1").on("connect", function () {
    this.destroy();
  }); // fetch keeps its own
  let after;
  const counted = () => value_of(after, "agentbox_http_requests_total", { ...session, status: "2xx" });
  const grown = (name, labels) => value_of(after, name, labels) - value_of(before, name, labels);
  await until("three checks and a connection count", async () => {
    // an answer counts once it has left, which its reader may know first
    after = await metrics(box);
    return (
      counted() >= value_of(before, "agentbox_http_requests_total", { ...session, status: "2xx" }) + 3 &&
      grown("agentbox_http_connections_total", { listener: "web" }) > 0
    );
  });

  assert.equal(grown("agentbox_http_requests_total", { ...session, status: "2xx" }), 3);
  const reads = { listener: "web", class: "read" };
  assert.ok(grown("agentbox_http_request_duration_seconds_count", reads) >= 3);
  assert.equal(
    grown("agentbox_http_request_duration_seconds_bucket", { ...reads, le: "+Inf" }),
    grown("agentbox_http_request_duration_seconds_count", reads),
  );
  assert.equal(value_of(after, "agentbox_http_requests_in_flight", { listener: "backend" }), 1, "this very request");
  for (const { labels } of after.get("agentbox_http_requests_total").samples)
    assert.match(labels.route, /^(\/[\w/:.+*-]*|unmatched|malformed|proxied|shed)$/, "routes are patterns, never what clients sent");

  assert.ok(grown("agentbox_store_commits_total") >= 3, "a user, a plan, a session");
  assert.ok(grown("agentbox_store_batches_total") > 0 && grown("agentbox_store_sync_seconds_total") > 0);
  assert.ok(value_of(after, "agentbox_store_last_batch_size") >= 1);
  for (const name of ["store_queue_length", "store_read_only"]) assert.equal(value_of(after, `agentbox_${name}`), 0, name);
  const of_engine = over_postgres ? "agentbox_store_connections" : "agentbox_store_memtable_bytes";
  for (const name of [of_engine, "process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"])
    assert.ok(value_of(after, name) > 0, name);
  for (const name of [
    "store_conflicts_total",
    "store_cache_bytes",
    "store_live_sst_bytes",
    "http_connections_refused_total",
    "log_lines_dropped_total",
  ])
    assert.ok(after.has(`agentbox_${name}`), name);
  assert.ok(Math.abs(value_of(after, "process_start_time_seconds") * 1000 - Date.now()) < 600_000);
});

test("SIGTERM drains: running requests are answered, new ones refused", async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const words = Array(5000).fill("The long answer.").join(" ");

  // The agent's turn goes on while the box drains: it asks the model twice, and both calls go through the box.
  model.will(hang(), say(words));
  const answer = ada.call("POST", "/api/chat", { agentId: id, message: "write it down, then tell me" });
  await until("the model is asked", () => model.asked.length === 1);
  box.child.kill("SIGTERM");
  box.child.kill("SIGTERM"); // as supervisors do that signal a process and then its group
  await until("the web listener closes", async () => !(await is_open(box.web)));
  // A connection that fetch has kept is served for another quarter of a second, once.
  const late = await fetch(`${box.web}/health`).catch(() => null);
  assert.ok(late === null || late.headers.get("connection") === "close");
  model.answer_hanging(call(["write_file", { path: "notes.txt", content: "written while the box drained" }]));

  const { status, headers, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body) + box.log);
  assert.equal(body.message.content, words);
  assert.equal(headers.get("connection"), "close");
  assert.deepEqual([(await box.ended)[0], events(box).slice(-1)], [0, ["stopped"]], box.log);
  for (const listener of LISTENERS) assert.equal(await is_open(box[listener]), false, listener);

  await box.serve();
  const { messages } = (await ada.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(
    messages.map(({ role, delivery }) => [role, delivery]),
    [
      ["user", "answered"],
      ["assistant", null],
    ],
  );
});

test("SIGIO, which a process of the same user can have the kernel send, does not end the box", async (t) => {
  const box = await Box.start(t);
  box.child.kill("SIGIO");
  assert.equal((await fetch(`${box.web}/healthz`)).status, 200);
  assert.equal(await box.end("SIGTERM"), 0);
});

test("a second SIGTERM does not wait, and nothing is lost", async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  model.will(hang());
  const answer = assert.rejects(ada.call("POST", "/api/chat", { agentId: id, message: "take your time" }));
  await until("the model is asked", () => model.asked.length === 1);
  box.child.kill("SIGTERM");
  await until("the box drains", () => events(box).includes("stopping"));
  box.child.kill("SIGHUP");
  assert.equal((await fetch(`${box.backend}/health`)).status, 200, "that one is about certificates");
  await until("it ends", () => box.child.exitCode !== null || !box.child.kill("SIGTERM"));
  assert.equal(box.child.exitCode, 128 + 15);
  await answer;
  model.answer_hanging(say("too late"));

  await box.serve();
  await box.until_status(ada, id, "running");
  const { messages } = (await ada.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(
    messages.map(({ content, delivery }) => [content, delivery]),
    [["take your time", "failed"]],
  );
});

test("SIGHUP loads the certificate again; a bad one is refused and the old one stays", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-tls-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = { TLS_CERT: join(folder, "cert.pem"), TLS_KEY: join(folder, "key.pem") };
  const certify = (name) =>
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
        "-days",
        "2",
        "-subj",
        `/CN=${name}`,
        "-keyout",
        files.TLS_KEY,
        "-out",
        files.TLS_CERT,
      ],
      { stdio: "pipe" },
    );
  certify("first.example.org");
  const box = await Box.start(t, files);
  assert.match(box.web, /^https:/);

  const open = () =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(box.web);
      const socket = connect_tls({ host: hostname, port, rejectUnauthorized: false }, () => resolve(socket)).on("error", reject);
    });
  const name_shown = async () => {
    const socket = await open();
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  const health_over = (socket) =>
    new Promise((resolve) => {
      socket.once("data", (bytes) => resolve(bytes.toString().split("\r\n")[0]));
      socket.write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    });
  const reload = async (event) => {
    const seen = events(box).filter((one) => one === event).length;
    box.child.kill("SIGHUP");
    await until(event, () => events(box).filter((one) => one === event).length > seen);
  };

  const kept = await open();
  assert.equal(kept.getPeerCertificate().subject.CN, "first.example.org");
  certify("second.example.org");
  assert.equal(await name_shown(), "first.example.org", "not before it is told");
  await reload("tls_reloaded");
  assert.equal(await name_shown(), "second.example.org");
  writeFileSync(files.TLS_CERT, "no certificate");
  await reload("tls_reload_failed");
  assert.equal(await name_shown(), "second.example.org");
  assert.equal(await health_over(kept), "HTTP/1.1 200 OK", "open connections are left alone");
  kept.destroy();
});

test("concurrent backups: one is made, and other requests are told to retry", async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const parent = mkdtempSync(join(tmpdir(), "agentbox-backup-"));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const back_up = () => box.backend_call("POST", "/api/admin/backup", { to: join(parent, "store") });
  // A folder with other things in it is not taken over.
  const others = join(parent, "others");
  mkdirSync(others, { mode: 0o755 });
  writeFileSync(join(others, "letter"), "Dear Ada");
  for (const to of [others, join(others, "letter"), "/dev/null"]) {
    const refused = await send(box.backend, "POST", "/api/admin/backup", {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ to }),
    });
    assert.deepEqual([refused.status, /^to (has other files|is there already)/.test(refused.body.error)], [400, true], refused.text);
  }
  assert.deepEqual([readdirSync(others), statSync(others).mode & 0o777], [["letter"], 0o755]);
  const answers = await Promise.all(Array.from({ length: 6 }, back_up));
  assert.ok(
    answers.some(({ success }) => success),
    JSON.stringify(answers),
  );
  for (const { success, error } of answers) assert.ok(success || /being made already/.test(error), error);
  assert.equal((await back_up()).success, true, "and afterwards another");
});
