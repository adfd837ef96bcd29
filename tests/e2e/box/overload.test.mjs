// Overload and restarts: what cannot be served in time is refused at once, health is always answered, and a restart loses
// no connection.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, binary, send, until } from "../support/box.mjs";
import { OWN_PORTS } from "../support/ports.mjs";

// A connection that sends `text` and reads until the server closes; resolves with what came, or the error.
const talk = (url, text) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let came = "";
    socket.setTimeout(20_000, () => socket.destroy(new Error("no answer")));
    socket.on("data", (bytes) => (came += bytes));
    socket.on("error", (error) => resolve({ error: error.code ?? error.message, came }));
    socket.on("end", () => {
      socket.end();
      resolve({ came });
    });
  });

const get = (path) => `GET ${path} HTTP/1.1\r\nHost: box\r\n\r\n`;

// With 256 descriptors in all. `exec` keeps the process id.
const start_with_few_descriptors = async (t) => {
  const box = new Box(),
    folder = mkdtempSync(join(tmpdir(), "agentbox-story-"));
  execFileSync(binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password]);
  const child = spawn("sh", ["-c", `ulimit -n 256; exec "$0" serve --data "$1"`, binary, folder], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      WEB_LISTEN: "127.0.0.1:0",
      BACKEND_LISTEN: "127.0.0.1:0",
      SUMMARIZER_LISTEN: "127.0.0.1:0",
      INTERNAL_API_KEY: INTERNAL_KEY,
      RATE_LIMITS: "off",
      LOGIN_LIMITS: "off",
      AGENT_RUNTIME: "process",
      AGENT_PORT_RANGE: OWN_PORTS,
    },
  });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  child.stderr.resume();
  const line = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  return Object.assign(box, { folder, child }, JSON.parse(line));
};

test("beyond the connection limit every client gets 503, and health is answered", async (t) => {
  const box = await start_with_few_descriptors(t),
    { hostname, port } = new URL(box.web);
  const held = [];
  t.after(() => held.forEach((socket) => socket.destroy()));
  for (let count = 0; count < 300; ++count) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    await once(socket, "connect");
    held.push(socket);
  }
  const answers = await Promise.all(Array.from({ length: 400 }, () => talk(box.web, get("/api/auth/session"))));
  const turned_away = answers.filter(
    ({ error, came }) => !error && /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n.*"code":"OVERLOADED"/s.test(came),
  );
  // Without any descriptor left, one that is needed for the next client is not kept until a slow client has read.
  const others = answers.filter((one) => !turned_away.includes(one)).slice(0, 3);
  assert.ok(turned_away.length >= 380, `${turned_away.length} of 400, others: ${JSON.stringify(others)}`);
  for (let turn = 0; turn < 20; ++turn)
    for (const url of [box.backend, box.web])
      assert.match((await talk(url, "GET /health HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n")).came, /^HTTP\/1\.1 200 /);
});

test("log-ins beyond what can be hashed in time get 503 at once, and the others are served", async (t) => {
  const box = await Box.start(t);
  const began = Date.now();
  const log_in = async () => {
    const answer = await send(box.web, "POST", "/api/auth/login", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(ADMIN),
    });
    return { ...answer, ms: Date.now() - began };
  };
  assert.equal((await log_in()).status, 200);
  const answers = await Promise.all(Array.from({ length: 300 }, log_in));
  const served = answers.filter(({ status }) => status === 200),
    refused = answers.filter(({ status }) => status === 503);
  assert.equal(served.length + refused.length, answers.length);
  assert.ok(served.length >= 16, `${served.length} were served`);
  assert.ok(refused.length > 0);
  for (const { body, headers } of refused) {
    assert.equal(body.code, "OVERLOADED");
    assert.equal(headers["retry-after"], "1");
  }
  assert.equal((await send(box.web, "GET", "/health")).status, 200);
  assert.doesNotMatch(box.whole_log, /request_failed/);
});

test("a client that does not read its answer is disconnected after 15 s, an idle event stream is not", async (t) => {
  const box = await Box.start(t),
    customer = await box.customer("ada@example.org");
  const id = await box.running_agent(customer);
  const { hostname, port } = new URL(box.web);
  const stream = connect(Number(port), hostname, () =>
    stream.write(`GET /api/logs/${id}/stream HTTP/1.1\r\nHost: box\r\nCookie: ${customer.cookie}\r\n\r\n`),
  );
  let is_open = true;
  stream
    .on("error", () => (is_open = false))
    .on("close", () => (is_open = false))
    .resume();
  t.after(() => stream.destroy());
  const answers = 60; // far more bytes than the kernel's buffers hold
  const deaf = connect(Number(port), hostname, () => deaf.write(get("/api/openapi.json").repeat(answers)));
  let came = "";
  deaf.on("data", (bytes) => (came += bytes.toString("latin1"))).on("error", () => {});
  await once(deaf, "data");
  deaf.pause();
  await new Promise((resolve) => setTimeout(resolve, 18_000));
  const ended = once(deaf, "close");
  deaf.resume();
  await ended;
  assert.ok(came.match(/HTTP\/1\.1 200 /g).length < answers, "all of it was sent");
  assert.ok(is_open);
});

