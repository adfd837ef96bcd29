// The AI layer before a provider that costs next to nothing (model_upstream.cpp), beside two gateways from npm before the same
// one. The box does what it always does: an API key and its budget, the plan and its quota, caps, a reservation in the log before
// each call and a settlement after it. The gateways keep no books.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  cpu_seconds,
  free_port,
  here,
  resident_mb,
  start,
  start_box,
  start_node,
  start_program,
  stop,
  until_answers,
  wrk,
} from "./processes.mjs";

const MODEL = "openai/gpt-4o-mini";
const QUESTION = {
  messages: [{ role: "user", content: "Tell me about the lighthouse of Fastnet, in three hundred words." }],
  max_tokens: 300,
};
const PAYERS = 64,
  STREAMS = 2_000,
  USERS = 10_000,
  MONTHS = 12;
const body_for = (model, more = {}) => JSON.stringify({ model, ...QUESTION, ...more });

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export const start_upstream = async (bench) => {
  const { child, port } = await start_program(join(bench.tools, "model_upstream"));
  return { child, url: `http://127.0.0.1:${port}`, zero: `http://127.0.0.1:${port}/zero/v1`, think: `http://127.0.0.1:${port}/think/v1` };
};

// A box that asks `upstream`, with PAYERS people who have a key each, and a history of `users` users. `more`: of its environment.
export const start_model_box = async (bench, name, upstream, users = PAYERS, months = 0, more = {}) => {
  const folder = join(bench.folder, name),
    keys = `${folder}.keys`;
  execFileSync(bench.binary, ["init", "--data", folder, "--email", "admin@bench.local", "--password", "bench admin password"], {
    stdio: "ignore",
    env: { ...process.env, ...more },
  });
  const fill = [folder, PAYERS, users, months].map(String);
  writeFileSync(keys, execFileSync(join(bench.tools, "fill_models"), fill, { maxBuffer: 1 << 24, env: { ...process.env, ...more } }));
  const box = await start_box(bench.binary, folder, {
    reuse: true,
    env: { OPENROUTER_API_KEY: "sk-bench", OPENROUTER_BASE_URL: upstream, ...more },
  });
  const ask = (load) => wrk(`${box.backend}/v1/chat/completions`, { ...load, script: "models.lua", arguments: [keys, body_for(MODEL)] });
  return { ...box, keys, ask };
};

const start_gateways = async (bench, upstream) => {
  const app = join(bench.folder, "gateways");
  mkdirSync(app, { recursive: true });
  for (const file of ["package.json", "package-lock.json", "llms_server.mjs"]) cpSync(join(here, "gateways", file), join(app, file));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: app, stdio: "ignore" });
  const llms = await start_node("llms_server.mjs", app, [upstream]);
  const port = await free_port(),
    url = `http://127.0.0.1:${port}`;
  const portkey = start(process.execPath, ["node_modules/@portkey-ai/gateway/build/start-server.js", `--port=${port}`, "--headless"], {
    cwd: app,
    stdio: "ignore",
    env: { ...process.env, NODE_ENV: "production" },
  });
  await until_answers(`${url}/`);
  const post = { method: "POST", headers: { Authorization: "Bearer sk-bench" } };
  const to_portkey = {
    ...post,
    headers: { ...post.headers, "x-portkey-provider": "openai", "x-portkey-custom-host": upstream },
    body: body_for(MODEL),
  };
  const to_llms = { ...post, body: body_for(`bench,${MODEL}`) };
  return {
    portkey: { child: portkey, ask: (load) => wrk(`${url}/v1/chat/completions`, { ...to_portkey, ...load }) },
    llms: { child: llms.child, ask: (load) => wrk(`${llms.url}/v1/chat/completions`, { ...to_llms, ...load }) },
  };
};
const straight_to = (url) => ({ ask: (load) => wrk(`${url}/chat/completions`, { method: "POST", body: body_for(MODEL), ...load }) });

// Each of the parties under the load in turn, round by round: medians of {rate, p50, p99}.
const compare = async (bench, load, parties) => {
  const runs = Object.fromEntries(Object.keys(parties).map((name) => [name, []]));
  for (let round = 0; round < bench.rounds; ++round)
    for (const [name, party] of Object.entries(parties)) runs[name].push(await party.ask({ seconds: bench.seconds, ...load }));
  const middle = (name, figure) => median(runs[name].map((run) => run[figure]));
  return Object.fromEntries(
    Object.keys(parties).map((name) => [name, { rate: middle(name, "rate"), p50: middle(name, "p50"), p99: middle(name, "p99") }]),
  );
};

