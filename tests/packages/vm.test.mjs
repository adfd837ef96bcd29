// The disk image of the virtual machine, in qemu: it sets itself up from a NoCloud seed, grows its data partition, serves
// the console, and keeps ssh shut.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { artifact, folder, free_port, has_program, PASSWORD, run, sign_in, until } from "./dist.mjs";

const image = artifact(/-vm\.qcow2$/);
const skip = !image ? "no image in AGENTBOX_DIST: ./dev image vm makes it" : ["qemu-system-x86_64", "mcopy"].some((name) => !has_program(name)) && "qemu or mtools is not installed";

// A small disk of the form of cloud-init's NoCloud.
const seed_of = (t, user_data) => {
  const place = folder(t), disk = join(place, "seed.img");
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
    socket.once("data", () => resolve(true)).once("close", () => resolve(false)).once("error", () => resolve(false));
    socket.once("data", () => socket.destroy());
    setTimeout(() => socket.destroy(), 2_000);
  });

const boot = async (disk, seed) => {
  const web = await free_port(), ssh = await free_port();
  const child = spawn("qemu-system-x86_64", [
    "-accel", kvm ? "kvm" : "tcg,thread=multi", "-cpu", kvm ? "host" : "max", "-smp", "2", "-m", "1024", "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot",
    "-drive", `file=${disk},format=qcow2,if=virtio`, "-drive", `file=${seed},format=raw,if=virtio,readonly=on`,
    "-netdev", `user,id=net,hostfwd=tcp:127.0.0.1:${web}-:3000,hostfwd=tcp:127.0.0.1:${ssh}-:22`, "-device", "virtio-net-pci,netdev=net", "-device", "virtio-rng-pci",
  ], { stdio: ["pipe", "pipe", "pipe"] });
  const machine = { child, web: `http://127.0.0.1:${web}`, ssh, screen: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (machine.screen += bytes));
  const ended = once(child, "exit");
  machine.end = () => (child.kill("SIGKILL"), ended);
  return machine;
};

test("the machine boots to a served console, with its data on a partition that has grown", { skip, timeout: 400_000 }, async (t) => {
  let machine;
  const disk = join(folder(t, () => machine?.end()), "disk.qcow2");
  run("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", image, disk, "4G"]);
  const seed = seed_of(t, `#cloud-config\nhostname: story\nagentbox:\n  email: admin@example.org\n  password: ${PASSWORD}\n`);
  const started = Date.now();
  machine = await boot(disk, seed);
  await until("the administrator can sign in", async () => {
    assert.equal(machine.child.exitCode, null, machine.screen.slice(-2_000));
    return (await sign_in(machine.web, "admin@example.org")) === 200;
  }, 300_000).catch((error) => assert.fail(`${error.message}\n${machine.screen.slice(-4_000)}`));
  t.diagnostic(`signed in ${((Date.now() - started) / 1000).toFixed(1)} s after power-on, ${kvm ? "with" : "without"} KVM`);
  await until("the console shows version and address", () => /agentbox \d+\.\d+\.\d+ on story\s+http:\/\/10\./.test(machine.screen));
  assert.equal(await greets(machine.ssh), false, "ssh is off until a key is given");
});
