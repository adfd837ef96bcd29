// The language of stories about the agents' bus: agents with keys, signed messages, and a webhook that remembers.
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { INTERNAL_KEY } from "./box.mjs";
import { package_named } from "./packages.mjs";

// The reference implementation of RFC 8785, by its author.
export const canonicalize = package_named("canonicalize");

export const KEYS = "/api/underground/keys";
export const SEND = "/api/underground/bus/send";

export const backend = async (box, method, path, body, headers = { authorization: `Bearer ${INTERNAL_KEY}` }) => {
  const answer = await fetch(box.backend + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : undefined };
};

// Signs what `canonicalize` makes of the members, and adds the signature.
export const with_signature = (members, scheme, signer) => ({ ...members, signature: `${scheme}:${signer(canonicalize(members))}` });
export const ed25519_signer = (key) => (text) => sign(null, Buffer.from(text), key).toString("base64url");
export const hmac_signer = (secret) => (text) => createHmac("sha256", Buffer.from(secret, "base64url")).update(text).digest("base64url");

// An agent that is not started, and the key that its owner registered for it.
export class BusAgent {
  static async of(box, person, name, config = {}) {
    const made = await backend(box, "POST", "/api/agents", { name, userId: person.id, config });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return BusAgent.with_key(box, person, made.body.id);
  }

  static async with_key(box, person, id) {
    const agent = new BusAgent();
    Object.assign(agent, { box, person, id });
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    agent.private_key = privateKey;
    agent.public_key = publicKey.export({ format: "jwk" }).x;
    const added = await person.call("POST", KEYS, { agentId: id, algorithm: "ed25519", publicKey: agent.public_key });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    agent.key_id = added.body.key.id;
    return agent;
  }

  message(fields) {
    return { messageId: randomUUID(), from: this.id, timestamp: new Date().toISOString(), ...fields };
  }
  signed(fields) {
    return with_signature(this.message(fields), "ed25519", ed25519_signer(this.private_key));
  }
  // A busy box answers 503: then the same message is sent again.
  async send(fields) {
    const message = this.signed(fields);
    for (;;) {
      const answer = await backend(this.box, "POST", SEND, message, {});
      if (answer.status !== 503) return answer;
    }
  }
  async sends(fields) {
    const answer = await this.send(fields);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }
  async mailbox(query = "") {
    const { status, body } = await this.person.call("GET", `/api/underground/messages?agentId=${this.id}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.messages;
  }
}

// A webhook of a recipient: remembers requests, and answers what `answers` says.
export const webhook = async (t, answers = () => 204) => {
  const received = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const call = { headers: request.headers, text, body: JSON.parse(text) };
    const status = await answers(call, received);
    received.push({ ...call, status });
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${server.address().port}/hook`, received, accepted: () => received.filter(({ status }) => status < 300) };
};
