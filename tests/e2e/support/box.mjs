// The language of the stories: a real box in a folder of its own, and people who talk to it over HTTP.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request as http_request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { listener_ports, OWN_PORTS } from "./ports.mjs";
import { agent_processes, end_process } from "./processes.mjs";
import { new_database, over_postgres, write_store_url } from "./story_store.mjs";

export const binary = process.env.AGENTBOX_BINARY;
assert.ok(binary, "AGENTBOX_BINARY names the binary under test");

export const ADMIN = { email: "admin@example.org", password: "an admin's long password" };
export const PASSWORD = "a customer's long password";
export const INTERNAL_KEY = "internal-key-of-the-stories";
// The guards that the internal key opens.
export const BACKEND_GUARDS = [
  "internal key",
  "scope read-only",
  "scope users",
  "scope users not read-only",
  "scope agents",
  "scope agents not read-only",
  "scope agents or 401",
  "scope files or 401",
  "scope backup",
  "scope scim or 401",
];

// The scopes of users' API keys, and the guards that sessions and such keys open.
export const SCOPES = ["agents:read", "agents:write", "chat", "files", "schedules", "usage", "models"];
export const KEY_GUARDS = SCOPES.filter((scope) => scope !== "models").map((scope) => `session or key with ${scope}`);
export const OPTIONAL_KEY_GUARD = "session or key with agents:read, if any";

// Asks until `probe` answers something true; fails after the deadline with what it answered last.
export const until = async (what, probe, deadline_ms = 30_000) => {
  let last;
  for (const end = Date.now() + deadline_ms; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    last = await probe();
    if (last) return last;
  }
  assert.fail(`${what} did not happen; the last look gave ${JSON.stringify(last)}`);
};

// Runs the binary to its end with nothing but these variables in its environment; resolves with {code, out, err}.
export const run = (args, { env = {}, ...options } = {}) =>
  new Promise((resolve) => {
    execFile(binary, args, { env: { PATH: process.env.PATH, ...env }, maxBuffer: 16 << 20, ...options }, (error, out, err) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, out, err }),
    );
  });

// One request as it is given here: no header is added but Host, Content-Length and Connection, and a name may occur
// twice (an array). `body` is text or bytes. Resolves with {status, headers, text, body}; body is undefined unless the
// answer is JSON. A stream that goes on for ever begins with the event `ready`, and is read no further.
// With head_only the body is not waited for: it may have no end.
export const send = (base, method, path, { headers = {}, body, head_only = false } = {}) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const asked = http_request({ host: hostname, port, method, path, agent: false, headers: { ...length, ...headers } });
    asked.on("error", reject);
    asked.on("response", async (answer) => {
      if (head_only) {
        resolve({ status: answer.statusCode, headers: answer.headers });
        return asked.destroy();
      }
      const parts = [];
      const is_events = answer.headers["content-type"]?.startsWith("text/event-stream");
      for await (const part of answer) {
        parts.push(part);
        if (is_events && part.includes("event: ready\n")) break;
      }
      const text = Buffer.concat(parts).toString();
      const is_json = /^application\/(scim\+)?json/.test(answer.headers["content-type"] ?? "");
      resolve({ status: answer.statusCode, headers: answer.headers, text, body: is_json && text ? JSON.parse(text) : undefined });
    });
    asked.end(body);
  });

export class Box {
  // Everything that was written to stderr since the first start.
  whole_log = "";

  // `wrapper`: the program and arguments that run the box.
  static async start(t, env = {}, wrapper = []) {
    const box = new Box();
    box.wrapper = wrapper;
    box.folder = mkdtempSync(join(tmpdir(), "agentbox-story-"));
    box.env = env;
    t.after(() => box.discard());
    if (over_postgres) box.database = await new_database(binary);
    const store = box.database && { STORE_URL: box.database.url };
    execFileSync(binary, ["init", "--data", box.folder, "--email", ADMIN.email, "--password", ADMIN.password], {
      env: { ...process.env, ...store },
    });
    if (box.database) write_store_url(box.folder, box.database.url);
    await box.serve();
    return box;
  }

  // Serves a folder that was made otherwise, and removes it at the end.
  static async open(t, folder, env = {}) {
    const box = new Box();
    box.folder = folder;
    box.env = env;
    t.after(() => box.discard());
    await box.serve();
    return box;
  }

