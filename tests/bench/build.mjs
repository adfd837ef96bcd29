// What a contributor waits for, on a clean clone of the committed tree with an empty compiler cache. Takes an hour, so it is
// measured only when it is named: ./dev bench --only build. Nothing else may run meanwhile.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const EDITED = "appliance/billing/plan_requests/handlers.cpp";

const minutes_of = async (work) => {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 60_000;
};

export const build = async (bench) => {
  const clone = join(bench.folder, "clone"),
    cache = join(bench.folder, "ccache");
  mkdirSync(cache);
  execFileSync("git", ["clone", "-q", REPOSITORY, clone]);
  const env = { ...process.env, CCACHE_DIR: cache, AGENTBOX_DATA: join(bench.folder, "data") };
  for (const listener of ["WEB", "BACKEND", "SUMMARIZER"]) env[`${listener}_LISTEN`] = "127.0.0.1:0";

  const dev = (...args) => execFileSync("./dev", args, { cwd: clone, env, stdio: ["ignore", "ignore", "inherit"] });
  // Until the box says that it accepts; then it is ended.
  const run_until_ready = async () => {
    const child = spawn("./dev", ["run"], { cwd: clone, env, stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(child, "exit");
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('"event":"ready"')) break;
    child.kill("SIGTERM");
    await ended;
  };
  const edit_and_run = async () => {
    appendFileSync(join(clone, EDITED), "// edited\n");
    await run_until_ready();
  };

  const row = (what, value, goal) => ({ what, value, unit: "min", goal, at_most: true });
  return [
    row("./dev run on a clean clone, to the ready line", await minutes_of(run_until_ready), 10),
    row("an edit of one handlers.cpp, to a running box", await minutes_of(edit_and_run), 0.25),
    row("./dev test after that, to its last line", await minutes_of(async () => dev("test")), 20),
    row("./dev test again without a change", await minutes_of(async () => dev("test")), 12),
  ];
};
