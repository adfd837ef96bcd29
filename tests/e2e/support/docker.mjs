// A Docker Engine of the story's own, with the binary under test as the agents' image.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { binary, until } from "./box.mjs";

const image_of = fileURLToPath(new URL("../../docker/image_of.sh", import.meta.url));
const tools_image_of = fileURLToPath(new URL("../../docker/tools_image_of.sh", import.meta.url));
export const IMAGE = "agentbox/agent:story",
  TOOLS_IMAGE = "agentbox/agent-tools:story";

// As a tar: this program, as /usr/bin/agentbox, and its libraries.
export const root_file_system_of = (program) => execFileSync(image_of, [program], { maxBuffer: 2 ** 31 - 1 });

// Why there can be none here; undefined when there can.
export const no_docker = () => {
  if (process.getuid() !== 0) return "dockerd needs root";
  const [, held] = readFileSync("/proc/self/status", "utf8").match(/^CapEff:\s*(\w+)$/m);
  const needed = (1n << 21n) | (1n << 12n); // CAP_SYS_ADMIN, CAP_NET_ADMIN
  if ((BigInt(`0x${held}`) & needed) !== needed) return "dockerd needs the capabilities to mount and to make networks";
  if (!["/usr/sbin/dockerd", "/usr/bin/dockerd"].some(existsSync)) return "there is no dockerd (Debian's docker.io)";
};

// Of boxes that were killed: of others' chains none is touched. A box's networks and its chain have the same digits.
const remove_packet_filters = (networks) => {
  for (const [, digits] of networks.matchAll(/^agentbox-([0-9a-f]{12})$/gm))
    for (const program of ["iptables", "ip6tables"])
      for (const line of packet_filter(digits, program)
        .filter((rule) => rule.startsWith("-A PREROUTING"))
        .concat(":-F", ":-X")) {
        const words = line.startsWith(":") ? [line.slice(1), `AGENTBOX-${digits}`] : ["-D", ...line.split(" ").slice(1)];
        try {
          execFileSync(program, ["-w", "10", "-t", "mangle", ...words], { stdio: "ignore" });
        } catch {} // there is none
      }
};

// The lines of iptables-save that concern the box with these digits.
export const packet_filter = (digits, program = "iptables") =>
  execFileSync(`${program}-save`, ["-t", "mangle"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(`AGENTBOX-${digits}`));

// What the engine has mounted and not unmounted, the innermost first. What is still in use goes once it no longer is.
const unmount_below = (folder) => {
  const mounts = readFileSync("/proc/self/mounts", "utf8").matchAll(/^\S+ (\S+) /gm);
  const below = [...mounts].map(([, path]) => path.replaceAll("\\040", " ")).filter((path) => path.startsWith(`${folder}/`));
  for (const path of below.reverse()) execFileSync("umount", ["-l", path], { stdio: "ignore" });
};

export class Docker {
  static async start(t) {
    const docker = new Docker();
    docker.folder = mkdtempSync(join(tmpdir(), "agentbox-docker-"));
    docker.host = `unix://${join(docker.folder, "docker.sock")}`;
    t.after(() => docker.discard());
    await docker.serve();
    const changes = ["LABEL agentbox.boot=file", 'ENTRYPOINT ["/usr/bin/agentbox", "agent"]', "ENV ASAN_OPTIONS=detect_leaks=0"];
    docker.import(IMAGE, root_file_system_of(binary), changes);
    return docker;
  }

  // Makes an image of a root file system, given as the path or the bytes of a tar. `changes` are instructions of a
  // Dockerfile.
  import(name, tar, changes) {
    const [source, input] = typeof tar === "string" ? [tar, undefined] : ["-", tar];
    execFileSync("docker", ["-H", this.host, "import", ...changes.flatMap((change) => ["--change", change]), source, name], { input });
  }

  // The image in which agents run commands, with programs of this machine.
  import_tools() {
    const tar = join(this.folder, "tools.tar");
    execFileSync("sh", ["-c", '"$0" "$1" > "$2"', tools_image_of, binary, tar]);
    this.import(TOOLS_IMAGE, tar, []);
    rmSync(tar);
  }

  async serve() {
    const path = (name) => join(this.folder, name);
    const log = openSync(path("log"), "a");
    const flags = ["--storage-driver", "vfs", "--data-root", path("data"), "--exec-root", path("exec"), "-H", this.host];
    this.child = spawn("dockerd", [...flags, "--pidfile", path("pid"), "--bridge", "none"], { stdio: ["ignore", log, log] });
    this.ended = once(this.child, "exit");
    await until("dockerd answers", () => {
      assert.equal(this.child.exitCode, null, readFileSync(path("log"), "utf8"));
      try {
        return this.ask("version");
      } catch {
        return false;
      }
    });
  }

  // What the docker command prints.
  ask(...args) {
    return execFileSync("docker", ["-H", this.host, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  }

  containers() {
    const ids = this.ask("ps", "-aq").split("\n").filter(Boolean);
    return ids.flatMap((id) => {
      try {
        return JSON.parse(this.ask("inspect", id));
      } catch {
        return []; // it was removed meanwhile
      }
    });
  }

  // Their names, a line each.
  networks() {
    return this.ask("network", "ls", "--format", "{{.Name}}");
  }

  async end(signal) {
    this.child.kill(signal);
    await this.ended;
  }

  // In whatever state the story has left it. `box`, if there is one, ends first: it would start its agents again.
  async discard() {
    this.child.kill("SIGCONT");
    await this.box?.end("SIGKILL");
    if (this.child.exitCode === null && this.child.signalCode === null) {
      remove_packet_filters(this.networks());
      // Also of a container that was being started: a bridge that stays takes one of the thirty ranges of addresses.
      await until("no network is left", () => {
        for (const { Id } of this.containers()) spawnSync("docker", ["-H", this.host, "rm", "-f", Id]);
        this.ask("network", "prune", "-f");
        return !this.networks().includes("agentbox-");
      });
      await this.end("SIGTERM");
    }
    unmount_below(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