export const models = async (bench) => {
  const upstream = await start_upstream(bench);
  const box = await start_model_box(bench, "models", upstream.zero),
    gateways = await start_gateways(bench, upstream.zero);
  const parties = { upstream: straight_to(upstream.zero), box, ...gateways };
  await compare({ ...bench, rounds: 1 }, { seconds: 1 }, parties); // warm
  const many = await compare(bench, { connections: 64 }, parties);
  const memory = {
    box: resident_mb(box.child.pid),
    portkey: resident_mb(gateways.portkey.child.pid),
    llms: resident_mb(gateways.llms.child.pid),
  };
  const one = await compare(bench, { connections: 1 }, parties);
  const added = (name, figure) => one[name][figure] - one.upstream[figure];
  await Promise.all([box.child, gateways.portkey.child, gateways.llms.child].map((child) => stop(child)));
  const rows = [
    { what: "POST /v1/chat/completions, 64 connections: the box, metering and bounding every call", value: many.box.rate, unit: "/s" },
    { what: "@portkey-ai/gateway", value: many.portkey.rate, unit: "/s" },
    { what: "@musistudio/llms", value: many.llms.rate, unit: "/s" },
    { what: "the upstream alone", value: many.upstream.rate, unit: "/s" },
    { what: "  calls per call of Portkey", value: many.box.rate / many.portkey.rate, unit: "x", goal: 20 },
    { what: "  calls per call of llms", value: many.box.rate / many.llms.rate, unit: "x", goal: 6 },
    { what: "resident memory after it", value: memory.box, unit: "MB" },
    { what: "  beside Portkey's", value: memory.box / memory.portkey, unit: "x", goal: 0.2, at_most: true },
    { what: "  beside llms'", value: memory.box / memory.llms, unit: "x", goal: 0.2, at_most: true },
    { what: "added latency on one connection: p50", value: added("box", "p50"), unit: "ms", goal: 0.15, at_most: true },
    { what: "  p99", value: added("box", "p99"), unit: "ms", goal: 1, at_most: true },
    ...["portkey", "llms"].flatMap((name) =>
      ["p50", "p99"].map((figure) => ({ what: `  ${name}: ${figure}`, value: added(name, figure), unit: "ms" })),
    ),
  ];

  const thinking = await start_model_box(bench, "thinking", upstream.think);
  const slow = await compare(bench, { connections: 64 }, { upstream: straight_to(upstream.think), box: thinking });
  rows.push({
    what: "64 connections, 50 ms think time: share of the upstream alone",
    value: slow.box.rate / slow.upstream.rate,
    unit: "x",
    goal: 0.97,
  });
  await Promise.all([stop(thinking.child), stop(upstream.child)]);
  return rows;
};

export const model_streams = async (bench) => {
  const upstream = await start_upstream(bench),
    box = await start_model_box(bench, "streams", upstream.zero);
  const read_streams = async (port, path) => {
    const child = start(join(bench.tools, "stream_clients"), [port, path, box.keys, String(STREAMS)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (bytes) => (text += bytes));
    child.stdin.end(body_for(MODEL, { stream: true }));
    await once(child, "close");
    const seen = JSON.parse(text);
    if (seen.failed > 0) throw new Error(`${seen.failed} of ${STREAMS} streams from ${path} failed`);
    return seen;
  };
  const alone = await read_streams(new URL(upstream.url).port, "/zero/v1/chat/completions");
  const before = cpu_seconds(box.child.pid);
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, resident_mb(box.child.pid))), 500);
  const through = await read_streams(new URL(box.backend).port, "/v1/chat/completions");
  clearInterval(watch);
  const cpu = cpu_seconds(box.child.pid) - before;
  await Promise.all([stop(box.child), stop(upstream.child)]);
  return [
    {
      what: `${STREAMS.toLocaleString("en")} streams of 20 tokens a second: a token is late by, p99`,
      value: through.p99,
      unit: "ms",
      goal: 50,
      at_most: true,
    },
    { what: "  straight from the upstream: p99", value: alone.p99, unit: "ms" },
    { what: "  memory meanwhile", value: peak, unit: "MB", goal: 150, at_most: true },
    { what: "  processor time a token", value: (cpu / through.tokens) * 1e6, unit: "µs" },
  ];
};

export const model_history = async (bench) => {
  const upstream = await start_upstream(bench);
  const empty = await start_model_box(bench, "no-history", upstream.zero);
  const old = await start_model_box(bench, "history", upstream.zero, USERS, MONTHS);
  const parties = { empty, old };
  await compare({ ...bench, rounds: 1 }, { seconds: 1 }, parties);
  const { empty: without, old: with_it } = await compare(bench, { connections: 64 }, parties);
  await Promise.all([empty.child, old.child, upstream.child].map((child) => stop(child)));
  return [
    {
      what: `a call with ${MONTHS} months of history of ${USERS.toLocaleString("en")} users beside one on an empty box`,
      value: without.rate / with_it.rate,
      unit: "x",
      goal: 1.1,
      at_most: true,
    },
  ];
};
