// An agent that may run commands, and what asks the box for them as the agent does.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelServer } from "../peers/model_server.mjs";
import { ADMIN, binary, Box, run, send, until } from "./box.mjs";
import { processes } from "./processes.mjs";

// A box that such a user runs, without any right of root.
const box_of_user = async (t, env, user, prepare) => {
  const box = new Box();
  box.folder = mkdtempSync(join(tmpdir(), "agentbox-user-"));
  box.env = env;
  box.wrapper = ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--bounding-set=-all"];
  t.after(() => box.discard());
  const made = await run(["init", "--data", box.folder, "--email", ADMIN.email, "--password", ADMIN.password]);
  assert.equal(made.code, 0, made.err);
  execFileSync("chown", ["-R", `${user}:${user}`, box.folder]);
  await prepare?.(t, box);
  await box.serve();
  return box;
};

// Before a box of nobody serves: the service that starts its commands, as the Debian package's units have systemd do it.
export const with_service = async (t, box) => {
  const place = mkdtempSync(join(tmpdir(), "agentbox-service-")),
    socket = join(place, "commands.sock"),
    served = ["--agents", join(box.folder, "agents"), "--packages", join(box.folder, "mcp")],
    words = ["spawn", "--account", "nobody", ...served, "--first-user", "1900000000", "--tools", "/"];
  const service = spawn("systemd-socket-activate", ["--seqpacket", "--accept", `--listen=${socket}`, binary, ...words], {
    stdio: "ignore",
  });
  const ended = once(service, "exit");
  t.after(async () => {
    service.kill("SIGKILL");
    await ended;
    rmSync(place, { recursive: true, force: true });
  });
  await until("it listens", () => existsSync(socket));
  chmodSync(place, 0o755);
  chownSync(socket, 65_534, 65_534);
  chmodSync(socket, 0o600);
  box.env = { ...box.env, COMMAND_HELPER: socket };
};

// A box with an agent, and the agent's own token, as a hijacked agent has it.
export const story_of = async (t, env = {}, user = undefined, prepare = undefined) => {
  const model = await ModelServer.start(t);
  const with_model = { LOCAL_MODEL_URL: model.url, ...env };
  const box = user === undefined ? await Box.start(t, with_model) : await box_of_user(t, with_model, user, prepare);
  const ada = await box.customer("ada@example.org");
  return { box, ada, model, ...(await agent_that_runs(box, ada)) };
};

// Another one of the person.
export const agent_that_runs = async (box, person) => {
  const agent = await box.running_agent(person);
  // Calls outside of a turn count as those of a hijacked agent; the gate's own story is gate.test.mjs.
  await person.call("PUT", `/api/agents/${agent}/gate`, { rules: [{ effect: "code", turns: "any", decision: "allow" }] });
  const token = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run/boot.json"))).box_token;
  const ask = async (method, path, body) => {
    const answer = await fetch(`${box.backend}/api/agent-commands${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const start = async (body) => {
    const { status, body: started } = await ask("POST", "", body);
    assert.equal(status, 201, JSON.stringify(started));
    return started.id;
  };
  const finish = async (id) => {
    let output = "",
      from = 0;
    for (;;) {
      const { status, body } = await ask("GET", `/${id}/output?from=${from}&waitMs=20000`);
      assert.equal(status, 200, JSON.stringify(body));
      output += body.output;
      from = body.next;
      if (!body.running) return { ...body, output };
    }
  };
  const sh = async (shell, more = {}) => finish(await start({ shell, ...more }));
  const workspace = join(box.folder, "agents", agent, "workspace");
  return { agent, token, ask, start, finish, sh, workspace };
};

export const commands_of = (box) =>
  processes()
    .filter(({ arguments: [name, path] }) => name === "sh" && path === "/dev/fd/3")
    .filter((one) => is_below(one, box.child.pid));
const is_below = (one, root) => {
  const all = new Map(processes().map((each) => [each.pid, each]));
  for (let at = one; at; at = all.get(at.parent)) if (at.parent === root) return true;
  return false;
};

// As the agent itself starts one.
export const running_command = async (box, owner, agent) => {
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  await owner.call("PUT", `/api/agents/${agent}/gate`, { rules: [{ effect: "code", turns: "any", decision: "allow" }] });
  const headers = { authorization: `Bearer ${box_token}`, "content-type": "application/json" };
  const body = JSON.stringify({ shell: "sleep 1000", background: true });
  const started = await send(box.backend, "POST", "/api/agent-commands", { headers, body });
  assert.ok(started.status === 201 || started.status === 409, started.text); // 409: this machine does not isolate commands
  return started.body.id ?? "cmd_bbbbbbbbbbbbbbbb";
};
