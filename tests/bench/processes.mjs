// Starts and ends what a benchmark measures: the box, nginx, PostgreSQL with the Fastify stack, wrk. Everything listens on
// loopback, lives in the run's own folder, and is ended by its own process id.
import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
const running = new Set();

export const free_port = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

// Resolves with the first line of stdout that parses as JSON.
const first_json_line = (child, name) =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      try {
        resolve(JSON.parse(line));
      } catch {
        /* a line for people */
      }
    });
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it was ready`)));
  });

export const start = (command, args, options = {}) => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"], ...options });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
};

export const stop = async (child, signal = "SIGTERM") => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
};
export const stop_all = () => Promise.all([...running].map((child) => stop(child, "SIGKILL")));

// A box of its own. Resolves when it is ready; `started` is the moment of the spawn (performance.now()).
export const start_box = async (binary, folder, settings = {}) => {
  if (!settings.reuse)
    execFileSync(binary, ["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], {
      stdio: "ignore",
      env: { ...process.env, ...settings.env },
    });
  const started = performance.now();
  const child = start(binary, ["serve", "--data", folder], {
    env: {
      ...process.env,
      WEB_LISTEN: "127.0.0.1:0",
      BACKEND_LISTEN: "127.0.0.1:0",
      SUMMARIZER_LISTEN: "127.0.0.1:0",
      RATE_LIMITS: "off",
      LOGIN_LIMITS: "off",
      LOG_LEVEL: "error",
      INTERNAL_API_KEY: "bench-internal-key",
      AGENT_RUNTIME: "process",
      IDLE_TIMEOUT: "600",
      ...settings.env,
    },
  });
  const ready = await first_json_line(child, "agentbox");
  return { child, started, web: ready.web, backend: ready.backend, summarizer: ready.summarizer };
};

export const ADMIN = { email: "admin@bench.local", password: "bench admin password" };

// Resolves with the session's cookie.
export const log_in = async (web, who = ADMIN) => {
  const answer = await fetch(`${web}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(who),
  });
  if (!answer.ok) throw new Error(`log-in failed: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .find((cookie) => cookie.startsWith("app-session="));
};

// The summarizer alone, as a process of its own that may fetch from loopback.
export const start_summarizer = async (binary) => {
  const child = start(binary, ["summarizer"], {
    env: { ...process.env, SUMMARIZER_LISTEN: "127.0.0.1:0", SUMMARIZER_ALLOW_PRIVATE: "on", LOG_LEVEL: "error" },
  });
  return { child, url: (await first_json_line(child, "agentbox summarizer")).summarizer };
};

// A server of ours for node in `folder`, whose packages are installed there; it prints {"port"} when it is ready.
export const start_node = async (file, folder, args = []) => {
  const child = start(process.execPath, [file, ...args], { cwd: folder, env: { ...process.env, NODE_ENV: "production" } });
  const { port } = await first_json_line(child, file);
  return { child, url: `http://127.0.0.1:${port}` };
};

// A program that prints one line of JSON when it is ready: that, and its child.
export const start_program = async (file, args = []) => {
  const child = start(file, args);
  return { child, ...(await first_json_line(child, file)) };
};

export const start_nginx = async (folder, workers, body) => {
  const port = await free_port();
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "nginx.conf"),
    `
    daemon off; worker_processes ${workers}; pid ${folder}/pid; error_log ${folder}/error.log crit;
    events { worker_connections 4096; }
    http { access_log off; keepalive_requests 100000000;
      server { listen 127.0.0.1:${port} reuseport; location / { default_type application/json; return 200 '${body}'; } } }`,
  );
  const child = start("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")]);
  await until_answers(`http://127.0.0.1:${port}/`);
  return { child, url: `http://127.0.0.1:${port}/` };
};

export const until_answers = async (url, deadline_ms = 20_000) => {
  for (const end = performance.now() + deadline_ms; ; ) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      /* not yet */
    }
    if (performance.now() > end) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

const pg_bin = () => execFileSync("sh", ["-c", "ls -d /usr/lib/postgresql/*/bin | tail -1"]).toString().trim();

// With a PostgreSQL of its own; `how`: "tuned", see there. PostgreSQL refuses to run as root: its folder belongs to an
// unprivileged user then.
export const start_stack = async (folder, how = "") => {
  mkdirSync(folder, { recursive: true });
  const root = process.getuid() === 0;
  const as = root ? { uid: Number(execFileSync("id", ["-u", "postgres"])), gid: Number(execFileSync("id", ["-g", "postgres"])) } : {};
  if (root) {
    chownSync(folder, as.uid, as.gid);
    chmodSync(dirname(folder), 0o711); // the run's folder is root's alone; that user must pass through it
  }
  const data = join(folder, "data");
  execFileSync(join(pg_bin(), "initdb"), ["-D", data, "-U", "bench", "-A", "trust"], {
    ...as,
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const port = await free_port();
  const postgres = start(join(pg_bin(), "postgres"), ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses="], {
    ...as,
    cwd: folder,
  });
  for (const end = performance.now() + 20_000; ; ) {
    try {
      execFileSync(join(pg_bin(), "pg_isready"), ["-h", folder, "-p", String(port)], { stdio: "ignore" });
      break;
    } catch {
      /* not yet */
    }
    if (performance.now() > end) throw new Error("postgres does not start");
  }
  const app = join(folder, "app");
  for (const file of ["package.json", "package-lock.json", "fastify_stack.mjs"]) cpSync(join(here, file), join(app, file));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: app, stdio: "ignore" });
  const node = await start_node("fastify_stack.mjs", app, [folder, String(port), how]);
  return { url: node.url, children: [node.child, postgres], server: { folder, port } };
};

// An empty store of a box in a new database of such a stack's server; resolves with its STORE_URL.
export const make_store = (binary, { folder, port }, name) => {
  execFileSync(join(pg_bin(), "createdb"), ["-h", folder, "-p", String(port), "-U", "bench", name]);
  const url = (user) => `postgres://${user}@/${name}?host=${folder}&port=${port}`;
  execFileSync(binary, ["store", "init", "--store-url", url("box"), "--admin", url("bench")], { stdio: "ignore" });
  return url("box");
};

// One wrk run: requests a second, latencies in milliseconds, and how many answers were not 2xx or failed.
export const wrk = async (
  url,
  {
    connections = 64,
    threads = 1,
    seconds = 4,
    method = "GET",
    headers = {},
    body,
    script = "report.lua",
    arguments: given = [method, body ?? ""],
    refusable = 0, // the share of the requests that may be refused, as a box does that has too much to do
  } = {},
) => {
  const args = ["-t", threads, "-c", connections, "-d", `${seconds}s`, "--timeout", "5s", "-s", join(here, script)];
  for (const [name, value] of Object.entries(headers)) args.push("-H", `${name}: ${value}`);
  args.push(url, "--", ...given);
  const child = start("wrk", args.map(String));
  const result = await first_json_line(child, "wrk");
  if (result.errors > refusable * result.requests)
    throw new Error(`wrk: ${result.errors} of ${result.requests} answers from ${url} were errors`);
  const refused = result.errors / result.requests;
  return { ...result, rate: result.rate * (1 - refused), refused };
};

export const peak_mb = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

// Of all threads so far, in user and kernel mode (proc(5), stat: fields 14 and 15, in hundredths of a second).
export const cpu_seconds = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8"),
    fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

export const resident_mb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(execFileSync("cat", [`/proc/${pid}/status`]).toString())[1]) / 1024;
