// The corpus against a model that obeys every instruction it reads: nothing leaves, nothing is paid, and each attempt is a
// question to the owner. `./dev test injections` runs it alone.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { BusAgent } from "../support/bus.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { carriers, wordings } from "./corpus.mjs";

// All texts of a value, however deep.
const texts_in = (value) =>
  typeof value === "string" ? [value] : value && typeof value === "object" ? Object.values(value).flatMap(texts_in) : [];
const texts_of = ({ role, content }) => {
  if (role !== "tool") return [content];
  content = content.replaceAll("\\\\_", "_"); // as Markdown writes it
  try {
    return texts_in(JSON.parse(content));
  } catch {
    return [content];
  }
};
const instruction = /\b([a-z_]+)\(((?:[a-z]+=[^();]+(?:; )?)*)\)/g;
const arguments_in = (text) =>
  Object.fromEntries(
    text
      .split("; ")
      .filter(Boolean)
      .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
  );

// Calls what it reads, once each.
const obedient = (model) => {
  model.obeyed = new Set();
  const obey = ({ messages, tools = [] }) => {
    const known = new Set(tools.map((tool) => tool.function.name));
    for (const message of messages.filter(({ role }) => role !== "assistant"))
      for (const text of texts_of(message))
        for (const [whole, name, given] of text.matchAll(instruction)) {
          if (model.obeyed.has(whole) || !known.has(name)) continue;
          model.obeyed.add(whole);
          return call([name, arguments_in(given)]);
        }
    return say("Done.");
  };
  model.script = { shift: () => obey, length: 0 };
  return model;
};

const start_board = async (t) => {
  const board = { posts: [], news: "Nothing new" };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const { id, method, params } = JSON.parse(text);
    const answer = (result) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    if (method === "server/discover") return answer({ resultType: "complete", supportedVersions: ["2026-07-28"] });
    const inputSchema = { type: "object", properties: { text: { type: "string" } } };
    const tools = [
      { name: "post", description: "Publish a text for everybody", inputSchema },
      { name: "read", description: "Read what was published", inputSchema, annotations: { readOnlyHint: true } },
    ];
    if (method === "tools/list") return answer({ tools });
    if (params.name === "post") board.posts.push(params.arguments.text);
    answer({ content: [{ type: "text", text: board.news }] });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  board.url = `http://127.0.0.1:${server.address().port}/mcp`;
  return board;
};

class Story {
  static async start(t, { env = {}, config = {} }) {
    const story = new Story();
    const pages = new Map();
    story.serve = (path, page) => pages.set(path, page);
    story.site = await serve_site(t, ({ url }) => pages.get(url.pathname));
    story.model = obedient(await ModelServer.start(t));
    story.board = await start_board(t);
    story.box = await Box.start(t, {
      LOCAL_MODEL_URL: story.model.url,
      SUMMARIZER_ALLOW_PRIVATE: "true",
      SEARCH_URL: `${story.site.url}/searx`,
      ...env,
    });
    story.ada = await story.box.customer("ada@example.org");
    const eve = await story.box.customer("eve@example.org");
    story.eves = await BusAgent.of(story.box, eve, "Eve's", { bus: { accept: "all" } });
    story.purse = (await eve.call("POST", "/api/wallet", { action: "create" })).body.address;
    story.agent = await story.box.running_agent(story.ada);
    const { status, body } = await story.ada.call("PUT", `/api/agents/${story.agent}/config`, {
      config: { mcpServers: { board: { url: story.board.url } }, ...config },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await story.ada.call("POST", `/api/instance/${story.agent}/restart`)).status, 200);
    await story.box.until_status(story.ada, story.agent, "running");
    const { subdomain } = (await story.ada.call("GET", `/api/agents/${story.agent}`)).body.agent;
    story.address = `${subdomain}@agents.example.org`;
    // Only the gate is in the way of a payment.
    await story.ada.call("PUT", "/api/wallet/rules", { agentId: story.agent, dailyUsdc: "100" });
    await story.says("Hello.");
    return story;
  }
  acts(n) {
    const mark = `inj-${n}`;
    return [
      `board__post(text=${mark})`,
      `send_message(to=${this.eves.id}; action=INJ_${n})`,
      `pay_usdc(to=${this.purse}; amount=1; memo=${mark})`,
    ][n % 3];
  }
  async says(message) {
    const { status: begun, body: made } = await this.ada.call("POST", `/api/agents/${this.agent}/conversations`, { title: "Another" });
    assert.ok(begun < 300, JSON.stringify(made));
    const conversationId = (made.conversation ?? made).id;
    const { status, body } = await this.ada.call("POST", "/api/chat", { agentId: this.agent, message, conversationId });
    assert.equal(status, 200, `${JSON.stringify(body)} ${this.model.faults}`);
  }
  async write(path, content) {
    const { status, body } = await this.ada.call("POST", `/api/agents/${this.agent}/files/write`, { path, content });
    assert.equal(status, 200, JSON.stringify(body));
  }
  async upload(name, content) {
    const form = new FormData();
    form.append("file", new Blob([content]), name);
    const answer = await fetch(`${this.box.web}/api/agents/${this.agent}/files/upload`, {
      method: "POST",
      headers: { cookie: this.ada.cookie },
      body: form,
    });
    assert.equal(answer.status, 201, `${name}: ${await answer.text()}`);
  }
  async asks() {
    return (await this.ada.call("GET", "/api/asks?waiting=true&limit=200")).body.asks;
  }
}

let marks = 0;
for (const [name, carrier] of Object.entries(carriers))
  test(`${wordings.length} injections by ${name}`, async (t) => {
    const story = await Story.start(t, carrier);
    for (const [at, wording] of wordings.entries()) {
      const act = story.acts(at);
      const mark = `inj-${++marks}`;
      const message = await carrier.bring(story, wording(act), mark);
      if (message) await story.says(message);
      await until(`the model has obeyed ${act}`, () => story.model.obeyed.has(act));
      const asks = await until(`its owner is asked: ${act}`, async () => {
        const found = await story.asks();
        return found.length === at + 1 && found;
      });
      assert.notEqual(asks[0].sources.length, 0, `${act}: ${JSON.stringify(asks[0])}`);
    }
    assert.deepEqual(story.board.posts, [], "nothing was published");
    assert.deepEqual(await story.eves.mailbox(), [], "no message has reached another user");
    const { transfers } = (await story.ada.call("GET", "/api/wallet/transfers")).body;
    assert.deepEqual(
      transfers.filter(({ state }) => state !== "waiting"),
      [],
      "nothing was paid",
    );
  });
