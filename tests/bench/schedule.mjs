// Scheduled prompts: a million tasks that are not due beside a thousand that come due in one second.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { resident_mb, start_box, stop, until_answers } from "./processes.mjs";

const MANY = 1_000_000,
  DUE = 1_000;
const SECONDS_UNTIL_DUE = 15; // the box must be up by then

// Gateways for the agents of ten users, which note when each prompt arrives and answer after a second, as a quick model would.
const OWNERS = 10;
const start_gateways = async () => {
  const arrivals = [];
  const servers = Array.from({ length: OWNERS }, () =>
    createServer((request, answer) => {
      arrivals.push(Date.now());
      request.resume();
      setTimeout(() => {
        answer.setHeader("content-type", "application/json");
        answer.end(JSON.stringify({ model: "bench", choices: [{ message: { role: "assistant", content: "Nothing." } }] }));
      }, 1_000);
    }),
  );
  await Promise.all(servers.map((server) => once(server.listen(0, "127.0.0.1", 2_048), "listening")));
  return { arrivals, servers, ports: servers.map((server) => server.address().port) };
};

const fill = (bench, folder, tasks, due, ports) => {
  execFileSync(bench.binary, ["init", "--data", folder, "--email", "admin@bench.local", "--password", "bench admin password"], {
    stdio: "ignore",
  });
  return JSON.parse(execFileSync(join(bench.tools, "fill_tasks"), [folder, tasks, due, SECONDS_UNTIL_DUE, ...ports].map(String))).due;
};

const first_answer = async (bench, folder) => {
  const box = await start_box(bench.binary, folder, { reuse: true });
  await until_answers(`${box.web}/health`);
  return { box, milliseconds: performance.now() - box.started };
};

const ticks = async (box) => {
  const text = await (await fetch(`${box.backend}/metrics`, { headers: { authorization: "Bearer bench-internal-key" } })).text();
  const number = (name) => Number(new RegExp(`^agentbox_schedule_tick_duration_seconds_${name} (\\S+)`, "m").exec(text)?.[1]);
  return { sum: number("sum"), count: number("count") };
};

export const schedule = async (bench) => {
  const gateway = await start_gateways();
  const few = join(bench.folder, "tasks-few"),
    many = join(bench.folder, "tasks-many");
  fill(bench, few, 0, 0, gateway.ports);
  const due = fill(bench, many, MANY, DUE, gateway.ports);

  const full = await first_answer(bench, many);
  const began = await ticks(full.box);
  while (Date.now() < due - 200) await new Promise((resolve) => setTimeout(resolve, 50));
  const idle = await ticks(full.box);
  if (gateway.arrivals.length > 0) throw new Error("prompts were sent before they were due");
  if (!(idle.count > began.count)) throw new Error("the box was not up before the tasks were due");
  const idle_tick = (idle.sum - began.sum) / (idle.count - began.count);

  while (gateway.arrivals.length < DUE && Date.now() < due + 30_000) await new Promise((resolve) => setTimeout(resolve, 20));
  const begun = gateway.arrivals.length,
    last = Math.max(...gateway.arrivals) - due;
  const resident = resident_mb(full.box.child.pid);
  await stop(full.box.child);
  for (const server of gateway.servers) server.close();
  if (begun !== DUE) throw new Error(`${begun} of ${DUE} prompts arrived`);

  const empty = await first_answer(bench, few);
  await stop(empty.box.child);
  return [
    {
      what: "1,000 prompts due in one second beside 1,000,000 others: the last one arrives after",
      value: last,
      unit: "ms",
      goal: 2_000,
      at_most: true,
    },
    { what: "  a tick with nothing due", value: idle_tick * 1_000, unit: "ms", goal: 1, at_most: true },
    {
      what: "  start to the first 200 on /health: later than an empty box by",
      value: full.milliseconds - empty.milliseconds,
      unit: "ms",
      goal: 1_000,
      at_most: true,
    },
    { what: "  resident memory then", value: resident, unit: "MB" },
  ];
};
