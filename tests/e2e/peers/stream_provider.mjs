// A stand-in for Mux: strict about authentication and the published shapes, with webhooks signed by Mux's own library.
import assert from "node:assert/strict";
import { serve_site } from "./http_site.mjs";
import { package_named } from "../support/packages.mjs";

const { Mux } = package_named("@mux/mux-node");

export const TOKEN_ID = "token-id-of-the-stories",
  TOKEN_SECRET = "token-secret-of-the-stories";
export const SIGNING_SECRET = "signing-secret-of-the-stories";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const hmac = async (secret, text) => {
  const key = await crypto.subtle.importKey("raw", Buffer.from(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, Buffer.from(text)));
};

export class StreamProvider {
  streams = new Map();
  deleted_assets = [];
  faults = []; // what was wrong with a request; there must be none at the end of the test
  broken = false; // answers 500

  static async start(t) {
    const provider = new StreamProvider();
    provider.site = await serve_site(t, (asked) => provider.answer(asked));
    t.after(() => assert.deepEqual(provider.faults, []));
    return provider;
  }

  settings() {
    return {
      STREAM_API_URL: this.site.url,
      STREAM_TOKEN_ID: TOKEN_ID,
      STREAM_TOKEN_SECRET: TOKEN_SECRET,
      STREAM_SIGNING_SECRET: SIGNING_SECRET,
    };
  }

  answer({ method, url, headers, text }) {
    if (headers.authorization !== `Basic ${Buffer.from(`${TOKEN_ID}:${TOKEN_SECRET}`).toString("base64")}`)
      return { status: 401, json: { error: { type: "unauthorized", messages: ["Unauthorized request"] } } };
    if (this.broken) return { status: 500, json: { error: { type: "internal", messages: ["broken"] } } };
    const [, , , kind, id, action] = url.pathname.split("/");
    if (!url.pathname.startsWith("/video/v1/")) return void this.faults.push(url.pathname);
    if (kind === "assets" && method === "DELETE") {
      this.deleted_assets.push(id);
      return { status: 204 };
    }
    if (kind !== "live-streams") return void this.faults.push(url.pathname);
    if (method === "POST" && !id) return this.create(headers, text);
    if (method === "GET" && !id) {
      const list = [...this.streams.values()].filter(({ status }) => status === (url.searchParams.get("status") ?? status));
      return { json: { data: list } };
    }
    const stream = this.streams.get(id);
    if (!stream) return { status: 404, json: { error: { type: "not_found", messages: ["no such stream"] } } };
    if (method === "POST" && action === "reset-stream-key") {
      stream.stream_key = crypto.randomUUID();
      return { json: { data: stream } };
    }
    if (method === "DELETE" && !action) {
      this.streams.delete(id);
      return { status: 204 };
    }
    this.faults.push(`${method} ${url.pathname}`);
  }

  create(headers, text) {
    const wish = JSON.parse(text);
    if (headers["content-type"] !== "application/json") this.faults.push("content type");
    for (const name of Object.keys(wish))
      if (!["playback_policy", "playback_policies", "new_asset_settings", "passthrough", "latency_mode", "reconnect_window"].includes(name))
        this.faults.push(`a stream has no ${name}`);
    const id = `ls${crypto.randomUUID().replaceAll("-", "")}`;
    const stream = {
      id,
      stream_key: crypto.randomUUID(),
      status: "idle",
      created_at: `${Math.floor(Date.now() / 1000)}`,
      latency_mode: "standard",
      reconnect_window: 60,
      max_continuous_duration: 43_200,
      playback_ids: [{ id: `pb${id}`, policy: "public" }],
      new_asset_settings: wish.new_asset_settings,
      passthrough: wish.passthrough,
    };
    this.streams.set(id, stream);
    return { status: 201, json: { data: stream } };
  }

  // The body of an event, as Mux sends it.
  event(type, data, more = {}) {
    return JSON.stringify({
      type,
      id: crypto.randomUUID(),
      created_at: new Date().toISOString(),
      object: { type: type.includes("asset") ? "asset" : "live", id: data.id },
      environment: { name: "Stories", id: "env1" },
      data,
      accessor: null,
      accessor_source: null,
      attempts: [],
      request_id: null,
      ...more,
    });
  }

  // Delivers a body; `time` is that of the signature.
  async deliver(box, body, { header = "mux-signature", secret = SIGNING_SECRET, time = Math.floor(Date.now() / 1000), value } = {}) {
    const signature = value ?? `t=${time},v1=${await hmac(secret, `${time}.${body}`)}`;
    // What Mux's library accepts, a box must accept, too.
    if (value === undefined && secret === SIGNING_SECRET && Math.abs(time - Date.now() / 1000) < 200)
      await new Mux({ tokenId: "x", tokenSecret: "x", webhookSecret: secret }).webhooks.verifySignature(
        body,
        { "mux-signature": signature },
        secret,
      );
    const answer = await fetch(`${box.web}/api/webhooks/stream`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...(signature && { [header]: signature }) },
    });
    return { status: answer.status, body: await answer.json() };
  }

  async go_live(box, id) {
    this.streams.get(id).status = "active";
    return this.deliver(box, this.event("video.live_stream.active", this.streams.get(id)));
  }

  async go_idle(box, id) {
    this.streams.get(id).status = "idle";
    return this.deliver(box, this.event("video.live_stream.idle", this.streams.get(id)));
  }
}
export { hmac };
