// A mailbox of Debian's dovecot on loopback, in a folder of its own. Mails are delivered as files.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync, existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listener_ports } from "../support/ports.mjs";

export class Dovecot {
  #mails = 0;

  // With `certificate` ({key, cert}: PEM), nobody signs in without STARTTLS.
  static async start(t, { user, password, certificate }) {
    const server = new Dovecot();
    server.folder = mkdtempSync(join(tmpdir(), "agentbox-dovecot-"));
    server.auth = join(server.folder, "auth"); // the socket at which postfix has passwords checked
    server.user = user;
    [server.port] = await listener_ports(1);
    const is_root = process.getuid() === 0;
    const id = (name) => Number(execFileSync("id", [name, "nobody"]));
    server.owner = is_root ? [id("-u"), id("-g")] : [process.getuid(), process.getgid()];
    const me = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
    const group = execFileSync("id", ["-gn"], { encoding: "utf8" }).trim();
    const at = (name) => join(server.folder, name);
    for (const folder of ["", "mail", "mail/new", "mail/cur", "mail/tmp"]) {
      mkdirSync(at(folder), { recursive: true });
      chownSync(at(folder), ...server.owner);
    }
    execFileSync("chmod", ["755", server.folder]);
    if (certificate) {
      writeFileSync(at("cert.pem"), certificate.cert);
      writeFileSync(at("key.pem"), certificate.key);
    }
    const users = is_root ? "" : `default_internal_user = ${me}\ndefault_internal_group = ${group}\ndefault_login_user = ${me}\n`;
    writeFileSync(
      at("dovecot.conf"),
      `base_dir = ${at("run")}
state_dir = ${at("state")}
log_path = ${at("log")}
protocols = imap
listen = 127.0.0.1
${users}ssl = ${certificate ? `required\nssl_cert = <${at("cert.pem")}\nssl_key = <${at("key.pem")}` : "no"}
disable_plaintext_auth = ${certificate ? "yes" : "no"}
auth_failure_delay = 0
mail_location = maildir:${at("mail")}
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = scheme=PLAIN ${at("users")}
}
userdb {
  driver = static
  args = uid=${server.owner[0]} gid=${server.owner[1]} home=${server.folder}
}
service auth {
  unix_listener ${server.auth} {
    mode = 0666
  }
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${server.port}
  }
  inet_listener imaps {
    port = 0
  }
}
`,
    );
    server.set_password(password);
    await server.serve();
    t.after(async () => {
      await server.end();
      rmSync(server.folder, { recursive: true, force: true });
    });
    return server;
  }
  set_password(password) {
    writeFileSync(join(this.folder, "users"), `${this.user}:${password}\n`, { mode: 0o644 });
  }
  async serve() {
    this.child = spawn("/usr/sbin/dovecot", ["-F", "-c", join(this.folder, "dovecot.conf")], { stdio: "ignore" });
    const greets = () =>
      new Promise((resolve) => {
        const socket = connect(this.port, "127.0.0.1");
        socket.on("data", () => (socket.destroy(), resolve(true)));
        socket.on("error", () => resolve(false));
      });
    for (const end = Date.now() + 15_000; !(await greets()); await new Promise((resolve) => setTimeout(resolve, 50))) {
      const log = join(this.folder, "log");
      if (Date.now() > end) throw new Error(`dovecot does not answer: ${existsSync(log) ? readFileSync(log, "utf8") : ""}`);
    }
  }
  async end() {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await ended;
  }
  // Every mail is marked as read.
  is_read() {
    const at = (folder) => readdirSync(join(this.folder, "mail", folder));
    return at("new").length === 0 && at("cur").every((name) => /:2,.*S/.test(name));
  }
  // A mail arrives: bytes or text with LF.
  deliver(mail) {
    // Names order the mails of a second.
    const name = `${Math.floor(Date.now() / 1000)}.M${String(++this.#mails).padStart(6, "0")}P${process.pid}.stories`;
    const written = join(this.folder, "mail/tmp", name);
    writeFileSync(written, mail);
    chownSync(written, ...this.owner);
    renameSync(written, join(this.folder, "mail/new", name));
  }
}
