// Messaging channels: what 200 connected ones keep of an idle box, how much later than over HTTP a message reaches the
// model, and a thousand messages a minute over ten channels.
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { cpu_seconds, log_in, resident_mb, start_box, stop } from "./processes.mjs";

const IDLE_AGENTS = 10,
  CHANNELS_OF_AGENT = 20,
  BASE_SECONDS = 30,
  IDLE_SECONDS = 60; // longer than one wait of a connection for events
const EXCHANGES = 100,
  BUSY_CHANNELS = 10,
  PEOPLE = 5, // of a channel
  MESSAGES = 1_000,
  MS_BETWEEN_MESSAGES = 60;

const share = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const until = async (what, probe, deadline_ms = 60_000) => {
  for (const end = performance.now() + deadline_ms; performance.now() < end; await pause(5)) {
    const found = await probe();
    if (found) return found;
  }
  throw new Error(`${what} did not happen`);
};

// A server on loopback: `answer(request, body, response)`.
const listen = async (answer) => {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    answer(request, body, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
};

// A model that repeats what it is asked. `asked`: by text, when the question arrived.
const start_model = async () => {
  const asked = new Map();
  const server = await listen((request, body, response) => {
    const at = performance.now();
    if (request.method === "GET") return response.end(JSON.stringify({ object: "list", data: [{ id: "parrot", object: "model" }] }));
    const text = JSON.parse(body).messages.findLast(({ role }) => role === "user").content;
    if (!asked.has(text)) asked.set(text, at);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [delta, finish_reason] of [
      [{ content: `You said: ${text}` }, null],
      [{}, "stop"],
    ])
      response.write(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "parrot", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      );
    response.end("data: [DONE]\n\n");
  });
  return { ...server, url: `${server.url}/v1`, asked };
};

// Where the messages of webhook channels go: the first of each text with the moment of its arrival, and how many came.
const start_receiver = async () => {
  const texts = new Map();
  let count = 0;
  const server = await listen((request, body, response) => {
    const { text } = JSON.parse(body);
    if (!texts.has(text)) texts.set(text, performance.now());
    ++count;
    response.end();
  });
  return { ...server, texts, count: () => count };
};

// Telegram's Bot API for bots that nobody writes to.
const start_silent_telegram = () =>
  listen((request, body, response) => {
    const method = request.url.split("/").at(-1);
    const answer = (result) => response.end(JSON.stringify({ ok: true, result }));
    if (method === "getUpdates") return void setTimeout(() => answer([]), 1_000 * JSON.parse(body).timeout).unref();
    answer(method === "getMe" ? { id: 1, is_bot: true, username: "idle_bot" } : true);
  });

