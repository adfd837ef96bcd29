// Debian's prosody on loopback in a folder of its own, with a module that makes it refuse or lose the bot's messages;
// and people who talk over it.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listener_ports } from "../support/ports.mjs";

const MODULE = `
local st = require "util.stanza";
local file = module:get_option_string("stories_control");
local bot = module:get_option_string("stories_bot");
local function order()
  local opened = io.open(file);
  if not opened then return ""; end
  local text = opened:read("*l") or "";
  opened:close();
  return text;
end
local function intercept(event)
  local origin, stanza = event.origin, event.stanza;
  if origin.username ~= bot or not stanza:get_child("body") then return; end
  local now = order();
  if now == "limit" then
    os.remove(file);
    origin.send(st.error_reply(stanza, "wait", "resource-constraint", "Too fast"));
    return true;
  elseif now == "refuse" then
    origin.send(st.error_reply(stanza, "cancel", "item-not-found", "No such person"));
    return true;
  elseif now == "lose" or now == "hold" then
    if now == "lose" then os.remove(file); end
    local taken = st.clone(stanza);
    taken.attr.from = origin.full_jid;
    module:send(taken);
    origin.send = function () return true; end
    origin.conn:close();
    return true;
  end
end
module:hook("pre-message/bare", intercept, 1000);
module:hook("pre-message/full", intercept, 1000);
module:add_timer(0.2, function ()
  if order() == "kick" then
    os.remove(file);
    local user = prosody.hosts[module.host].sessions[bot];
    for _, session in pairs(user and user.sessions or {}) do session:close{ condition = "reset" }; end
  end
  return 0.2;
end);
`;

export class Prosody {
  domain = "box.example";

  static async start(t, { bot, password, people, certificate }) {
    const server = Object.assign(new Prosody(), { bot, people });
    server.folder = mkdtempSync(join(tmpdir(), "agentbox-prosody-"));
    [server.port, server.http] = await listener_ports(2);
    const at = (name) => join(server.folder, name);
    server.accounts = at(`data/${server.domain.replace(".", "%2e")}/accounts`);
    mkdirSync(server.accounts, { recursive: true });
    mkdirSync(at("modules"));
    writeFileSync(at("modules/mod_stories.lua"), MODULE);
    writeFileSync(at("key.pem"), certificate.key);
    writeFileSync(at("cert.pem"), certificate.cert);
    server.set_password(bot, password);
    for (const person of people) server.set_password(person, "person");
    writeFileSync(
      at("prosody.cfg.lua"),
      `run_as_root = true
pidfile = "${at("prosody.pid")}"
data_path = "${at("data")}"
plugin_paths = { "${at("modules")}" }
log = { info = "${at("log")}" }
interfaces = { "127.0.0.1" }
c2s_ports = { ${server.port} }
c2s_direct_tls_ports = { }
http_ports = { ${server.http} }
http_interfaces = { "127.0.0.1" }
https_ports = { }
modules_enabled = { "saslauth", "tls", "disco", "ping", "smacks", "offline", "presence", "message", "iq", "roster" }
modules_disabled = { "s2s", "limits" }
authentication = "internal_plain"
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
stories_control = "${at("control")}"
stories_bot = "${bot}"
ssl = { key = "${at("key.pem")}", certificate = "${at("cert.pem")}" }
VirtualHost "${server.domain}"
  modules_enabled = { "stories" }
Component "rooms.${server.domain}" "muc"
  restrict_room_creation = false
  muc_room_locking = false
  muc_room_default_public = true
Component "files.${server.domain}" "http_file_share"
  http_external_url = "http://127.0.0.1:${server.http}/"
  http_host = "127.0.0.1"
`,
    );
    await server.serve();
    t.after(async () => {
      await server.end();
      rmSync(server.folder, { recursive: true, force: true });
    });
    return server;
  }
  set_password(user, password) {
    writeFileSync(join(this.accounts, `${user}.dat`), `return { ["password"] = ${JSON.stringify(password)}; };\n`);
  }
  // What the next message of the bot meets: limit, lose; until the next order: refuse, hold. kick: the bot is sent away.
  order(what) {
    const file = join(this.folder, "control");
    if (what) writeFileSync(file, `${what}\n`);
    else rmSync(file, { force: true });
  }
  async serve() {
    const user = process.getuid() === 0 ? { env: { ...process.env, HOME: this.folder } } : {};
    this.child = spawn("/usr/bin/prosody", ["-F", "--config", join(this.folder, "prosody.cfg.lua")], { stdio: "ignore", ...user });
    const answers = () =>
      new Promise((resolve) => {
        const socket = connect(this.port, "127.0.0.1", () => (socket.destroy(), resolve(true)));
        socket.on("error", () => resolve(false));
      });
    for (const end = Date.now() + 20_000; !(await answers()); await new Promise((resolve) => setTimeout(resolve, 50))) {
      const log = join(this.folder, "log");
      if (Date.now() > end) throw new Error(`prosody does not answer: ${existsSync(log) ? readFileSync(log, "utf8") : ""}`);
    }
    await this.gather();
  }
  async end() {
    for (const person of this.sessions?.values() ?? []) person.socket.destroy();
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await ended;
  }

