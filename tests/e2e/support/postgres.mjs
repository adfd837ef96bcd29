// A PostgreSQL server of a story's own, from Debian's package, in a temporary folder.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./box.mjs";
import { listener_ports } from "./ports.mjs";

const versions = "/usr/lib/postgresql";
const programs = () => {
  const newest = existsSync(versions) && readdirSync(versions).toSorted((a, b) => b - a)[0];
  return newest && join(versions, newest, "bin");
};

// Of the server's version.
export const program = (name) => join(programs(), name);

// Why a story cannot have one; false if it can.
export const no_postgres = programs() ? false : "Debian's package postgresql is not installed";

export class PostgresServer {
  settings = { shared_buffers: "16MB" };

  // With an empty database `agentbox`, until the test ends.
  static async start(t, settings = {}) {
    const server = await PostgresServer.make(settings);
    t.after(() => server.discard());
    server.sql("CREATE DATABASE agentbox", { database: "postgres" });
    return server;
  }

  // One that another process has made.
  static at(folder, port) {
    return Object.assign(new PostgresServer(), { folder, port: Number(port) });
  }

  static async make(settings = {}) {
    const server = new PostgresServer();
    Object.assign(server.settings, settings);
    server.folder = mkdtempSync(join(tmpdir(), "agentbox-postgres-"));
    server.data = join(server.folder, "data");
    [server.port] = await listener_ports(1);
    if (process.getuid() === 0) {
      const id = (flag) => Number(execFileSync("id", [flag, "postgres"]));
      server.user = { uid: id("-u"), gid: id("-g") };
      chownSync(server.folder, server.user.uid, server.user.gid);
      chmodSync(server.folder, 0o755); // for boxes in other namespaces of users
    }
    const options = ["-D", server.data, "-U", "admin", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];
    execFileSync(join(programs(), "initdb"), options, { stdio: "ignore", cwd: "/", ...server.user });
    await server.run();
    return server;
  }

  spawn() {
    const settings = { listen_addresses: "127.0.0.1", port: this.port, ...this.settings };
    const args = ["-D", this.data, "-k", this.folder, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
    this.child = spawn(join(programs(), "postgres"), args, { stdio: "ignore", cwd: "/", ...this.user });
    this.child.unref(); // the process that has started it may end first (end_now)
    this.ended = once(this.child, "exit");
  }

  async run() {
    this.spawn();
    await until("the database answers", () => {
      if (this.child.exitCode !== null) this.spawn(); // processes of one that was killed may still be leaving
      try {
        return this.sql("SELECT 1", { database: "postgres" }) === "1";
      } catch {
        return false;
      }
    });
  }

  // SIGINT: disconnects everybody. SIGKILL: a crash.
  async end(signal = "SIGINT") {
    this.child.ref();
    this.child.kill(signal);
    await this.ended;
  }

  // The server's processes, the first one first.
  processes() {
    const children = readFileSync(`/proc/${this.child.pid}/task/${this.child.pid}/children`, "utf8").trim().split(" ");
    return [this.child.pid, ...children.filter(Boolean).map(Number)];
  }

  // Answers nothing until it is resumed, and refuses no connection.
  pause() {
    for (const pid of this.processes()) process.kill(pid, "SIGSTOP");
  }
  resume() {
    for (const pid of this.processes()) process.kill(pid, "SIGCONT");
  }

  url(user, host = this.folder, database = "agentbox") {
    return `postgres://${user}@/${database}?host=${host}&port=${this.port}`;
  }

  // What psql prints, unaligned and without headers.
  sql(text, { user = "admin", database = "agentbox" } = {}) {
    const args = ["-h", this.folder, "-p", String(this.port), "-U", user, "-d", database, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text];
    return execFileSync(join(programs(), "psql"), args, { stdio: ["ignore", "pipe", "pipe"] })
      .toString()
      .trim();
  }

  // While this process ends, which waits for nothing.
  end_now() {
    execFileSync(join(programs(), "pg_ctl"), ["stop", "-D", this.data, "-m", "immediate"], { stdio: "ignore", cwd: "/", ...this.user });
    rmSync(this.folder, { recursive: true, force: true });
  }

  async discard() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) await this.end("SIGQUIT");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