  async serve() {
    this.log = "";
    this.ports ??= await listener_ports(3);
    const [web, backend, summarizer] = this.ports;
    const [program, ...args] = [...(this.wrapper ?? []), binary, "serve", "--data", this.folder];
    this.child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        WEB_LISTEN: `127.0.0.1:${web}`,
        BACKEND_LISTEN: `127.0.0.1:${backend}`,
        SUMMARIZER_LISTEN: `127.0.0.1:${summarizer}`,
        INTERNAL_API_KEY: INTERNAL_KEY,
        RATE_LIMITS: "off",
        AGENT_RUNTIME: "process",
        AGENT_PORT_RANGE: OWN_PORTS,
        CONVERSATION_TITLES: "false", // stories count the calls of models
        LOGIN_LIMITS: this.env.RATE_LIMITS ?? "off",
        ...this.env,
      },
    });
    this.child.stderr.on("data", (bytes) => {
      this.log = (this.log + bytes).slice(-20_000);
      this.whole_log += bytes;
    });
    this.ended = once(this.child, "exit");
    const ready = await Promise.race([
      new Promise((resolve) => createInterface({ input: this.child.stdout }).once("line", resolve)),
      this.ended.then(([code]) => assert.fail(`serve ended with ${code}: ${this.log}`)),
    ]);
    Object.assign(this, JSON.parse(ready));
    // Ports that a story lets the box pick stay for the next start, as configured ones would: running agents know them.
    for (const listener of ["web", "backend", "summarizer"])
      this.env = { ...this.env, [`${listener.toUpperCase()}_LISTEN`]: new URL(this[listener]).host };
  }

  // Ends the box with a signal; resolves with its exit code (null when the signal killed it).
  async end(signal) {
    this.child.kill(signal);
    return (await this.ended)[0];
  }

  async discard() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
      // Agents outlive the box by design: they are deleted before it goes.
      const agents = await this.backend_call("GET", "/api/agents").catch(() => []);
      for (const agent of Array.isArray(agents) ? agents : []) await this.backend_call("DELETE", `/api/agents/${agent.id}`).catch(() => {});
      await this.end("SIGTERM");
    }
    for (const { pid } of agent_processes(this)) end_process(pid); // of a box that the story has killed
    rmSync(this.folder, { recursive: true, force: true });
    this.database?.remove();
  }

  async backend_call(method, path, body) {
    const answer = await fetch(this.backend + path, {
      method,
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return answer.json();
  }

  // The newest mail in the outbox that has a link of this kind (reset or verify), and its token.
  mail_with(kind, to) {
    return until(`a mail with ${kind}=`, async () => {
      const { mails } = await this.backend_call("GET", "/api/admin/outbox?limit=1000");
      const mail = mails.find((one) => one.body.includes(`?${kind}=`) && (!to || one.to === to));
      return mail && { ...mail, token: new RegExp(`\\?${kind}=([A-Za-z0-9_-]{43})`).exec(mail.body)[1] };
    });
  }

  // A person with a cookie jar of one session.
  person() {
    const box = this;
    return {
      cookie: undefined,
      async call(method, path, body) {
        const answer = await fetch(box.web + path, {
          method,
          headers: { ...(this.cookie && { cookie: this.cookie }), ...(body !== undefined && { "content-type": "application/json" }) },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
        const text = await answer.text();
        return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : undefined };
      },
      async log_in(email, password) {
        const answer = await this.call("POST", "/api/auth/login", { email, password });
        const set = answer.headers.getSetCookie().find((line) => line.startsWith("app-session="));
        if (set) this.cookie = set.split(";")[0];
        return answer;
      },
    };
  }

  // Registered, signed in, and with a plan.
  async customer(email, plan = "solo") {
    const person = this.person();
    const registered = await person.call("POST", "/api/register", { email, password: PASSWORD });
    assert.equal(registered.status, 200, JSON.stringify(registered.body));
    person.id = registered.body.id;
    await this.backend_call("POST", "/api/subscriptions/deploy", { userId: person.id, plan });
    assert.equal((await person.log_in(email, PASSWORD)).status, 200);
    return person;
  }

  async running_agent(person, name = "Scout", tier = "starter") {
    const provisioned = await person.call("POST", "/api/agents/provision", { name, tier });
    assert.equal(provisioned.status, 201, JSON.stringify(provisioned.body));
    const { id } = provisioned.body.agent;
    await this.until_status(person, id, "running");
    return id;
  }

  until_status(person, id, status) {
    return until(`agent ${id} ${status}`, async () => {
      const { body } = await person.call("GET", `/api/agents/${id}`);
      assert.notEqual(body?.agent?.status, "error", `${JSON.stringify(body)}\n${this.log}`);
      return body?.agent?.status === status;
    });
  }
}
