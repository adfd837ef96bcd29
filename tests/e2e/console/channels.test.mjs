// Channels in the console: an owner connects a bot and admits people, and an administrator allows kinds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, until } from "../support/box.mjs";
import { TalkingModel } from "../peers/talking_model.mjs";
import { TelegramServer } from "../peers/telegram_server.mjs";
import { HOSTILE, open_browser, Person } from "./browser.mjs";

const EVE = 102,
  ADA = 101;

test("an owner connects a bot, admits people and sends again what was not delivered; an administrator switches the kind off", async (t) => {
  const telegram = await TelegramServer.start(t),
    model = await TalkingModel.start(t);
  const box = await Box.start(t, { TELEGRAM_API_URL: telegram.url, LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "on" });
  const owner = await box.customer("ada@example.org", "collective");
  const id = await box.running_agent(owner);
  const write = (from, text, first_name) =>
    telegram.write({ from: { id: from, ...(first_name && { first_name }) }, chat: { id: from, type: "private" }, text });
  const heard = (chat, pattern) =>
    until(`${chat} hears ${pattern}`, () => telegram.sent_to(chat).find(({ text }) => pattern.test(text ?? ""))?.text);

  const browser = await open_browser(t);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  const { page } = ada;
  const reload = () => ada.button("Reload").click();
  const shows = (words) =>
    until(`the page shows ${words}`, async () => {
      if ((await page.getByText(words, { exact: true }).count()) > 0) return true;
      await reload();
    });
  await ada.enter("ada@example.org");
  await page.goto(`/agents/${id}/channels`);
  await ada.heading("No channels yet").waitFor();
  for (const kind of ["telegram", "mail", "matrix", "xmpp", "irc", "slack", "discord", "whatsapp", "webhook"]) {
    await ada.label("Kind").selectOption(kind);
    await ada.is_sound();
  }
  await ada.label("Kind").selectOption("telegram");
  await ada.label("Token of the bot").fill("4711:wrong");
  await ada.button("Connect").click();
  await shows("Telegram does not accept the bot's token.");
  await ada.is_sound();
  await page
    .locator("form", { has: ada.button("Replace the token") })
    .getByLabel("Token of the bot")
    .fill(telegram.token);
  await ada.button("Replace the token").click();
  await shows("Connected");

  write(EVE, "Let me in", HOSTILE);
  const code = /`?([a-z0-9]{8})`?$/.exec(await heard(EVE, /code to the person/))[1];
  await shows("waits for you");
  await ada.is_sound();
  await ada.label("Code").fill(code);
  await ada.button("Confirm").click();
  await page.getByText("admitted", { exact: true }).waitFor();
  await heard(EVE, /now talk to Scout/);
  write(EVE, "Is it me?");
  await heard(EVE, /You said: Is it me\?/);

  // She may write as often as the owner says.
  await ada.button(/^Limit /).click();
  await ada.label("Messages a day (UTC)").fill("1");
  await ada.is_sound();
  await ada.button("Save").click();
  await page.getByText(/1 message a day/).waitFor();
  write(EVE, "And once more?");
  await heard(EVE, /daily limit/);
  await ada.button(/^Limit /).click();
  await ada.label("Messages a day (UTC)").fill("50");
  await ada.button("Save").click();
  await page.getByText(/50 messages a day/).waitFor();
  await ada.button(/^Limit /).click();
  await ada.is_sound();
  await ada.button("Use the channel's limit (100)").click();
  await page.getByText(/100 messages a day/).waitFor();
  await ada.label("Messages a day (UTC) of each person").fill("77");
  await ada.button("Save the limits").click();
  await until("the channel's limit", async () => {
    const { channels } = (await owner.call("GET", `/api/agents/${id}/channels`)).body;
    return channels[0].peerDailyCap === 77 && channels[0].dailyCap === 1_000;
  });

  await ada.button("Link my account").click();
  const link = await page.getByText(/^https:\/\/t\.me\//).innerText();
  write(ADA, `/start ${new URL(link).searchParams.get("start")}`, "Ada");
  await heard(ADA, /now linked/);
  await ada.in_menu(/^More about @?\w+_bot$/i, "Send a test message");
  await heard(ADA, /test message/);
  await shows("you");

  telegram.fail_always = { status: 403, description: "Forbidden: bot was blocked by the user" };
  write(EVE, "To nobody");
  await shows("Not delivered");
  await ada.is_sound();
  telegram.fail_always = undefined;
  await ada.button("Send again").click();
  await heard(EVE, /You said: To nobody/);
  await ada.heading("Not delivered").waitFor({ state: "detached" });
  await ada.button("Block").first().click();
  await page.getByText("blocked", { exact: true }).waitFor();

  const admin = await Person.at(browser, box);
  t.after(() => admin.check());
  await admin.enter(ADMIN.email, ADMIN.password);
  await admin.page.goto("/admin/channels");
  await admin.heading("All channels").waitFor();
  await admin.page.getByText("Connected").waitFor();
  await admin.is_sound();
  const row = admin.page.getByRole("listitem").filter({ hasText: "Telegram" }).first();
  await row.getByRole("button", { name: "Switch off" }).click();
  await row.getByRole("button", { name: "Switch on" }).waitFor();
  await shows("An administrator has switched off this kind of channel.");
  await row.getByRole("button", { name: "Switch on" }).click();
  await shows("Connected");
  await ada.in_menu(/^More about @?\w+_bot$/i, "Remove");
  await ada.dialog.getByRole("button", { name: "Remove" }).click();
  await ada.heading("No channels yet").waitFor();
  assert.deepEqual((await owner.call("GET", `/api/agents/${id}/channels`)).body.channels, []);
});
