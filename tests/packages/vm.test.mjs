// The disk image of the virtual machine, in qemu: it sets itself up from a NoCloud seed, grows its data partition, serves
// the console, and opens ssh for its administrator's key alone.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { call as tool_call, ModelServer, say } from "../e2e/peers/model_server.mjs";
import { agent_that_works, artifact, folder, free_port, has_program, PASSWORD, run, session_of, sign_in, until } from "./dist.mjs";

const image = artifact(/-vm\.qcow2$/);
const ADMIN = "admin@example.org";
const skip = !image
  ? "no image in AGENTBOX_DIST: ./dev image vm makes it"
  : ["qemu-system-x86_64", "mcopy"].some((name) => !has_program(name)) && "qemu or mtools is not installed";

// A small disk of the form of cloud-init's NoCloud.
const seed_of = (t, user_data) => {
  const place = folder(t),
    disk = join(place, "seed.img");
  writeFileSync(join(place, "user-data"), user_data);
  writeFileSync(join(place, "meta-data"), "instance-id: story\n");
  run("mformat", ["-C", "-f", "1440", "-v", "CIDATA", "-i", disk, "::"]);
  run("mcopy", ["-i", disk, join(place, "user-data"), join(place, "meta-data"), "::"]);
  return disk;
};

// TCG: slow, and the same everywhere. AGENTBOX_KVM=on uses the processor's own virtualization.
const kvm = process.env.AGENTBOX_KVM === "on";

// Whether the port of the machine answers with bytes: qemu accepts connections to closed ports, and ends them.
const greets = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket
      .once("data", () => resolve(true))
      .once("close", () => resolve(false))
      .once("error", () => resolve(false));
    socket.once("data", () => socket.destroy());
    setTimeout(() => socket.destroy(), 2_000);
  });

const power_on = async (disk, seed) => {
  const web = await free_port(),
    ssh = await free_port();
  const child = spawn(
    "qemu-system-x86_64",
    [
      "-accel",
      kvm ? "kvm" : "tcg,thread=multi",
      "-cpu",
      kvm ? "host" : "max",
      "-smp",
      "2",
      "-m",
      "1024",
      "-nodefaults",
      "-display",
      "none",
      "-serial",
      "stdio",
      "-no-reboot",
      "-drive",
      `file=${disk},format=qcow2,if=virtio`,
      "-drive",
      `file=${seed},format=raw,if=virtio,readonly=on`,
      "-netdev",
      `user,id=net,hostfwd=tcp:127.0.0.1:${web}-:3000,hostfwd=tcp:127.0.0.1:${ssh}-:22`,
      "-device",
      "virtio-net-pci,netdev=net",
      "-device",
      "virtio-rng-pci",
    ],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const machine = { child, web: `http://127.0.0.1:${web}`, ssh, screen: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (machine.screen += bytes));
  const ended = once(child, "exit");
  machine.end = () => (child.kill("SIGKILL"), ended);
  return machine;
};

const boot = async (t, seed) => {
  let machine;
  const disk = join(
    folder(t, () => machine?.end()),
    "disk.qcow2",
  );
  run("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", image, disk, "4G"]);
  machine = await power_on(disk, seed);
  await until(
    "the administrator can sign in",
    async () => {
      assert.equal(machine.child.exitCode, null, machine.screen.slice(-2_000));
      return (await sign_in(machine.web, ADMIN)) === 200;
    },
    300_000,
  ).catch((error) => assert.fail(`${error.message}\n${machine.screen.slice(-4_000)}`));
  return machine;
};

const settings = `hostname: story\nagentbox:\n  email: ${ADMIN}\n  password: ${PASSWORD}\n`;

test("the machine boots to a served console, with its data on a partition that has grown", { skip, timeout: 400_000 }, async (t) => {
  const started = Date.now();
  const machine = await boot(t, seed_of(t, `#cloud-config\n${settings}`));
  t.diagnostic(`signed in ${((Date.now() - started) / 1000).toFixed(1)} s after power-on, ${kvm ? "with" : "without"} KVM`);
  await until("the console shows version and address", () => /agentbox \d+\.\d+\.\d+ on story\s+http:\/\/10\./.test(machine.screen));
  assert.equal(await greets(machine.ssh), false, "ssh is off until a key is given");
});

