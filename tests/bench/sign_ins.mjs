// Signing in and staying signed in: wallets beside viem, a million sessions beside few, and a storm of guesses at one
// account.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { here, start_box, stop, wrk } from "./processes.mjs";

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const init = (bench, folder) =>
  execFileSync(bench.binary, ["init", "--data", folder, "--email", "admin@bench.local", "--password", "bench admin password"], {
    stdio: "ignore",
  });
const json_of = (command, args, options) => JSON.parse(execFileSync(command, args.map(String), { maxBuffer: 1 << 26, ...options }));

export const wallets = async (bench) => {
  const app = join(bench.folder, "viem"),
    proofs = join(bench.folder, "proofs");
  mkdirSync(app, { recursive: true });
  for (const file of ["package.json", "package-lock.json", "verify_wallets.mjs"]) cpSync(join(here, file), join(app, file));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: app, stdio: "ignore" });
  const ours = [],
    theirs = [];
  for (let round = 0; round < bench.rounds; ++round) {
    const folder = join(bench.folder, `wallets-${round}`);
    init(bench, folder);
    ours.push(json_of(join(bench.tools, "wallet_sign_ins"), [folder, 8_000 * bench.seconds, 256, proofs]).per_second);
    theirs.push(json_of(process.execPath, ["verify_wallets.mjs", proofs, bench.seconds], { cwd: app }).per_second);
  }
  return [
    { what: "wallet sign-ins, store included, 256 side by side", value: median(ours), unit: "/s", goal: 5_000 },
    { what: "viem, verifying alone, a worker a core", value: median(theirs), unit: "/s" },
    { what: "  sign-ins per verification of viem", value: median(ours) / median(theirs), unit: "x", goal: 5 },
  ];
};

const MANY = 1_000_000,
  DAYS = 30,
  MINUTES_BETWEEN_SWEEPS = 10;

export const many_sessions = async (bench) => {
  const boxes = [];
  // What a sweep finds when so many sessions end evenly, a hundred times over.
  const ended = Math.ceil((MANY / (DAYS * 24 * 60)) * MINUTES_BETWEEN_SWEEPS);
  let swept;
  for (const count of [1_000, MANY]) {
    const folder = join(bench.folder, `sessions-${count}`);
    init(bench, folder);
    const tokens = `${folder}-tokens`;
    const expired = count === MANY ? 100 * ended : 0;
    writeFileSync(tokens, execFileSync(join(bench.tools, "fill_sessions"), [folder, count, expired].map(String), { maxBuffer: 1 << 26 }));
    if (count === MANY) swept = json_of(join(bench.tools, "sweep_sessions"), [folder]);
    boxes.push({ ...(await start_box(bench.binary, folder, { reuse: true })), tokens });
  }
  if (swept.swept !== 100 * ended) throw new Error(`swept ${swept.swept} sessions of ${100 * ended}`);
  const rates = boxes.map(() => []);
  for (let round = 0; round < bench.rounds; ++round)
    for (const [index, box] of boxes.entries())
      rates[index].push(
        (await wrk(`${box.web}/api/auth/session`, { seconds: bench.seconds, script: "sessions.lua", arguments: [box.tokens] })).rate,
      );
  await Promise.all(boxes.map((box) => stop(box.child)));
  const [few, many] = rates.map(median);
  const sweep_seconds = swept.look_seconds + (swept.sweep_seconds / swept.swept) * ended;
  return [
    { what: "session checks with 1,000 live sessions, a thousand of them in turn", value: few, unit: "/s" },
    { what: "  with 1,000,000", value: many, unit: "/s" },
    { what: "  cost beside the few", value: few / many, unit: "x", goal: 1.2, at_most: true },
    {
      what: "  sweeping them, of one core",
      value: (sweep_seconds / (MINUTES_BETWEEN_SWEEPS * 60)) * 100,
      unit: "%",
      goal: 1,
      at_most: true,
    },
  ];
};

const GUESSES = 1_000;

// Sends so many guesses a second until `stop()`; resolves with the rate at which they were answered.
const guess_away = (web) => {
  const { hostname, port } = new URL(web);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const body = JSON.stringify({ email: "admin@bench.local", password: "a wrong password" });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const began = performance.now(),
    statuses = {};
  let sent = 0,
    answered = 0,
    going = true;
  const guess = () => {
    ++sent;
    const asked = request({ host: hostname, port, method: "POST", path: "/api/auth/login", agent, headers }, (answer) => {
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      answer.resume().once("end", () => ++answered);
    });
    asked.once("error", () => (statuses.failed = (statuses.failed ?? 0) + 1)).end(body);
  };
  const ended = (async () => {
    while (going) {
      const wanted = ((performance.now() - began) / 1000) * GUESSES;
      while (sent < wanted) guess();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    agent.destroy();
    return { rate: answered / ((performance.now() - began) / 1000), statuses };
  })();
  return { stop: () => ((going = false), ended) };
};

// With rate limits, as a box has them: almost every guess is refused before its password is looked at.
export const guesses = async (bench) => {
  const box = await start_box(bench.binary, join(bench.folder, "guesses"), { env: { RATE_LIMITS: "on", LOGIN_LIMITS: "on" } });
  const answer = await fetch(`${box.web}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@bench.local", password: "bench admin password" }),
  });
  const cookie = answer.headers.getSetCookie()[0].split(";")[0];
  const checks = () => wrk(`${box.web}/api/auth/session`, { connections: 4, seconds: bench.seconds, headers: { cookie } });
  const quiet = [],
    stormy = [],
    rates = [];
  for (let round = 0; round < bench.rounds; ++round) {
    quiet.push((await checks()).p99);
    const storm = guess_away(box.web);
    stormy.push((await checks()).p99);
    const { rate, statuses } = await storm.stop();
    if (!(statuses[429] > 0) || statuses[200]) throw new Error(`guesses were answered with ${JSON.stringify(statuses)}`);
    rates.push(rate);
  }
  await stop(box.child);
  return [
    { what: "guesses at one account's password from one address, answered", value: median(rates), unit: "/s", goal: GUESSES * 0.95 },
    { what: "  session checks beside them: p99", value: median(stormy), unit: "ms", goal: 10, at_most: true },
    { what: "  and without them", value: median(quiet), unit: "ms" },
  ];
};
