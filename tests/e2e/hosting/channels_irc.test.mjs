// IRC: the stories of all channels with Debian's ngircd, and what only IRC has.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createServer } from "node:tls";
import { until } from "../support/box.mjs";
import { make_certificate } from "../support/certificate.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { IrcPerson, Ngircd, Wire } from "../peers/ngircd.mjs";

const ROOM = "#group";

class Irc {
  static kind = "irc";
  static has_files = false;
  static repeats_events = false;
  static long_lines = 30;
  kind = "irc";
  max_text = 350;
  env = {};
  token = "password-of-everybody";
  wrong_token = "another-password";
  people = new Map();

  static async start(t) {
    const driver = new Irc();
    driver.server = await Ngircd.start(t, driver.token);
    driver.wire = await Wire.start(t, driver.server.port);
    for (const number of [101, 102, 103, 104])
      driver.people.set(number, await IrcPerson.enter(t, driver.server.port, `p${number}`, driver.token, ROOM));
    driver.options = { server: `127.0.0.1:${driver.wire.port}`, nickname: "scout", channels: ROOM };
    return driver;
  }
  address = (number) => this.people.get(number).mask;
  // IRC repeats nothing.
  write(number, text, { group, mentioned } = {}) {
    const said = mentioned && !/scout/i.test(text) ? `scout: ${text}` : text;
    this.people.get(number).say(group ? ROOM : "scout", said, () => this.wire.is_welcome);
    return () => {};
  }
  texts = (chat) =>
    chat > 0
      ? this.people.get(chat).heard.flatMap(({ from, to, text }) => (/^scout/.test(from) && to === `p${chat}` ? [text] : []))
      : this.people.get(104).heard.flatMap(({ from, to, text }) => (/^scout/.test(from) && to === ROOM ? [text] : []));
  files = () => [];
  // The box takes what people say in the order of the server: what another stranger says afterwards is answered.
  async taken() {
    await Promise.all([...this.people.values()].map((person) => person.settled()));
    this.write(103, "And me");
    await until("another stranger's code", () => this.texts(103).some((text) => text.includes("code to the person")));
  }
  vanish = () => this.wire.vanish();
  listen = () => this.wire.listen();
  limit = () => this.wire.faults.push("limit");
  lose = () => this.wire.faults.push("lose");
  set refuses(is_refusing) {
    this.wire.always = is_refusing ? "refuse" : undefined;
  }
  set hold(is_held) {
    this.wire.always = is_held ? "lose" : undefined;
  }
  get held() {
    return [...this.people.values()].some(({ heard }) => heard.some(({ text }) => text.includes("Hold it")));
  }
  async revoke() {
    this.server.set_password("changed by the operators");
    await new Promise((resolve) => setTimeout(resolve, 500)); // ngircd says nothing when it has read its file
    this.wire.cut();
  }
}

channel_stories(Irc);

// A server with TLS, SASL, and accounts, strict about the order of things.
class Network {
  said = [];
  faults = [];

  static async start(t, { certificate, account, password }) {
    const network = Object.assign(new Network(), { account, password });
    network.server = createServer(certificate, (socket) => network.#converse(socket));
    network.server.listen(0, "127.0.0.1");
    await once(network.server, "listening");
    network.port = network.server.address().port;
    t.after(() => {
      network.socket?.destroy();
      network.server.close();
    });
    return network;
  }
  send(line) {
    this.socket.write(`${line}\r\n`);
  }
  #converse(socket) {
    this.socket = socket;
    let rest = "";
    let wanted;
    let nick;
    let is_known = false;
    const line = (text) => {
      const [command, ...words] = text.split(" ");
      if (Buffer.byteLength(text) > 510) this.faults.push("a line that is too long");
      if (command === "CAP" && words[0] === "LS") {
        this.send(":net CAP * LS * :multi-prefix message-tags server-time");
        return this.send(":net CAP * LS :account-tag sasl=PLAIN,EXTERNAL draft/chathistory");
      }
      if (command === "CAP" && words[0] === "REQ") return ((wanted = text.split(":")[1]), this.send(`:net CAP * ACK :${wanted}`));
      if (command === "NICK") return void (nick = words[0]);
      if (command === "USER") return;
      if (command === "AUTHENTICATE" && words[0] === "PLAIN") return this.send("AUTHENTICATE +");
      if (command === "AUTHENTICATE") {
        const given = Buffer.from(words[0], "base64").toString().split("\0");
        is_known = given[1] === this.account && given[2] === this.password;
        return this.send(is_known ? `:net 903 ${nick} :SASL authentication successful` : `:net 904 ${nick} :SASL authentication failed`);
      }
      if (command === "CAP" && words[0] === "END")
        return is_known ? this.send(`:net 001 ${nick} :Welcome ${nick}`) : this.faults.push("it went on without an account");
      if (command === "PING") return this.send(`:net PONG net ${text.slice(5)}`);
      if (command === "PRIVMSG") return void this.said.push(text);
      if (command !== "JOIN") this.faults.push(text);
    };
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const lines = (rest + bytes).split("\r\n");
      rest = lines.pop();
      lines.forEach(line);
    });
  }
}

test("irc: over TLS with SASL, people are known by their accounts and messages by their ids", async (t) => {
  const certificate = make_certificate(t, ["127.0.0.1"]);
  const network = await Network.start(t, { certificate, account: "scout-account", password: "the account's password" });
  const Driver = {
    start: async () => ({
      kind: "irc",
      env: { SSL_CERT_FILE: certificate.file },
      token: network.password,
      options: { server: `tls://127.0.0.1:${network.port}`, nickname: "scout", user: network.account },
    }),
  };
  const story = await ChannelStory.start(t, Driver);
  await story.add("a wrong password");
  assert.match((await story.until_state("rejected")).error, /does not accept/);
  await story.call("PATCH", story.channel, { token: network.password });
  const { identity } = await story.until_connected();
  assert.equal(identity, "scout at 127.0.0.1");
  await story.call("PATCH", story.channel, { allowed: ["account:ada"] });
  await story.until_connected();
  const says = (tags, nick, text) => network.send(`@${tags} :${nick}!~x@host.example PRIVMSG scout :${text}`);
  says("msgid=1;account=ada", "ada", "\x02Hello\x02 \x0304,01there\x03");
  says("msgid=1;account=ada", "ada", "\x02Hello\x02 \x0304,01there\x03");
  says("msgid=2;account=ada", "ada-on-the-phone", "!status");
  says("msgid=3", "ada", "I only took the name");
  await until("the answers", () => network.said.length >= 3);
  assert.ok(network.said.includes("PRIVMSG ada :You said: Hello there"), network.said.join("\n"));
  assert.ok(network.said.includes("PRIVMSG ada-on-the-phone :Status: running"));
  assert.match(
    network.said.find((line) => /know you/.test(line)),
    /^PRIVMSG ada :/,
  );
  assert.deepEqual(story.model.asked, ["Hello there"]);
  assert.deepEqual(network.faults, []);
  for (const [edit, pattern] of [
    [{ server: "starttls://irc.example.org" }, /server must have a port with TLS/],
    [{ server: "irc.example.org:6667" }, /server must have a port with TLS/],
    [{ nickname: "two words" }, /nickname must be/],
    [{ channels: "group" }, /channels must be/],
  ]) {
    const options = { server: "127.0.0.1:6667", nickname: "scout", ...edit };
    const { status, body } = await story.owner.call("POST", story.path, { kind: "irc", token: "x", options });
    assert.equal(status, 400, JSON.stringify(edit));
    assert.match(body.error, pattern);
  }
});
