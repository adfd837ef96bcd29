// What the stand-ins of messaging providers share: a server that can vanish, refuse, and lose answers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as create_secure_server } from "node:https";

export class ChatProvider {
  messages = []; // what the bot has sent, oldest first
  faults = []; // requests that were not as the provider's documentation has them
  calls = [];
  is_revoked = false;
  fail_next = []; // answers {status, headers, body} for the next messages instead of their being sent
  fail_always = undefined; // the same for all messages
  lose_next = 0; // messages that are taken, and whose answer is cut off
  certificate = undefined; // {key, cert}: TLS

  static async start(t, options = {}) {
    const server = Object.assign(new this(), options);
    await server.listen();
    t.after(() => server.vanish());
    return server;
  }
  async listen() {
    const serve = (request, response) => void this.#serve(request, response);
    this.http = this.certificate ? create_secure_server(this.certificate, serve) : createServer(serve);
    this.http.on("upgrade", (request, socket, head) => this.upgrade(request, socket, head));
    this.http.listen(this.port ?? 0, "127.0.0.1");
    await once(this.http, "listening");
    this.port = this.http.address().port;
    this.url = `${this.certificate ? "https" : "http"}://127.0.0.1:${this.port}`;
  }
  // Nobody listens from now on.
  async vanish() {
    this.drop_sockets?.();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }
  upgrade(request, socket) {
    socket.destroy();
  }
  check() {
    assert.deepEqual(this.faults, [], "every request was well formed");
  }
  sent_to(chat) {
    return this.messages.filter((one) => one.chat === chat);
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const bytes = Buffer.concat(parts);
    const url = new URL(request.url, this.url);
    const send = (status, body, headers = {}) => {
      if (response.destroyed) return;
      const is_bytes = Buffer.isBuffer(body);
      response.writeHead(status, { "content-type": is_bytes ? "application/octet-stream" : "application/json", ...headers });
      response.end(is_bytes ? body : JSON.stringify(body));
    };
    try {
      await this.answer({ request, response, bytes, url, send, method: request.method, path: url.pathname });
    } catch (fault) {
      this.faults.push(`${request.method} ${url.pathname}: ${fault.message}`);
      send(500, { ok: false, error: fault.message });
    }
  }
  // Whether the message is refused, as the story wants it; the answer is sent then.
  refuses_message(send) {
    const failure = this.fail_next.shift() ?? this.fail_always;
    if (failure) send(failure.status, failure.body, failure.headers);
    return Boolean(failure);
  }
  // Whether the answer to a message that was taken is lost.
  loses_answer(response) {
    if (this.lose_next <= 0) return false;
    this.lose_next--;
    response.destroy();
    return true;
  }
}

export const form_of = (bytes, type) => {
  const boundary = /boundary=(.+)$/.exec(type)[1];
  const parts = bytes.toString("latin1").split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head, ...rest] = part.slice(2).split("\r\n\r\n");
      const content = Buffer.from(rest.join("\r\n\r\n").slice(0, -2), "latin1");
      const name = /filename="([^"]*)"/.exec(head)?.[1];
      const type = /Content-Type: (.+)/i.exec(head)?.[1].trim();
      return [/name="([^"]+)"/.exec(head)[1], name === undefined ? content.toString() : { name, type, content }];
    }),
  );
};
