// Overload and restarts. Each load is measured at its peak and then with ten times the connections: goodput (answers with 200)
// must stay, and admitted requests must not wait; all others are refused with 503.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ADMIN, log_in, start, start_box, start_program, stop } from "./processes.mjs";

const MODEL_CALL = JSON.stringify({
  model: "openai/gpt-4o-mini",
  messages: [{ role: "user", content: "Tell me about the lighthouse of Fastnet." }],
  max_tokens: 300,
});
const RESTARTS = 40,
  MANY = 10;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const http = (method, path, headers, body = "") =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: box",
    ...headers,
    ...(body && ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body,
  ].join("\r\n");

// Runs load_clients on a box; `rate`: open loop; `core`: the processor that it may use.
const load = async (bench, url, connections, requests, { rate, seconds = bench.seconds, core } = {}) => {
  const args = [new URL(url).port, connections, seconds, ...(rate ? [rate] : [])].map(String);
  const command = join(bench.tools, "load_clients");
  const pinned = core === undefined ? [command, ...args] : ["taskset", "-c", String(core), command, ...args];
  const child = start(pinned[0], pinned.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (bytes) => (text += bytes));
  child.stdin.end(requests.join("\0"));
  await once(child, "close");
  return JSON.parse(text);
};

const overload = async (bench, what, url, connections, requests) => {
  await load(bench, url, connections, requests, { seconds: 1 }); // warm
  const peaks = [],
    crowds = [];
  for (let round = 0; round < bench.rounds; ++round) {
    peaks.push(await load(bench, url, connections, requests));
    crowds.push(await load(bench, url, connections * MANY, requests));
  }
  const middle = (runs, figure) => median(runs.map((run) => run[figure]));
  const peak = middle(peaks, "rate"),
    goodput = middle(crowds, "rate");
  return [
    { what: `${what}, ${connections} connections`, value: peak, unit: "/s" },
    { what: `  ${connections * MANY} connections: goodput`, value: goodput, unit: "/s" },
    { what: "  of the peak", value: goodput / peak, unit: "x", goal: 0.9 },
    { what: "  p99 of those served", value: middle(crowds, "p99"), unit: "ms", goal: 1_000, at_most: true },
    { what: "  refused with 503", value: middle(crowds, "refused"), unit: "/s" },
    { what: "  their p99", value: middle(crowds, "refused_p99"), unit: "ms" },
    { what: "  lost or failed", value: Math.max(...crowds.map((run) => run.failed)), unit: "", goal: 0, at_most: true },
  ];
};

// Beyond what the box can do at a time: an open loop at ten times the peak, as far as the clients get.
const storm = async (bench, url, requests, peak) => {
  const run = await load(bench, url, 2_000, requests, { rate: peak * MANY });
  return [
    { what: "  2,000 connections, ten times the peak's rate due: goodput of the peak", value: run.rate / peak, unit: "x", goal: 0.9 },
    { what: "  p99 of those served", value: run.p99, unit: "ms", goal: 1_000, at_most: true },
    { what: "  p99 of those refused", value: run.refused_p99, unit: "ms" },
  ];
};

export const overload_sessions = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "overload-sessions"));
  const check = http("GET", "/api/auth/session", [`Cookie: ${await log_in(box.web)}`]);
  const rows = await overload(bench, "session checks", box.web, 64, [check]);
  rows.push(...(await storm(bench, box.web, [check], rows[0].value)));
  await stop(box.child);
  return rows;
};

export const overload_models = async (bench) => {
  const upstream = await start_program(join(bench.tools, "model_upstream"));
  const folder = join(bench.folder, "overload-models");
  execFileSync(bench.binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], { stdio: "ignore" });
  const keys = execFileSync(join(bench.tools, "fill_models"), [folder, "64", "64", "0"]).toString().trim().split("\n");
  const box = await start_box(bench.binary, folder, {
    reuse: true,
    env: { OPENROUTER_API_KEY: "sk-bench", OPENROUTER_BASE_URL: `http://127.0.0.1:${upstream.port}/zero/v1` },
  });
  const calls = keys.map((key) => http("POST", "/v1/chat/completions", [`Authorization: Bearer ${key}`], MODEL_CALL));
  const rows = await overload(bench, "model calls", box.backend, 64, calls);
  rows.push(...(await storm(bench, box.backend, calls, rows[0].value)));
  await Promise.all([stop(box.child), stop(upstream.child)]);
  return rows;
};

