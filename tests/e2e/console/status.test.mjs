// The status page: off unless it is wanted, and then a word for each part.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";
import { ModelServer } from "../peers/model_server.mjs";

test("without STATUS_PAGE nobody sees it", async (t) => {
  const box = await Box.start(t);
  for (const path of ["/status", "/api/status"]) assert.equal((await send(box.web, "GET", path)).status, 404, path);
});

test("everybody sees whether the parts work, and nothing else", async (t) => {
  const box = await Box.start(t, { STATUS_PAGE: "true" });
  const { status, body } = await send(box.web, "GET", "/api/status");
  assert.equal(status, 200);
  const { timestamp, ...rest } = body;
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
  const part = (name) => ({ name, state: "up" });
  assert.deepEqual(rest, { status: "up", parts: [part("box"), part("store"), part("models"), part("agents")] });

  const browser = await open_browser(t);
  const guest = await Person.at(browser, box, { viewport: PHONE });
  t.after(() => guest.check());
  await guest.page.goto("/status");
  await guest.heading("Everything works").waitFor();
  assert.equal(await guest.page.locator(".status.good").count(), 4);
  await guest.is_accessible();
  await guest.fits_the_screen();
});

test("a part that fails is shown, and the page says when the box is gone", async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { STATUS_PAGE: "true", LOCAL_MODEL_URL: model.url });
  const browser = await open_browser(t);
  const guest = await Person.at(browser, box);
  t.after(() => guest.check());
  guest.expected = ["Failed to load resource"];
  await guest.page.route(
    "**/api/status",
    async (route) => {
      const answer = await (await route.fetch()).json();
      answer.status = "degraded";
      answer.parts[2].state = "degraded";
      await route.fulfill({ json: answer });
    },
    { times: 1 },
  );
  await guest.page.goto("/status");
  await guest.heading("Something does not work as it should").waitFor();
  assert.equal(await guest.page.locator(".status.bad").innerText(), "degraded");
  await guest.is_accessible();
  await guest.page.route("**/api/status", (route) => route.abort());
  await guest.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await guest.text("The box cannot be reached. Trying again.").waitFor();
  await guest.heading("Something does not work as it should").waitFor();
});
