// Agents that use a browser: what they get of pages, what needs the owner's permission, and what hostile pages reach.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { call, fail, ModelServer, say } from "../peers/model_server.mjs";
import { is_alive, processes } from "../support/processes.mjs";

const chromium = "/usr/lib/chromium/chromium";
const skip = process.getuid() !== 0 ? "reads the agent's token as root" : existsSync(chromium) ? undefined : "needs Chromium";
const HOST = "127.0.0.2"; // of this machine, and not the box's own

const FORM = `<html><head><title>Harbour office</title></head><body><h1>Berths</h1>
<a href="/next">Next page</a>
<form action="/booked" method="post"><label>Ship <input name="ship"></label>
<label>Berth <select name="berth"><option>East</option><option>West</option></select></label>
<button>Book it</button></form></body></html>`;

const PAGES = {
  "/form": FORM,
  "/next": "<title>Next</title><p>The tide is high.</p>",
  "/popup": `<title>Popup</title><a href="/next" target="_blank">Other window</a><script>for (let i = 0; i < 20; ++i) open("/next")</script>`,
  "/dialog": `<title>Dialog</title><p>Welcome</p><script>setTimeout(() => alert("You have won"), 10)</script>`,
  "/huge": `<title>Huge</title><script>document.write("<p>word</p>".repeat(30000))</script>`,
  "/file": `<title>File</title><a href="/report.csv" download>Report</a>`,
};

// A page that tries to read each target, and says how that ended.
const hostile = (targets) => `<title>Hostile</title><pre id="out">trying</pre><script>
const attempts = ${JSON.stringify(targets)}.flatMap((url) => ["cors", "no-cors"].map((mode) =>
  fetch(url, { mode, signal: AbortSignal.timeout(8000) })
    .then((answer) => answer.text().then((text) => "answered " + (text || answer.type)), () => "refused")));
Promise.all(attempts).then((all) => { document.getElementById("out").textContent = "tried: " + all.join("; "); });
</script>`;

// A service of this machine that would let any page read it. `connections` counts those that have reached it.
const private_service = async (t, host) => {
  const service = { connections: 0 };
  const server = createServer((_, response) => response.writeHead(200, { "access-control-allow-origin": "*" }).end("a secret"));
  server.on("connection", () => ++service.connections);
  server.listen(0, host);
  await once(server, "listening");
  t.after(() => server.close());
  service.url = `http://${host.includes(":") ? `[${host}]` : host}:${server.address().port}/`;
  return service;
};

const serve = async (t) => {
  const site = { requests: [], pages: { ...PAGES } };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    site.requests.push({ method: request.method, url: request.url, body });
    if (request.url === "/report.csv")
      return response
        .writeHead(200, { "content-type": "text/csv", "content-disposition": 'attachment; filename="../../report.csv"' })
        .end("a,b\n1,2\n");
    if (request.url === "/booked")
      return response.writeHead(200, { "content-type": "text/html" }).end(`<title>Booked</title><p>Booked: ${body}</p>`);
    const page = site.pages[request.url];
    response.writeHead(page ? 200 : 404, { "content-type": "text/html" }).end(page ?? "nothing");
  });
  server.listen(0, HOST);
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  site.url = `http://${HOST}:${server.address().port}`;
  return site;
};

