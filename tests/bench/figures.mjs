// One entry a figure. Each measures what it compares in the same moment, round by round, and answers rows
// {what, value, unit, goal?, at_most?}; a figure without a goal is there to be read beside one that has it.
import { execFileSync } from "node:child_process";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { articles } from "./articles.mjs";
import { build, ci } from "./build.mjs";
import { bus } from "./bus.mjs";
import { channels } from "./channels.mjs";
import { model_history, model_streams, models } from "./models.mjs";
import { pages } from "./pages.mjs";
import { postgres } from "./postgres.mjs";
import { live_agents } from "./live_agents.mjs";
import { overload_log_ins, overload_models, overload_sessions, restarts, steady_sessions } from "./overload.mjs";
import { ADMIN, log_in, resident_mb, start_box, start_nginx, start_stack, stop, until_answers, wrk } from "./processes.mjs";
import { repository } from "./repository.mjs";
import { schedule } from "./schedule.mjs";
import { guesses, many_sessions, wallets } from "./sign_ins.mjs";
import { standby_base } from "./standby.mjs";

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const STACK_COOKIE = "app-session=bench-session";

// Several rounds of several loads, interleaved, so that a slow moment of the machine hits all alike.
const rounds = async (bench, loads) => {
  const results = loads.map(() => []);
  for (let round = 0; round < bench.rounds; ++round) for (const [index, load] of loads.entries()) results[index].push(await load());
  return results.map((runs) => ({ rate: median(runs.map((run) => run.rate)), p99: median(runs.map((run) => run.p99)) }));
};

// Users 1..N with AGENTS agents each, written straight into the store of a new folder; user 1 is signed in by log_in(FILLED).
const FILLED = { email: "user1@bench.local", password: "bench user password" };
const fill = (bench, folder, users, agents) => {
  execFileSync(bench.binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], { stdio: "ignore" });
  execFileSync(join(bench.tools, "fill"), [folder, String(users), String(agents), FILLED.password], { stdio: "ignore" });
};

const session_checks = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "session"));
  const cookie = await log_in(box.web);
  const probe = await (await fetch(`${box.web}/api/auth/session`, { headers: { cookie } })).text();
  if (!probe.includes('"email"')) throw new Error(`the session is not known: ${probe}`);
  const nginx = await start_nginx(
    join(bench.folder, "nginx"),
    bench.workers,
    '{"user":{"id":"1","name":"bench","email":"admin@bench.local","isAdmin":true}}'.padEnd(150, " "),
  );
  const seconds = bench.seconds;
  const [ours, theirs] = await rounds(bench, [
    () => wrk(`${box.web}/api/auth/session`, { seconds, headers: { cookie } }),
    () => wrk(nginx.url, { seconds, headers: { cookie } }),
  ]);
  await Promise.all([stop(box.child), stop(nginx.child)]);
  return [
    { what: "GET /api/auth/session, 64 connections", value: ours.rate, unit: "/s" },
    { what: "nginx, a fixed 150-byte JSON", value: theirs.rate, unit: "/s" },
    { what: "  session checks per nginx answer", value: ours.rate / theirs.rate, unit: "x", goal: 0.7 },
    { what: "  p99 beside nginx's", value: ours.p99 / theirs.p99, unit: "x", goal: 2, at_most: true },
  ];
};