const person_at = async (box) => {
  const headers = { cookie: await log_in(box.web), "content-type": "application/json" };
  return async (method, path, body) => {
    const answer = await fetch(box.web + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
};

const running_agent = async (call, name) => {
  const { id } = (await call("POST", "/api/agents/provision", { name, tier: "starter" })).agent;
  await until(`agent ${name} runs`, async () => (await call("GET", `/api/agents/${id}`)).agent.status === "running");
  return id;
};

const connected_channel = async (call, agent, wanted) => {
  const path = `/api/agents/${agent}/channels`;
  const at = `${path}/${(await call("POST", path, wanted)).channel.id}`;
  const look = async () => (await call("GET", at)).channel;
  const { eventsUrl } = await until("the channel is connected", async () => {
    const channel = await look();
    return channel.state === "connected" && channel;
  });
  return { at, eventsUrl, secret: wanted.token };
};

const post_event = async ({ eventsUrl, secret }, sender, text) => {
  const id = `evt_${randomUUID()}`,
    stamp = String(Math.floor(Date.now() / 1000)),
    body = JSON.stringify({ sender, text });
  const signature = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${id}.${stamp}.${body}`)
    .digest("base64");
  const headers = { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": stamp };
  const answer = await fetch(eventsUrl, { method: "POST", headers: { ...headers, "webhook-signature": `v1,${signature}` }, body });
  if (!answer.ok) throw new Error(`an event was answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
};

const idle_channels = async (bench) => {
  const telegram = await start_silent_telegram();
  const box = await start_box(bench.binary, join(bench.folder, "idle-channels"), {
    env: { AGENT_PORT_RANGE: "23000-23999", TELEGRAM_API_URL: telegram.url, SUMMARIZER_ALLOW_PRIVATE: "on" },
  });
  const call = await person_at(box);
  const agents = [];
  const { pid } = box.child;
  const percent_of_core = async (seconds) => {
    const before = cpu_seconds(pid);
    await pause(1_000 * seconds);
    return (100 * (cpu_seconds(pid) - before)) / seconds;
  };
  try {
    while (agents.length < IDLE_AGENTS) agents.push(await running_agent(call, `Idle ${agents.length}`));
    await pause(2_000);
    const cpu_without = await percent_of_core(BASE_SECONDS);
    const memory_without = resident_mb(pid);
    for (const agent of agents)
      for (let n = 0; n < CHANNELS_OF_AGENT; ++n)
        await connected_channel(call, agent, { kind: "telegram", token: `${n + 1}:${randomBytes(12).toString("hex")}` });
    await pause(2_000);
    const cpu = await percent_of_core(IDLE_SECONDS);
    const what = `${IDLE_AGENTS * CHANNELS_OF_AGENT} connected channels, none with messages: `;
    return [
      { what: `${what}memory of the box`, value: resident_mb(pid) - memory_without, unit: "MB", goal: 20, at_most: true },
      { what: "  of one core, beyond what the box needs without them", value: cpu - cpu_without, unit: "%", goal: 1, at_most: true },
    ];
  } finally {
    for (const id of agents) await call("DELETE", `/api/agents/${id}`);
    await stop(box.child);
    telegram.close();
  }
};

// By turns, so that a slow moment of the machine hits both ways alike.
const time_to_model = async (call, agent, channel, model, receiver) => {
  const { code } = await call("POST", `${channel.at}/invitations`, { owner: true });
  await post_event(channel, "ada", code);
  await until("the account is linked", () => [...receiver.texts.keys()].some((text) => text.includes("now linked")));
  const delays = { http: [], channel: [] };
  for (let n = 0; n < EXCHANGES; ++n) {
    for (const way of ["http", "channel"]) {
      const text = `${way} ${n}`,
        began = performance.now();
      if (way === "http") await call("POST", "/api/chat", { agentId: agent, message: text });
      else await post_event(channel, "ada", text);
      await until("the question", () => model.asked.has(text));
      if (way === "channel") await until("the answer", () => receiver.texts.has(`You said: ${text}`));
      delays[way].push(model.asked.get(text) - began);
    }
  }
  return delays;
};

const thousand_a_minute = async (channels, receiver) => {
  const posts = [],
    sent = [],
    began = performance.now(),
    before = receiver.count();
  for (let n = 0; n < MESSAGES; ++n) {
    sent.push(performance.now());
    posts.push(post_event(channels[n % BUSY_CHANNELS], `person-${n % (BUSY_CHANNELS * PEOPLE)}`, `number ${n}`));
    const ahead = began + (n + 1) * MS_BETWEEN_MESSAGES - performance.now();
    if (ahead > 0) await pause(ahead);
  }
  await Promise.all(posts);
  const arrived = () => sent.flatMap((at, n) => receiver.texts.get(`You said: number ${n}`) - at || []);
  // A busy machine takes longer: as long as answers come.
  for (let count = -1; arrived().length < MESSAGES && count !== arrived().length; await pause(10_000)) count = arrived().length;
  return { delays: arrived(), repeated: receiver.count() - before - arrived().length };
};

const busy_channels = async (bench) => {
  const model = await start_model(),
    receiver = await start_receiver();
  const box = await start_box(bench.binary, join(bench.folder, "busy-channels"), {
    env: { AGENT_PORT_RANGE: "23000-23999", LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "on" },
  });
  const call = await person_at(box);
  let agent;
  try {
    agent = await running_agent(call, "Busy");
    const channels = [];
    while (channels.length < BUSY_CHANNELS) {
      const token = `whsec_${randomBytes(24).toString("base64")}`;
      const channel = await connected_channel(call, agent, { kind: "webhook", token, options: { url: `${receiver.url}/` } });
      await call("PATCH", channel.at, { access: "open", dailyCap: 1_000_000, peerDailyCap: 1_000_000 });
      await until("it is connected again", async () => (await call("GET", channel.at)).channel.state === "connected");
      channels.push(channel);
    }
    const { http, channel } = await time_to_model(call, agent, channels[0], model, receiver);
    const { delays, repeated } = await thousand_a_minute(channels, receiver);
    return [
      { what: "message over HTTP to the model's call: p50", value: share(http, 0.5), unit: "ms" },
      { what: "message over a channel to the model's call: p50", value: share(channel, 0.5), unit: "ms" },
      { what: "  more than over HTTP", value: share(channel, 0.5) - share(http, 0.5), unit: "ms", goal: 5, at_most: true },
      { what: "1,000 messages in a minute over ten channels: answered", value: delays.length, unit: "", goal: MESSAGES },
      { what: "  answers that came twice", value: repeated, unit: "", goal: 0, at_most: true },
      { what: "  message to answer: p50", value: share(delays, 0.5), unit: "ms" },
      { what: "  p99", value: share(delays, 0.99), unit: "ms" },
    ];
  } finally {
    if (agent) await call("DELETE", `/api/agents/${agent}`);
    await stop(box.child);
    model.close();
    receiver.close();
  }
};

export const channels = async (bench) => [...(await idle_channels(bench)), ...(await busy_channels(bench))];
