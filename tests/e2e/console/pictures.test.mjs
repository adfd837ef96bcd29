// The pictures of docs/console.md: each page with something to show, as the console draws it.
//
//   AGENTBOX_PICTURES=docs/console node --test tests/e2e/console/pictures.test.mjs    writes them anew
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, until } from "../support/box.mjs";
import { open_browser, Person } from "./browser.mjs";
import { RouterServer, served } from "../peers/router_server.mjs";

const docs = join(import.meta.dirname, "../../../docs");
const kept = join(docs, "console");
const target = process.env.AGENTBOX_PICTURES;
const max_bytes = 1_500_000;

// An account in which every page has something to show.
const furnished = async (box) => {
  const ada = await box.customer("ada@example.org", "network");
  await ada.call("PATCH", "/api/settings", { name: "Ada Lovelace" });
  const id = await box.running_agent(ada, "Scout");
  const did = async (method, path, body) => {
    const answer = await ada.call(method, path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await did("POST", "/api/chat", { agentId: id, message: "How do I count words in Python?" });
  const files = (row, body) => did("POST", `/api/agents/${id}/files/${row}`, body);
  await files("write", { path: "notes/plan.md", content: "# Plan\n\n- ask for the figures\n- write the summary\n" });
  await files("write", {
    path: "count.py",
    content:
      'from collections import Counter\n\n\ndef words(text):\n    """The words of a text, the most frequent first."""\n    return Counter(text.split()).most_common()\n',
  });
  await files("commit", { message: "plan: begin" });
  await files("write", {
    path: "notes/plan.md",
    content: "# Plan\n\n- ask Bob for the figures\n- write the summary\n- send it on Friday\n",
  });
  await did("POST", "/api/memory", { agentId: id, text: "The summary is due on Friday" });
  await did("POST", "/api/scheduled-tasks", {
    agentId: id,
    name: "Morning summary",
    prompt: "Summarize the news",
    cronSchedule: "0 8 * * 1-5",
  });
  await did("POST", "/api/keys", { name: "reporting", budgetUsd: "5.00", scopes: ["models", "usage"] });
  await did("PUT", "/api/caps", { scope: "agent", target: id, period: "month", usd: "10.00" });
  return { ada, id };
};

const answer =
  "Count them with `collections.Counter`:\n\n```python\nfrom collections import Counter\n\ndef words(text):\n    return Counter(text.split()).most_common()\n```\n\nThe most frequent words come **first**.";

// The name of each picture and the address of its page; `look` does what makes the page worth a picture.
const pictures_of = (id) => ({
  home: ["/dashboard"],
  conversation: [`/agents/${id}`, (person) => person.page.locator(".code-block pre span").first().waitFor()],
  files: [`/agents/${id}/files?path=count.py`, (person) => person.page.locator(".cm-content").waitFor()],
  changes: [`/agents/${id}/files?view=changes`],
  logs: [`/agents/${id}/logs`, (person) => person.page.locator(".log-line").first().waitFor()],
  memory: [`/agents/${id}/memory`],
  schedule: [`/agents/${id}/schedule`],
  agent_usage: [`/agents/${id}/usage`],
  health: [`/agents/${id}/health`],
  agent_settings: [`/agents/${id}/settings`],
  usage: ["/usage"],
  limits: ["/usage/limits"],
  keys: ["/usage/keys"],
  playground: [
    `/playground?models=${encodeURIComponent("openai/gpt-4o-mini,anthropic/claude-haiku-4.5")}`,
    async (person) => {
      await person.label("Message").fill("How do I count words in Python?");
      await person.button("Ask").click();
      await person.page.locator(".trials dl").nth(1).waitFor();
      await person.page.locator(".trials").scrollIntoViewIfNeeded();
    },
  ],
  account: ["/settings"],
  status: ["/status"],
});

const admin_pictures = (ada) => ({
  admin_users: ["/admin/users"],
  admin_user: [`/admin/users?user=${ada.id}`],
  admin_requests: ["/admin/requests"],
  admin_agents: ["/admin/agents"],
  admin_models: ["/admin/models"],
  admin_settings: ["/admin/settings?filter=changed"],
  admin_metrics: ["/admin/metrics"],
  admin_backups: ["/admin/backups"],
  admin_audit: ["/admin/audit"],
});

test("each page is drawn as docs/console.md shows it", async (t) => {
  const browser = await open_browser(t);
  const router = await RouterServer.start(t);
  const models = ["openai/gpt-4o-mini", "anthropic/claude-haiku-4.5", "anthropic/claude-sonnet-5"];
  router.answers = Object.fromEntries(models.map((model) => [model, served(model, { text: answer, usage: [220, 64] })]));
  const box = await Box.start(t, { STATUS_PAGE: "true", OPENROUTER_API_KEY: "sk-router", OPENROUTER_BASE_URL: router.url });
  const { ada, id } = await furnished(box);
  const bob = await box.customer("bob@example.org", "solo");
  await bob.call("POST", "/api/subscriptions/request", { plan: "collective", note: "Three more agents for the team." });
  if (target) mkdirSync(target, { recursive: true });
  const drawn = [];
  const draw = async (email, password, pictures) => {
    const person = await Person.at(browser, box, { viewport: { width: 1280, height: 760 } });
    t.after(() => person.check());
    await person.enter(email, password);
    const session = await person.context.newCDPSession(person.page);
    for (const [name, [address, look]] of Object.entries(pictures)) {
      await person.page.goto(address);
      await person.page.getByRole("heading", { level: 1 }).first().waitFor();
      await until(`${address} loaded`, async () => (await person.page.getByText("Loading…", { exact: true }).count()) === 0);
      await look?.(person);
      // What it has become is on the screen after two frames.
      await person.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 70 });
      const bytes = Buffer.from(data, "base64");
      assert.ok(bytes.length > 5_000, `${name} shows something: ${bytes.length} bytes`);
      if (target) writeFileSync(join(target, `${name}.webp`), bytes);
      drawn.push(`${name}.webp`);
    }
  };
  await draw("ada@example.org", undefined, pictures_of(id));
  await draw(ADMIN.email, ADMIN.password, admin_pictures(ada));

  const text = readFileSync(join(docs, "console.md"), "utf8");
  const shown = [...text.matchAll(/\(console\/([\w-]+\.webp)\)/g)].map(([, name]) => name);
  for (const name of drawn) assert.ok(shown.includes(name), `docs/console.md shows ${name}`);
  const stored = readdirSync(kept);
  assert.deepEqual(
    shown.filter((name) => !stored.includes(name)),
    [],
    "each picture is in docs/console",
  );
  assert.deepEqual(
    stored.filter((name) => !shown.includes(name)),
    [],
    "docs/console has no others",
  );
  const bytes = stored.reduce((sum, name) => sum + statSync(join(kept, name)).size, 0);
  assert.ok(bytes <= max_bytes, `${bytes} bytes of pictures`);
});
