// A stand-in for Discord's HTTP API and gateway, written from their published description.
import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { package_named } from "../support/packages.mjs";
import { ChatProvider, form_of } from "./chat_provider.mjs";

const { WebSocketServer } = package_named("ws");

const MAX_TEXT = 2000;
const PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15);
const [DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK] = [0, 1, 2, 6, 7, 9, 10, 11];

export class DiscordServer extends ChatProvider {
  token = "NDcxMQ.Gh-story.of_the-bot";
  id = "4711";
  application = "4712";
  interval = 400; // milliseconds between heartbeats
  sessions = new Map(); // by id: {events, socket}
  identified = 0;
  resumed = 0;
  beats = 0;
  callbacks = []; // answers to interactions
  commands = [];
  close_with = undefined; // the code for those that identify
  remaining = 900; // of the sessions of a day
  limit_after = Infinity; // messages of a channel until its limit is used up
  files = new Map();
  #nonces = new Map();
  #pending = new Map(); // interactions by id
  #next = 1000n;
  #pages = new WebSocketServer({ noServer: true });

  static async start(t, options) {
    const server = await super.start(t, options);
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    server.public_key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
    server.private_key = privateKey;
    return server;
  }
  snowflake() {
    return String((BigInt(Date.now() - 1420070400000) << 22n) + this.#next++);
  }
  drop_sockets() {
    for (const { socket } of this.sessions.values()) socket?.terminate();
  }
  // The current session, if somebody is connected to it.
  get session() {
    return [...this.sessions.values()].find(({ socket }) => socket);
  }
  upgrade(request, socket, head) {
    const { pathname, searchParams } = new URL(request.url, this.url);
    if (!["/", "/resume/"].includes(pathname) || searchParams.get("v") !== "10" || searchParams.get("encoding") !== "json") {
      this.faults.push(`gateway: ${request.url}`);
      return socket.destroy();
    }
    this.#pages.handleUpgrade(request, socket, head, (page) => this.#greet(page, pathname));
  }
  #greet(page, pathname) {
    let session;
    let last_beat = Date.now();
    // The first heartbeat may take a whole interval; a client that misses two is gone.
    const watch = setInterval(() => Date.now() - last_beat > this.interval * 3 && page.close(4009), this.interval);
    page.on("error", () => {});
    page.on("close", () => {
      clearInterval(watch);
      if (session?.socket === page) session.socket = undefined;
    });
    const say = (op, d, more = {}) => page.send(JSON.stringify({ op, d, s: null, t: null, ...more }));
    const attach = (found) => {
      session = found;
      session.socket = page;
      session.send = (event) => say(DISPATCH, event.d, { s: event.s, t: event.t });
    };
    page.on("message", (data) => {
      try {
        const { op, d } = JSON.parse(data);
        if (op === HEARTBEAT) {
          assert.ok(d === null || Number.isInteger(d), "a heartbeat has the last sequence");
          this.beats++;
          last_beat = Date.now();
          if (!this.is_silent) say(ACK, null);
        } else if (op === IDENTIFY) {
          assert.equal(pathname, "/");
          if (d.token !== this.token || this.is_revoked) return page.close(4004, "Authentication failed.");
          assert.equal(d.intents & PRIVILEGED, 0, "no privileged intents");
          assert.ok(d.properties.os && d.properties.browser && d.properties.device);
          if (this.close_with) return page.close(this.close_with);
          this.identified++;
          this.remaining--;
          const session_id = randomUUID();
          this.sessions.set(session_id, { events: [], socket: undefined });
          attach(this.sessions.get(session_id));
          const resume_gateway_url = `${this.url.replace("http", "ws")}/resume`;
          this.#dispatch(session, "READY", { v: 10, user: { id: this.id, username: "scout", bot: true }, session_id, resume_gateway_url });
        } else if (op === RESUME) {
          assert.equal(pathname, "/resume/", "sessions are resumed at their own address");
          if (d.token !== this.token || this.is_revoked) return page.close(4004, "Authentication failed.");
          const found = this.sessions.get(d.session_id);
          if (!found) return say(INVALID, false);
          assert.ok(Number.isInteger(d.seq));
          attach(found);
          this.resumed++;
          for (const event of session.events.filter(({ s }) => s > d.seq)) session.send(event);
          this.#dispatch(session, "RESUMED", {});
        } else {
          assert.fail(`op ${op}`);
        }
      } catch (fault) {
        this.faults.push(`gateway: ${fault.message}`);
        page.close(4002);
      }
    });
    say(HELLO, { heartbeat_interval: this.interval });
  }
  #dispatch(session, t, d) {
    const event = { t, d, s: session.events.length + 1 };
    session.events.push(event);
    if (session.socket) session.send(event);
  }
  // To the newest session, whether or not the bot is connected.
  dispatch(t, d) {
    const session = this.session ?? [...this.sessions.values()].at(-1);
    assert.ok(session, "the bot has begun a session");
    this.#dispatch(session, t, d);
  }
  ask_to_reconnect() {
    this.session.socket.send(JSON.stringify({ op: RECONNECT, d: null }));
  }
  forget_sessions() {
    this.drop_sockets();
    this.sessions.clear();
  }

  write({ user, channel, guild, text, mentions = false, files = [] }) {
    const message = {
      id: this.snowflake(),
      type: 0,
      channel_id: channel,
      ...(guild && { guild_id: guild, member: {} }),
      author: { id: user, username: `person${user}`, global_name: `Person ${user}` },
      content: mentions ? `<@${this.id}> ${text}` : text,
      mentions: mentions ? [{ id: this.id, username: "scout", bot: true }] : [],
      attachments: files.map(({ name, content }) => {
        const path = `/attachments/${this.files.size}`;
        this.files.set(path, content);
        return { id: this.snowflake(), filename: name, size: content.length, url: `${this.url}${path}?ex=1&hm=2` };
      }),
    };
    this.dispatch("MESSAGE_CREATE", message);
    return () => this.dispatch("MESSAGE_CREATE", message);
  }
  interaction({ user, channel, type = 3, data, message }) {
    const id = this.snowflake();
    const person = { id: user, username: `person${user}`, global_name: `Person ${user}` };
    return {
      ...{ id, application_id: this.application, type, token: `token-${id}`, version: 1, channel_id: channel, user: person },
      ...{ data, locale: "en-US", ...(message && { message: { id: message } }) },
    };
  }
  // By the gateway. Resolves with the answer, which must come within three seconds.
  interact(interaction) {
    const answered = new Promise((resolve, reject) => {
      this.#pending.set(interaction.id, { token: interaction.token, resolve });
      setTimeout(() => reject(new Error("This interaction failed")), 3_000).unref();
    });
    this.dispatch("INTERACTION_CREATE", interaction);
    return answered;
  }
  post(url, body, { at = Date.now(), key = this.private_key } = {}) {
    const text = JSON.stringify(body);
    const stamp = String(Math.floor(at / 1000));
    const signature = sign(null, Buffer.from(stamp + text), key).toString("hex");
    const headers = { "content-type": "application/json", "x-signature-ed25519": signature, "x-signature-timestamp": stamp };
    return fetch(url, { method: "POST", headers, body: text });
  }

  async answer({ request, response, bytes, send, method, path }) {
    if (path.startsWith("/attachments/")) {
      assert.equal(request.headers.authorization, undefined, "attachments need no token");
      return send(200, Buffer.from(this.files.get(path)));
    }
    const callback = /^\/interactions\/(\d+)\/([^/]+)\/callback$/.exec(path);
    if (callback) {
      const pending = this.#pending.get(callback[1]);
      if (pending?.token !== callback[2]) return send(404, { message: "Unknown interaction", code: 10062 });
      this.#pending.delete(callback[1]);
      pending.resolve(JSON.parse(bytes));
      return response.writeHead(204).end();
    }
    if (request.headers.authorization !== `Bot ${this.token}` || this.is_revoked)
      return send(401, { message: "401: Unauthorized", code: 0 });
    assert.match(request.headers["user-agent"] ?? "", /^DiscordBot \(\S+, \S+\)/);
    this.calls.push(`${method} ${path}`);
    if (path === "/users/@me") return send(200, { id: this.id, username: "scout", bot: true });
    if (path === "/applications/@me") return send(200, { id: this.application, name: "Scout", verify_key: this.public_key });
    if (path === "/gateway/bot")
      return send(200, {
        url: this.url.replace("http", "ws"),
        shards: 1,
        session_start_limit: { total: 1000, remaining: this.remaining, reset_after: 1, max_concurrency: 1 },
      });
    if (method === "PUT" && path === `/applications/${this.application}/commands`) {
      this.commands = JSON.parse(bytes);
      for (const { name, description } of this.commands) assert.ok(/^[-_a-z]{1,32}$/.test(name) && description.length <= 100);
      return send(200, this.commands);
    }
    const channel = /^\/channels\/(\d+)(?:\/(messages|typing)(?:\/(\d+))?)?$/.exec(path);
    assert.ok(channel, "a known route");
    if (!channel[2]) return send(200, { id: channel[1], type: 0, name: "general" });
    if (channel[2] === "typing") return response.writeHead(204).end();
    this.#take(channel[1], channel[3], method, bytes, request.headers["content-type"], send, response);
  }

  #take(chat, id, method, bytes, type, send, response) {
    if (this.refuses_message(send)) return;
    const form = type.startsWith("multipart/form-data") ? form_of(bytes, type) : undefined;
    const given = form ? JSON.parse(form.payload_json) : JSON.parse(bytes);
    assert.deepEqual(given.allowed_mentions, { parse: [] }, "nobody is notified");
    if (!form) assert.ok(given.content?.length >= 1 && given.content.length <= MAX_TEXT, `content has ${given.content?.length} characters`);
    const buttons = (given.components ?? []).flatMap(({ type, components }) => {
      assert.equal(type, 1);
      return components.map(({ type, style, label, custom_id }) => {
        assert.ok(type === 2 && style >= 1 && style <= 4 && label.length <= 80 && custom_id.length <= 100);
        return { label, data: custom_id };
      });
    });
    if (method === "PATCH") {
      const before = this.messages.find((one) => one.id === id && one.chat === chat);
      if (!before) return send(404, { message: "Unknown Message", code: 10008 });
      before.edits = [...(before.edits ?? []), { text: before.text }];
      Object.assign(before, { text: given.content }, given.components && { buttons });
      return send(200, { id: before.id });
    }
    assert.equal(method, "POST");
    if (given.nonce) assert.ok(given.nonce.length <= 25 && given.enforce_nonce === true);
    const known = given.nonce && this.#nonces.get(given.nonce);
    if (known) return send(200, { id: known.id });
    const message = { id: this.snowflake(), chat, text: given.content, reply_to: given.message_reference?.message_id };
    if (buttons.length) message.buttons = buttons;
    if (form) message.file = { name: form["files[0]"].name, content: form["files[0]"].content.toString(), type: form["files[0]"].type };
    message.at = Date.now();
    this.messages.push(message);
    if (given.nonce) this.#nonces.set(given.nonce, message);
    if (this.loses_answer(response)) return;
    const is_used_up = --this.limit_after <= 0;
    const limits = { "x-ratelimit-limit": "5", "x-ratelimit-remaining": is_used_up ? "0" : "4", "x-ratelimit-reset-after": "0.8" };
    send(200, { id: message.id, channel_id: chat }, { ...limits, "x-ratelimit-bucket": "b" });
  }
}
