// The Debian package's units under a systemd of their own (systemd-nspawn): commands of agents are off until their
// socket is enabled, run then confined, and end with the box.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { test } from "node:test";
import { attacks_of } from "../e2e/support/command_attacks.mjs";
import { agent_that_works, artifact, folder, free_port, has_program, PASSWORD, run, session_of, sign_in, until } from "./dist.mjs";

const skip =
  process.getuid() !== 0
    ? "a machine needs root"
    : ["mmdebstrap", "systemd-nspawn"].some((name) => !has_program(name)) && "no systemd-nspawn";
const deb = artifact(/\.deb$/);
const ADMIN = "admin@example.org";
const DATA = "/var/lib/agentbox";
const FIRST_AGENT_USER = 1_900_000_000;
// Without them commands cannot be bounded in memory by the kernel, and the box has to see them.
const has_groups =
  existsSync("/sys/fs/cgroup/cgroup.controllers") && /\bmemory\b/.test(readFileSync("/sys/fs/cgroup/cgroup.controllers", "utf8"));

const packages_of = (file) =>
  run("dpkg-deb", ["-f", file, "Depends"])
    .split(",")
    .map((one) => one.trim().split(/[ |]/)[0]);

const comm_of = (pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim();
const children_of = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);

// A Debian that has booted, with the network of this machine. `inside` runs a program in it as root.
const boot = async (t, root) => {
  const child = spawn(
    "systemd-nspawn",
    ["--quiet", "--register=no", "--keep-unit", "--boot", "--capability=CAP_NET_ADMIN", `--machine=${basename(root)}`, "-D", root],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" } },
  );
  const ended = once(child, "exit");
  let screen = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (screen += bytes));
  const init = await until("systemd runs", () => {
    assert.equal(child.exitCode, null, screen);
    return children_of(child.pid).find((pid) => comm_of(pid) === "systemd");
  });
  const inside = (...words) => run("nsenter", ["--target", init, "--mount", "--uts", "--ipc", "--pid", "--", ...words]);
  await until("systemd has booted", () => /running|degraded/.test(inside("sh", "-c", "systemctl is-system-running || true")));
  return { inside, end: () => (child.kill("SIGKILL"), ended) };
};

