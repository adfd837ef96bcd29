// How long /health takes while something with an agent's limits (its own user, nice +10, 64 processes, 1024 descriptors,
// 1.5 GB of addresses, files of 500 MB) forks, writes, allocates and opens without end. Needs root; the figures are in
// docs/security.md.
// usage: AGENTBOX_BINARY=.../agentbox node tests/security/health_under_attack.mjs [SECONDS]
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const binary = process.env.AGENTBOX_BINARY,
  seconds = Number(process.argv[2] ?? 20),
  user = "1900000123";
const attacks = {
  forking: "while :; do for i in 1 2 3 4 5 6 7 8; do /bin/true & done; done",
  "filling the disk": "while :; do dd if=/dev/zero of=fill bs=1M count=480 conv=fsync; rm -f fill; done",
  "taking memory": "while :; do head -c 1200M /dev/zero | tail; done",
  "taking descriptors": 'while :; do i=10; while [ $i -lt 1020 ] && eval "exec $i<>/dev/null"; do i=$((i + 1)); done; done',
};

const folder = mkdtempSync(join(tmpdir(), "agentbox-attack-")),
  workspace = mkdtempSync(join(tmpdir(), "agentbox-attacker-"));
chownSync(workspace, Number(user), Number(user));
chmodSync(folder, 0o700);
execFileSync(binary, ["init", "--data", folder, "--email", "admin@example.org", "--password", "an admin's long password"]);
const listeners = { WEB_LISTEN: "127.0.0.1:0", BACKEND_LISTEN: "127.0.0.1:0", SUMMARIZER_LISTEN: "127.0.0.1:0" };
const box = spawn(binary, ["serve", "--data", folder], {
  stdio: ["ignore", "pipe", "ignore"],
  env: { PATH: process.env.PATH, AGENT_RUNTIME: "process", RATE_LIMITS: "off", ...listeners },
});
const [ready] = await once(createInterface({ input: box.stdout }), "line");
const { backend } = JSON.parse(ready);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const asked = () =>
  new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    get(`${backend}/health`, { agent }, (answer) =>
      answer.resume().on("end", () => resolve(Number(process.hrtime.bigint() - start) / 1e6)),
    ).on("error", reject);
  });
const measured = async () => {
  const times = [];
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise((next) => setTimeout(next, 5)))
    times.push(await asked());
  times.sort((a, b) => a - b);
  const at = (share) => `${times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1)} ms`;
  return { asked: times.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
};
const with_limits = (command) => {
  const limits = ["--nproc=64", "--nofile=1024", "--as=1610612736", "--fsize=524288000"];
  return spawn(
    "setpriv",
    ["--reuid", user, "--regid", user, "--clear-groups", "prlimit", ...limits, "nice", "-n", "10", "bash", "-c", command],
    { cwd: workspace, stdio: "ignore", detached: true },
  );
};

const figures = { quiet: await measured() };
const under = async (name, commands) => {
  const attackers = commands.map(with_limits);
  await new Promise((begun) => setTimeout(begun, 2_000));
  figures[name] = await measured();
  for (const { pid } of attackers) process.kill(-pid, "SIGKILL");
};
for (const [name, command] of Object.entries(attacks)) await under(name, [command]);
await under("all at once", Object.values(attacks));
console.table(figures);
agent.destroy();
box.kill("SIGTERM");
await once(box, "exit");
for (const one of [folder, workspace]) rmSync(one, { recursive: true, force: true });
