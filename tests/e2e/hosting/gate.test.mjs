// The gate: what an agent may do unasked, what waits for its owner, and that each act happens once.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { start_mail_server } from "../peers/mail_server.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";

// An MCP server whose tool leaves a mark: what was posted, and how often. `hold` makes calls wait.
const start_board = async (t) => {
  const board = { posts: [], hold: undefined };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const { id, method, params } = JSON.parse(text);
    const answer = (result) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    if (method === "server/discover") return answer({ resultType: "complete", supportedVersions: ["2026-07-28"] });
    const inputSchema = { type: "object", properties: { text: { type: "string" } } };
    if (method === "tools/list")
      return answer({
        tools: [
          { name: "post", description: "Publish a text for everybody", inputSchema },
          { name: "read", description: "Read what was published", inputSchema, annotations: { readOnlyHint: true } },
        ],
      });
    if (params.name === "read") return answer({ content: [{ type: "text", text: "Nothing new" }] });
    board.posts.push(params.arguments.text);
    await board.hold;
    answer({ content: [{ type: "text", text: `Published: ${params.arguments.text}` }] });
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
  static async start(t, env = {}) {
    const story = new Story();
    story.model = await ModelServer.start(t);
    story.board = await start_board(t);
    story.site = await serve_site(t, () => ({
      headers: { "content-type": "text/html" },
      body: "<html><body><article><p>The harbour opens at nine, as it always has.</p></article></body></html>",
    }));
    story.box = await Box.start(t, { LOCAL_MODEL_URL: story.model.url, SUMMARIZER_ALLOW_PRIVATE: "true", ...env });
    story.ada = await story.box.customer("ada@example.org");
    story.agent = await story.box.running_agent(story.ada);
    await story.put("config", { config: { mcpServers: { board: { url: story.board.url } } } });
    return story;
  }
  async put(what, body) {
    const { status, body: answer } = await this.ada.call("PUT", `/api/agents/${this.agent}/${what}`, body);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  }
  async says(message, ...script) {
    this.model.will(...script);
    const { status, body } = await this.ada.call("POST", "/api/chat", {
      agentId: this.agent,
      message,
      ...(this.conversation && { conversationId: this.conversation }),
    });
    assert.equal(status, 200, `${JSON.stringify(body)} ${this.model.faults}`);
    return body.message.content;
  }
  async begins() {
    const { status, body } = await this.ada.call("POST", `/api/agents/${this.agent}/conversations`, { title: "Another" });
    assert.ok(status < 300, JSON.stringify(body));
    this.conversation = (body.conversation ?? body).id;
  }
  async asks(query = "?waiting=true") {
    const { status, body } = await this.ada.call("GET", `/api/asks${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.asks;
  }
  async ask() {
    const asks = await this.asks();
    assert.equal(asks.length, 1, JSON.stringify(asks));
    return asks[0];
  }
  answer(id, decision, more = {}) {
    return this.ada.call("POST", `/api/asks/${id}/answer`, { decision, ...more });
  }
  until_state(id, state) {
    return until(`the question is ${state}`, async () => {
      const { body } = await this.ada.call("GET", `/api/asks/${id}`);
      return body.state === state && body;
    });
  }
  // The turn has gone on, with what the agent then read.
  until_told() {
    return until("the agent has read the answer", () =>
      this.model.asked
        .map(({ messages }) => messages.at(-1))
        .find(({ role, content }) => role === "user" && content.startsWith("[agentbox]")),
    );
  }
  page() {
    return ["fetch_page", { url: `${this.site.url}/harbour` }];
  }
}

const post = (text) => ["board__post", { text }];

test("the owner's words act at once; with a page in the turn the same act waits, and goes on when it is allowed", async (t) => {
  const story = await Story.start(t);
  await story.says("Publish hello.", call(post("hello")), say("Done."));
  assert.deepEqual(story.board.posts, ["hello"]);
  assert.deepEqual(await story.asks(), []);

  await story.begins();
  await story.says("Read the page and publish what it says.", call(story.page()), call(post("nine")), say("It waits."));
  assert.equal(story.model.results[0].state, "waiting", JSON.stringify(story.model.results));
  assert.deepEqual(story.board.posts, ["hello"], "nothing was published");
  const ask = await story.ask();
  assert.deepEqual(
    [ask.agentId, ask.conversationId, ask.kind, ask.effect, ask.target, ask.act.arguments, ask.sources],
    [story.agent, story.conversation, "mcp", "outward", "board__post", { text: "nine" }, ["a web page"]],
  );
  story.model.will(say("It is published."));
  assert.equal((await story.answer(ask.id, "allow", { note: "Only this once" })).status, 200);
  assert.match((await story.until_told()).content, /Published: nine[^]*Only this once/);
  assert.deepEqual(story.board.posts, ["hello", "nine"]);
  const done = await story.until_state(ask.id, "done");
  assert.equal(done.answeredBy, `user:${story.ada.id}`);
  assert.equal((await story.answer(ask.id, "allow")).status, 200, "the same answer again changes nothing");
  assert.equal((await story.answer(ask.id, "refuse")).body.code, "ASK_ANSWERED");
  assert.deepEqual(story.board.posts, ["hello", "nine"]);
  await until("the answer is in the conversation", async () => {
    const { body } = await story.ada.call("GET", `/api/chat?agentId=${story.agent}&conversationId=${story.conversation}`);
    return body.messages.at(-1).content === "It is published.";
  });
  const { entries } = await story.box.backend_call("GET", "/api/admin/audit?limit=100");
  for (const act of ["question asked by an agent", "question answered: allowed", "act carried out"])
    assert.ok(
      entries.some((entry) => entry.act === act && entry.subject.startsWith(ask.id)),
      act,
    );
});

test("taint sticks to files, memory and conversations, and the owner can vouch for them", async (t) => {
  const story = await Story.start(t);
  await story.says(
    "Save the page.",
    call(story.page()),
    call(["write_file", { path: "notes/harbour.md", content: "nine" }]),
    say("Saved."),
  );
  await story.begins();
  await story.says("Publish the note.", call(["read_file", { path: "notes/harbour.md" }]), call(post("nine")), say("It waits."));
  assert.deepEqual((await story.ask()).sources, ["a web page"]);
  assert.equal((await story.answer((await story.ask()).id, "refuse")).status, 200);
  story.model.will(say("As you wish."));
  assert.match((await story.until_told()).content, /refused/);

  const { body: gate } = await story.ada.call("GET", `/api/agents/${story.agent}/gate`);
  assert.ok(
    gate.marks.some(({ what }) => what === "f:notes/harbour.md"),
    JSON.stringify(gate.marks),
  );
  assert.equal((await story.ada.call("DELETE", `/api/agents/${story.agent}/gate/marks`)).status, 200);
  await story.begins();
  await story.says("Publish the note.", call(["read_file", { path: "notes/harbour.md" }]), call(post("now")), say("Done."));
  assert.deepEqual(story.board.posts, ["now"]);

  await story.begins();
  await story.says("Remember the page.", call(story.page()), call(["remember", { text: "It opens at nine" }]), say("Noted."));
  await story.begins();
  await story.says("Publish it.", call(post("later")), say("It waits."));
  assert.deepEqual((await story.ask()).sources, ["a web page"]);
  assert.deepEqual(story.board.posts, ["now"]);
});

test("rules: always for a tool, never for an effect, of an agent and of a plan", async (t) => {
  const story = await Story.start(t);
  await story.says("Read and publish.", call(story.page()), call(post("one")), say("It waits."));
  story.model.will(say("Published."));
  await story.answer((await story.ask()).id, "allow", { always: { of: "target" } });
  await story.until_told();
  await story.says("And again.", call(post("two")), say("Done."));
  assert.deepEqual(story.board.posts, ["one", "two"]);
  const { rules } = (await story.ada.call("GET", `/api/agents/${story.agent}/gate`)).body;
  assert.deepEqual(rules, [
    { effect: "outward", turns: "any", decision: "allow", target: "board__post", conversationId: null, until: null },
  ]);

  await story.put("gate", { rules: [{ effect: "outward", decision: "refuse" }] });
  await story.says("And again.", call(post("three")), say("I may not."));
  assert.match(story.model.results[0].error, /refuse/);
  await story.put("gate", { rules: [] });
  await story.box.backend_call("PUT", "/api/admin/plans/solo/gate", { rules: [{ effect: "outward", turns: "clean", decision: "ask" }] });
  await story.begins();
  await story.says("Publish.", call(post("four")), say("It waits."));
  assert.deepEqual((await story.ask()).sources, []);
  assert.deepEqual(story.board.posts, ["one", "two"]);
  const bad = await story.ada.call("PUT", `/api/agents/${story.agent}/gate`, {
    rules: [{ effect: "outward", decision: "ask", until: "soon" }],
  });
  assert.match(bad.body.error, /^rules\[0\]\.until/);
});

test("a question survives kill -9 of the box, and the act happens once", async (t) => {
  const story = await Story.start(t);
  await story.says("Read and publish.", call(story.page()), call(post("once")), say("It waits."));
  const { id } = await story.ask();
  await story.box.end("SIGKILL");
  await story.box.serve();
  assert.equal((await story.ask()).id, id);
  story.model.will(say("Published."));
  assert.equal((await story.answer(id, "allow")).status, 200);
  await story.box.end("SIGKILL"); // the answer is stored
  await story.box.serve();
  await until("it is carried out or unknown", async () => {
    const { body } = await story.ada.call("GET", `/api/asks/${id}`);
    return ["done", "unknown"].includes(body.state);
  });
  await story.until_told();
  assert.ok(story.board.posts.length <= 1, JSON.stringify(story.board.posts));
});

test("an act during which the box ends is not repeated, and the agent is told so", async (t) => {
  const story = await Story.start(t);
  await story.says("Read and publish.", call(story.page()), call(post("slow")), say("It waits."));
  const { id } = await story.ask();
  let release;
  story.board.hold = new Promise((resolve) => (release = resolve));
  await story.answer(id, "allow");
  await until("it is at the server", () => story.board.posts.length === 1);
  await story.box.end("SIGKILL");
  release();
  story.model.will(say("I will check."));
  await story.box.serve();
  assert.match((await story.until_told()).content, /may have happened/);
  assert.equal((await story.until_state(id, "unknown")).failure.length > 0, true);
  assert.deepEqual(story.board.posts, ["slow"]);
});

test("a question expires, and the agent is told", async (t) => {
  const story = await Story.start(t);
  await story.put("gate", { rules: [], askSeconds: 1 });
  await story.says("Read and publish.", call(story.page()), call(post("late")), say("It waits."));
  story.model.will(say("Then not."));
  assert.match((await story.until_told()).content, /did not answer in time/);
  const [ask] = await story.asks("");
  assert.equal(ask.state, "expired");
  assert.equal((await story.answer(ask.id, "allow")).body.code, "ASK_ANSWERED");
  assert.deepEqual(story.board.posts, []);
});

test("a mailed link shows the question, and only its button answers it", async (t) => {
  const mail_server = await start_mail_server(t);
  const story = await Story.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org" });
  const { token: verify } = await story.box.mail_with("verify", "ada@example.org");
  assert.equal((await story.ada.call("POST", "/api/auth/verify-email", { token: verify })).status, 200);
  await story.says("Read and publish.", call(story.page()), call(post("mailed")), say("It waits."));
  const { id } = await story.ask();
  const mail = await until("the mail", async () => {
    const { mails } = await story.box.backend_call("GET", "/api/admin/outbox?limit=100");
    return mails.find(({ subject }) => subject.startsWith("Permission:"));
  });
  const [, link, token] = mail.body.match(/(http\S*\/ask)#(\S+)/);
  assert.equal((await fetch(link)).status, 200);
  const stranger = story.box.person();
  const shown = await stranger.call("POST", "/api/ask-links/show", { token });
  assert.deepEqual([shown.status, shown.body.id, shown.body.state], [200, id, "waiting"]);
  const forged = token.replace(/.$/, (last) => (last === "A" ? "E" : "A"));
  assert.equal((await stranger.call("POST", "/api/ask-links/answer", { token: forged, decision: "allow" })).status, 404);
  assert.equal((await story.ask()).state, "waiting");
  story.model.will(say("Published."));
  assert.equal((await stranger.call("POST", "/api/ask-links/answer", { token, decision: "allow" })).status, 200);
  assert.equal((await story.until_state(id, "done")).answeredBy, "mail");
  await story.until_told();
});

test("an agent that names files without end has its whole workspace marked, and does not fill the store", async (t) => {
  const story = await Story.start(t);
  const boot = `${story.box.folder}/agents/${story.agent}/run/boot.json`;
  await until("its token", () => existsSync(boot));
  const { box_token } = JSON.parse(readFileSync(boot, "utf8"));
  const marks = async () => (await story.ada.call("GET", `/api/agents/${story.agent}/gate`)).body.marks.map(({ what }) => what);
  const writes = async (part) => {
    const paths = Array.from({ length: 20 }, (_, at) => `folder/${part}-${at}`);
    const { status, text } = await send(story.box.backend, "POST", "/api/agent-gate/files", {
      headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
      body: JSON.stringify({ writes: paths }),
    });
    assert.equal(status, 200, text);
  };
  for (let part = 0; part < 100; ++part) await writes(part);
  assert.ok(!(await marks()).includes("f:"));
  await writes(100);
  assert.ok((await marks()).includes("f:"), "more than 2,000 files are all of them");
  assert.equal((await story.ada.call("DELETE", `/api/agents/${story.agent}/gate/marks`)).status, 200);
  assert.deepEqual(await marks(), []);
  await writes(0);
  assert.equal((await marks()).length, 20, "there is room again");
});

test("questions that others leave unanswered hold nobody's up", async (t) => {
  const story = await Story.start(t);
  const boot_of = (agent) => `${story.box.folder}/agents/${agent}/run/boot.json`;
  const token_of = (agent) => JSON.parse(readFileSync(boot_of(agent), "utf8")).box_token;
  const asks = async (token, text) => {
    const { status, body } = await send(story.box.backend, "POST", "/api/agent-mcp/call", {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "board__post", arguments: { text } }),
    });
    assert.equal(status, 202, JSON.stringify(body));
    return body.askId;
  };
  const own_token = token_of(story.agent);
  // More than the box looks at in one go, and the most that an owner may have.
  for (let other = 0; other < 10; ++other) {
    const person = await story.box.customer(`other${other}@example.org`);
    const agent = await story.box.running_agent(person, "Talker");
    const token = await until("its token", () => existsSync(boot_of(agent)) && token_of(agent));
    await person.call("PUT", `/api/agents/${agent}/config`, { config: { mcpServers: { board: { url: story.board.url } } } });
    for (let part = 0; part < 10; ++part) await Promise.all(Array.from({ length: 10 }, (_, at) => asks(token, `${other} ${part} ${at}`)));
    assert.equal((await person.call("POST", `/api/instance/${agent}/stop`)).status, 200);
  }
  const id = await asks(own_token, "mine");
  assert.equal((await story.answer(id, "allow")).status, 200);
  await story.until_state(id, "done");
  assert.deepEqual(story.board.posts, ["mine"]);
});

test("an agent's process that skips its own tools gets no further", async (t) => {
  const story = await Story.start(t);
  const { box_token } = JSON.parse(readFileSync(`${story.box.folder}/agents/${story.agent}/run/boot.json`, "utf8"));
  const as_agent = (method, path, body) =>
    send(story.box.backend, method, path, {
      headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
  const posted = await as_agent("POST", "/api/agent-mcp/call", { name: "board__post", arguments: { text: "outside" } });
  assert.deepEqual([posted.status, posted.body.state], [202, "waiting"]);
  assert.deepEqual(story.board.posts, []);
  assert.equal((await as_agent("GET", `/api/agent-asks/${posted.body.askId}`)).body.state, "waiting");
  // A title that is only the begin of a command says so.
  const command = await as_agent("POST", "/api/agent-commands", { shell: "git status\nrm -r .\n" });
  assert.equal(command.status, 202, command.text);
  const titles = (await story.asks()).map(({ title }) => title);
  assert.ok(titles.includes("Run: git status …"), titles.join());
  assert.equal((await as_agent("POST", `/api/asks/${posted.body.askId}/answer`, { decision: "allow" })).status, 404);
  const answered = await send(story.box.web, "POST", `/api/asks/${posted.body.askId}/answer`, {
    headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
    body: JSON.stringify({ decision: "allow" }),
  });
  assert.equal(answered.status, 401);
  const eve = await story.box.customer("eve@example.org");
  assert.equal((await eve.call("POST", `/api/asks/${posted.body.askId}/answer`, { decision: "allow" })).status, 404);
  assert.equal((await story.answer(posted.body.askId, "allow")).status, 200);
  await until("it is published", () => story.board.posts.length === 1);
});
