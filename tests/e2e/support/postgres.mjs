// A PostgreSQL server of a story's own, from Debian's package, in a temporary folder.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./box.mjs";
import { listener_ports } from "./ports.mjs";

const versions = "/usr/lib/postgresql";
const programs = () => {
  const newest = existsSync(versions) && readdirSync(versions).toSorted((a, b) => b - a)[0];
  return newest && join(versions, newest, "bin");
};

// Why a story cannot have one; false if it can.
export const no_postgres = programs() ? false : "Debian's package postgresql is not installed";

export class PostgresServer {
  static async start(t) {
    const server = new PostgresServer();
    server.folder = mkdtempSync(join(tmpdir(), "agentbox-postgres-"));
    server.data = join(server.folder, "data");
    [server.port] = await listener_ports(1);
    if (process.getuid() === 0) {
      const id = (flag) => Number(execFileSync("id", [flag, "postgres"]));
      server.user = { uid: id("-u"), gid: id("-g") };
      chownSync(server.folder, server.user.uid, server.user.gid);
    }
    t.after(() => server.discard());
    const options = ["-D", server.data, "-U", "admin", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];
    execFileSync(join(programs(), "initdb"), options, { stdio: "ignore", cwd: "/", ...server.user });
    await server.run();
    server.sql("CREATE DATABASE agentbox", { database: "postgres" });
    return server;
  }

  spawn() {
    const settings = ["listen_addresses=127.0.0.1", `port=${this.port}`, "shared_buffers=16MB"];
    const args = ["-D", this.data, "-k", this.folder, ...settings.flatMap((setting) => ["-c", setting])];
    this.child = spawn(join(programs(), "postgres"), args, { stdio: "ignore", cwd: "/", ...this.user });
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
    this.child.kill(signal);
    await this.ended;
  }

  url(user, host = this.folder) {
    return `postgres://${user}@/agentbox?host=${host}&port=${this.port}`;
  }

  // What psql prints, unaligned and without headers.
  sql(text, { user = "admin", database = "agentbox" } = {}) {
    const args = ["-h", this.folder, "-p", String(this.port), "-U", user, "-d", database, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text];
    return execFileSync(join(programs(), "psql"), args, { stdio: ["ignore", "pipe", "pipe"] })
      .toString()
      .trim();
  }

  async discard() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) await this.end("SIGQUIT");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
