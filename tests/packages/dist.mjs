// What `./dev release` has made, for the tests of it: AGENTBOX_DIST names the folder.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const dist = process.env.AGENTBOX_DIST;
assert.ok(dist, "AGENTBOX_DIST names the folder that ./dev release has filled");

export const run = (program, args, options = {}) =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 28, ...options });

// The one file of this form; undefined if it was not made.
export const artifact = (form) => {
  const found = readdirSync(dist).filter((name) => form.test(name));
  assert.ok(found.length <= 1, `${found.join(", ")}: remove what is old`);
  return found.length ? join(dist, found[0]) : undefined;
};
export const binary = artifact(/^agentbox-[\d.]+-linux-\w+$/);
assert.ok(binary, "no binary in AGENTBOX_DIST");

// Its content is removed after `before` has run: whatever mounts it or runs in it ends there.
export const folder = (t, before = () => {}) => {
  const path = mkdtempSync(join(tmpdir(), "agentbox-packages-"));
  t.after(async () => {
    await before();
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });
  return path;
};

export const has_program = (name) => ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].some((where) => existsSync(join(where, name)));

// Asks until `probe` answers something true; fails after the deadline with what it answered or threw last.
export const until = async (what, probe, deadline_ms = 60_000) => {
  let last;
  for (const end = Date.now() + deadline_ms; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    last = await Promise.resolve()
      .then(probe)
      .catch((error) => {
        last = error.message;
      });
    if (last) return last;
  }
  assert.fail(`${what} did not happen; the last look gave ${JSON.stringify(last)}`);
};

export const free_port = async () => {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
};

export const PASSWORD = "a long password for the tests";
const log_in = (base, email) =>
  fetch(`${base}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
    signal: AbortSignal.timeout(10_000),
  });
// The status of a sign-in at the box.
export const sign_in = async (base, email) => (await log_in(base, email)).status;
// Signs in; resolves with a function that calls the box as this user and resolves with the body of its answer.
export const session_of = async (base, email) => {
  const cookie = (await log_in(base, email)).headers
    .getSetCookie()
    .find((line) => line.startsWith("app-session="))
    .split(";")[0];
  return async (method, path, body) =>
    (
      await fetch(base + path, { method, headers: { cookie, "content-type": "application/json" }, body: body && JSON.stringify(body) })
    ).json();
};
// An agent of the caller that runs, and remembers what it is told.
export const agent_that_works = async (call) => {
  const { agent } = await call("POST", "/api/agents/provision", { name: "Scout", tier: "starter" });
  await until("the agent runs", async () => (await call("GET", `/api/agents/${agent.id}`)).agent.status === "running");
  const { message } = await call("POST", "/api/chat", { agentId: agent.id, message: "remember that the demo is on Friday" });
  assert.match(message.content, /Friday/);
  return agent.id;
};
