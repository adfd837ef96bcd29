// Debian's postfix on loopback, in a folder of its own: who signs in with the password of dovecot's mailbox may send.
// Mails to the people of one domain end in folders; to every other domain nothing is relayed without signing in.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listener_ports } from "../support/ports.mjs";
import { parse_mail } from "./submission_server.mjs";

const QUEUES = "active bounce corrupt defer deferred flush hold incoming maildrop private public saved trace".split(" ");
const PROGRAMS = "/usr/lib/postfix/sbin";

const main = ({ folder, domain, people, auth, uid, gid }) => `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
mail_owner = postfix
setgid_group = daemon
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
myhostname = mx.${domain}
mydestination =
mynetworks =
inet_interfaces = loopback-only
inet_protocols = ipv4
alias_maps =
alias_database =
virtual_mailbox_domains = ${domain}
virtual_mailbox_base = ${folder}/people
virtual_mailbox_maps = inline:{ ${people.map((name) => `{ ${name}@${domain} = ${name}/ }`).join(" ")} }
virtual_uid_maps = static:${uid}
virtual_gid_maps = static:${gid}
virtual_minimum_uid = 1
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${auth}
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
`;

const master = (port) =>
  [
    [`127.0.0.1:${port} inet`, "n", "-", "smtpd"],
    ["cleanup unix", "n", "0", "cleanup"],
    ["qmgr unix", "n", "1", "qmgr", "300"],
    ["rewrite unix", "-", "-", "trivial-rewrite"],
    ["bounce unix", "-", "0", "bounce"],
    ["defer unix", "-", "0", "bounce"],
    ["trace unix", "-", "0", "bounce"],
    ["verify unix", "-", "1", "verify"],
    ["anvil unix", "-", "1", "anvil"],
    ["proxymap unix", "-", "-", "proxymap"],
    ["error unix", "-", "-", "error"],
    ["retry unix", "-", "-", "error"],
    ["postlog unix-dgram", "n", "1", "postlogd"],
  ]
    .map(([service, is_private, most, program, wakes = "-"]) => `${service} ${is_private} - n ${wakes} ${most} ${program}\n`)
    .join("") + "virtual unix - n n - - virtual\n";

export class Postfix {
  // `people`: the names before the @. `auth`: the socket at which dovecot checks passwords.
  static async start(t, { domain, people, auth }) {
    const server = new Postfix();
    const folder = mkdtempSync(join(tmpdir(), "agentbox-postfix-"));
    server.folder = folder;
    [server.port] = await listener_ports(1);
    const id = (option, user) => Number(execFileSync("id", [option, user]));
    const [uid, gid] = [id("-u", "nobody"), id("-g", "nobody")];
    const owner = id("-u", "postfix");
    chmodSync(folder, 0o755);
    for (const name of ["queue", "queue/pid", "people", "data", ...QUEUES.map((queue) => `queue/${queue}`)]) mkdirSync(join(folder, name));
    for (const name of ["data", ...QUEUES.map((queue) => `queue/${queue}`)]) chownSync(join(folder, name), owner, 0);
    chownSync(join(folder, "people"), uid, gid);
    writeFileSync(join(folder, "main.cf"), main({ folder, domain, people, auth, uid, gid }));
    writeFileSync(join(folder, "master.cf"), master(server.port));
    server.child = spawn(join(PROGRAMS, "master"), ["-c", folder, "-d"], { stdio: "ignore" });
    t.after(async () => {
      if (server.child.exitCode === null) {
        const ended = once(server.child, "exit");
        server.child.kill("SIGTERM");
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    });
    for (const end = Date.now() + 15_000; !(await server.say([])); await new Promise((resolve) => setTimeout(resolve, 50)))
      if (Date.now() > end) throw new Error(`postfix does not answer: ${server.log}`);
    return server;
  }
  get log() {
    const path = join(this.folder, "log");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }
  // Says the lines one after the other; the answers with the greeting's first, or nothing if nobody listens.
  say(lines) {
    return new Promise((resolve) => {
      const answers = [];
      const left = [...lines];
      const socket = connect(this.port, "127.0.0.1");
      let rest = "";
      socket.on("error", () => resolve(undefined));
      socket.on("close", () => resolve(answers));
      socket.on("data", (bytes) => {
        const whole = (rest + bytes).split("\r\n");
        rest = whole.pop();
        for (const line of whole) {
          if (line[3] === "-") continue;
          answers.push(line);
          if (left.length === 0) socket.destroy();
          else socket.write(`${left.shift()}\r\n`);
        }
      });
    });
  }
  // The mails that have come for an address, oldest first.
  mails(address) {
    const folder = join(this.folder, "people", address.split("@")[0], "new");
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), "latin1").replaceAll("\n", "\r\n"))
      .map((text) => ({ text, ...parse_mail(text) }));
  }
}
