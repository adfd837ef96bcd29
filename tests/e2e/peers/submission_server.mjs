// A strict stand-in for a mail server that takes mails for submission (RFC 6409): who signs in may send, and what is
// sent must be well formed.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";

// {headers: [[name, value]], parts or content} of a mail, decoded.
export const parse_mail = (text) => {
  const end = text.indexOf("\r\n\r\n");
  const head = text.slice(0, end).replaceAll(/\r\n[ \t]+/g, " ");
  const headers = head
    .split("\r\n")
    .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
  const header = (name) => headers.find(([one]) => one === name)?.[1];
  const body = text.slice(end + 4);
  const boundary = /boundary="([^"]+)"/.exec(header("content-type") ?? "")?.[1];
  const mail = { headers, header };
  if (boundary) {
    mail.parts = body
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => parse_mail(part.slice(2).replace(/\r\n$/, "")));
    return mail;
  }
  const decoded =
    header("content-transfer-encoding") === "base64"
      ? Buffer.from(body, "base64")
      : Buffer.from(
          body.replaceAll("=\r\n", "").replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
          "latin1",
        );
  mail.content = decoded.toString("utf8");
  return mail;
};

export class SubmissionServer {
  mails = []; // {from, to, text, ...parse_mail(text)}
  faults = [];
  limits = 0; // the next mails are refused for now
  losing = 0; // the next mails are taken, and the connection ends without an answer
  refuses = false; // the receiver does not exist
  #sockets = new Set();

  // With `certificate`, nobody signs in without STARTTLS.
  static async start(t, { user, password, certificate }) {
    const server = Object.assign(new SubmissionServer(), { user, password, certificate });
    await server.listen();
    t.after(() => server.vanish());
    return server;
  }
  async listen() {
    this.server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      this.#converse(socket, false);
      socket.write("220 stories ESMTP\r\n");
    });
    this.server.listen(this.port ?? 0, "127.0.0.1");
    await once(this.server, "listening");
    this.port = this.server.address().port;
  }
  async vanish() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
  check() {
    assert.deepEqual(this.faults, [], "every mail was well formed");
  }

  #converse(socket, is_safe) {
    let rest = "";
    let mail;
    let is_data = false;
    let is_known = false;
    const say = (line) => socket.write(`${line}\r\n`);
    const take = (lines) => {
      const text = lines.join("\r\n");
      if (lines.some((line) => Buffer.byteLength(line) > 998 || /[\r\n\0]/.test(line))) this.faults.push("a line that no mail may have");
      if (/[^\x00-\x7f]/.test(text)) this.faults.push("a mail that is not ASCII");
      const parsed = { ...mail, text, ...parse_mail(text) };
      for (const name of ["date", "from", "to", "message-id", "mime-version", "auto-submitted"])
        if (parsed.headers.filter(([one]) => one === name).length !== 1) this.faults.push(`not one ${name}`);
      this.mails.push(parsed);
      if (this.losing-- > 0) return socket.destroy();
      say("250 2.0.0 taken");
    };
    const line = (text) => {
      if (is_data) {
        if (text !== ".") return void mail.lines.push(text.startsWith(".") ? text.slice(1) : text);
        is_data = false;
        return take(mail.lines);
      }
      const [verb, ...words] = text.split(" ");
      if (verb === "EHLO") {
        const safe = !this.certificate || is_safe;
        return say(`250-stories\r\n250-${safe ? "AUTH PLAIN LOGIN" : "STARTTLS"}\r\n250 8BITMIME`);
      }
      if (verb === "STARTTLS" && this.certificate && !is_safe) {
        socket.removeAllListeners("data");
        say("220 go on");
        const safe = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(this.certificate) });
        return this.#converse(safe, true);
      }
      if (verb === "AUTH") {
        const [, user, password] = Buffer.from(words[1] ?? "", "base64")
          .toString()
          .split("\0");
        is_known = words[0] === "PLAIN" && user === this.user && password === this.password && (!this.certificate || is_safe);
        return say(is_known ? "235 2.7.0 welcome" : "535 5.7.8 who are you?");
      }
      if (verb === "QUIT") return (say("221 bye"), socket.end());
      if (!is_known) {
        this.faults.push(`${verb} before AUTH`);
        return say("530 5.7.0 sign in first");
      }
      const path = /^(?:FROM|TO):<([^<>\s]+@[^<>\s]+)>$/.exec(words.join(" "))?.[1];
      if (verb === "MAIL" && path) {
        if (this.limits > 0 && this.limits--) return say("451 4.7.1 too many mails, later");
        mail = { from: path, lines: [] };
        return say("250 2.1.0 ok");
      }
      if (verb === "RCPT" && path && mail) {
        if (this.refuses) return say("550 5.1.1 no such person");
        mail.to = path;
        return say("250 2.1.5 ok");
      }
      if (verb === "DATA" && mail?.to) return ((is_data = true), say("354 go on"));
      this.faults.push(`unexpected: ${text}`);
      say("503 5.5.1 not now");
    };
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const lines = (rest + bytes.toString("latin1")).split("\r\n");
      rest = lines.pop();
      lines.forEach(line);
    });
  }
}
