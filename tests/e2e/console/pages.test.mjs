// Every page of the console: accessible in both colour schemes, on a phone too, and harmless with hostile names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, until } from "../support/box.mjs";
import { DESKTOP, open_browser, Person, PHONE } from "./browser.mjs";

// Names that try to become markup, or to turn the text around them.
const HOSTILE = `<img src=x onerror="document.title='mine'"><b>bold</b> \u202Egnp.exe \u2066abc`;

const OWN_PAGES = [
  "/dashboard",
  "/usage",
  "/usage/limits",
  "/usage/keys",
  "/usage/providers",
  "/credentials",
  "/playground",
  "/shared",
  "/settings",
  "/settings/notifications",
];
const AGENT_PAGES = [
  "",
  "/files",
  "/files?view=changes",
  "/files?view=history",
  "/logs",
  "/memory",
  "/schedule",
  "/channels",
  "/sharing",
  "/usage",
  "/health",
  "/settings",
];

// An account in which every page has something to show.
const furnished = async (box) => {
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada, HOSTILE);
  const did = async (method, path, body) => {
    const answer = await ada.call(method, path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await did("POST", "/api/chat", { agentId: id, message: `remember that ${HOSTILE} is **not** a name` });
  await did("POST", "/api/memory", { agentId: id, text: HOSTILE });
  const task = await did("POST", "/api/scheduled-tasks", { agentId: id, name: HOSTILE, prompt: HOSTILE, cronSchedule: "0 8 * * 1-5" });
  await did("POST", `/api/scheduled-tasks/${task.id}/run`);
  await did("POST", "/api/heartbeat", { agentId: id, frequency: "3h", prompt: HOSTILE });
  await did("POST", "/api/keys", { name: HOSTILE, budgetUsd: "5.00" });
  await did("PUT", "/api/caps", { scope: "agent", target: id, period: "month", usd: "10.00", tokens: 1_000_000 });
  await did("PUT", `/api/agents/${id}/shares`, { email: "bob@example.org", role: "talker", monthlyUsd: "5" });
  await did("PUT", "/api/provider-keys/openai", { key: "sk-story-0123456789" });
  return { ada, id };
};

// Goes to a page and waits until it has what it shows.
const visit = async (person, path) => {
  await person.page.goto(path);
  await person.page.getByRole("heading", { level: 1 }).first().waitFor();
  await until(`${path} loaded`, async () => (await person.page.getByText("Loading…", { exact: true }).count()) === 0);
};

test("every page passes axe in both schemes, fits a phone, and shows hostile names as text", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const { id } = await furnished(box);
  const person = await Person.at(browser, box);
  t.after(() => person.check());
  for (const page of ["/", "/login", "/login?new", "/login?forgot"]) {
    await visit(person, page);
    await person.is_accessible();
  }
  await person.enter("ada@example.org");
  for (const page of [...OWN_PAGES, ...AGENT_PAGES.map((tab) => `/agents/${id}${tab}`)]) {
    await person.page.setViewportSize(DESKTOP);
    await visit(person, page);
    await person.is_accessible();
    await person.fits_the_screen();
    assert.equal(await person.page.locator("main img, main b").count(), 0, page);
    assert.notEqual(await person.page.title(), "mine");
    await person.page.setViewportSize(PHONE);
    await person.fits_the_screen();
    await person.is_accessible();
  }
  // Turned text stays within its name: each stands in an element that isolates its direction.
  await visit(person, "/dashboard");
  const isolated = await person.page
    .locator(".cards.agents bdi")
    .first()
    .evaluate((element) => getComputedStyle(element).unicodeBidi);
  assert.match(isolated, /isolate/);
});

test("an administrator sees the audit log, the security events and what left the box, others do not", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const admin = await Person.at(browser, box, { viewport: PHONE });
  t.after(() => admin.check());
  await admin.enter(ADMIN.email, ADMIN.password);
  await admin.page.goto("/admin/audit");
  await admin.page.getByRole("table").waitFor();
  await admin.is_accessible();
  await admin.fits_the_screen();
  await admin.label("Search").fill("no such entry");
  await admin.heading("Nothing matches").waitFor();
  assert.equal(new URL(admin.page.url()).searchParams.get("q"), "no such entry");
  await admin.button("Show everything").click();
  await admin.page.getByRole("table").waitFor();
  await admin.page.goto("/admin/events");
  await admin.heading("Nothing recorded yet").waitFor();
  await admin.is_accessible();
  await admin.page.goto("/admin/egress");
  await admin.heading("Nothing has left this box").waitFor();
  await admin.page.getByText("EGRESS is allow").waitFor();
  await admin.is_accessible();

  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  await ada.page.goto("/admin/audit");
  await ada.heading("There is no such page").waitFor();
});
