// The terminal of an agent's page, as its owner uses it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { processes } from "../support/processes.mjs";
import { include_terminals } from "../support/terminal_story.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";

const skip = process.getuid() !== 0 ? "commands need strong isolation" : undefined;
const runs = (words) => processes().some(({ arguments: found }) => found.join(" ") === words);

const story_of = async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  const field = ada.page.getByRole("textbox", { name: "Terminal", exact: true });
  const screen = ada.page.locator(".term-screen");
  const shows = (words) => screen.getByText(words).first().waitFor();
  const type = (text) => ada.page.keyboard.type(text);
  return { box, owner, id, ada, field, screen, shows, type };
};

test("a terminal is offered by the plan, and works by keyboard alone", { skip }, async (t) => {
  const { box, id, ada, field, screen, shows, type } = await story_of(t);
  await ada.page.goto(`/agents/${id}`);
  await ada.button("More about Scout").click();
  await ada.page.locator(".menu-list:not([hidden])").getByText("Watch its browser").waitFor();
  assert.equal(await ada.page.locator(".menu-list").getByText("Open a terminal").count(), 0);
  await ada.page.goto(`/agents/${id}/terminal`);
  await ada.text("The agent's plan does not include terminals.").waitFor();
  await ada.is_sound();

  await include_terminals(box, "solo");
  await ada.page.goto(`/agents/${id}`);
  await ada.in_menu("More about Scout", "Open a terminal");
  await shows("/workspace$");
  await until("the field has the focus", () => field.evaluate((one) => one === document.activeElement));
  await type("ls -d /workspace; echo $COLUMNS\n");
  await shows("/workspace");
  await type("python3\n");
  await shows(">>>");
  await type("print('grün', 6 * 7, '潮')\n");
  await shows("grün 42");
  await type("exit()\n");
  await type("sleep 4714\n");
  await until("the program runs", () => runs("sleep 4714"));
  await ada.page.keyboard.press("Control+c");
  await until("the program has ended", () => !runs("sleep 4714"));
  await type("printf '\\033[31mred\\033[0m \\033[38;2;1;200;3mtrue\\033[0m\\n'\n");
  await screen.locator(".term-ink-1", { hasText: /^red$/ }).waitFor();
  await type("ech\t");
  await ada.is_sound();
  await ada.is_accessible();
  await ada.page.keyboard.press("Shift+Tab");
  assert.equal(await field.evaluate((one) => one === document.activeElement), false, "the way out");
  await field.focus();
  await ada.page.keyboard.press("Control+c");
  await type("exit 5\n");
  await ada.text("The shell has ended with exit code 5.").waitFor();
  await ada.button("Open it again").click();
  await shows("/workspace$");
});

test("a terminal ends with its page, and fits a phone", { skip }, async (t) => {
  const { box, id, ada, shows, type } = await story_of(t);
  await include_terminals(box, "solo");
  await ada.page.setViewportSize(PHONE);
  await ada.page.goto(`/agents/${id}/terminal`);
  await shows("/workspace$");
  await ada.fits_the_screen();
  await ada.is_accessible();
  await type("sleep 4715\n");
  await until("the program runs", () => runs("sleep 4715"));
  await ada.page.close();
  await until("the program has ended", () => !runs("sleep 4715"), 60_000);
});
