// The box over PostgreSQL, beside the embedded store and beside Fastify on the same server.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { start_model_box, start_upstream } from "./models.mjs";
import { ADMIN, log_in, make_store, start_box, start_stack, stop, wrk } from "./processes.mjs";

const STACK_COOKIE = "app-session=bench-session";
const FILLED = { email: "user1@bench.local", password: "bench user password" };
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// A box with one user who has twenty agents.
const start_filled = async (bench, name, env) => {
  const folder = join(bench.folder, name);
  const options = { stdio: "ignore", env: { ...process.env, ...env } };
  execFileSync(bench.binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], options);
  execFileSync(join(bench.tools, "fill"), [folder, "1", "20", FILLED.password], options);
  const box = await start_box(bench.binary, folder, { reuse: true, env });
  return { ...box, cookie: await log_in(box.web, FILLED) };
};

export const postgres = async (bench) => {
  const stack = await start_stack(join(bench.folder, "postgres"));
  const embedded = await start_filled(bench, "embedded", {});
  const served = await start_filled(bench, "served", { STORE_URL: make_store(bench.binary, stack.server, "box") });
  const upstream = await start_upstream(bench);
  const models_embedded = await start_model_box(bench, "models-embedded", upstream.zero);
  const models_store = { STORE_URL: make_store(bench.binary, stack.server, "models") };
  const models = await start_model_box(bench, "models-served", upstream.zero, undefined, undefined, models_store);
  const { seconds } = bench;
  const of =
    (box, path, more = {}) =>
    () =>
      wrk(box.web + path, { seconds, headers: { cookie: box.cookie }, ...more });
  const theirs =
    (path, more = {}) =>
    () =>
      wrk(stack.url + path, { seconds, headers: { cookie: STACK_COOKIE }, ...more });
  const patch = { method: "PATCH", body: JSON.stringify({ name: "a name of some length" }) };
  const loads = {
    session: of(served, "/api/auth/session"),
    session_embedded: of(embedded, "/api/auth/session"),
    session_stack: theirs("/api/auth/session"),
    list: of(served, "/api/agents"),
    list_embedded: of(embedded, "/api/agents"),
    list_stack: theirs("/api/agents"),
    write: of(served, "/api/settings", patch),
    write_embedded: of(embedded, "/api/settings", patch),
    write_stack: theirs("/api/settings", patch),
    calls: () => models.ask({ seconds, connections: 64, refusable: 0.1 }),
    calls_embedded: () => models_embedded.ask({ seconds, connections: 64 }),
  };
  const rates = Object.fromEntries(Object.keys(loads).map((name) => [name, []]));
  const refused = [];
  for (let round = 0; round < bench.rounds; ++round)
    for (const [name, load] of Object.entries(loads)) {
      const result = await load();
      rates[name].push(result.rate);
      if (name === "calls") refused.push(result.refused);
    }
  const rate = Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, median(all)]));
  await Promise.all(
    [served.child, embedded.child, models.child, models_embedded.child, upstream.child, ...stack.children].map((child) => stop(child)),
  );
  return [
    { what: "over PostgreSQL: GET /api/auth/session, 64 connections", value: rate.session, unit: "/s" },
    { what: "  per check with the embedded store", value: rate.session / rate.session_embedded, unit: "x", goal: 0.9 },
    { what: "  per check of Fastify on the same server", value: rate.session / rate.session_stack, unit: "x" },
    { what: "over PostgreSQL: GET /api/agents with 20 agents, 64 connections", value: rate.list, unit: "/s" },
    { what: "  per list of Fastify on the same server", value: rate.list / rate.list_stack, unit: "x", goal: 2 },
    { what: "  per list with the embedded store", value: rate.list / rate.list_embedded, unit: "x" },
    { what: "over PostgreSQL: PATCH /api/settings, 64 connections, durable", value: rate.write, unit: "/s", goal: 5_000 },
    { what: "  per insert of Fastify on the same server", value: rate.write / rate.write_stack, unit: "x" },
    { what: "  per write with the embedded store", value: rate.write / rate.write_embedded, unit: "x" },
    { what: "over PostgreSQL: POST /v1/chat/completions, 64 connections", value: rate.calls, unit: "/s", goal: 2_000 },
    { what: "  refused, since the box had too much to do", value: 100 * median(refused), unit: "%" },
    { what: "  per call with the embedded store", value: rate.calls / rate.calls_embedded, unit: "x" },
  ];
};
