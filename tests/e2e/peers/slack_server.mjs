// A stand-in for Slack's Web API, Socket Mode and Events API, written from their published description.
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { package_named } from "../support/packages.mjs";
import { ChatProvider } from "./chat_provider.mjs";

const { WebSocketServer } = package_named("ws");

const MAX_TEXT = 4000; // of a message that can be edited
const MAX_SECTION = 3000;
const ACTIONS = 25;

// What people read of mrkdwn; throws where the text is not escaped.
export const read_mrkdwn = (text) => {
  const rest = text.replace(/<(https?|mailto|tel):[^<>|]+(\|[^<>]*)?>/g, "");
  assert.doesNotMatch(rest, /[<>]/, "< and > are escaped, but for links");
  assert.doesNotMatch(rest.replaceAll(/&(amp|lt|gt);/g, ""), /&/, "& is escaped");
  return text
    .replaceAll(/<([^<>|]+)\|([^<>]*)>/g, "$2 ($1)")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
};

export class SlackServer extends ChatProvider {
  token = "xoxb-17-bot-of-the-stories";
  app_token = "xapp-1-app-of-the-stories";
  signing_secret = "8f742231b10e8888abcd99yyyzzz85a5";
  user = "UBOT";
  uploads = new Map(); // by id: {name, length, content}
  files = new Map(); // by path
  acknowledged = []; // ids of envelopes
  gives_names = true; // false: requests for them get no answer
  events_url = undefined; // set: events are posted there, not sent over sockets
  #sockets = new Set();
  #waiting = []; // envelopes that were not acknowledged
  #last = 0;
  #pages = new WebSocketServer({ noServer: true });

