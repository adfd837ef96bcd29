// A standby that takes its base of many gigabytes while the box works: what it costs those who write meanwhile.
// AGENTBOX_BENCH_GB: how large the store is about (10).
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ADMIN, free_port, log_in, start, start_box, stop, wrk } from "./processes.mjs";

const FILLED = { email: "user1@bench.local", password: "bench user password" };
const USERS_PER_GB = 70_000; // with twenty agents each, as RocksDB compresses them
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const bytes_in = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, one) => {
    const path = join(folder, one.name);
    return sum + (one.isDirectory() ? bytes_in(path) : one.isFile() ? statSync(path).size : 0);
  }, 0);

export const standby_base = async (bench) => {
  const folder = join(bench.folder, "standby-box");
  const copy = join(bench.folder, "standby");
  const invitation = join(bench.folder, "invitation.json");
  const port = await free_port();
  const options = { stdio: "ignore" };
  execFileSync(bench.binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], options);
  const users = Math.round(Number(process.env.AGENTBOX_BENCH_GB ?? 10) * USERS_PER_GB);
  execFileSync(join(bench.tools, "fill"), [folder, String(users), "20", FILLED.password], options);
  const box = await start_box(bench.binary, folder, { reuse: true, env: { STANDBY: "async", STANDBY_LISTEN: `127.0.0.1:${port}` } });
  const cookie = await log_in(box.web, FILLED);
  const patch = { method: "PATCH", body: JSON.stringify({ name: "a name of some length" }) };
  const write = () => wrk(`${box.web}/api/settings`, { seconds: bench.seconds, headers: { cookie }, ...patch });

  const alone = [];
  for (let round = 0; round < bench.rounds; ++round) alone.push(await write());
  execFileSync(bench.binary, ["standby-invite", "--data", folder, "--to", invitation], options);
  const began = performance.now();
  const child = start(bench.binary, [
    ...["standby", "--data", copy, "--log-format", "json"],
    ...["--of", `https://127.0.0.1:${port}`, "--invitation", invitation],
  ]);
  let followed = 0; // when it was level with its box
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (JSON.parse(line).event === "following") followed ||= performance.now();
  });
  const ended = once(child, "exit").then(([code]) => ({ code }));
  const meanwhile = [];
  while (!followed) {
    const run = await Promise.race([write(), ended]);
    if (run.code !== undefined) throw new Error(`the standby ended with ${run.code} before it followed`);
    meanwhile.push(run);
  }
  const gigabytes = bytes_in(copy) / 1e9;
  await Promise.all([stop(child), stop(box.child)]);
  const p99 = (runs) => median(runs.map((run) => run.p99));
  const rate = (runs) => median(runs.map((run) => run.rate));
  return [
    { what: "a standby's base, with 64 connections that write: its size", value: gigabytes, unit: "GB" },
    { what: "  until it follows", value: (followed - began) / 1_000, unit: "s" },
    { what: "  durable writes meanwhile", value: rate(meanwhile), unit: "/s" },
    { what: "  p99 of these writes beside that before", value: p99(meanwhile) / p99(alone), unit: "x", goal: 2, at_most: true },
  ];
};