test("its administrator's key opens ssh; AppArmor and control groups hold agents at their work", { skip, timeout: 600_000 }, async (t) => {
  const key = join(folder(t), "key");
  run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const machine = await boot(
    t,
    seed_of(t, `#cloud-config\nssh_authorized_keys:\n  - ${readFileSync(`${key}.pub`, "utf8").trim()}\n${settings}`),
  );
  await until("ssh answers", () => greets(machine.ssh));
  const inside = (command) =>
    run("ssh", [
      "-i",
      key,
      "-p",
      String(machine.ssh),
      "-o",
      "StrictHostKeyChecking=no",
      "-o",
      "UserKnownHostsFile=/dev/null",
      "-o",
      "LogLevel=ERROR",
      "root@127.0.0.1",
      command,
    ]).trim();
  const agentbox = (args) => inside(`runuser -u agentbox -- agentbox ${args}`);
  const its_own = "--data /var/lib/agentbox --config /etc/agentbox/agentbox.toml";
  assert.match(inside("df --output=size -BM /var/lib/agentbox"), /[23]\d\d\dM/, "the partition has grown");

  agentbox(`admin plan ${ADMIN} solo ${its_own}`);
  const call = await session_of(machine.web, ADMIN);
  await agent_that_works(call);
  const held = inside("for id in $(pgrep -x agentbox); do cat /proc/$id/attr/current; done").split("\n");
  assert.ok(held.length >= 2, `the box and the agent: ${held}`);
  assert.deepEqual([...new Set(held)], ["agentbox (enforce)"]);

  inside("systemctl restart agentbox");
  await until("it serves again, with its agent", async () => (await call("GET", "/api/agents")).agents[0].status === "running");
  const { findings } = JSON.parse(agentbox(`doctor --json ${its_own} || true`));
  assert.deepEqual(
    findings.filter(({ level }) => level === "problem"),
    [],
  );
  await t.test("its agents run commands once their service is enabled", async (t) => {
    const model = await ModelServer.start(t);
    const at_host = model.url.replace("127.0.0.1", "10.0.2.2");
    inside(`printf 'local_model_url = "${at_host}"\\nconversation_titles = false\\n' >>/etc/agentbox/agentbox.toml`);
    inside("systemctl restart agentbox");
    await until("it serves again", async () => (await sign_in(machine.web, ADMIN)) === 200, 120_000);
    const health = async () => (await fetch(`${machine.web}/health`)).json();
    assert.match((await health()).commandsReason, /agentbox-commands\.socket/);
    inside("systemctl enable --now agentbox-commands.socket");
    assert.equal((await health()).commands, "on");
    const { agent } = await call("POST", "/api/agents/provision", { name: "Mate", tier: "starter" });
    await until("the agent runs", async () => (await call("GET", `/api/agents/${agent.id}`)).agent.status === "running", 120_000);
    const shell = "id -u; pwd; echo data > made; ls /; cat /var/lib/agentbox/master.key /proc/1/attr/current; true";
    model.will(tool_call(["run_command", { shell }]), say("Done."));
    await call("POST", "/api/chat", { agentId: agent.id, message: "work" });
    const { output, exitCode } = JSON.parse(model.asked.at(-1).messages.findLast(({ role }) => role === "tool").content);
    assert.equal(exitCode, 0, output);
    assert.match(output, /^19000\d{5}\n\/workspace\n/);
    assert.doesNotMatch(output, /^(root|home|var|run|sys|boot)$/m);
    assert.match(output, /master\.key: No such file/);
    assert.match(output, /unconfined/, "the profile is the service's");
    assert.equal(inside(`stat -c %U /var/lib/agentbox/agents/${agent.id}/workspace/made`), "agentbox");
    // Of the helper's unit, and of this agent's commands alone.
    const [cores] = inside(`cat /sys/fs/cgroup/system.slice/system-agentbox*/agentbox-commands@*/cgroup.subtree_control`).split("\n");
    assert.match(cores, /cpu.*memory.*pids/);
    assert.deepEqual(
      [...new Set(inside("for id in $(pgrep -f 'agentbox (serve|agent)'); do cat /proc/$id/attr/current; done").split("\n"))],
      ["agentbox (enforce)"],
    );
  });
  assert.equal(
    inside(`journalctl --dmesg --no-pager --grep 'apparmor="DENIED"' || true`).replace("-- No entries --", ""),
    "",
    "nothing of this was refused",
  );

  // The service may write to its data folder only, and has a /tmp of its own.
  inside(`agentbox backup ${its_own} --to /root/backup && agentbox pack ${its_own} --to /tmp/box.agentbox`);
  assert.match(inside("ls /root/backup/store"), /meta/);
  inside("rm -rf /var/lib/moved && agentbox unpack /tmp/box.agentbox --data /var/lib/moved --key /var/lib/agentbox/master.key");
  assert.match(inside("agentbox verify --data /var/lib/moved"), /are sound/);

  // The profile by itself, for root.
  const confined = (command) => inside(`aa-exec --profile agentbox -- sh -c '${command}' 2>&1 || true`);
  assert.match(confined("cat /etc/hostname"), /story/);
  for (const command of [
    "cat /etc/shadow",
    "cat /etc/ssh/ssh_host_ed25519_key",
    "touch /root/x",
    "touch /etc/x",
    "echo 1 >/proc/sys/kernel/sysrq",
  ])
    assert.match(confined(command), /[Pp]ermission denied/, command);

  // A box that root starts for a user, in a unit to which systemd delegates control groups.
  inside("systemctl stop agentbox; pkill -x agentbox; useradd --system boxer");
  inside(`agentbox init --data /var/lib/second --email ${ADMIN} --password '${PASSWORD}'`);
  inside(
    "systemd-run --quiet --unit=second -p Delegate=yes -E RUN_AS=boxer -E WEB_LISTEN=0.0.0.0:3000 agentbox serve --data /var/lib/second",
  );
  await until("the second box serves", async () => (await sign_in(machine.web, ADMIN)) === 200);
  inside(`agentbox admin plan ${ADMIN} solo --data /var/lib/second`);
  const agent = await agent_that_works(await session_of(machine.web, ADMIN));
  const group = `/sys/fs/cgroup/system.slice/second.service/${agent}`;
  const [memory, processes, cores, pid] = inside(`cd ${group} && cat memory.max pids.max cpu.max cgroup.procs`).split("\n");
  assert.ok(Number(memory) >= 2 ** 28 && Number(memory) <= 2 ** 30, memory);
  assert.ok(Number(processes) > 0, processes);
  assert.match(cores, /^\d+ 100000$/);
  assert.match(inside(`ps -o args= -p ${pid}`), new RegExp(`agentbox agent .*${agent}`));
  assert.ok(Number(inside(`stat -c %u /proc/${pid}`)) >= 1_900_000_000, "it has a user of its own");
});
