// What agents tell their owners unasked, and what they find on the web through the box.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { start_mail_server } from "../peers/mail_server.mjs";

// Requests with the token of an agent, which is in its boot file for half a minute after its start.
const as_agent = (box, agent) => {
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  return (method, path, body) =>
    send(box.backend, method, path, {
      headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
};

test("a notice is in the conversation and, for a verified address, in the mail; there are 20 a day", async (t) => {
  const mail_server = await start_mail_server(t);
  const box = await Box.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org" });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada, "Scout");
  const tell = as_agent(box, agent);
  const unverified = await tell("POST", "/api/agent-notices", { text: "The harbour is closed." });
  assert.deepEqual([unverified.status, unverified.body.mailed], [201, false], unverified.text);
  const [shown] = (await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages;
  assert.deepEqual([shown.id, shown.role, shown.content], [unverified.body.messageId, "assistant", "The harbour is closed."]);

  const { token } = await box.mail_with("verify", "ada@example.org");
  assert.equal((await ada.call("POST", "/api/auth/verify-email", { token })).status, 200);
  const before = mail_server.mails.length;
  const mailed = await tell("POST", "/api/agent-notices", { subject: "Harbour", text: "It is open again." });
  assert.deepEqual([mailed.status, mailed.body.mailed], [201, true], mailed.text);
  const mail = await until("the mail", () =>
    mail_server.mails.find(({ lines }) => lines.some((line) => line === "Subject: Scout: Harbour")),
  );
  assert.ok(mail_server.mails.length > before);
  assert.ok(mail.lines.includes("It is open again."), mail.lines.join("\n"));
  assert.match(mail.to.join(), /ada@example\.org/);

  for (let more = 18; more > 0; --more) assert.equal((await tell("POST", "/api/agent-notices", { text: `Notice ${more}` })).status, 201);
  const refused = await tell("POST", "/api/agent-notices", { text: "One more" });
  assert.deepEqual([refused.status, refused.body.limit], [429, 20], refused.text);
  assert.ok(!(await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages.some(({ content }) => content === "One more"));
  for (const wrong of [{}, { text: "" }, { text: "x".repeat(4_001) }, { text: "x", subject: "a\nb" }])
    assert.equal((await tell("POST", "/api/agent-notices", wrong)).status, 400, JSON.stringify(wrong).slice(0, 60));
});

test("a task at one time runs once and tells its owner", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const at = new Date(Date.now() + 2_000).toISOString().slice(0, 19);
  const made = await ada.call("POST", "/api/scheduled-tasks", {
    name: "Reminder",
    cronSchedule: `@at ${at}`,
    timezone: "UTC",
    prompt: "remember that the kettle is on",
    agentId: agent,
    tellOwner: true,
  });
  assert.deepEqual([made.status, made.body.nextRun, made.body.tellOwner], [201, `${at}.000Z`, true], JSON.stringify(made.body));
  const told = await until("the answer and the notice", async () => {
    const messages = (await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages.filter(({ role }) => role === "assistant");
    return messages.length === 2 && messages;
  });
  assert.equal(told[0].content, told[1].content, "the notice is the answer");
  const task = (await ada.call("GET", `/api/scheduled-tasks/${made.body.id}`)).body;
  assert.deepEqual([task.nextRun, task.nextRuns], [null, []]);
  const past = await ada.call("PUT", "/api/scheduled-tasks", { taskId: task.id, cronSchedule: "@at 2020-01-01T09:00" });
  assert.match(past.body.error, /this time has passed/);
});

test("an agent knows the time of a zone", async (t) => {
  const box = await Box.start(t);
  const ask = as_agent(box, await box.running_agent(await box.customer("ada@example.org")));
  const { body } = await ask("GET", "/api/agent-time?timezone=Asia%2FKolkata");
  assert.match(body.local, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);
  assert.ok(Math.abs(Date.parse(body.local) - Date.parse(body.utc)) < 1_000, JSON.stringify(body));
  assert.match(body.weekday, /day$/);
  assert.match((await ask("GET", "/api/agent-time?timezone=Mars")).body.error, /knows no 'Mars'/);
});

test("web searches go to the configured provider, within the egress of the agent", async (t) => {
  const site = await serve_site(t, ({ url, method, headers, text }) => {
    if (url.pathname === "/searx/search")
      return {
        json: {
          results: [
            { title: "The <b>harbour</b>", url: "https://harbour.example.org/a", content: "Opens at <em>six</em>" },
            { title: "Elsewhere", url: "https://elsewhere.test/", content: "x" },
            { title: "No link" },
          ],
        },
      };
    if (url.pathname === "/res/v1/web/search" && headers["x-subscription-token"] === "brave-key")
      return { json: { web: { results: [{ title: "Brave", url: "https://b.test/", description: url.searchParams.get("q") }] } } };
    if (method === "POST" && url.pathname === "/search" && headers.authorization === "Bearer tavily-key")
      return { json: { results: [{ title: "Tavily", url: "https://t.test/", content: JSON.parse(text).query }] } };
    return { status: 500, body: "out of order" };
  });
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const search = (query = "q=harbour") => as_agent(box, agent)("GET", `/api/agent-search?${query}`);
  const with_settings = async (settings) => {
    await box.end("SIGTERM");
    box.env = { ...box.env, SEARCH_URL: undefined, BRAVE_API_KEY: undefined, TAVILY_API_KEY: undefined, ...settings };
    for (const name of Object.keys(box.env)) if (box.env[name] === undefined) delete box.env[name];
    await box.serve();
    await box.until_status(ada, agent, "running");
    await ada.call("POST", `/api/instance/${agent}/restart`); // writes its boot file again
    await box.until_status(ada, agent, "running");
  };
  assert.match((await search()).body.error, /has no web search: its administrator sets SEARCH_URL/);

  await with_settings({ SEARCH_URL: `${site.url}/searx` });
  const found = await search();
  assert.deepEqual(found.body.results, [
    { title: "The harbour", url: "https://harbour.example.org/a", snippet: "Opens at six" },
    { title: "Elsewhere", url: "https://elsewhere.test/", snippet: "x" },
  ]);
  assert.equal((await search("q=harbour&limit=1")).body.results.length, 1);
  assert.equal((await search("q=")).status, 400);
  const egress = (value) => ada.call("PUT", `/api/agents/${agent}/config`, { config: { egress: value } });
  assert.equal((await egress([".example.org"])).status, 200);
  assert.deepEqual(
    (await search()).body.results.map(({ url }) => url),
    ["https://harbour.example.org/a"],
  );
  await egress("none");
  assert.equal((await search()).status, 403);
  await egress("web");

  await with_settings({ BRAVE_BASE_URL: site.url, BRAVE_API_KEY: "brave-key" });
  assert.deepEqual((await search()).body, { provider: "brave", results: [{ title: "Brave", url: "https://b.test/", snippet: "harbour" }] });
  await with_settings({ TAVILY_BASE_URL: site.url, TAVILY_API_KEY: "tavily-key" });
  assert.deepEqual((await search()).body, {
    provider: "tavily",
    results: [{ title: "Tavily", url: "https://t.test/", snippet: "harbour" }],
  });
  await with_settings({ TAVILY_BASE_URL: site.url, TAVILY_API_KEY: "wrong-key" });
  const failed = await search();
  assert.equal(failed.status, 502);
  assert.equal(failed.body.error, "The search provider 'tavily' failed: it answered with status 500");
});
