// The agents' bus: messages accepted a second, how soon a webhook gets them, and a hundred requests for the last ticket.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { start_box, stop } from "./processes.mjs";

const CONNECTIONS = 64,
  SENDERS = 24,
  MESSAGES_A_DAY = 10_000; // of each user with the plan network
const PACE = 1_000,
  PACED_SECONDS = 5;

// The members of our messages are flat and ASCII: sorted, JSON.stringify writes them canonically.
const canonical = (members) =>
  `{${Object.keys(members)
    .sort()
    .map(
      (name) => `${JSON.stringify(name)}:${typeof members[name] === "object" ? canonical(members[name]) : JSON.stringify(members[name])}`,
    )}}`;

const backend = async (box, method, path, body) => {
  const answer = await fetch(box.backend + path, {
    method,
    headers: { authorization: "Bearer bench-internal-key", "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

let numbered = 0;
// A whole HTTP request with a signed message.
const request_of = (box, sender, fields) => {
  const members = { messageId: `m${numbered++}`, from: sender.id, timestamp: new Date().toISOString(), keyId: sender.key, ...fields };
  const signature = `hmac-sha256:${createHmac("sha256", sender.secret).update(canonical(members)).digest("base64url")}`;
  const body = JSON.stringify({ ...members, signature });
  return `POST /api/underground/bus/send HTTP/1.1\r\nHost: ${new URL(box.backend).host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

// One kept connection; resolves with the status of each request.
const connection = async (box) => {
  const { hostname, port } = new URL(box.backend);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, "connect");
  let text = "",
    answered;
  socket.on("data", (bytes) => {
    text += bytes;
    const head = text.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(text)[1]);
    if (text.length < head + 4 + length) return;
    const status = Number(text.slice(9, 12)),
      body = text.slice(head + 4, head + 4 + length);
    text = "";
    answered({ status, body });
  });
  return {
    ask: (request) =>
      new Promise((resolve) => {
        answered = resolve;
        socket.write(request);
      }),
    end: () => socket.destroy(),
  };
};

const user_with_agent = async (box, n, config) => {
  const registered = await fetch(`${box.web}/api/register`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "bench" },
    body: JSON.stringify({ email: `bus${n}@bench.local`, password: "a bench user's password" }),
  });
  const { id: userId } = await registered.json();
  await backend(box, "POST", "/api/subscriptions/deploy", { userId, plan: "network" });
  const { id } = await backend(box, "POST", "/api/agents", { name: `Agent ${n}`, userId, config });
  const { key, secret } = await backend(box, "POST", "/api/underground/keys", { agentId: id, algorithm: "hmac-sha256" });
  return { id, key: key.id, secret: Buffer.from(secret, "base64url") };
};

const accepted_a_second = async (bench, box, senders) => {
  const each = Math.floor(Math.min((MESSAGES_A_DAY * SENDERS) / 2, 8_000 * bench.seconds) / CONNECTIONS);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connection(box)));
  const requests = connections.map((_, n) =>
    Array.from({ length: each }, (__, k) =>
      request_of(box, senders[n % SENDERS], { to: senders[n % SENDERS].id, action: "NOTE", payload: { k } }),
    ),
  );
  const began = performance.now();
  await Promise.all(
    connections.map(async ({ ask }, n) => {
      for (const request of requests[n]) {
        const { status, body } = await ask(request);
        if (status !== 200) throw new Error(`bus/send: ${status} ${body}`);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  for (const { end } of connections) end();
  return (each * CONNECTIONS) / seconds;
};

// From the moment a message is sent to its arrival at a webhook on this machine.
const delivery_p99 = async (box, senders, webhook) => {
  const recipient = await user_with_agent(box, "hook", { webhookUrl: webhook.url, bus: { accept: "all" } });
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connection(box)));
  const began = performance.now();
  const all = PACE * PACED_SECONDS;
  await Promise.all(
    connections.map(async ({ ask }, n) => {
      for (let k = n; k < all; k += CONNECTIONS) {
        const wait = began + k - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        const sent = performance.now();
        const { status, body } = await ask(request_of(box, senders[n % SENDERS], { to: recipient.id, action: "PACED", payload: { sent } }));
        if (status !== 200) throw new Error(`bus/send: ${status} ${body}`);
      }
    }),
  );
  while (webhook.delays.length < all && performance.now() < began + 60_000) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const { end } of connections) end();
  if (webhook.delays.length < all) throw new Error(`${webhook.delays.length} of ${all} messages were delivered`);
  return webhook.delays.sort((a, b) => a - b)[Math.floor(all * 0.99)];
};

const last_ticket = async (box, senders) => {
  const seller = await user_with_agent(box, "seller", { bus: { accept: "all" } });
  const { id: eventId } = await backend(box, "POST", "/api/underground/events", {
    agentId: seller.id,
    name: "Last",
    description: "One seat",
    venue: "Hall",
    eventDate: "2099-01-01T00:00:00Z",
    ticketPriceUsdc: "1",
    totalTickets: 1,
  });
  const connections = await Promise.all(Array.from({ length: 100 }, () => connection(box)));
  const answers = await Promise.all(
    connections.map(({ ask }, n) =>
      ask(request_of(box, senders[n % SENDERS], { action: "BOOKING_REQUEST", payload: { eventId, tickets: 1 } })),
    ),
  );
  for (const { end } of connections) end();
  return answers.filter(({ status }) => status === 200).length;
};

const start_webhook = async () => {
  const delays = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    delays.push(performance.now() - JSON.parse(Buffer.concat(parts)).payload.sent);
    response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${server.address().port}/`, delays, server };
};

export const bus = async (bench) => {
  const webhook = await start_webhook();
  const box = await start_box(bench.binary, join(bench.folder, "bus"), { env: { SUMMARIZER_ALLOW_PRIVATE: "on" } });
  const senders = [];
  for (let n = 0; n < SENDERS; ++n) senders.push(await user_with_agent(box, n, {}));
  const rate = await accepted_a_second(bench, box, senders);
  const p99 = await delivery_p99(box, senders, webhook);
  const winners = await last_ticket(box, senders);
  await stop(box.child);
  webhook.server.close();
  webhook.server.closeAllConnections();
  return [
    { what: "bus messages accepted (verified and on disk) at 64 connections", value: rate, unit: "/s", goal: 5_000 },
    { what: "  delivered to a local webhook at 1,000 a second: p99", value: p99, unit: "ms", goal: 50, at_most: true },
    { what: "  100 requests for the last ticket: winners", value: winners, unit: "", goal: 1, at_most: true },
  ];
};