// A box with an agent, and the agent's own token, as a hijacked agent has it.
const story_of = async (t, { rules, egress, env = {} } = {}) => {
  const site = await serve(t);
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "true", ...env });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  if (rules) assert.equal((await ada.call("PUT", `/api/agents/${agent}/gate`, { rules })).status, 200);
  if (egress) assert.equal((await ada.call("PUT", `/api/agents/${agent}/config`, { config: { egress } })).status, 200);
  const token = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run/boot.json"))).box_token;
  const act = async (body) => {
    const answer = await fetch(`${box.backend}/api/agent-browser`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const page = async (body) => {
    const { status, body: found } = await act(body);
    assert.equal(status, 200, JSON.stringify(found));
    return found;
  };
  return { site, model, box, ada, agent, act, page, workspace: join(box.folder, "agents", agent, "workspace") };
};

const ref_of = (text, words) => {
  const found = new RegExp(`${words}[^\\n]*?\\[(e\\d+)\\]`).exec(text);
  assert.ok(found, `${words} has a reference in: ${text}`);
  return found[1];
};

const allowed = [{ effect: "outward", turns: "any", decision: "allow" }];
// Those that the box has started, by way of the shell that is the first process of their namespace.
const browsers_of = (box) => {
  const all = new Map(processes().map((one) => [one.pid, one]));
  const is_below = (one) => {
    for (let at = one; at; at = all.get(at.parent)) if (at.parent === box.child.pid) return true;
    return false;
  };
  return [...all.values()].filter((one) => one.arguments[0] === chromium && is_below(one)).map(({ pid }) => pid);
};

test("a page is read, clicked, filled and submitted, seen, and a file of it downloaded", { skip }, async (t) => {
  const { site, box, act, page, ada, agent, workspace } = await story_of(t, { rules: allowed });
  assert.equal((await (await fetch(`${box.web}/health`)).json()).browser, "on");
  const form = await page({ action: "open", url: `${site.url}/form` });
  assert.equal(form.title, "Harbour office");
  assert.match(form.text, /heading "Berths"/);
  const fields = [
    { ref: ref_of(form.text, 'textbox "Ship"'), text: "Ada's ship" },
    { ref: ref_of(form.text, 'combobox "Berth"'), text: "West" },
  ];
  const filled = await page({ action: "type", fields });
  const booked = await page({ action: "click", ref: ref_of(filled.text, 'button "Book it"') });
  assert.match(booked.text, /Booked: ship=Ada%27s\+ship&berth=West/);
  assert.equal((await act({ action: "click", ref: "e99" })).status, 400);

  const picture = (await page({ action: "screenshot" })).screenshot;
  assert.equal(Buffer.from(picture, "base64").subarray(0, 3).toString("hex"), "ffd8ff", "a JPEG");

  const file = await page({ action: "open", url: `${site.url}/file` });
  const download = await page({ action: "download", ref: ref_of(file.text, 'link "Report"') });
  // Of the path that the site wants, Chromium makes a name; which one differs from version to version.
  assert.match(download.file, /^downloads\/[\w.]*report\.csv$/);
  assert.equal(download.bytes, 8);
  assert.equal(readFileSync(join(workspace, download.file), "utf8"), "a,b\n1,2\n");
  const { marks } = (await ada.call("GET", `/api/agents/${agent}/gate`)).body;
  assert.ok(
    marks.some(({ what }) => what.includes(download.file)),
    "it has texts of others",
  );
  assert.equal((await act({ action: "download", url: `${site.url}/form` })).status, 400, "a page is no download");

  const running = browsers_of(box);
  assert.ok(running.length > 0);
  await box.end("SIGKILL");
  await until("nothing is left running", () => !running.some(is_alive));
});

test("pages that go on to others by themselves are read, where they have arrived", { skip }, async (t) => {
  const { site, page } = await story_of(t, { rules: allowed });
  // About as long as the box waits for a page to rest.
  const stays = [230, 240, 250, 260, 270, 280, 290, 300, 310, 320];
  for (const [step, ms] of stays.entries()) {
    const next = step + 1 < stays.length ? `/way/${step + 1}` : "/next";
    site.pages[`/way/${step}`] =
      `<title>On the way</title><p>Wait</p><script>setTimeout(() => location.replace("${next}"), ${ms})</script>`;
  }
  await page({ action: "open", url: `${site.url}/way/0` });
  const arrived = await until("it has arrived", async () => {
    const found = await page({ action: "read" });
    return found.title === "Next" && found;
  });
  assert.match(arrived.text, /The tide is high/);
});

test("typing and submitting wait for the owner, who sees them exactly, and are then done once", { skip }, async (t) => {
  const { site, act, page, ada } = await story_of(t);
  const form = await page({ action: "open", url: `${site.url}/form` });
  const fields = [{ ref: ref_of(form.text, 'textbox "Ship"'), text: "Mary" }];
  const asked = await act({ action: "type", fields, submit: true, why: "The owner wants a berth." });
  assert.deepEqual([asked.status, asked.body.state], [202, "waiting"]);
  assert.ok(!site.requests.some(({ method }) => method === "POST"));
  const [ask] = (await ada.call("GET", "/api/asks?waiting=true")).body.asks;
  assert.deepEqual([ask.kind, ask.effect, ask.target, ask.reason], ["browser", "outward", HOST, "The owner wants a berth."]);
  assert.match(ask.title, /^Type into textbox "Ship", and submit it, on 127\.0\.0\.2$/);
  assert.deepEqual([ask.act.page, ask.act.submit, ask.act.elements[0].text], [`${site.url}/form`, true, "Mary"]);
  // The page changes meanwhile: it is found again.
  await page({ action: "open", url: `${site.url}/next` });
  assert.equal((await ada.call("POST", `/api/asks/${ask.id}/answer`, { decision: "allow" })).status, 200);
  const carried_out = async () => {
    const { body } = await ada.call("GET", `/api/asks/${ask.id}`);
    return ["done", "failed"].includes(body.state) && body;
  };
  const done = await until("it is carried out", carried_out, 120_000);
  assert.equal(done.state, "done", JSON.stringify(done));
  assert.deepEqual(
    site.requests.filter(({ method }) => method === "POST").map(({ body }) => body),
    ["ship=Mary&berth=East"],
  );
  // Following a link reaches nobody.
  const again = await page({ action: "open", url: `${site.url}/form` });
  assert.match((await page({ action: "click", ref: ref_of(again.text, 'link "Next page"') })).text, /The tide is high/);
});

test("a hostile page reaches neither the machine, the metadata address, files nor other ports, and stays bounded", { skip }, async (t) => {
  const { site, box, act, page, workspace } = await story_of(t, { rules: allowed, egress: [HOST] });
  const services = await Promise.all(["127.0.0.1", "::1"].map((host) => private_service(t, host)));
  const targets = [
    "http://169.254.169.254/latest/meta-data/",
    `${box.backend}/health`,
    "http://localhost:3128/", // the proxy itself
    "http://10.0.0.1/",
    `http://[::1]:${new URL(box.web).port}/health`,
    ...services.map(({ url }) => url),
  ];
  site.pages["/hostile"] = hostile([...targets, "file:///etc/passwd"]);
  await page({ action: "open", url: `${site.url}/hostile` });
  let text = "";
  await until("it has tried everything", async () => {
    ({ text } = await page({ action: "read" }));
    return text.includes("tried:");
  });
  // What it gets for some is the proxy's refusal, of which it sees nothing.
  assert.equal(text.match(/refused|answered opaque/g)?.length, 2 * (targets.length + 1), text);
  assert.ok(!/answered (?!opaque)/.test(text), text);
  for (const url of targets) assert.match((await page({ action: "open", url })).text, /egress does not admit/, url);
  assert.deepEqual(
    services.map(({ connections }) => connections),
    [0, 0],
  );
  for (const [url, status] of [
    ["file:///etc/passwd", 400],
    ["chrome://settings", 400],
    ["javascript:alert(1)", 400],
    ["https://169.254.169.254/", 502],
    [`https://example.org/`, 502],
  ])
    assert.equal((await act({ action: "open", url })).status, status, url);

  const popups = await page({ action: "open", url: `${site.url}/popup` });
  const other = await page({ action: "click", ref: ref_of(popups.text, 'link "Other window"') });
  assert.equal(other.title, "Next");
  const dialog = await page({ action: "open", url: `${site.url}/dialog` });
  assert.match(JSON.stringify([dialog, await page({ action: "read" })]), /dismissed: You have won/);
  const huge = await page({ action: "open", url: `${site.url}/huge` });
  assert.ok(huge.text.length <= 20_000 && huge.text.includes("word"));
  assert.match(huge.notes.join(), /too many parts/);
  assert.deepEqual(
    readdirSync(workspace).filter((name) => name !== ".git" && !name.startsWith(".")),
    [],
    "no page has written into the workspace",
  );
});

test("a model uses the browser, and sees a screenshot; the page's texts taint its turn", { skip }, async (t) => {
  const { site, model, ada, agent, workspace } = await story_of(t);
  model.knows_caller = false; // it gets the picture
  model.will(
    call(["browser_open", { url: `${site.url}/next` }]),
    call(["browser_screenshot", {}]),
    call(["send_message", { to: "ag_somebody", action: "GREETING", payload: {}, why: "To say hello." }]),
    say("Done."),
  );
  const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message: "look at the tide" });
  assert.equal(status, 200, `${JSON.stringify(body)} ${model.faults}`);
  const results = model.asked
    .at(-1)
    .messages.filter(({ role }) => role === "tool")
    .map(({ content }) => JSON.parse(content));
  assert.match(results[0].text, /The tide is high/);
  assert.match(results[1].picture, /^attachments\/\w+\.jpg$/);
  assert.ok(existsSync(join(workspace, results[1].picture)));
  assert.equal(results[2].state, "waiting");
  const [ask] = (await ada.call("GET", "/api/asks?waiting=true")).body.asks;
  assert.ok(ask.sources.includes("a page in the browser"), ask.sources.join());
  assert.equal(ask.reason, "To say hello.");

  const images = ({ messages }) => JSON.stringify(messages).match(/data:image\/jpeg;base64,/g)?.length ?? 0;
  assert.deepEqual(model.asked.slice(-2).map(images), [1, 1], "the picture is shown from its call on");
  model.will(fail(400, "This model takes text only."), say("I cannot see it."));
  const blind = await ada.call("POST", "/api/chat", { agentId: agent, message: "what is in the picture?" });
  assert.deepEqual([blind.status, blind.body.message?.content], [200, "I cannot see it."], JSON.stringify(blind.body));
  assert.deepEqual(model.asked.slice(-2).map(images), [1, 0], "a model that refuses pictures is asked without them");
});