  drop_sockets() {
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }
  get connections() {
    return this.#sockets.size;
  }
  upgrade(request, socket, head) {
    const { pathname, searchParams } = new URL(request.url, this.url);
    if (pathname !== "/link" || searchParams.get("ticket") !== this.ticket) return socket.destroy();
    this.ticket = undefined; // an address is for one connection
    this.#pages.handleUpgrade(request, socket, head, (page) => {
      this.#sockets.add(page);
      page.on("close", () => this.#sockets.delete(page));
      page.on("error", () => {});
      page.on("message", (data) => this.#hear(JSON.parse(data)));
      page.send(JSON.stringify({ type: "hello", num_connections: this.#sockets.size, connection_info: { app_id: "A1" } }));
      for (const envelope of this.#waiting) page.send(JSON.stringify({ ...envelope, retry_attempt: 1, retry_reason: "timeout" }));
    });
  }
  #hear(message) {
    try {
      assert.deepEqual(Object.keys(message), ["envelope_id"]);
      this.acknowledged.push(message.envelope_id);
      this.#waiting = this.#waiting.filter(({ envelope_id }) => envelope_id !== message.envelope_id);
    } catch (fault) {
      this.faults.push(`socket: ${fault.message}`);
    }
  }
  get unacknowledged() {
    return this.#waiting.length;
  }
  // Slack asks for another connection, and ends this one soon.
  refresh() {
    for (const socket of this.#sockets) socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested", debug_info: {} }));
  }

  timestamp() {
    this.#last = Math.max(Date.now() * 1000, this.#last + 1);
    return `${Math.floor(this.#last / 1e6)}.${String(this.#last % 1e6).padStart(6, "0")}`;
  }
  // A person writes. A mention in a channel comes as two events.
  write({ user, channel, text, files = [], thread_ts, mentions = false }) {
    const is_im = channel.startsWith("D");
    const said = mentions ? `<@${this.user}> ${text}` : text;
    const event = { type: "message", user, text: said, ts: this.timestamp(), channel, event_ts: "1" };
    event.channel_type = is_im ? "im" : "channel";
    if (thread_ts) event.thread_ts = thread_ts;
    if (files.length) {
      event.subtype = "file_share";
      event.files = files.map(({ name, content }) => {
        const path = `/files-pri/T1-F${this.files.size}/${name.split("/").at(-1)}`;
        this.files.set(path, content);
        return { id: `F${this.files.size}`, name, size: content.length, mode: "hosted", url_private_download: this.url + path };
      });
    }
    const events = [event];
    if (mentions && !is_im) {
      const { channel_type: _, ...mention } = event;
      events.push({ ...mention, type: "app_mention" });
    }
    for (const one of events) void this.deliver(one);
    return () => Promise.all(events.map((one) => this.deliver(one)));
  }
  deliver(event) {
    return this.send_payload("events_api", { type: "event_callback", event_id: `Ev${randomUUID()}`, team_id: "T1", event });
  }
  press({ user, channel, message, value }) {
    const payload = { type: "block_actions", user: { id: user, username: user, name: user }, channel: { id: channel }, team: { id: "T1" } };
    payload.message = { ts: message, type: "message" };
    payload.actions = [{ type: "button", action_id: "choice_0", block_id: "b", value, action_ts: this.timestamp() }];
    return this.send_payload("interactive", payload);
  }
  async send_payload(type, payload) {
    if (this.events_url) {
      const { status } = await this.post(payload, type === "interactive");
      if (status !== 200) this.faults.push(`an event was answered ${status}`);
      return;
    }
    const envelope = { envelope_id: randomUUID(), type, payload, accepts_response_payload: type === "interactive" };
    this.#waiting.push(envelope);
    for (const socket of this.#sockets) return socket.send(JSON.stringify(envelope));
  }
  post(payload, is_form = false, { at = Date.now(), secret = this.signing_secret, signature } = {}) {
    const text = JSON.stringify(payload);
    const body = is_form ? new URLSearchParams({ payload: text }).toString() : text;
    const stamp = Math.floor(at / 1000);
    const signed = createHmac("sha256", secret).update(`v0:${stamp}:${body}`).digest("hex");
    const headers = {
      "content-type": is_form ? "application/x-www-form-urlencoded" : "application/json",
      "x-slack-request-timestamp": String(stamp),
      "x-slack-signature": signature ?? `v0=${signed}`,
    };
    return fetch(this.events_url, { method: "POST", headers, body });
  }

  async answer({ request, response, bytes, url, send, path }) {
    if (path.startsWith("/upload/")) {
      const upload = this.uploads.get(path.slice("/upload/".length));
      assert.ok(upload && upload.length === bytes.length, "the upload has the announced length");
      assert.equal(request.headers.authorization, undefined, "the address of an upload needs no token");
      upload.content = bytes.toString();
      return send(200, Buffer.from("OK"));
    }
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const wanted = path === "/apps.connections.open" ? this.app_token : this.token;
    if (bearer !== wanted || this.is_revoked) {
      if (path.startsWith("/files-pri/")) return response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in");
      return send(200, { ok: false, error: bearer ? "invalid_auth" : "not_authed" });
    }
    if (path.startsWith("/files-pri/")) return send(200, Buffer.from(this.files.get(path)));
    assert.equal(request.method, "POST");
    const type = request.headers["content-type"] ?? "";
    const given = type.startsWith("application/json") ? JSON.parse(bytes) : Object.fromEntries(new URLSearchParams(bytes.toString()));
    const method = path.slice(1);
    this.calls.push(method);
    switch (method) {
      case "auth.test":
        return send(200, { ok: true, url: this.url, team: "Stories", user: "scout", team_id: "T1", user_id: this.user, bot_id: "B1" });
      case "apps.connections.open":
        this.ticket = randomUUID();
        return send(200, { ok: true, url: `${this.url.replace("http", "ws")}/link?ticket=${this.ticket}&app_id=A1` });
      case "users.info":
        assert.ok(given.user);
        if (!this.gives_names) return;
        return send(200, {
          ok: true,
          user: {
            id: given.user,
            real_name: `Person ${given.user}`,
            locale: given.user.includes("GERMAN") ? "de-DE" : "en-US",
            profile: {},
          },
        });
      case "chat.postMessage":
      case "chat.update":
        return this.#take(method, given, send, response);
      case "files.getUploadURLExternal": {
        assert.ok(!type.startsWith("application/json"), "this method takes a form");
        assert.ok(given.filename && Number(given.length) > 0);
        const id = `F${randomUUID()}`;
        this.uploads.set(id, { name: given.filename, length: Number(given.length) });
        return send(200, { ok: true, upload_url: `${this.url}/upload/${id}`, file_id: id });
      }
      case "files.completeUploadExternal": {
        if (this.refuses_message(send)) return;
        for (const { id, title } of given.files) {
          const { content } = this.uploads.get(id);
          assert.ok(content !== undefined, "the content came before");
          this.messages.push({ chat: given.channel_id, thread: given.thread_ts, file: { name: title, content } });
        }
        if (this.loses_answer(response)) return;
        return send(200, { ok: true, files: given.files });
      }
      default:
        assert.fail(`no such method: ${method}`);
    }
  }

  #take(method, given, send, response) {
    if (this.refuses_message(send)) return;
    assert.match(given.channel, /^[CDG]\w+$/);
    assert.ok(given.text?.length >= 1 && given.text.length <= MAX_TEXT, `text has ${given.text?.length} characters`);
    const message = { ts: this.timestamp(), chat: given.channel, thread: given.thread_ts, text: read_mrkdwn(given.text), at: Date.now() };
    const elements = [];
    for (const block of given.blocks ?? []) {
      if (block.type === "section") assert.ok(block.text.type === "mrkdwn" && block.text.text.length <= MAX_SECTION);
      else if (block.type === "actions") elements.push(...block.elements);
      else assert.fail(`a block of type ${block.type}`);
    }
    if (elements.length) {
      assert.ok(elements.length <= ACTIONS);
      assert.equal(new Set(elements.map(({ action_id }) => action_id)).size, elements.length, "ids differ");
      for (const { type, text, value } of elements)
        assert.ok(type === "button" && text.type === "plain_text" && text.text.length <= 75 && value.length <= 2000);
      message.buttons = elements.map(({ text, value }) => ({ label: text.text, data: value }));
    }
    if (method === "chat.update") {
      const before = this.messages.find(({ ts, chat }) => ts === given.ts && chat === given.channel);
      if (!before) return send(200, { ok: false, error: "message_not_found" });
      before.edits = [...(before.edits ?? []), { text: before.text }];
      // Blocks that are not given stay.
      Object.assign(before, { text: message.text, ...(given.blocks && { buttons: message.buttons }) });
      return send(200, { ok: true, ts: before.ts, channel: before.chat, text: given.text });
    }
    this.messages.push(message);
    if (this.loses_answer(response)) return;
    send(200, { ok: true, ts: message.ts, channel: message.chat, message: {} });
  }
}
