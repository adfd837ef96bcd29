// What a contributor waits for, on a clean clone of the committed tree with an empty compiler cache. Takes an hour, so it is
// measured only when it is named: ./dev bench --only build, and ./dev bench --only ci. Nothing else may run meanwhile.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const EDITED = "appliance/billing/plan_requests/handlers.cpp";
const SETTINGS = "appliance/foundation/settings/settings.h";
const GUARDS = "appliance/access/guards.h";

const minutes_of = async (work) => {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 60_000;
};

// A clean clone in this folder, and the environment of a first build in it.
const clean_clone = (folder) => {
  const clone = join(folder, "clone"),
    cache = join(folder, "ccache");
  mkdirSync(cache, { recursive: true });
  execFileSync("git", ["clone", "-q", REPOSITORY, clone]);
  const env = { ...process.env, CCACHE_DIR: cache, AGENTBOX_DATA: join(folder, "data") };
  for (const listener of ["WEB", "BACKEND", "SUMMARIZER"]) env[`${listener}_LISTEN`] = "127.0.0.1:0";
  return { clone, env };
};

// How many units of a built clone the edit of a file compiles again. The file stays as it was.
export const units_of_edit = (clone, file) => {
  const path = join(clone, file);
  const { atime, mtime } = statSync(path);
  utimesSync(path, new Date(), new Date());
  const planned = execFileSync("ninja", ["-C", join(clone, "build/release"), "-n", "agentbox"], { encoding: "utf8", maxBuffer: 1 << 26 });
  utimesSync(path, atime, mtime);
  return planned.split("\n").filter((line) => line.includes("Building CXX object")).length;
};

const row = (what, value, goal, unit = "min") => ({ what, value, unit, goal, at_most: true });

export const build = async (bench) => {
  const { clone, env } = clean_clone(bench.folder);
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

  const run = await minutes_of(run_until_ready),
    edit = await minutes_of(edit_and_run),
    test = await minutes_of(async () => dev("test"));
  return [
    row("./dev run on a clean clone, to the ready line", run, 10),
    row("./dev run and ./dev test on a clean clone, to the last line", run + test, 30),
    row("./dev test again without a change", await minutes_of(async () => dev("test")), 12),
    row("an edit of one handlers.cpp, to a running box", edit, 0.25),
    row("an edit of the settings: compiled again", units_of_edit(clone, SETTINGS), 20, "units"),
    row("an edit of the guards: compiled again", units_of_edit(clone, GUARDS), 40, "units"),
  ];
};

export const ci = async (bench) => {
  const { clone, env } = clean_clone(bench.folder);
  const work = async () => execFileSync(".ci/run", { cwd: clone, env, stdio: ["ignore", "ignore", "inherit"] });
  return [row("everything of .ci/run on a clean clone", await minutes_of(work), 60)];
};
