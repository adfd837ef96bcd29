// The page of the console's design language, which is for those who work on the console.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DESKTOP, open_browser, Person, PHONE } from "./browser.mjs";

const console_folder = join(import.meta.dirname, "../../../web/console");
const packages = join(process.env.AGENTBOX_STORY_PACKAGES, "../../web/console/node_modules");

const served = async (t) => {
  const server = spawn(process.execPath, [join(console_folder, "design.mjs"), "--port", "0", "--packages", packages], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => server.kill());
  const [line] = await once(server.stdout, "data");
  return String(line).trim();
};

test("every colour and state of the console is on the page of its design, in both themes", async (t) => {
  const browser = await open_browser(t);
  const url = await served(t);
  const reader = await Person.at(browser, { web: new URL(url).origin });
  t.after(() => reader.check());
  await reader.page.goto(url);
  await reader.heading("Design of the console").waitFor();
  const declared = readFileSync(join(console_folder, "src/styles/base.css"), "utf8").matchAll(/^\s+(--[\w-]+): #/gm);
  const shown = await reader.page.locator(".swatches code").allInnerTexts();
  assert.deepEqual([...new Set([...declared].map(([, name]) => name))].sort(), shown.sort());

  await reader.button("Send").click();
  await reader.page.locator("form").getByText("is taken").waitFor();
  await reader.text("The box does not answer").waitFor();
  await reader.button("Danger").click();
  await reader.is_accessible();
  await reader.button("Cancel").click();
  for (const viewport of [DESKTOP, PHONE]) {
    await reader.page.setViewportSize(viewport);
    await reader.is_accessible();
    await reader.fits_the_screen();
  }
  await reader.button("dark").click();
  assert.equal(await reader.page.evaluate(() => document.documentElement.dataset.theme), "dark");
});
