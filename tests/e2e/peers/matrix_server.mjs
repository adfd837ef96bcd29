// A strict stand-in for a Matrix homeserver, written from the client-server API of the specification.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

const MAX_EVENT = 65_536;
const TAGS = new Set(["b", "i", "del", "code", "pre", "a", "blockquote", "br"]);

const check_html = (html) => {
  const open = [];
  for (const [, closes, name] of html.matchAll(/<(\/?)([a-z]+)[^<>]*>/g)) {
    if (!TAGS.has(name)) throw new Error(`<${name}>`);
    if (name === "br") continue;
    if (!closes) open.push(name);
    else if (open.pop() !== name) throw new Error(`</${name}>`);
  }
  if (open.length) throw new Error(`<${open.at(-1)}> is not closed`);
  if (/&(?!(lt|gt|amp|quot|#\d+);)/.test(html)) throw new Error("&");
};

export class MatrixServer {
  token = "syt_c2NvdXQ_secret_1a2b3c";
  user = "@scout:box.example";
  rooms = new Map(); // id → {name, members, invited}
  events = []; // of all rooms, in order: {room, event}
  media = new Map(); // id → {type, content}
  account_data = new Map();
  faults = [];
  typings = 0;
  is_revoked = false;
  fail_next = []; // answers for the next messages
  fail_always = undefined;
  lose_next = 0; // messages that are taken, and whose answer is cut off
  #waiting = new Set();
  #transactions = new Map();

  static async start(t) {
    const server = new MatrixServer();
    await server.listen();
    t.after(() => server.vanish());
    return server;
  }
  async listen() {
    this.http = createServer((request, response) => void this.#serve(request, response));
    this.http.listen(this.port ?? 0, "127.0.0.1");
    await once(this.http, "listening");
    this.port = this.http.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
  }
  async vanish() {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }
  check() {
    assert.deepEqual(this.faults, [], "every request was well formed");
  }

  // A room with these people, to which the bot is invited.
  open(id, members, name) {
    if (this.rooms.has(id)) return;
    this.rooms.set(id, { name, members: [...members], invited: true });
    this.#wake();
  }
  add(room, event) {
    const whole = { event_id: `$event${this.events.length}`, origin_server_ts: Date.now(), type: "m.room.message", ...event };
    this.events.push({ room, event: whole });
    this.#wake();
    return whole;
  }
  // The same event in the next sync, too.
  repeat({ room, event }) {
    this.events.push({ room, event });
    this.#wake();
  }
  // What the bot has said, edits applied: {event_id, content, edits}.
  said(room) {
    const messages = [];
    for (const { room: where, event } of this.events) {
      if (where !== room || event.sender !== this.user) continue;
      const relation = event.content["m.relates_to"];
      const edited = relation?.rel_type === "m.replace" && messages.find(({ event_id }) => event_id === relation.event_id);
      if (edited) Object.assign(edited, { content: event.content["m.new_content"], edits: [...edited.edits, event] });
      else messages.push({ event_id: event.event_id, content: event.content, edits: [] });
    }
    return messages;
  }
  #wake() {
    for (const wake of this.#waiting) wake();
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const send = (status, answer) => {
      if (!response.destroyed) response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    };
    const refuse = (status, errcode, error) => send(status, { errcode, error });
    const { pathname, searchParams } = new URL(request.url, this.url);
    if (request.headers.authorization !== `Bearer ${this.token}` || this.is_revoked)
      return refuse(401, "M_UNKNOWN_TOKEN", "Unrecognised access token");
    const path = pathname.split("/").slice(1).map(decodeURIComponent);
    try {
      const media = pathname.startsWith("/_matrix/media/v3/");
      if (media && request.method === "POST") {
        const id = `media${this.media.size}`;
        this.media.set(id, { type: request.headers["content-type"], content: body, name: searchParams.get("filename") });
        return send(200, { content_uri: `mxc://box.example/${id}` });
      }
      if (pathname.startsWith("/_matrix/client/v1/media/download/")) {
        const found = path[5] === "box.example" && this.media.get(path[6]);
        if (!found) return refuse(404, "M_NOT_FOUND", "No such media");
        return response.writeHead(200, { "content-type": found.type }).end(found.content);
      }
      if (!pathname.startsWith("/_matrix/client/v3/")) throw new Error(`no such path: ${pathname}`);
      const json = ["PUT", "POST"].includes(request.method) ? JSON.parse(body) : undefined;
      const [kind, ...rest] = path.slice(3);
      if (kind === "account" && rest[0] === "whoami") return send(200, { user_id: this.user, device_id: "BOX" });
      if (kind === "user" && rest[1] === "account_data") return this.#account_data(request.method, rest, json, send, refuse);
      if (kind === "sync") return await this.#sync(searchParams, response, send);
      const room = kind === "rooms" && this.rooms.get(rest[0]);
      if (!room) return refuse(403, "M_FORBIDDEN", "You are not in this room");
      if (rest[1] === "join" && request.method === "POST") {
        room.invited = false;
        room.is_new = true;
        room.members.push(this.user);
        this.#wake();
        return send(200, { room_id: rest[0] });
      }
      if (rest[1] === "joined_members")
        return send(200, { joined: Object.fromEntries(room.members.map((one) => [one, { display_name: one }])) });
      if (rest[1] === "typing" && rest[2] === this.user) return (this.typings++, send(200, {}));
      if (rest[1] === "messages") return this.#messages(rest[0], searchParams, send);
      if (rest[1] === "send" && rest[2] === "m.room.message" && rest[3])
        return this.#message(rest[0], rest[3], json, body, response, send, refuse);
      throw new Error(`no such call: ${request.method} ${pathname}`);
    } catch (fault) {
      this.faults.push(fault.message);
      refuse(400, "M_UNRECOGNIZED", fault.message);
    }
  }
  #account_data(method, [user, , type], json, send, refuse) {
    if (user !== this.user) return refuse(403, "M_FORBIDDEN", "Not yours");
    if (method === "GET") {
      const kept = this.account_data.get(type);
      return kept ? send(200, kept) : refuse(404, "M_NOT_FOUND", "Nothing kept");
    }
    this.account_data.set(type, json);
    send(200, {});
  }
  async #sync(params, response, send) {
    const filter = JSON.parse(params.get("filter"));
    const since = params.has("since") ? Number(/^s(\d+)$/.exec(params.get("since"))[1]) : 0;
    const limit = filter.room.timeline.limit;
    const news = () => this.events.length > since || [...this.rooms.values()].some(({ invited, is_new }) => invited || is_new);
    const end = Date.now() + Number(params.get("timeout"));
    while (!news() && Date.now() < end && !response.destroyed)
      await new Promise((resolve) => {
        const timer = setTimeout(wake, Math.min(end - Date.now(), 1_000));
        const waiting = this.#waiting;
        function wake() {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        }
        waiting.add(wake);
      });
    const answer = { next_batch: `s${this.events.length}`, rooms: { join: {}, invite: {} } };
    for (const [id, room] of this.rooms) {
      const { name, invited, members } = room;
      if (invited) answer.rooms.invite[id] = { invite_state: { events: [] } };
      if (invited || !members.includes(this.user)) continue;
      const fresh = this.events.map((one, at) => ({ ...one, at })).filter((one) => one.room === id && (room.is_new || one.at >= since));
      room.is_new = false;
      if (!fresh.length) continue;
      const events = fresh.slice(-limit);
      const state = name ? [{ type: "m.room.name", sender: "@ada:box.example", content: { name }, state_key: "" }] : [];
      const timeline = { events: events.map(({ event }) => event), limited: fresh.length > limit, prev_batch: `s${events[0].at}` };
      answer.rooms.join[id] = { state: { events: state }, timeline, summary: {} };
    }
    send(200, answer);
  }
  #messages(id, params, send) {
    const [from, to] = ["from", "to"].map((name) => Number(/^s(\d+)$/.exec(params.get(name))[1]));
    const found = this.events.map((one, at) => ({ ...one, at })).filter((one) => one.room === id && one.at < from && one.at >= to);
    const chunk = found.slice(-Number(params.get("limit"))).reverse();
    send(200, {
      chunk: chunk.map(({ event }) => event),
      start: params.get("from"),
      ...(chunk.length < found.length && { end: `s${chunk.at(-1).at}` }),
    });
  }
  #message(room, transaction, content, body, response, send, refuse) {
    const known = this.#transactions.get(transaction);
    if (known) return send(200, { event_id: known });
    const failure = this.fail_next.shift() ?? this.fail_always;
    if (failure) return send(failure.status, failure.body);
    if (body.length > MAX_EVENT) return refuse(413, "M_TOO_LARGE", "event too large");
    if (!["m.notice", "m.file", "m.image", "m.audio", "m.video"].includes(content.msgtype)) throw new Error(`msgtype ${content.msgtype}`);
    if (typeof content.body !== "string") throw new Error("body is missing");
    for (const one of [content, content["m.new_content"]])
      if (one?.formatted_body !== undefined) {
        assert.equal(one.format, "org.matrix.custom.html");
        check_html(one.formatted_body);
      }
    if (content.url && !this.media.has(content.url.split("/").at(-1))) throw new Error(`no such media: ${content.url}`);
    const { event_id } = this.add(room, { sender: this.user, content });
    this.#transactions.set(transaction, event_id);
    if (this.lose_next > 0) {
      this.lose_next--;
      return response.destroy();
    }
    send(200, { event_id });
  }
}
