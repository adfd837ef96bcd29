// BROWSER: which Chromium agents have, or none; /health and doctor say which and why.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { Box, run } from "../support/box.mjs";

const CHROMIUM = "/usr/lib/chromium/chromium";
const health = async (box) => (await fetch(`${box.web}/health`)).json();
const doctor = async (box, BROWSER) => {
  const { out } = await run(["doctor", "--data", box.folder], { env: { BROWSER } });
  return out.split("\n").find((line) => line.includes("browser of agents")) ?? out;
};

test("BROWSER turns the browsers of agents off, or names their program", async (t) => {
  const box = await Box.start(t, { BROWSER: "off" });
  const off = await health(box);
  assert.deepEqual([off.browser, off.browserReason], ["off", "BROWSER is off."]);
  assert.match(await doctor(box, "off"), /BROWSER is off\. Agents have no browser/);

  const with_browser = async (BROWSER) => {
    await box.end("SIGTERM");
    box.env = { BROWSER };
    await box.serve();
    return health(box);
  };
  for (const [path, why] of [
    ["/usr/lib/no-such-browser", /^BROWSER names .*, which is no program there\.$/],
    ["/usr/lib", /^BROWSER names .*, which is no program there\.$/],
    ["/opt/chromium/chromium", /^BROWSER names .*, which agents do not see: /],
    ["/usr/../opt/chromium/chromium", /^BROWSER names .*, which agents do not see/],
  ]) {
    const { browser, browserReason } = await with_browser(path);
    assert.equal(browser, "off", path);
    assert.match(browserReason, why);
    assert.match(await doctor(box, path), /BROWSER names .* Agents have no browser/);
  }

  await t.test("the one that it names is used", { skip: existsSync(CHROMIUM) ? undefined : "needs Chromium" }, async () => {
    const { browser, browserReason, commands, commandsReason } = await with_browser(CHROMIUM);
    // Browsers also need what commands need, which this machine may not have.
    assert.deepEqual([browser, browserReason], [commands, commandsReason]);
    assert.match(await doctor(box, CHROMIUM), /installed/);
  });

  await box.end("SIGTERM");
  for (const bad of ["chromium", "on", "./chromium"]) {
    const { code, err } = await run(["serve", "--data", box.folder], { env: { BROWSER: bad } });
    assert.notEqual(code, 0, bad);
    assert.match(err, /BROWSER.*must be auto, off or an absolute path/, bad);
  }
});