const writes_and_lists = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "writes"));
  const cookie = await log_in(box.web);
  const stack = await start_stack(join(bench.folder, "stack"));
  const tuned = await start_stack(join(bench.folder, "tuned"), "tuned");
  const body = JSON.stringify({ name: "a name of some length" });
  const seconds = bench.seconds;
  const bare = () => {
    const out = execFileSync(join(bench.tools, "bare_rocksdb"), [join(bench.folder, "bare"), "64", "300", String(seconds)]);
    return { rate: JSON.parse(out).puts_per_second, p99: 0 };
  };
  const patch = { seconds, method: "PATCH", body };
  const [ours, rocks, theirs, tuned_theirs] = await rounds(bench, [
    () => wrk(`${box.web}/api/settings`, { ...patch, headers: { cookie } }),
    bare,
    () => wrk(`${stack.url}/api/settings`, { ...patch, headers: { cookie: STACK_COOKIE } }),
    () => wrk(`${tuned.url}/api/settings`, { ...patch, headers: { cookie: STACK_COOKIE } }),
  ]);
  await stop(box.child);

  const folder = join(bench.folder, "twenty");
  fill(bench, folder, 1, 20);
  const listed = await start_box(bench.binary, folder, { reuse: true });
  const user = await log_in(listed.web, FILLED);
  const { count } = await (await fetch(`${listed.web}/api/agents`, { headers: { cookie: user } })).json();
  if (count !== 20) throw new Error(`expected 20 agents, found ${count}`);
  const [lists, their_lists, tuned_lists, their_checks] = await rounds(bench, [
    () => wrk(`${listed.web}/api/agents`, { seconds, headers: { cookie: user } }),
    () => wrk(`${stack.url}/api/agents`, { seconds, headers: { cookie: STACK_COOKIE } }),
    () => wrk(`${tuned.url}/api/agents`, { seconds, headers: { cookie: STACK_COOKIE } }),
    () => wrk(`${stack.url}/api/auth/session`, { seconds, headers: { cookie: STACK_COOKIE } }),
  ]);
  await Promise.all([listed.child, ...stack.children, ...tuned.children].map((child) => stop(child)));
  return [
    { what: "PATCH /api/settings, 64 connections, synced", value: ours.rate, unit: "/s" },
    { what: "bare RocksDB, 64 threads, sync=true", value: rocks.rate, unit: "/s" },
    { what: "Fastify and PostgreSQL, insert one row", value: theirs.rate, unit: "/s" },
    { what: "  tuned by hand", value: tuned_theirs.rate, unit: "/s" },
    { what: "  durable writes per bare put", value: ours.rate / rocks.rate, unit: "x", goal: 0.6 },
    { what: "  durable writes per insert of the stack", value: ours.rate / theirs.rate, unit: "x", goal: 10 },
    { what: "  durable writes per insert of the tuned stack", value: ours.rate / tuned_theirs.rate, unit: "x" },
    { what: "GET /api/agents with 20 agents, 64 connections", value: lists.rate, unit: "/s" },
    { what: "Fastify and PostgreSQL, the same list", value: their_lists.rate, unit: "/s" },
    { what: "  tuned by hand", value: tuned_lists.rate, unit: "/s" },
    { what: "  lists per list of the stack", value: lists.rate / their_lists.rate, unit: "x", goal: 12 },
    { what: "  lists per list of the tuned stack", value: lists.rate / tuned_lists.rate, unit: "x" },
    { what: "Fastify and PostgreSQL, a session check", value: their_checks.rate, unit: "/s" },
  ];
};

const beside_logins = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "logins"));
  const cookie = await log_in(box.web);
  let going = true,
    attempts = 0;
  const clients = Array.from({ length: 16 }, async () => {
    while (going) {
      await log_in(box.web);
      ++attempts;
    }
  });
  const runs = [];
  const began = performance.now();
  for (let round = 0; round < bench.rounds; ++round)
    runs.push(await wrk(`${box.web}/api/auth/session`, { connections: 16, seconds: bench.seconds, headers: { cookie } }));
  const log_ins = attempts / ((performance.now() - began) / 1000);
  going = false;
  await Promise.all(clients);
  await stop(box.child);
  return [
    {
      what: "session checks at 16 connections beside 16 clients that log in: p99",
      value: median(runs.map((run) => run.p99)),
      unit: "ms",
      goal: 5,
      at_most: true,
    },
    { what: "  log-ins meanwhile", value: log_ins, unit: "/s" },
  ];
};

const first_answer = async (bench, folder) => {
  const times = [];
  for (let round = 0; round < bench.rounds; ++round) {
    const started = performance.now();
    const box = await start_box(bench.binary, folder, { reuse: true });
    await until_answers(`${box.web}/health`);
    times.push(performance.now() - started);
    await stop(box.child);
  }
  return median(times);
};

const start_up = async (bench) => {
  const small = join(bench.folder, "empty"),
    large = join(bench.folder, "large");
  fill(bench, small, 0, 0);
  fill(bench, large, 100_000, 0);
  const empty = await first_answer(bench, small),
    full = await first_answer(bench, large);
  const box = await start_box(bench.binary, small, { reuse: true });
  await until_answers(`${box.web}/health`);
  const idle = resident_mb(box.child.pid);
  await stop(box.child);
  return [
    { what: "start to the first 200 on /health, empty folder", value: empty, unit: "ms", goal: 100, at_most: true },
    { what: "  with 100,000 users", value: full, unit: "ms", goal: 300, at_most: true },
    { what: "resident memory, idle", value: idle, unit: "MB", goal: 48, at_most: true },
  ];
};

