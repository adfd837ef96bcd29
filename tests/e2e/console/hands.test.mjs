// What agents act with, as their owner sees it: credentials and their uses, and the live browser.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { open_browser, Person } from "./browser.mjs";

const skip = process.getuid() !== 0 ? "reads the agent's token as root" : undefined;
const HOST = "127.0.0.2"; // of this machine, and not what NO_PROXY names
const CANARY = "canary-4711-of-the-forge";

const PAGE = `<title>Harbour</title><body style="margin:0"><form method="post"><input name="ship" autofocus
  style="position:absolute;left:0;top:0;width:600px;height:400px"></form>`;

const story_of = async (t) => {
  const browser = await open_browser(t);
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    seen.push({ method: request.method, authorization: request.headers.authorization, body });
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
  });
  server.listen(0, HOST);
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "true" });
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const rules = ["code", "outward"].map((effect) => ({ effect, turns: "any", decision: "allow" }));
  await owner.call("PUT", `/api/agents/${id}/gate`, { rules });
  const token = JSON.parse(readFileSync(join(box.folder, "agents", id, "run/boot.json"))).box_token;
  // As the agent itself.
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(box.backend + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  return { box, owner, id, ada, ask, seen, site: `http://${HOST}:${server.address().port}` };
};

test("credentials are added, used, replaced and deleted, and their secrets are never shown", { skip }, async (t) => {
  const { ada, ask, seen, site } = await story_of(t);
  await ada.own_page("Credentials");
  await ada.heading("No credentials yet").waitFor();
  await ada.is_sound();
  await ada.button("New credential").click();
  await ada.label("Name").fill("FORGE");
  await ada.label("Secret").fill(CANARY);
  await ada.label("Scheme").selectOption("http");
  await ada.label("Hosts").fill("not a host!");
  ada.expected = ["status of 400"];
  await ada.button("Save").click();
  await ada.alert.getByText(/Hosts/).waitFor();
  await ada.label("Hosts").fill(HOST);
  await ada.text("Paths, methods and agents").click();
  await ada.label("Path prefixes").fill("/api");
  await ada.label("GET").check();
  await ada.is_accessible();
  await ada.button("Save").click();
  await ada.dialog.waitFor({ state: "detached" });
  await ada.text(`http://${HOST}/api`).waitFor();
  await ada.text("never used").waitFor();
  await ada.is_sound();

  const program = `import urllib.request as r\nfor path in ("/api/x", "/other"):\n  try: r.urlopen(r.Request("${site}" + path, headers={"Authorization": "Bearer cred:FORGE"})).read()\n  except Exception as a: print(a)`;
  const { body: started } = await ask("POST", "/api/agent-commands", { arguments: ["python3", "-c", program] });
  await until("it has run", async () => (await ask("GET", `/api/agent-commands/${started.id}/output?waitMs=5000`)).body.running === false);
  assert.equal(seen.at(-1).authorization, `Bearer ${CANARY}`);
  await ada.page.reload();
  await ada.text(/^last refused: GET 127\.0\.0\.2/).waitFor();
  const table = ada.page.getByRole("table");
  await table.getByText("200").waitFor();
  await table.getByText("Scout").first().waitFor();
  await ada.is_sound();

  await ada.button("Replace FORGE").click();
  assert.equal(await ada.label("Secret").inputValue(), "", "the secret stays in the box");
  await ada.label("How it is sent").selectOption({ label: "header" });
  await ada.label("Name of the header").fill("X-Key");
  await ada.button("Save").click();
  await ada.dialog.waitFor({ state: "detached" });
  await ada.text("X-Key").waitFor();
  assert.ok(!(await ada.page.content()).includes(CANARY));
  await ada.in_menu("More about cred:FORGE", "Delete");
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.heading("No credentials yet").waitFor();
});

const needs_chromium = existsSync("/usr/lib/chromium/chromium") ? skip : "needs Chromium";

test("the owner watches an agent's browser, takes it over and gives it back", { skip: needs_chromium }, async (t) => {
  const { ada, ask, seen, site, id } = await story_of(t);
  await ada.page.goto(`/agents/${id}`);
  await ada.in_menu("More about Scout", "Watch its browser");
  await ada.heading("The browser is not running").waitFor();
  await ada.is_sound();
  assert.equal((await ask("POST", "/api/agent-browser", { action: "open", url: `${site}/` })).status, 200);
  const screen = ada.page.locator(".screen img");
  await screen.waitFor();
  await ada.text("Harbour").waitFor();
  await ada.button("Take over").click();
  await ada.button("Give it back").waitFor();
  await ada.is_accessible();
  await ada.page.locator(".screen").click({ position: { x: 60, y: 40 } });
  await ada.page.keyboard.type("Mary");
  await ada.page.keyboard.press("Enter");
  await until("what was typed has arrived", () => seen.some(({ method, body }) => method === "POST" && body === "ship=Mary"));
  assert.equal((await ask("POST", "/api/agent-browser", { action: "read" })).status, 409);
  await ada.button("Give it back").click();
  await ada.button("Take over").waitFor();
  assert.equal((await ask("POST", "/api/agent-browser", { action: "read" })).status, 200);
  await ada.button("End the browser").click();
  await ada.heading("The browser is not running").waitFor();
});

test("the owner sees, adds and removes rules, and vouches for texts of others", { skip }, async (t) => {
  const { owner, ada, id } = await story_of(t);
  const rules = async () => (await owner.call("GET", `/api/agents/${id}/gate`)).body.rules;
  await ada.page.goto(`/agents/${id}/settings`);
  const gate = ada.page.getByRole("region", { name: "Permissions" });
  await gate.getByRole("button", { name: "Remove the rule: Runs commands" }).click();
  await until("one rule is left", async () => (await rules()).length === 1);
  await gate.getByRole("button", { name: "Add a rule" }).click();
  await gate.getByLabel("What it does").selectOption({ label: "Pays" });
  await gate.getByLabel("In which turns").selectOption({ label: "With texts of others" });
  await gate.getByLabel("Decision").selectOption({ label: "Refused" });
  await gate.getByLabel("Receiver, tool or command").fill("pay_usdc");
  await ada.is_accessible();
  await gate.getByRole("button", { name: "Add a rule" }).click();
  await gate.getByText("Pays · pay_usdc · With texts of others").waitFor();
  const { effect, turns, decision, target } = (await rules()).at(-1);
  assert.deepEqual([effect, turns, decision, target], ["money", "foreign", "refuse", "pay_usdc"]);

  const form = new FormData();
  form.append("files", new Blob(["from somebody else"]), "letter.txt");
  const uploaded = await fetch(new URL(`/api/agents/${id}/files/upload`, ada.box.web), {
    method: "POST",
    headers: { cookie: owner.cookie },
    body: form,
  });
  assert.equal(uploaded.status, 201, await uploaded.text());
  await ada.page.reload();
  await gate.getByText("1 text of others that it keeps").click();
  await gate.getByRole("button", { name: /^Vouch for .*letter\.txt/ }).click();
  await until("nothing is marked", async () => (await owner.call("GET", `/api/agents/${id}/gate`)).body.marks.length === 0);
});
