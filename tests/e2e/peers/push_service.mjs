// A push service and the browsers behind it, written from RFC 8030, RFC 8188, RFC 8291 and RFC 8292. It takes a message
// only if every header, the sender's token and the encryption are as they must be; `faults` says what was not.
import assert from "node:assert/strict";
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { serve_site } from "./http_site.mjs";

const LARGEST = 4096;
const day = 24 * 3600;

// RFC 8292: who sends it. Returns the sender's key.
const check_sender = (header, origin) => {
  const parts = /^vapid t=([\w-]+\.[\w-]+\.[\w-]+), ?k=([\w-]+)$/.exec(header ?? "");
  assert.ok(parts, `Authorization: ${header}`);
  const [, token, key] = parts;
  const [head, body, signature] = token.split(".");
  const read = (part) => JSON.parse(Buffer.from(part, "base64url"));
  assert.deepEqual(read(head), { alg: "ES256", typ: "JWT" });
  const { aud, exp, sub, ...rest } = read(body);
  assert.deepEqual([aud, rest], [origin, {}]);
  const now = Date.now() / 1000;
  assert.ok(Number.isInteger(exp) && exp > now && exp <= now + day, `exp ${exp}`);
  if (sub !== undefined) assert.match(sub, /^(mailto:.+@.+|https:\/\/.+)$/);
  const point = Buffer.from(key, "base64url");
  assert.deepEqual([point.length, point[0]], [65, 4], "an uncompressed point");
  const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") };
  const is_signed = verify(
    "sha256",
    Buffer.from(`${head}.${body}`),
    { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  assert.ok(is_signed, "the token's signature");
  return key;
};

// RFC 8291 with one record of RFC 8188.
const decrypt = (body, { ecdh, auth }) => {
  const salt = body.subarray(0, 16),
    record_size = body.readUInt32BE(16),
    sender = body.subarray(21, 21 + body[20]),
    sealed = body.subarray(21 + body[20]);
  assert.equal(body[20], 65);
  assert.ok(record_size >= sealed.length && sealed.length > 17, `a record of ${sealed.length} in ${record_size}`);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), sender]);
  const input = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(sender), auth, info, 32));
  const derive = (purpose, bytes) => Buffer.from(hkdfSync("sha256", input, salt, `Content-Encoding: ${purpose}\0`, bytes));
  const cipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  cipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  assert.equal(padded[end], 2, "the last record's delimiter");
  return padded.subarray(0, end).toString();
};

export class PushService {
  faults = [];
  browsers = new Map(); // by path

  static async start(t) {
    const service = new PushService();
    service.site = await serve_site(t, (request) => service.#take(request));
    t.after(() => assert.deepEqual(service.faults, [], "every message was well formed"));
    return service;
  }

  // A browser's subscription for messages of this sender only. `messages`: what it got; `answers`: what the next
  // messages are answered with ({status, headers}); `refused`: how many those were.
  subscribe(sender) {
    const ecdh = createECDH("prime256v1");
    ecdh.generateKeys();
    const auth = randomBytes(16),
      path = `/push/${randomBytes(12).toString("base64url")}`;
    const browser = { ecdh, auth, sender, messages: [], answers: [], refused: 0 };
    this.browsers.set(path, browser);
    browser.json = {
      endpoint: this.site.url + path,
      expirationTime: null,
      keys: { p256dh: ecdh.getPublicKey().toString("base64url"), auth: auth.toString("base64url") },
    };
    browser.subscription = { endpoint: browser.json.endpoint, keys: browser.json.keys };
    return browser;
  }

  async #take({ method, url, headers, bytes }) {
    const browser = this.browsers.get(url.pathname);
    if (!browser) return { status: 404 };
    try {
      assert.equal(method, "POST");
      assert.match(headers.ttl ?? "", /^\d+$/, "TTL");
      assert.ok(["very-low", "low", "normal", "high"].includes(headers.urgency ?? "normal"), `Urgency: ${headers.urgency}`);
      assert.equal(headers["content-encoding"], "aes128gcm");
      assert.ok(bytes.length <= LARGEST, `${bytes.length} bytes`);
      assert.equal(check_sender(headers.authorization, url.origin), browser.sender, "the sender that the browser has chosen");
      const text = decrypt(bytes, browser);
      const answer = browser.answers.shift();
      if (answer) {
        ++browser.refused;
        return answer;
      }
      browser.messages.push({ ...JSON.parse(text), ttl: Number(headers.ttl), urgency: headers.urgency ?? "normal" });
      return { status: 201, headers: { location: `${url.origin}/message/${randomBytes(6).toString("hex")}` } };
    } catch (fault) {
      this.faults.push(fault.message);
      return { status: 400, body: fault.message };
    }
  }
}
