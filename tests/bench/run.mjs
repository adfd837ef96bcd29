// The figures of docs/performance.md, measured side by side in one run: medians of several rounds, as ratios beside goals.
// usage: node run.mjs --binary FILE [--tools FOLDER] [--out FILE.json] [--only NAME] [--rounds N] [--seconds N]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stop_all } from "./processes.mjs";
import { figures } from "./figures.mjs";

const { values: options } = parseArgs({
  options: {
    binary: { type: "string" },
    tools: { type: "string" },
    out: { type: "string" },
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
  },
});
if (!options.binary) throw new Error("run.mjs: --binary FILE is required");
const binary = resolve(options.binary);
const bench = {
  binary,
  tools: resolve(options.tools ?? join(dirname(binary), "../tests/bench")),
  folder: mkdtempSync(join(tmpdir(), "agentbox-bench-")),
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  workers: cpus().length,
};

const rows = [];
try {
  for (const figure of figures) {
    if (options.only ? figure.name !== options.only : figure.only_by_name) continue;
    process.stderr.write(`measuring ${figure.name} ...\n`);
    rows.push(...(await figure.measure(bench)));
  }
} finally {
  await stop_all();
  rmSync(bench.folder, { recursive: true, force: true });
}

const shown = (value) => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3));
const met = (row) => (row.goal === undefined ? "" : (row.at_most ? row.value <= row.goal : row.value >= row.goal) ? "met" : "MISSED");
const goal = (row) => (row.goal === undefined ? "" : `${row.at_most ? "at most" : "at least"} ${shown(row.goal)}`);
for (const row of rows)
  console.log([row.what.padEnd(86), `${shown(row.value)} ${row.unit}`.padStart(18), goal(row).padStart(18), met(row)].join("  "));
if (options.out) writeFileSync(options.out, JSON.stringify({ cpus: cpus().length, model: cpus()[0].model, rows }, null, 2) + "\n");