const idle_connections = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "idle"));
  const cookie = await log_in(box.web);
  const { hostname, port } = new URL(box.web);
  await until_answers(`${box.web}/health`);
  const before = resident_mb(box.child.pid);
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write("GET /health HTTP/1.1\r\nHost: box\r\n\r\n"));
      socket.once("data", () => resolve(socket)).once("error", reject);
    });
  const sockets = [];
  while (sockets.length < 10_000) sockets.push(...(await Promise.all(Array.from({ length: 200 }, open))));
  const after = resident_mb(box.child.pid);
  const agent = new Agent({ keepAlive: false });
  const ask = () =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      request({ host: hostname, port, path: "/api/auth/session", agent, headers: { cookie } }, (answer) => {
        answer.resume().once("end", () => resolve(performance.now() - began));
      })
        .once("error", reject)
        .end();
    });
  const times = [];
  for (let count = 0; count < 500; ++count) times.push(await ask());
  times.sort((a, b) => a - b);
  for (const socket of sockets) socket.destroy();
  await stop(box.child);
  return [
    { what: "10,000 idle keep-alive connections cost", value: after - before, unit: "MB", goal: 40, at_most: true },
    {
      what: "  a new connection and request beside them: p99",
      value: times[Math.floor(times.length * 0.99)],
      unit: "ms",
      goal: 5,
      at_most: true,
    },
  ];
};

const many_tenants = async (bench) => {
  const boxes = [];
  for (const users of [10, 10_000]) {
    const folder = join(bench.folder, `tenants-${users}`);
    fill(bench, folder, users, 10);
    const box = await start_box(bench.binary, folder, { reuse: true });
    boxes.push({ ...box, cookie: await log_in(box.web, FILLED) });
  }
  const [few, many] = await rounds(
    bench,
    boxes.map((box) => () => wrk(`${box.web}/api/agents`, { seconds: bench.seconds, headers: { cookie: box.cookie } })),
  );
  await Promise.all(boxes.map((box) => stop(box.child)));
  return [
    { what: "GET /api/agents with 10 agents, 10 users on the box", value: few.rate, unit: "/s" },
    { what: "  with 10,000 users of 10 agents each", value: many.rate, unit: "/s" },
    { what: "  cost beside the small box", value: few.rate / many.rate, unit: "x", goal: 1.2, at_most: true },
  ];
};

const watching = async (bench) => {
  const interval = 5_000;
  const out = execFileSync(join(bench.tools, "watch"), ["1000", String(interval), String(Math.max(10, bench.seconds)), "5"]);
  const { cpu_percent, checks_per_second, noticed_ms } = JSON.parse(out);
  return [
    { what: "1,000 watched agents, checked every 5 s: checks", value: checks_per_second, unit: "/s" },
    { what: "  of one core", value: cpu_percent, unit: "%", goal: 3, at_most: true },
    { what: "  a gateway that is gone is noticed within", value: noticed_ms, unit: "ms", goal: interval + 1_000, at_most: true },
  ];
};

export const figures = [
  { name: "sessions", measure: session_checks },
  { name: "writes", measure: writes_and_lists },
  { name: "postgres", measure: postgres },
  { name: "logins", measure: beside_logins },
  { name: "start", measure: start_up },
  { name: "idle", measure: idle_connections },
  { name: "tenants", measure: many_tenants },
  { name: "articles", measure: articles },
  { name: "schedule", measure: schedule },
  { name: "watching", measure: watching },
  { name: "live_agents", measure: live_agents },
  { name: "wallets", measure: wallets },
  { name: "many_sessions", measure: many_sessions },
  { name: "guesses", measure: guesses },
  { name: "repository", measure: repository },
  { name: "pages", measure: pages },
  { name: "models", measure: models },
  { name: "model_streams", measure: model_streams },
  { name: "model_history", measure: model_history },
  { name: "overload_sessions", measure: overload_sessions },
  { name: "overload_models", measure: overload_models },
  { name: "overload_log_ins", measure: overload_log_ins },
  { name: "steady_sessions", measure: steady_sessions },
  { name: "restarts", measure: restarts },
  { name: "bus", measure: bus },
  { name: "channels", measure: channels },
  { name: "standby_base", measure: standby_base, only_by_name: true },
  { name: "build", measure: build, only_by_name: true },
  { name: "ci", measure: ci, only_by_name: true },
];