// The machine with the package and a box that serves; `health` is what the box says of itself.
const started_box = async (t) => {
  let machine;
  const root = join(
    folder(t, () => machine?.end()),
    `agentbox-${process.pid}`,
  );
  const included = ["systemd-sysv", "dbus", "python3", "nodejs", ...packages_of(deb)];
  run("mmdebstrap", ["--quiet", "--variant=minbase", `--include=${included.join()}`, "bookworm", root]);
  run("cp", [deb, join(root, "tmp")]);
  if (!has_groups) {
    mkdirSync(join(root, "etc/systemd/system/agentbox.service.d"), { recursive: true });
    writeFileSync(join(root, "etc/systemd/system/agentbox.service.d/story.conf"), "[Service]\nProtectProc=default\n");
  }
  machine = await boot(t, root);
  const { inside } = machine;
  // /tmp of a machine that has booted is another one.
  writeFileSync(join(root, "root/agentbox.deb"), readFileSync(deb));
  inside("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "-i", "/root/agentbox.deb");
  inside("runuser", "-u", "agentbox", "--", "agentbox", "init", "--data", DATA, "--email", ADMIN, "--password", PASSWORD);
  const [web, backend, summarizer] = [await free_port(), await free_port(), await free_port()];
  const settings = { web_listen: web, backend_listen: backend, summarizer_listen: summarizer };
  writeFileSync(
    join(root, "etc/agentbox/agentbox.toml"),
    Object.entries(settings)
      .map(([name, port]) => `${name} = "127.0.0.1:${port}"\n`)
      .join(""),
  );
  inside("systemctl", "start", "agentbox");
  const base = `http://127.0.0.1:${web}`;
  await until("the box serves", async () => (await sign_in(base, ADMIN)) === 200);
  const health = async () => (await fetch(`http://127.0.0.1:${backend}/health`)).json();
  return { root, inside, base, backend: `http://127.0.0.1:${backend}`, health };
};

// An agent that may run commands, as the agent asks for them.
const agent_with_commands = async ({ root, inside, base, backend }) => {
  inside("runuser", "-u", "agentbox", "--", "agentbox", "admin", "plan", ADMIN, "solo", "--data", DATA);
  const call = await session_of(base, ADMIN);
  const agent = await agent_that_works(call);
  await call("PUT", `/api/agents/${agent}/gate`, { rules: [{ effect: "code", turns: "any", decision: "allow" }] });
  const place = join(root, DATA, "agents", agent);
  const { box_token } = JSON.parse(readFileSync(join(place, "run/boot.json")));
  const ask = async (method, path, body) => {
    const answer = await fetch(`${backend}/api/agent-commands${path}`, {
      method,
      headers: { authorization: `Bearer ${box_token}`, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const start = async (shell) => {
    const { status, body } = await ask("POST", "", { shell, background: true });
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  };
  const sh = async (shell) => {
    const id = await start(shell);
    let output = "";
    for (let from = 0; ; ) {
      const { body } = await ask("GET", `/${id}/output?from=${from}&waitMs=20000`);
      output += body.output;
      from = body.next;
      if (!body.running) return { ...body, output };
    }
  };
  return { call, agent, ask, start, sh, workspace: join(place, "workspace") };
};

const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));
const words_of = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // it has ended
  }
};
const find = (is_wanted) => pids().filter((pid) => is_wanted(words_of(pid), pid));
const user_of = (pid) => statSync(`/proc/${pid}`).uid;

test("the installed service runs commands of agents once their socket is enabled", { skip, timeout: 600_000 }, async (t) => {
  const machine = await started_box(t);
  const { root, inside, health } = machine;
  const main_pid = () => inside("systemctl", "show", "-P", "MainPID", "agentbox").trim();
  const instances = () => inside("systemctl", "list-units", "--plain", "--no-legend", "agentbox-commands@*").trim();
  const before = await health();
  assert.equal(before.commands, "off");
  assert.match(before.commandsReason, /systemctl enable --now agentbox-commands\.socket/);
  assert.equal(instances(), "");

  inside("systemctl", "enable", "--now", "agentbox-commands.socket");
  assert.equal((await health()).commands, "on", "without a restart");
  const story = await agent_with_commands(machine);
  const { agent, ask, start, sh, workspace } = story;

  await t.test("as a user of their own, in the agent's workspace", async () => {
    const python = await sh(
      "id -u; pwd; python3 -c 'open(\"made\",\"w\").write(str(6*7))'; ls /; node -e 'console.log([1,2].map(x => x * 2).join())'",
    );
    assert.equal(python.exitCode, 0, JSON.stringify(python));
    const [user, folder_name] = python.output.split("\n");
    assert.ok(Number(user) > FIRST_AGENT_USER, python.output);
    assert.equal(folder_name, "/workspace");
    assert.match(python.output, /\n2,4\n$/);
    assert.equal(readFileSync(join(workspace, "made"), "utf8"), "42");
    const owner = statSync(join(root, DATA)).uid;
    assert.equal(statSync(join(workspace, "made")).uid, owner, "on disk its files are the box's");
    assert.doesNotMatch(python.output, /^(root|home|var|run|sys)$/m);
  });

  await t.test("in a unit of their own, with the rights that the helper alone needs", async () => {
    const id = await start("sleep 4710");
    const [command] = await until("its start", () => {
      const found = find(([name, time]) => name === "sleep" && time === "4710");
      return found.length === 1 && found;
    });
    const [helper] = find(([, verb, option]) => verb === "spawn" && option === "--account");
    const status = (pid) => readFileSync(`/proc/${pid}/status`, "utf8");
    assert.match(status(helper), /^CapEff:\t00000000002011e4$/m);
    for (const line of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      assert.match(status(command), new RegExp(`^${line}:\t0{16}$`, "m"));
    assert.match(status(command), /^NoNewPrivs:\t1$/m);
    const group = readFileSync(`/proc/${command}/cgroup`, "utf8");
    assert.match(group, /agentbox-commands@/);
    if (has_groups) {
      const [, path] = /^0::(.*)$/m.exec(group);
      assert.match(path, new RegExp(`/${agent}\\.commands$`));
      assert.ok(Number(readFileSync(`/sys/fs/cgroup${path}/memory.max`, "utf8")) >= 2 ** 28);
    }
    assert.equal(user_of(helper), 0);
    assert.match(readFileSync(`/proc/${helper}/environ`, "utf8"), /^(?!.*AGENTBOX)/, "it knows no secrets");
    await ask("DELETE", `/${id}`);
  });

  await t.test("and reach nothing of the machine", async (t) => {
    const host = createServer((socket) => socket.end("hello"));
    host.listen(0, "127.0.0.1");
    await once(host, "listening");
    t.after(() => host.close());
    const files = [
      `${DATA}/master.key`,
      `${DATA}/agents/${agent}/run/boot.json`,
      "/etc/agentbox/agentbox.toml",
      "/run/agentbox/commands.sock",
    ];
    const attack = join(workspace, "attack.py");
    writeFileSync(join(workspace, "AGENT.md"), "The owner's words");
    writeFileSync(attack, attacks_of({ box: main_pid(), files, host_port: host.address().port }));
    for (const path of [attack, join(workspace, "AGENT.md")]) chmodSync(path, 0o666);
    const { output } = await sh("python3 attack.py");
    assert.equal(output, "end\n", output);
    const proxy = await sh("python3 -c 'import socket; print(socket.create_connection((\"127.0.0.1\", 3128)) and 1)'");
    assert.match(proxy.output, /^1$/m, "but the box's proxy");
  });

  await t.test("the box's own unit and its level of isolation are as before", async () => {
    const now = await health();
    assert.equal(now.isolation, before.isolation);
    assert.deepEqual(now.isolationLacks, before.isolationLacks);
    const status = readFileSync(
      `/proc/${find(([name, verb, , data]) => name === "/usr/bin/agentbox" && verb === "serve" && data === DATA)[0]}/status`,
      "utf8",
    );
    assert.match(status, /^CapBnd:\t0{16}$/m);
  });

  await t.test("nothing is left when the box is killed, whose agents go on", async () => {
    await start("setsid sleep 4711 & (sleep 4712 &) ; sleep 4713");
    const sleeping = () => find(([name, time]) => name === "sleep" && ["4711", "4712", "4713"].includes(time));
    await until("its start", () => sleeping().length === 3);
    const agents = () => find(([, verb, , boot]) => verb === "agent" && boot?.includes(agent));
    const [running] = agents();
    const killed = main_pid();
    inside("systemctl", "kill", "--signal=KILL", "--kill-whom=main", "agentbox");
    await until("their end", () => sleeping().length === 0);
    await until("the box serves again", async () => main_pid() !== killed && (await sign_in(machine.base, ADMIN)) === 200);
    assert.deepEqual(agents(), [running]);
    assert.equal((await health()).commands, "on");
    assert.equal((await sh("echo again")).output, "again\n");
  });

  await t.test("commands go on with a new helper when theirs has ended", async () => {
    const id = await start("sleep 4714");
    inside("systemctl", "stop", "agentbox-commands@*.service");
    const { body } = await ask("GET", `/${id}/output?waitMs=10000`);
    assert.equal(body.running, false, JSON.stringify(body));
    assert.equal((await sh("echo anew")).output, "anew\n");
    assert.equal(instances().split("\n").length, 1);
  });

  await t.test("a socket that is disabled turns them off again", async () => {
    inside("systemctl", "disable", "--now", "agentbox-commands.socket");
    inside("systemctl", "stop", "agentbox-commands@*.service");
    assert.equal((await health()).commands, "off");
    assert.equal((await ask("POST", "", { shell: "true" })).status, 409);
  });
});