test("the owner watches, takes over, and ends the browser", { skip }, async (t) => {
  const { site, box, act, page, ada, agent } = await story_of(t, { rules: allowed });
  const form = await page({ action: "open", url: `${site.url}/form` });
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const answer = await fetch(`${box.web}/api/agents/${agent}/browser`, { headers: { cookie: ada.cookie }, signal: leaving.signal });
  assert.equal(answer.headers.get("content-type").split(";")[0], "text/event-stream");
  let seen = "";
  (async () => {
    for await (const part of answer.body) seen += Buffer.from(part).toString();
  })().catch(() => undefined);
  const views = () => [...seen.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data));
  await until("a picture", () => views().some(({ picture }) => picture));
  assert.equal(views().at(-1).url, `${site.url}/form`);
  const hand = (body) => ada.call("POST", `/api/agents/${agent}/browser`, body);
  assert.equal((await hand({ action: "key", key: "Tab" })).status, 409, "it is not taken");
  assert.equal((await hand({ action: "take" })).status, 200);
  const held = await act({ action: "read" });
  assert.deepEqual([held.status, /owner is using the browser/.test(held.body.error)], [409, true]);
  assert.equal((await hand({ action: "open", url: `${site.url}/form` })).status, 200);
  for (const body of [
    { action: "key", key: "Tab" },
    { action: "key", key: "Tab" },
    { action: "text", text: "Owner's" },
    { action: "key", key: "Enter" },
  ])
    assert.equal((await hand(body)).status, 200);
  await until("the owner's form has arrived", () =>
    site.requests.some(({ method, body }) => method === "POST" && body.includes("Owner%27s")),
  );
  assert.equal((await hand({ action: "give" })).status, 200);
  assert.match((await page({ action: "read" })).text, /Booked/);
  assert.equal((await hand({ action: "end" })).status, 200);
  await until("it has ended", () => views().at(-1).running === false);
  const gone = await act({ action: "read" });
  assert.deepEqual([gone.status, /No page is open/.test(gone.body.error)], [409, true]);
  const stranger = await box.customer("eve@example.org");
  for (const body of [{ action: "take" }, { action: "fly" }, {}])
    assert.equal((await stranger.call("POST", `/api/agents/${agent}/browser`, body)).status, 404, JSON.stringify(body));
  assert.ok(form.text);
});

test("a browser that is not used is ended, and the next call begins another one", { skip }, async (t) => {
  const { site, box, page, act } = await story_of(t, { rules: allowed, env: { BROWSER_IDLE: "10" } });
  await page({ action: "open", url: `${site.url}/form` });
  const [first] = browsers_of(box);
  assert.ok(first);
  // While it is used it stays.
  for (const end = Date.now() + 13_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 1_000)))
    await page({ action: "read" });
  assert.ok(is_alive(first));
  await until("its end", () => browsers_of(box).length === 0);
  const { body } = await until("that the box knows", async () => {
    const answer = await act({ action: "read" });
    return answer.status !== 503 && answer; // a page is open no longer
  });
  assert.equal(body.error, "No page is open: use browser_open first.");
  assert.equal((await page({ action: "open", url: `${site.url}/next` })).title, "Next");
});