export const overload_log_ins = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "overload-log-ins"));
  const log_ins = [http("POST", "/api/auth/login", [], JSON.stringify(ADMIN))];
  const rows = await overload(bench, "log-ins", box.web, 16, log_ins);
  rows.push(...(await storm(bench, box.web, log_ins, rows[0].value)));
  await stop(box.child);
  return rows;
};

// Beside log-ins and without them, in turn. The load has a core of its own, so that it waits for no one.
export const steady_sessions = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "steady"));
  const last = availableParallelism() - 1,
    core = last > 0 ? 0 : undefined;
  if (last > 0) execFileSync("taskset", ["-acp", `1-${last}`, String(box.child.pid)], { stdio: "ignore" });
  const cookie = await log_in(box.web),
    check = http("GET", "/api/auth/session", [`Cookie: ${cookie}`]),
    log_in_request = http("POST", "/api/auth/login", [], JSON.stringify(ADMIN));
  const peak = (await load(bench, box.web, 64, [check], { core })).rate;
  const steady = () => load(bench, box.web, 64, [check], { rate: peak * 0.8, core });
  const alone = [],
    beside = [],
    log_ins = [];
  for (let round = 0; round < bench.rounds; ++round) {
    alone.push(await steady());
    const others = load(bench, box.web, 16, [log_in_request], { core });
    beside.push(await steady());
    log_ins.push((await others).rate);
  }
  await stop(box.child);
  const p99 = (runs) => median(runs.map((run) => run.p99));
  return [
    {
      what: "session checks, open loop at 80% of the peak, beside 16 clients that log in: p99",
      value: p99(beside),
      unit: "ms",
      goal: 5,
      at_most: true,
    },
    { what: "  without log-ins", value: p99(alone), unit: "ms" },
    { what: "  answered, of those due", value: median(beside.map((run) => run.rate)) / (peak * 0.8), unit: "x" },
    { what: "  log-ins meanwhile", value: median(log_ins), unit: "/s" },
  ];
};

// The listening sockets are held by socket_activator, of tests/e2e.
export const restarts = async (bench) => {
  const folder = join(bench.folder, "restarts");
  execFileSync(bench.binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], { stdio: "ignore" });
  const child = start(join(bench.tools, "../e2e/socket_activator"), [bench.binary, "serve", "--data", folder], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, RATE_LIMITS: "off", LOGIN_LIMITS: "off", LOG_LEVEL: "error", AGENT_RUNTIME: "process" },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  const { hostname, port } = new URL((await next()).web);
  let is_over = false,
    answered = 0,
    lost = 0;
  const ask = (agent) =>
    new Promise((resolve) => {
      request({ hostname, port, path: "/health", agent }, (answer) =>
        answer
          .resume()
          .once("end", () => resolve(answer.statusCode === 200))
          .once("error", () => resolve(false)),
      )
        .once("error", () => resolve(false))
        .end();
    });
  const agents = [true, false].map((keepAlive) => new Agent({ keepAlive, maxSockets: 16 }));
  const clients = agents.flatMap((agent) =>
    Array.from({ length: 16 }, async () => {
      while (!is_over) (await ask(agent)) ? ++answered : ++lost;
    }),
  );
  const began = performance.now();
  for (let turn = 0; turn < RESTARTS; ++turn) {
    child.stdin.write("\n");
    while (!("web" in (await next()))) {
      /* the exit code of the last run */
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  is_over = true;
  await Promise.all(clients);
  for (const agent of agents) agent.destroy(); // not before: it would cut off the requests of others
  const seconds = (performance.now() - began) / 1000;
  child.stdin.end();
  await once(child, "exit");
  return [
    {
      what: `connections lost in ${RESTARTS} restarts under load, sockets held by another program`,
      value: lost,
      unit: "",
      goal: 0,
      at_most: true,
    },
    { what: "  requests answered meanwhile", value: answered / seconds, unit: "/s" },
  ];
};
