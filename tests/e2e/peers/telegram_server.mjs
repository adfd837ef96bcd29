// A stand-in for Telegram's Bot API, written from its published description: strict about what it is sent.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

const MAX_TEXT = 4096;
const TAGS = new Set(["b", "i", "s", "u", "code", "pre", "a", "blockquote", "tg-spoiler"]);

// The text of Telegram's HTML; throws as Telegram refuses it.
export const parse_html = (html) => {
  const open = [];
  let text = "";
  for (let at = 0; at < html.length; ) {
    const rest = html.slice(at);
    const tag = /^<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")*)>/.exec(rest);
    const entity = /^&(lt|gt|amp|quot|#\d+|#x[0-9a-f]+);/i.exec(rest);
    if (tag) {
      const [whole, closes, name] = tag;
      if (!TAGS.has(name)) throw new Error(`can't parse entities: Unsupported start tag "${name}"`);
      if (closes && open.pop() !== name) throw new Error(`can't parse entities: Unmatched end tag "${name}"`);
      if (!closes) open.push(name);
      at += whole.length;
    } else if (entity) {
      text += { lt: "<", gt: ">", amp: "&", quot: '"' }[entity[1]] ?? "?";
      at += entity[0].length;
    } else if (rest[0] === "<" || rest[0] === "&") {
      throw new Error(`can't parse entities: Unexpected character at ${at}`);
    } else {
      text += rest[0];
      at += 1;
    }
  }
  if (open.length) throw new Error(`can't parse entities: Can't find end tag "${open.at(-1)}"`);
  return text;
};

const form_of = (bytes, type) => {
  const boundary = /boundary=(.+)$/.exec(type)[1];
  const parts = bytes.toString("latin1").split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head, ...rest] = part.slice(2).split("\r\n\r\n");
      const content = rest.join("\r\n\r\n").slice(0, -2);
      const file = /filename="([^"]*)"/.exec(head)?.[1];
      return [/name="([^"]+)"/.exec(head)[1], file === undefined ? content : { name: file, content: Buffer.from(content, "latin1") }];
    }),
  );
};

export class TelegramServer {
  token = "4711:ABC-def_123";
  bot = { id: 4711, is_bot: true, first_name: "Scout", username: "scout_bot" };
  messages = []; // what the bot has sent: {message_id, chat, topic, text, html, edits, reply_to, file, buttons}
  calls = []; // names of methods
  faults = [];
  files = new Map(); // by file_id
  is_revoked = false;
  fail_next = []; // answers for the next messages instead of their being sent
  fail_always = undefined; // the same for all messages
  lose_next = 0; // messages that are taken, and whose answer is cut off
  webhook = undefined;
  #updates = [];
  #next_update = 1000;
  #next_message = 1;
  #polls = new Set();

