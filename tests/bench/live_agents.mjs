// Agents as the box's child processes: how soon one runs, what a hundred idle ones keep, and how soon a line that one
// writes reaches those who read along.
import { appendFileSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { log_in, start_box, stop } from "./processes.mjs";

const AGENTS = 100,
  READERS = 100,
  LINES = 200,
  MS_BETWEEN_LINES = 20;

const sorted = (values) => [...values].sort((a, b) => a - b);
const share = (values, part) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const person_at = async (box) => {
  const headers = { cookie: await log_in(box.web), "content-type": "application/json" };
  return async (method, path, body) => {
    const answer = await fetch(box.web + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
};

const provision = async (call, name) => (await call("POST", "/api/agents/provision", { name, tier: "starter" })).agent.id;
const until_running = async (call, id) => {
  for (;;) {
    const { status, error } = (await call("GET", `/api/agents/${id}`)).agent;
    if (status === "running") return;
    if (status === "error") throw new Error(`${id}: ${error}`);
    await pause(2);
  }
};

// Proportional set size, in MB: pages that several processes share count in parts.
const proportional_mb = (pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) / 1024;

// Reads server-sent events until close(); `on_line` gets the text of each line of the log.
const read_along = (url, headers, on_line) =>
  new Promise((resolve, reject) => {
    const asked = get(url, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => {
        const blocks = (text += piece).split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block);
          if (data && block.includes("event: log")) on_line(JSON.parse(data[1]).text);
        }
      });
      resolve({ close: () => asked.destroy() });
    });
    asked.on("error", reject);
  });

const line_delays = async (box, folder, call, id) => {
  const log = join(folder, "agents", id, "run", "agent.log");
  const headers = { cookie: await log_in(box.web) };
  const written = [],
    delays = [];
  const on_line = (text) => {
    const line = /^bench line (\d+)$/.exec(text);
    if (line) delays.push(performance.now() - written[line[1]]);
  };
  const readers = await Promise.all(
    Array.from({ length: READERS }, () => read_along(`${box.web}/api/logs/${id}/stream?tail=0`, headers, on_line)),
  );
  while ((await call("GET", "/api/logs/active")).streams.length < READERS) await pause(10);
  for (let line = 0; line < LINES; ++line) {
    written[line] = performance.now();
    appendFileSync(log, `bench line ${line}\n`);
    await pause(MS_BETWEEN_LINES);
  }
  for (const end = performance.now() + 5_000; delays.length < LINES * READERS && performance.now() < end; ) await pause(10);
  for (const reader of readers) reader.close();
  if (delays.length !== LINES * READERS) throw new Error(`${delays.length} of ${LINES * READERS} lines arrived`);
  return delays;
};

export const live_agents = async (bench) => {
  const folder = join(bench.folder, "live-agents");
  const box = await start_box(bench.binary, folder, { env: { AGENT_PORT_RANGE: "23000-23999" } });
  const call = await person_at(box);
  const ids = [],
    times = [];
  try {
    while (ids.length < AGENTS) {
      const began = performance.now();
      ids.push(await provision(call, `Agent ${ids.length}`));
      await until_running(call, ids.at(-1));
      times.push(performance.now() - began);
    }
    await pause(2_000); // what starting needed is given back
    const sizes = ids.map((id) => proportional_mb(JSON.parse(readFileSync(join(folder, "agents", id, "run", "agent.pid"))).pid));
    const delays = await line_delays(box, folder, call, ids[0]);
    return [
      { what: "provision to running, 100 agents one after the other: p50", value: share(times, 0.5), unit: "ms", goal: 150, at_most: true },
      { what: "  p99", value: share(times, 0.99), unit: "ms" },
      { what: "100 idle agents: proportional set size of the largest", value: Math.max(...sizes), unit: "MB", goal: 15, at_most: true },
      { what: "  of the median", value: share(sizes, 0.5), unit: "MB" },
      { what: "a line that an agent writes reaches 100 readers: p99", value: share(delays, 0.99), unit: "ms", goal: 50, at_most: true },
      { what: "  p50", value: share(delays, 0.5), unit: "ms" },
    ];
  } finally {
    for (const id of ids) await call("DELETE", `/api/agents/${id}`);
    await stop(box.child);
  }
};