// The box with its listening sockets held by another program; `restart()` resolves with the exit code of the last run.
const start_activated = async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-"));
  execFileSync(binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password]);
  const child = spawn(join(process.env.AGENTBOX_STORY_PACKAGES ?? ".", "socket_activator"), [binary, "serve", "--data", folder], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      INTERNAL_API_KEY: INTERNAL_KEY,
      RATE_LIMITS: "off",
      LOGIN_LIMITS: "off",
      AGENT_RUNTIME: "process",
      AGENT_PORT_RANGE: OWN_PORTS,
    },
  });
  const ended = once(child, "exit");
  t.after(async () => {
    child.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  let log = "";
  child.stderr.on("data", (bytes) => (log = (log + bytes).slice(-20_000)));
  const lines = [],
    waiting = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line));
    waiting.splice(0).forEach((wake) => wake());
  });
  const next = async (field) => {
    for (;;) {
      const at = lines.findIndex((line) => field in line);
      if (at >= 0) return lines.splice(at, 1)[0];
      await Promise.race([new Promise((resolve) => waiting.push(resolve)), ended.then(() => assert.fail(`it ended: ${log}`))]);
    }
  };
  const ready = await next("web");
  const restart = async () => {
    child.stdin.write("restart\n");
    const { restarted } = await next("restarted");
    const again = await next("web");
    assert.deepEqual(again, ready);
    return restarted;
  };
  return { ...ready, folder, child, ended, restart };
};

test("a restart under load loses no connection when another program holds the sockets", async (t) => {
  const box = await start_activated(t);
  const { hostname, port } = new URL(box.web);
  const agents = [new Agent({ keepAlive: true, maxSockets: 8 }), new Agent({ keepAlive: false, maxSockets: 8 })];
  t.after(() => agents.forEach((agent) => agent.destroy()));
  let is_over = false,
    answered = 0;
  const lost = [];
  const ask = (agent) =>
    new Promise((resolve) => {
      const asked = request({ hostname, port, path: "/api/auth/session", agent }, (answer) => {
        answer
          .resume()
          .once("end", () => resolve(answer.statusCode))
          .once("error", (error) => resolve(`cut: ${error.code}`));
      });
      asked.once("error", (error) => resolve(`${error.code}${asked.reusedSocket ? " on a kept connection" : ""}`)).end();
    });
  const clients = agents.flatMap((agent) =>
    Array.from({ length: 8 }, async () => {
      while (!is_over) {
        const outcome = await ask(agent);
        if (outcome === 200) ++answered;
        else lost.push(outcome);
      }
    }),
  );
  for (let turn = 0; turn < 12; ++turn) {
    const before = answered;
    await until("requests are answered", () => answered > before + 50);
    assert.equal(await box.restart(), 0);
  }
  is_over = true;
  await Promise.all(clients);
  assert.deepEqual(lost, []);
});

test("the variables and sockets of activation do not reach children", async (t) => {
  const box = await start_activated(t);
  assert.equal((await send(box.web, "GET", "/health")).status, 200);
  assert.equal((await send(box.backend, "GET", "/health")).status, 200);
  const children = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  const [serving] = children(box.child.pid);
  const inodes = new Set(
    readdirSync(`/proc/${serving}/fd`)
      .filter((fd) => ["3", "4", "5"].includes(fd))
      .map((fd) => execFileSync("readlink", [`/proc/${serving}/fd/${fd}`]).toString()),
  );
  assert.equal(inodes.size, 3);
  const below = await until("the summarizer runs", () => {
    const found = readdirSync(`/proc/${serving}/task`).flatMap((task) =>
      readFileSync(`/proc/${serving}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean),
    );
    return found.length > 0 && found;
  });
  for (const pid of below) {
    assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, "utf8"), /LISTEN_(PID|FDS|FDNAMES)/);
    for (const fd of readdirSync(`/proc/${pid}/fd`))
      assert.ok(!inodes.has(execFileSync("readlink", [`/proc/${pid}/fd/${fd}`]).toString()), `descriptor ${fd} of ${pid}`);
  }
});

test("a restart on the same port answers what was sent before it", async (t) => {
  const box = await Box.start(t);
  // Connections that wait to be accepted or read when the signal comes.
  for (let turn = 0; turn < 3; ++turn) {
    const asked = Array.from({ length: 100 }, () => talk(box.web, get("/api/auth/session")));
    const kept = new Promise((resolve) => {
      const { hostname, port } = new URL(box.web);
      const socket = connect(Number(port), hostname, () => socket.write(get("/health")));
      let came = "";
      socket.on("data", (bytes) => {
        if (came === "") socket.write(get("/health"));
        came += bytes;
      });
      socket.on("error", (error) => resolve(error.code)).on("end", () => resolve(came));
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await box.end("SIGTERM"), 0);
    for (const { error, came } of await Promise.all(asked)) {
      if (error === "ECONNREFUSED") continue; // it came after the listener had closed
      assert.equal(error, undefined);
      assert.match(came, /^HTTP\/1\.1 200 /);
    }
    // One that was answered after the signal has been asked to send no more.
    const came = await kept,
      is_last = /\r\nconnection: close/i.test(came.split("\r\n\r\n")[0]);
    assert.equal(came.match(/HTTP\/1\.1 200 /g)?.length, is_last ? 1 : 2, came);
    await box.serve();
  }
});