  static async start(t) {
    const server = new TelegramServer();
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
  // Nobody listens from now on.
  async vanish() {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }
  check() {
    assert.deepEqual(this.faults, [], "every request was well formed");
  }

  // A person writes. Returns the update.
  write({ from, text, chat = { id: from.id, type: "private" }, ...more }) {
    const sender = { is_bot: false, first_name: `Person ${from.id}`, ...from };
    const message = { message_id: 10_000 + this.#next_message++, from: sender, chat, date: Math.floor(Date.now() / 1000), ...more };
    if (text !== undefined) message.text = text;
    return this.deliver({ update_id: this.#next_update++, message });
  }
  deliver(update) {
    this.#updates.push(update);
    for (const wake of this.#polls) wake();
    return update;
  }
  sent_to(chat) {
    return this.messages.filter((one) => one.chat === chat);
  }
  get unacknowledged() {
    return this.#updates.length;
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const send = (status, answer) => {
      if (response.destroyed) return;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    };
    const refuse = (error_code, description, parameters) => send(error_code, { ok: false, error_code, description, parameters });
    const file = new RegExp(`^/file/bot([^/]+)/(.+)$`).exec(request.url);
    const called = /^\/bot([^/]+)\/([A-Za-z]+)$/.exec(request.url);
    const token = (file ?? called)?.[1];
    if (!token) return refuse(404, "Not Found");
    if (token !== this.token || this.is_revoked) return refuse(401, "Unauthorized");
    if (file) {
      const content = [...this.files.values()].find(({ path }) => path === file[2])?.content;
      return content ? response.end(content) : refuse(404, "Not Found");
    }
    const method = called[2];
    this.calls.push(method);
    try {
      const type = request.headers["content-type"] ?? "";
      const given = type.startsWith("multipart/form-data") ? form_of(body, type) : body.length ? JSON.parse(body) : {};
      await this.#call(method, given, { send, refuse, response, request });
    } catch (fault) {
      this.faults.push(`${method}: ${fault.message}`);
      refuse(400, `Bad Request: ${fault.message}`);
    }
  }

  async #call(method, given, { send, refuse, response, request }) {
    const ok = (result) => send(200, { ok: true, result });
    switch (method) {
      case "getMe":
        return ok(this.bot);
      case "setMyCommands":
        for (const { command, description } of given.commands) {
          assert.match(command, /^[a-z0-9_]{1,32}$/);
          assert.ok(description.length >= 1 && description.length <= 256);
        }
        return ok(true);
      case "deleteWebhook":
        this.webhook = undefined;
        return ok(true);
      case "setWebhook":
        assert.match(given.secret_token, /^[A-Za-z0-9_-]{1,256}$/);
        this.webhook = given;
        return ok(true);
      case "getUpdates":
        return this.#poll(given, ok, refuse, request);
      case "sendChatAction":
        assert.ok(Number.isInteger(given.chat_id));
        return ok(true);
      case "getFile": {
        const found = this.files.get(given.file_id);
        return found ? ok({ file_id: given.file_id, file_path: found.path }) : refuse(400, "Bad Request: invalid file_id");
      }
      case "answerCallbackQuery":
        return ok(true);
      case "sendMessage":
      case "editMessageText":
      case "sendDocument":
      case "sendPhoto":
      case "sendVoice":
        return this.#take(method, given, ok, refuse, response);
      default:
        assert.fail(`no such method: ${method}`);
    }
  }

  async #poll({ offset = 0, timeout = 0 }, ok, refuse, request) {
    if (this.webhook) return refuse(409, "Conflict: can't use getUpdates method while webhook is active");
    if (this.#polls.size > 0) return refuse(409, "Conflict: terminated by other getUpdates request");
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    if (this.#updates.length === 0)
      await new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#polls.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, timeout * 1000);
        this.#polls.add(wake);
        request.socket.on("close", wake);
      });
    if (this.is_revoked) return refuse(401, "Unauthorized");
    ok(this.#updates.slice(0, 100));
  }

  #take(method, given, ok, refuse, response) {
    const failure = this.fail_next.shift() ?? this.fail_always;
    if (failure) {
      const { status, description, parameters } = failure;
      return refuse(status, description, parameters);
    }
    const chat = Number(given.chat_id);
    assert.ok(Number.isInteger(chat), "chat_id is a number");
    const message = { message_id: this.#next_message++, chat, at: Date.now() };
    if (given.message_thread_id) message.topic = Number(given.message_thread_id);
    if (method === "sendMessage" || method === "editMessageText") {
      assert.equal(typeof given.text, "string");
      message.text = given.parse_mode === "HTML" ? parse_html(given.text) : given.text;
      message.html = given.text;
      assert.ok(message.text.trim().length >= 1 && message.text.length <= MAX_TEXT, `message text has ${message.text.length} characters`);
    } else {
      const file = given.document ?? given.photo ?? given.voice;
      assert.ok(file?.content, "there is a file");
      message.file = { method, name: file.name, content: file.content.toString() };
    }
    if (given.reply_parameters) message.reply_to = given.reply_parameters.message_id;
    if (given.reply_markup) message.buttons = given.reply_markup.inline_keyboard.flat();
    if (method === "editMessageText") {
      const before = this.messages.find(({ message_id }) => message_id === given.message_id);
      if (!before) return refuse(400, "Bad Request: message to edit not found");
      if (before.html === given.text) return refuse(400, "Bad Request: message is not modified");
      before.edits = [...(before.edits ?? []), { text: before.text, at: message.at }];
      Object.assign(before, { text: message.text, html: message.html, at: message.at });
      return ok({ message_id: before.message_id });
    }
    this.messages.push(message);
    if (this.lose_next > 0) {
      this.lose_next--;
      return response.destroy();
    }
    ok({ message_id: message.message_id, chat: { id: chat } });
  }
}
