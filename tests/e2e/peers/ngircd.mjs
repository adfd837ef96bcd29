// Debian's ngircd on loopback in a folder of its own, people who talk over it, and a wire to it that the story can cut.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listener_ports } from "../support/ports.mjs";

export class Ngircd {
  static async start(t, password) {
    const server = new Ngircd();
    server.folder = mkdtempSync(join(tmpdir(), "agentbox-ngircd-"));
    chmodSync(server.folder, 0o755);
    [server.port] = await listener_ports(1);
    server.set_password(password);
    server.child = spawn("/usr/sbin/ngircd", ["-n", "-f", join(server.folder, "ngircd.conf")], { stdio: "ignore" });
    t.after(async () => {
      const ended = once(server.child, "exit");
      server.child.kill("SIGTERM");
      await ended;
      rmSync(server.folder, { recursive: true, force: true });
    });
    for (const end = Date.now() + 15_000; !(await server.#answers()); await new Promise((resolve) => setTimeout(resolve, 50)))
      if (Date.now() > end) throw new Error("ngircd does not answer");
    return server;
  }
  #answers() {
    return new Promise((resolve) => {
      const socket = connect(this.port, "127.0.0.1", () => (socket.destroy(), resolve(true)));
      socket.on("error", () => resolve(false));
    });
  }
  // Of everybody who connects from now on.
  set_password(password) {
    writeFileSync(
      join(this.folder, "ngircd.conf"),
      `[Global]
Name = irc.stories.example
Info = stories
AdminInfo1 = stories
AdminEMail = admin@stories.example
Listen = 127.0.0.1
Ports = ${this.port}
Password = ${password}
ServerUID = nobody
ServerGID = nogroup
MotdPhrase = "hello"
[Limits]
MaxConnectionsIP = 0
MaxPenaltyTime = 0
[Options]
DNS = no
Ident = no
PAM = no
SyslogFacility = local1
`,
      { mode: 0o644 },
    );
    this.child?.kill("SIGHUP");
  }
}

// A wire to a server on loopback, for one client. What the client's next message meets: `faults`, or `always`:
// "limit", "refuse", "lose".
export class Wire {
  faults = [];
  always = undefined;
  is_welcome = false; // the client has signed in
  #sockets = new Set();

  static async start(t, to) {
    const wire = Object.assign(new Wire(), { to });
    await wire.listen();
    t.after(() => wire.vanish());
    return wire;
  }
  async listen() {
    this.server = createServer((client) => this.#join(client));
    this.server.listen(this.port ?? 0, "127.0.0.1");
    await once(this.server, "listening");
    this.port = this.server.address().port;
  }
  cut() {
    for (const socket of this.#sockets) socket.destroy();
  }
  async vanish() {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
  #join(client) {
    const server = connect(this.to, "127.0.0.1");
    let rest = "";
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        if (this.client === client) this.is_welcome = false;
        client.destroy();
        server.end();
      });
    }
    this.client = client;
    this.is_welcome = false;
    server.on("data", (bytes) => {
      if (/ 001 /.test(bytes.toString("latin1"))) this.is_welcome = true;
      client.write(bytes);
    });
    client.on("data", (bytes) => {
      const lines = (rest + bytes.toString("latin1")).split("\r\n");
      rest = lines.pop();
      for (const line of lines) {
        const target = /^PRIVMSG (\S+) /.exec(line)?.[1];
        const fault = target && (this.faults.shift() ?? this.always);
        if (fault === "limit") client.write(":irc.stories.example 263 scout PRIVMSG :Please wait a while and try again.\r\n");
        else if (fault === "refuse") client.write(`:irc.stories.example 401 scout ${target} :No such nick or channel name\r\n`);
        else server.write(Buffer.from(`${line}\r\n`, "latin1"));
        if (fault === "lose") return client.destroy();
      }
    });
  }
}

// Says what it is told one after the other, once the receiver is there: IRC keeps nothing for anybody.
export class IrcPerson {
  heard = []; // {from, to, text}
  #rest = "";
  #waits = [];
  #said = Promise.resolve();

  static async enter(t, port, nick, password, channel) {
    const person = Object.assign(new IrcPerson(), { nick });
    person.socket = connect(port, "127.0.0.1");
    person.socket.on("error", () => {});
    person.socket.on("data", (bytes) => {
      const lines = (person.#rest + bytes.toString()).split("\r\n");
      person.#rest = lines.pop();
      lines.forEach((line) => person.#hear(line));
    });
    t.after(() => person.socket.destroy());
    const welcome = await person.#ask(`PASS ${password}\r\nNICK ${nick}\r\nUSER ${nick} 0 * :Person`, (line) => / 001 /.test(line) && line);
    person.mask = /(\S+![^ ]+)$/.exec(welcome)[1];
    await person.#ask(`JOIN ${channel}`, (line) => / 366 /.test(line));
    return person;
  }
  #ask(line, answered) {
    const answer = new Promise((resolve) => this.#waits.push({ answered, resolve }));
    this.socket.write(`${line}\r\n`);
    return answer;
  }
  #hear(line) {
    if (line.startsWith("PING ")) this.socket.write(`PONG ${line.slice(5)}\r\n`);
    for (const wait of [...this.#waits]) {
      const answer = wait.answered(line);
      if (!answer) continue;
      this.#waits.splice(this.#waits.indexOf(wait), 1);
      wait.resolve(answer);
    }
    const [, from, to, text] = /^:([^ !]+)\S* PRIVMSG (\S+) :(.*)$/.exec(line) ?? [];
    if (from) this.heard.push({ from, to, text });
  }
  // Once the server has everything that was said.
  settled() {
    return this.#said;
  }
  say(to, text, is_there) {
    this.#said = this.#said.then(async () => {
      for (
        const end = Date.now() + 20_000;
        Date.now() < end && !this.socket.destroyed;
        await new Promise((resolve) => setTimeout(resolve, 50))
      ) {
        if (!is_there()) continue;
        this.socket.write(`PRIVMSG ${to} :${text}\r\n`);
        return this.#ask("PING :said", (line) => / PONG /.test(line));
      }
    });
  }
}
