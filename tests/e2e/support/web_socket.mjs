// A WebSocket client of a few lines, for stories that need every header of the handshake in their own hands.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request } from "node:http";

const CONTINUATION = 0,
  TEXT = 1,
  CLOSE = 8,
  PING = 9,
  PONG = 10;

class WebSocketClient {
  constructor(socket, head) {
    this.socket = socket;
    this.bytes = head;
    this.parts = [];
    this.messages = [];
    this.waiting = [];
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {}); // a reset is an end, too
    socket.on("data", (bytes) => this.take(bytes));
    this.take(Buffer.alloc(0));
  }

  // Frames of servers carry no mask. A message may come in several; only its first names its kind.
  take(bytes) {
    this.bytes = Buffer.concat([this.bytes, bytes]);
    for (;;) {
      if (this.bytes.length < 2) return;
      let size = this.bytes[1] & 127;
      let at = 2;
      if (size === 126) [size, at] = [this.bytes.length < 4 ? Infinity : this.bytes.readUInt16BE(2), 4];
      else if (size === 127) [size, at] = [this.bytes.length < 10 ? Infinity : Number(this.bytes.readBigUInt64BE(2)), 10];
      if (this.bytes.length < at + size) return;
      const [last, opcode, data] = [this.bytes[0] >> 7, this.bytes[0] & 15, this.bytes.subarray(at, at + size)];
      this.bytes = this.bytes.subarray(at + size);
      if (opcode === PING) this.write(PONG, data);
      if (opcode === CLOSE) this.socket.end();
      if (opcode === TEXT || opcode === CONTINUATION) this.parts.push(data);
      if (this.parts.length > 0 && last && opcode < CLOSE) this.messages.push(JSON.parse(Buffer.concat(this.parts.splice(0))));
      while (this.messages.length > 0 && this.waiting.length > 0) this.waiting.shift()(this.messages.shift());
    }
  }

  write(opcode, data) {
    const mask = randomBytes(4);
    const masked = Buffer.from(data).map((byte, n) => byte ^ mask[n % 4]);
    assert.ok(masked.length < 65536);
    const size = masked.length < 126 ? [0x80 | masked.length] : [0xfe, masked.length >> 8, masked.length & 255];
    this.socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...size]), mask, masked]));
  }

  say(value) {
    this.write(TEXT, JSON.stringify(value));
  }

  // The next message; undefined when the connection ends first.
  hear() {
    if (this.messages.length > 0) return Promise.resolve(this.messages.shift());
    return Promise.race([new Promise((resolve) => this.waiting.push(resolve)), this.closed.then(() => undefined)]);
  }

  async end() {
    this.socket.destroy();
    await this.closed;
  }
}

// Asks for an upgrade; resolves with {status, socket?, body?}: the client after 101, else the refusal.
export const open_web_socket = (base, path, headers = {}) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const handshake = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
    };
    const asked = request({ host: hostname, port, path, agent: false, headers: { ...handshake, ...headers } });
    asked.on("error", reject);
    asked.on("upgrade", (answer, socket, head) => resolve({ status: answer.statusCode, socket: new WebSocketClient(socket, head) }));
    asked.on("response", async (answer) => {
      const parts = [];
      for await (const part of answer) parts.push(part);
      resolve({ status: answer.statusCode, body: Buffer.concat(parts).toString() });
    });
    asked.end();
  });
