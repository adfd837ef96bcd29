// Many agents in the console. The box's list is made up here, since its plans bound the agents of a real user; what is
// measured is the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "./box.mjs";
import { open_browser, Person } from "./console_browser.mjs";

const many = 1_000;
// Milliseconds between the answer of the box and the first agent on the screen. Sanitizers do not slow the browser down,
// but other tests that run beside this one do.
const slowest = Number(process.env.AGENTBOX_FIRST_ROW_MS ?? 1_000);

test("a thousand agents are drawn a piece at a time, searched as a whole, and soon on the screen", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  const at = new Date(0).toISOString();
  const agents = Array.from({ length: many }, (_, n) => ({
    id: `ag_${n}`, name: `Agent ${String(n).padStart(4, "0")}`, model: "auto", subdomain: `agent-${n}`, status: "stopped", createdAt: at, updatedAt: at,
  }));
  await ada.page.route("**/api/agents", (route) => route.fulfill({ json: { agents, count: many, status: "ok" } }));
  await ada.page.addInitScript(() => {
    const { json } = Response.prototype;
    Response.prototype.json = async function () {
      const body = await json.call(this);
      if (new URL(this.url).pathname === "/api/agents") window.answered ??= performance.now();
      return body;
    };
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".cards.agents li")) return;
      observer.disconnect();
      requestAnimationFrame(() => (window.drawn = performance.now()));
    }).observe(document, { childList: true, subtree: true });
  });
  await ada.enter("ada@example.org");
  const cards = ada.page.locator(".cards.agents li");
  await cards.first().waitFor();
  const took = await ada.page.waitForFunction(() => window.drawn && window.drawn - window.answered).then((handle) => handle.jsonValue());
  t.diagnostic(`first agent after ${took.toFixed(0)} ms`);
  assert.ok(took < slowest, `${took} ms`);
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
