// Many agents and many messages in the console. What the box answers is made up here, since its plans bound what a real
// user has; what is measured is the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { open_browser, Person } from "./browser.mjs";

const many = 1_000;
// Milliseconds between the answer of the box and the first agent on the screen. Sanitizers do not slow the browser down,
// but other tests that run beside this one do.
const slowest = Number(process.env.AGENTBOX_FIRST_ROW_MS ?? 1_000);

// Measures the time from the box's answer at `path` to the first element on the screen; the function that is returned
// tells it and holds it against `slowest`.
const first_of = async (person, path, element) => {
  await person.page.addInitScript(
    ([wanted_path, wanted_element]) => {
      const { json } = Response.prototype;
      Response.prototype.json = async function () {
        const body = await json.call(this);
        if (new URL(this.url).pathname === wanted_path) window.answered ??= performance.now();
        return body;
      };
      new MutationObserver((_, observer) => {
        if (!document.querySelector(wanted_element)) return;
        observer.disconnect();
        requestAnimationFrame(() => (window.drawn = performance.now()));
      }).observe(document, { childList: true, subtree: true });
    },
    [path, element],
  );
  return async (t) => {
    const took = await (await person.page.waitForFunction(() => window.drawn && window.drawn - window.answered)).jsonValue();
    t.diagnostic(`first of ${element} after ${took.toFixed(0)} ms`);
    assert.ok(took < slowest, `${took} ms`);
  };
};

test("a thousand agents are drawn a piece at a time, searched as a whole, and soon on the screen", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  const at = new Date(0).toISOString();
  const agents = Array.from({ length: many }, (_, n) => ({
    id: `ag_${n}`,
    name: `Agent ${String(n).padStart(4, "0")}`,
    model: "auto",
    subdomain: `agent-${n}`,
    status: "stopped",
    createdAt: at,
    updatedAt: at,
  }));
  await ada.page.route("**/api/agents", (route) => route.fulfill({ json: { agents, count: many, status: "ok" } }));
  const took = await first_of(ada, "/api/agents", ".cards.agents li");
  await ada.enter("ada@example.org");
  const cards = ada.page.locator(".cards.agents li");
  await cards.first().waitFor();
  await took(t);
  assert.ok((await cards.count()) < many / 4, "most are not drawn");

  await ada.page.getByRole("searchbox").fill("0999");
  await ada.heading("Agent 0999").waitFor();
  await ada.page.getByRole("searchbox").fill("");
  for (let drawn = await cards.count(); drawn < many; drawn = await cards.count()) {
    await cards.last().scrollIntoViewIfNeeded();
    await ada.page.waitForFunction((before) => document.querySelectorAll(".cards.agents li").length > before, drawn);
  }
  assert.equal(await cards.count(), many);
});

test("a conversation of 100,000 messages begins with its end, and needs little memory", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  const said = 100_000,
    at = new Date(0).toISOString();
  const message = (n) => ({
    id: `msg_${n}`,
    role: n % 2 ? "assistant" : "user",
    createdAt: at,
    content: `Message ${n}. **Markdown** with \`code\` and a sentence that goes on for a while, as answers do.`,
  });
  await ada.page.route("**/api/chat?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    const end = query.has("before") ? Number(query.get("before").slice("msg_".length)) : said;
    const begin = Math.max(0, end - Number(query.get("limit")));
    const messages = Array.from({ length: end - begin }, (_, n) => message(begin + n));
    return route.fulfill({ json: { messages, count: messages.length, next: begin > 0 ? messages[0].id : null } });
  });
  const took = await first_of(ada, "/api/chat", "[role=log] article");
  await ada.enter("ada@example.org");
  await ada.page.goto(`/agents/${id}`);
  await ada.log.getByText(`Message ${said - 1}.`).waitFor();
  await took(t);
  const articles = ada.log.getByRole("article");
  assert.equal(await articles.count(), 100);
  for (let pages = 2; pages <= 5; ++pages) {
    await ada.button("Earlier messages").click();
    await ada.log.getByText(`Message ${said - 100 * pages}.`).waitFor();
    assert.equal(await articles.count(), 100 * pages, "a page at a time");
  }
  const session = await ada.context.newCDPSession(ada.page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  t.diagnostic(`${(usedSize / 1e6).toFixed(1)} MB of scripts' memory`);
  assert.ok(usedSize < 60e6, `${usedSize} bytes`);
});
