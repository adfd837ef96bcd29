// The console's pages about the radio and videos.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { HOSTILE, open_browser, Person, PHONE } from "./browser.mjs";
import { children_of } from "../support/processes.mjs";

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7";

const story_of = async (t, { env = {}, viewport } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  const owner = await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, viewport ? { viewport } : {});
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  return { browser, box, owner, ada };
};

test("a stream is created, goes live and is played, gets another key, and is deleted", async (t) => {
  const env = { STREAM_LOCAL: "true", STREAM_TOKEN_GATING: "off", STREAM_RTMP_LISTEN: "127.0.0.1:0" };
  const { box, ada } = await story_of(t, { env });
  await until("the stream server listens", () => children_of(box.child.pid, "nginx").length === 1);
  await ada.page.goto("/media");
  await ada.heading("Nobody is live").waitFor();
  await ada.is_sound();
  await ada.button("New stream").click();
  ada.expected = ["status of 400"];
  await ada.label("Name").fill(HOSTILE.slice(0, 60));
  await ada.label("Wallet address").fill("me");
  await ada.button("Create the stream").click();
  await ada.alert.getByText(/^Wallet address /).waitFor();
  await ada.label("Wallet address").fill(WALLET);
  await ada.button("Create the stream").click();
  await ada.text("they are shown this once").waitFor();
  await ada.is_accessible();
  const [id, server, key] = await ada.dialog.locator("pre").allInnerTexts();
  await ada.button("I have kept it").click();

  const broadcaster = spawn(
    "nice",
    [
      "ffmpeg",
      "-nostdin",
      "-loglevel",
      "error",
      "-re",
      "-f",
      "lavfi",
      "-i",
      "testsrc=s=320x240:r=10",
      "-f",
      "lavfi",
      "-i",
      "sine",
      "-c:v",
      "libx264",
      "-preset",
      "ultrafast",
      "-g",
      "20",
      "-pix_fmt",
      "yuv420p",
      "-c:a",
      "aac",
      "-f",
      "flv",
      `${server}/${key}`,
    ],
    { stdio: "ignore" },
  );
  t.after(() => broadcaster.kill("SIGKILL"));
  await until("it is live", async () => (await (await fetch(`${box.web}/api/radio/live`)).json()).count === 1);
  await ada.button("Reload").click();
  await ada.text("on air").waitFor();
  await ada.is_sound();
  const [player] = await Promise.all([ada.context.waitForEvent("page"), ada.page.getByRole("link", { name: /^Listen to / }).click()]);
  await player.waitForURL("**/live/*");
  await player.locator("video").waitFor();
  await player.close();
  broadcaster.kill("SIGKILL");

  const manage = async () => {
    await ada.button("Manage a stream by its key").click();
    await ada.label("Id of the stream").fill(id);
  };
  ada.expected.push("status of 404");
  await manage();
  await ada.label("Stream key").fill("wrong");
  await ada.dialog.getByRole("button", { name: "Replace the key" }).click();
  await ada.alert.getByText("No such stream.").waitFor();
  await ada.label("Stream key").fill(key);
  await ada.dialog.getByRole("button", { name: "Replace the key" }).click();
  await ada.text("they are shown this once").waitFor();
  const [, , other] = await ada.dialog.locator("pre").allInnerTexts();
  assert.notEqual(other, key);
  await ada.button("I have kept it").click();
  await manage();
  await ada.label("Stream key").fill(other);
  await ada.label("Delete").check();
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.dialog.waitFor({ state: "detached" });
});

test("an agent's stream shows its key, replaces it, and is deleted by its owner", async (t) => {
  const env = { STREAM_LOCAL: "true", STREAM_RTMP_LISTEN: "127.0.0.1:0" };
  const { owner, ada } = await story_of(t, { env, viewport: PHONE });
  const made = await owner.call("POST", "/api/provision", { name: "Herald" });
  assert.ok(made.status < 300, JSON.stringify(made.body));
  const stream = await until("its stream", async () => (await owner.call("GET", "/api/streams")).body.streams[0]);
  await ada.page.goto("/media");
  await ada.button(`Key of ${stream.name}`).click();
  await ada.text(stream.streamKey).waitFor();
  await ada.is_sound();
  await ada.in_menu(`More about ${stream.name}`, "Replace the key");
  await ada.dialog.getByRole("button", { name: "Replace the key" }).click();
  await ada.heading(`The stream ${stream.name} is ready`).waitFor();
  assert.ok(!(await ada.dialog.innerText()).includes(stream.streamKey));
  await ada.button("I have kept it").click();
  await ada.in_menu(`More about ${stream.name}`, "Delete");
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.heading("No streams").waitFor();
});

test("a box without a radio says what is missing, and is not asked for what it does not have", async (t) => {
  const { ada } = await story_of(t);
  await ada.page.goto("/media");
  await ada
    .text(/Streaming is not configured on this box/)
    .first()
    .waitFor();
  await ada.is_sound();
});

test("a video is made with its progress shown, played, downloaded and deleted", async (t) => {
  const { owner, ada } = await story_of(t);
  await ada.page.goto("/media/videos");
  await ada.heading("No videos yet").waitFor();
  await ada.is_sound();
  await ada.button("New video").click();
  ada.expected = ["status of 400"];
  await ada.label("Kind").selectOption({ label: "tutorial" });
  await ada.label("Topic").fill(HOSTILE);
  await ada.label("Steps, one a line").fill("Open the door\nWalk in");
  await ada.label("Length (seconds)").evaluate((field) => field.removeAttribute("max"));
  await ada.label("Length (seconds)").fill("600");
  await ada.button("Make the video").click();
  await ada.alert.getByText(/^Length \(seconds\) /).waitFor();
  await ada.label("Length (seconds)").fill("10");
  await ada.label("Spoken").uncheck();
  await ada.is_accessible();
  await ada.button("Make the video").click();
  await ada.dialog.waitFor({ state: "detached" });
  // It is done without a reload, by the events of the box.
  const play_button = ada.page.getByRole("button", { name: /^Play / });
  await play_button.waitFor({ timeout: 120_000 });
  await ada.is_sound();
  await play_button.click();
  const video = ada.page.locator("video");
  await until(
    "it plays",
    async () =>
      (await video.evaluate(({ readyState, error }) => (error ? -1 : readyState))) >= 1 ||
      (await video.evaluate(({ error }) => error?.code)),
  );
  const [download] = await Promise.all([ada.page.waitForEvent("download"), ada.in_menu(/^More about /, "Download")]);
  assert.match(download.suggestedFilename(), /\.mp4$/);
  await ada.in_menu(/^More about /, "Delete");
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.heading("No videos yet").waitFor();
  assert.deepEqual((await owner.call("GET", "/api/videos")).body.videos, []);
});
