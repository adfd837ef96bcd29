// What the system knows of running processes, from /proc.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

const read = (pid, name) => {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined; // it has ended
  }
};
const texts = (bytes) => bytes.toString("latin1").split("\0").slice(0, -1);

// Those that run now, zombies not among them: {pid, parent, arguments}.
export const processes = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const line = read(name, "cmdline"),
        stat = read(name, "stat")?.toString("latin1");
      const [state, parent] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
      return line?.length > 0 && state !== "Z" ? [{ pid: Number(name), parent: Number(parent), arguments: texts(line) }] : [];
    });

export const is_alive = (pid) => processes().some((one) => one.pid === pid);

// Nothing when it has ended already.
export const end_process = (pid) => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
};

// Of a box: itself and its summarizer.
export const own_processes = (box) =>
  processes().filter(
    ({ pid, parent, arguments: [, command] }) => pid === box.child.pid || (parent === box.child.pid && command === "summarizer"),
  );

// The agents of the box's folder, whoever started them: {pid, id}.
export const agent_processes = (box) =>
  processes()
    .filter(({ arguments: [, command, , boot] }) => command === "agent" && boot?.startsWith(`${box.folder}/agents/`))
    .map(({ pid, arguments: [, , , boot] }) => ({ pid, id: boot.split("/").at(-3) }));

// Whether a signal was sent to a process that has not taken it yet, since it is stopped.
export const awaits_signal = (pid, number) => {
  const [, pending] =
    read(pid, "status")
      ?.toString("latin1")
      .match(/^ShdPnd:\s+(\w+)$/m) ?? [];
  return pending !== undefined && (BigInt(`0x${pending}`) & (1n << BigInt(number - 1))) !== 0n;
};

// What is mounted in the process's view of the machine; empty once it has ended.
export const mounts = (pid) => read(pid, "mountinfo")?.toString("latin1") ?? "";
export const command_line = (pid) => read(pid, "cmdline").toString("latin1");
export const environment = (pid) => read(pid, "environ").toString("latin1");

// The sockets that listen on the url's port, as descriptors() names them.
export const listening_sockets = (url) => {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const lines = readFileSync("/proc/net/tcp", "latin1")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return lines.filter(([, local, , state]) => local.endsWith(`:${port}`) && state === "0A").map((fields) => `socket:[${fields[9]}]`);
};

// Descriptor to what it is: a path, "socket:[inode]", "pipe:[inode]", "anon_inode:[eventpoll]".
export const descriptors = (pid) =>
  Object.fromEntries(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [[fd, readlinkSync(`/proc/${pid}/fd/${fd}`)]];
      } catch {
        return []; // it was closed meanwhile
      }
    }),
  );

// The processes of `parent` that run this program now.
export const children_of = (parent, program) =>
  processes()
    .filter((one) => one.parent === parent && basename(one.arguments[0]) === program)
    .map(({ pid }) => pid);