  // All people are there; those of before with what they have heard.
  async gather() {
    const before = this.sessions;
    this.sessions = new Map();
    for (const name of this.people) this.sessions.set(name, await Person.enter(this, name, before?.get(name)?.heard));
  }
}

const entities = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const plain = (text) =>
  text.replaceAll(
    /&(#x[0-9a-f]+|#\d+|[a-z]+);/gi,
    (_, name) => entities[name] ?? String.fromCodePoint(Number(name[1] === "x" ? `0${name.slice(1)}` : name.slice(1))),
  );
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

class Person {
  #rest = "";
  #waits = [];

  static async enter(server, name, heard = []) {
    const person = Object.assign(new Person(), { server, name, heard });
    person.socket = connect(server.port, "127.0.0.1");
    person.socket.on("error", () => {});
    person.socket.on("data", (bytes) => person.#take(bytes.toString()));
    const head = `<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0' to='${server.domain}'>`;
    await person.#ask(head, /<\/stream:features>/);
    const credentials = Buffer.from(`\0${name}\0person`).toString("base64");
    await person.#ask(`<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${credentials}</auth>`, /<success/);
    await person.#ask(head, /<\/stream:features>/);
    await person.#ask("<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>", /<iq [^>]*id=['"]bind['"]/);
    await person.#ask("<presence/>", /<presence/);
    person.is_there = true;
    return person;
  }
  #ask(text, wanted) {
    if (!this.is_there) this.#rest = ""; // later it may hold half of a message
    const answered = new Promise((resolve, reject) => {
      this.#waits.push([wanted, resolve]);
      this.socket.once("close", () => reject(new Error(`${this.name}: prosody closed the connection`)));
    });
    answered.catch(() => {});
    this.socket.write(text);
    return answered;
  }
  #take(text) {
    this.#rest += text;
    const [wait] = this.#waits;
    if (wait?.[0].test(this.#rest)) {
      this.#waits.shift();
      wait[1]();
    }
    for (let found; (found = /<message\b[^>]*?(?:\/>|>[\s\S]*?<\/message>)/.exec(this.#rest)); ) {
      this.#rest = this.#rest.slice(found.index + found[0].length);
      this.#hear(found[0]);
    }
  }
  #hear(stanza) {
    const head = stanza.slice(0, stanza.indexOf(">"));
    const attribute = (name) => plain(new RegExp(` ${name}=(['"])(.*?)\\1`).exec(head)?.[2] ?? "");
    const content = (name) => plain(new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`).exec(stanza)?.[1] ?? "");
    if (attribute("type") === "error" || !content("body") || (attribute("type") === "groupchat" && /urn:xmpp:delay/.test(stanza))) return;
    const replaces = /<replace [^>]*id=(['"])(.*?)\1/.exec(stanza)?.[2];
    const message = {
      from: attribute("from"),
      id: attribute("id"),
      type: attribute("type"),
      text: content("body"),
      url: content("url"),
      edits: [],
    };
    const earlier = replaces && this.heard.find(({ id }) => id === replaces);
    if (earlier) return void Object.assign(earlier, { text: message.text, edits: [...earlier.edits, message] });
    this.heard.push(message);
    if (message.url)
      void fetch(message.url)
        .then((answer) => answer.text())
        .then((text) => (message.content = text));
  }
  join(room) {
    this.socket.write(
      `<presence to='${room}/${this.name}'><x xmlns='http://jabber.org/protocol/muc'><history maxstanzas='0'/></x></presence>`,
    );
  }
  // Once the server has everything that was said.
  async settled() {
    const id = randomUUID();
    await this.#ask(
      `<iq type='get' id='${id}' to='${this.server.domain}'><ping xmlns='urn:xmpp:ping'/></iq>`,
      new RegExp(`<iq [^>]*${id}`),
    );
  }
  // The file as an address, as people's programs send it.
  say(to, type, text, { url, id }) {
    const file = url ? `<x xmlns='jabber:x:oob'><url>${escaped(url)}</url></x>` : "";
    this.socket.write(`<message to='${to}' type='${type}' id='${id}'><body>${escaped(text)}</body>${file}</message>`);
  }
}
