// What Lighthouse says about the sign-in, the home page and an agent, on a desk and on a phone. Speed says something only
// of a release build:
//
//   AGENTBOX_LIGHTHOUSE=performance AGENTBOX_BINARY=build/release/appliance/agentbox node --test tests/e2e/console/lighthouse.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Box } from "../support/box.mjs";
import { free_ports } from "../support/ports.mjs";
import { package_named } from "../support/packages.mjs";

const { chromium } = package_named("playwright-core");

const least = 95;
const categories = ["accessibility", "best-practices", ...(process.env.AGENTBOX_LIGHTHOUSE === "performance" ? ["performance"] : [])];
const forms = ["desktop", "mobile"];
// Milliseconds. A page that follows its events never has a silent network, for which Lighthouse waits.
const longest_load = 10_000;

// The port on which a headless Chromium is steered.
const open_browser = async (t) => {
  const port = await free_ports(1);
  const browser = await chromium.launch({
    executablePath: process.env.AGENTBOX_CHROMIUM ?? "/usr/bin/chromium",
    args: [`--remote-debugging-port=${port}`, ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
  });
  t.after(() => browser.close());
  return port;
};

// A page with the session of `cookie`: the scores, 0 to 100, and what was found wanting.
const audit = async (port, url, form, cookie) => {
  const { default: lighthouse, desktopConfig } = await import(pathToFileURL(package_named.resolve("lighthouse")).href);
  const flags = {
    port,
    logLevel: "error",
    onlyCategories: categories,
    maxWaitForLoad: longest_load,
    ...(cookie && { extraHeaders: { Cookie: cookie } }),
  };
  const { lhr } = await lighthouse(url, flags, form === "desktop" ? desktopConfig : undefined);
  assert.equal(lhr.runtimeError, undefined, `${url}: ${lhr.runtimeError?.message}`);
  assert.equal(lhr.finalDisplayedUrl, url);
  return {
    scores: Object.values(lhr.categories).map(({ id, score }) => [id, Math.round(100 * score)]),
    wanting: Object.values(lhr.audits)
      .filter(({ score }) => score !== null && score < 1)
      .map(({ id }) => id),
  };
};

test("Lighthouse finds next to nothing wrong with the sign-in, the home page and an agent", async (t) => {
  const port = await open_browser(t);
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  for (const [address, cookie] of [["/login"], ["/dashboard", ada.cookie], [`/agents/${id}`, ada.cookie]])
    for (const form of forms) {
      const { scores, wanting } = await audit(port, box.web + address, form, cookie);
      t.diagnostic(`${address.replace(id, ":id")}, ${form}: ${scores.map(([category, score]) => `${category} ${score}`).join(", ")}`);
      for (const [category, score] of scores) assert.ok(score >= least, `${address}, ${form}: ${category} ${score}: ${wanting.join(", ")}`);
    }
});
