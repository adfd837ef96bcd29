// A second machine in the stories: `agentbox standby` on a folder of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { binary, run, until } from "./box.mjs";

export class Standby {
  // An empty folder, and an invitation of the box. `port`: where the standby connects, if not straight to the box.
  static async invite(t, box, port = box.env.STANDBY_LISTEN.split(":")[1]) {
    const standby = new Standby();
    standby.box = box;
    standby.above = mkdtempSync(join(tmpdir(), "agentbox-standby-"));
    standby.folder = join(standby.above, "data");
    standby.invitation = join(standby.above, "invitation.json");
    standby.of = `https://127.0.0.1:${port}`;
    t.after(() => standby.discard());
    const ended = await run(["standby-invite", "--data", box.folder, "--to", standby.invitation]);
    assert.equal(ended.code, 0, ended.err);
    return standby;
  }

  start(args = ["--of", this.of, "--invitation", this.invitation]) {
    this.log = "";
    this.follows = 0; // how often it has caught up
    this.child = spawn(binary, ["standby", "--data", this.folder, "--log-format", "json", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH },
    });
    this.child.stderr.on("data", (bytes) => (this.log += bytes));
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      if (JSON.parse(line).event === "following") ++this.follows;
    });
    this.ended = once(this.child, "exit");
  }

  is_running() {
    return this.child && this.child.exitCode === null && this.child.signalCode === null;
  }

  // Started, if it is not, and level with its box.
  async follow() {
    if (!this.is_running()) this.start();
    await until("the standby follows", () => {
      assert.ok(this.is_running(), this.log);
      return this.follows > 0;
    }).catch(() => assert.fail(`the standby does not follow: ${this.log.slice(-4_000)}\nThe box: ${this.box.log.slice(-2_000)}`));
    await until("the box knows", async () => (await this.state()).state === "following");
  }

  state() {
    return this.box.backend_call("GET", "/api/admin/standby");
  }

  async end(signal = "SIGTERM") {
    this.child.kill(signal);
    return (await this.ended)[0];
  }

  promote(...args) {
    return run(["promote", "--data", this.folder, ...args]);
  }

  async discard() {
    if (this.is_running()) await this.end("SIGKILL");
    rmSync(this.above, { recursive: true, force: true });
  }
}
