// The radio without the internet: real broadcasters, a real RTMP server, real players.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Box, until } from "../support/box.mjs";
import { open_browser } from "../console/browser.mjs";
import { children_of, end_process, is_alive } from "../support/processes.mjs";

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7";
const local = { STREAM_LOCAL: "true", STREAM_TOKEN_GATING: "off", STREAM_RTMP_LISTEN: "127.0.0.1:0" };

const radio = async (t, more = {}) => {
  const box = await Box.start(t, { ...local, ...more });
  await until("the stream server listens", () => children_of(box.child.pid, "nginx").length === 1);
  return box;
};
const create = async (box, name = "DJ") => {
  const { status, body } = await box.person().call("POST", "/api/radio/streams", { wallet: WALLET, name });
  assert.equal(status, 200, JSON.stringify(body));
  return body.stream;
};
const live = async (box) => (await box.person().call("GET", "/api/radio/live")).body;

// ffmpeg as a broadcaster. `ended` resolves with its exit code.
const broadcast = (t, url) => {
  const child = spawn(
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
      url,
    ],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit").then(([code]) => code);
  t.after(() => child.kill("SIGKILL"));
  return { ended, stop: () => child.kill("SIGTERM"), kill: () => child.kill("SIGKILL") };
};
const on_air = (box, count = 1, deadline = 15_000) => until(`${count} on air`, async () => (await live(box)).count === count, deadline);

test("a broadcast with the right key is live at once, is played, and gone when it ends", async (t) => {
  const box = await radio(t);
  const stream = await create(box);
  assert.match(stream.fullRtmpUrl, /^rtmp:\/\/127\.0\.0\.1:\d+\/live\/[a-z0-9]{24}\?key=[a-z0-9]{32}$/);
  assert.equal(stream.hlsUrl, `${box.web}/live/${stream.playbackId}/index.m3u8`);
  for (const url of [
    `${stream.rtmpUrl}/${stream.playbackId}`,
    `${stream.fullRtmpUrl}x`,
    `${stream.rtmpUrl}/x?key=y`,
    `${stream.rtmpUrl}/..%2fx`,
  ])
    assert.notEqual(await broadcast(t, url).ended, 0, url);
  assert.equal((await live(box)).count, 0);
  assert.equal((await fetch(stream.hlsUrl)).status, 404);

  const broadcaster = broadcast(t, stream.fullRtmpUrl);
  await on_air(box);
  const [dj] = (await live(box)).djs;
  assert.deepEqual([dj.name, dj.playbackId, dj.status, dj.streamKey, dj.listeners], ["DJ", stream.playbackId, "active", "", 0]);
  assert.notEqual(await broadcast(t, stream.fullRtmpUrl).ended, 0, "one broadcaster at a time");
  assert.equal((await live(box)).count, 1);

  await until("the playlist is there", async () => (await fetch(stream.hlsUrl)).status === 200);
  const playlist = await fetch(stream.hlsUrl);
  assert.equal(playlist.headers.get("content-type"), "application/vnd.apple.mpegurl");
  const segment = /^\d+\.ts$/m.exec(await playlist.text())[0];
  const whole = await fetch(new URL(segment, stream.hlsUrl));
  assert.equal(whole.headers.get("content-type"), "video/mp2t");
  const bytes = Buffer.from(await whole.arrayBuffer());
  const part = await fetch(new URL(segment, stream.hlsUrl), { headers: { range: "bytes=0-187" } });
  assert.equal(part.status, 206);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(0, 188));
  for (const path of ["../nginx.conf", "..%2fnginx.conf", "%2e%2e/nginx.conf", "log", "index.m3u8.bak", ".ts", "x.ts"])
    assert.notEqual((await fetch(`${box.web}/live/${stream.playbackId}/${path}`)).status, 200, path);
  assert.equal((await live(box)).djs[0].listeners, 1);

  const { stdout } = await promisify(execFile)("nice", [
    "ffprobe",
    "-v",
    "error",
    "-show_entries",
    "stream=codec_name,height",
    "-of",
    "csv=p=0",
    stream.hlsUrl,
  ]);
  assert.match(stdout, /h264,240/);
  assert.match(stdout, /aac/);

  const ended = Date.now();
  broadcaster.stop();
  await on_air(box, 0);
  assert.ok(Date.now() - ended < 10_000);
  assert.equal((await fetch(stream.hlsUrl)).status, 404);
});

test("a browser plays the page of a stream, within its content security policy", async (t) => {
  const box = await radio(t);
  const stream = await create(box);
  assert.equal((await fetch(`${box.web}/live/${"x".repeat(24)}`)).status, 404);
  broadcast(t, stream.fullRtmpUrl);
  await on_air(box);
  await until("the playlist is there", async () => (await fetch(stream.hlsUrl)).status === 200);
  const browser = await open_browser(t);
  const page = await browser.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  const answer = await page.goto(stream.embedUrl);
  assert.match(answer.headers()["content-security-policy"], /default-src 'none'/);
  assert.doesNotMatch(answer.headers()["content-security-policy"], /unsafe/);
  await page.waitForFunction(() => document.querySelector("video").currentTime > 1, undefined, { timeout: 60_000 });
  assert.equal(await page.textContent("#state"), "Live");
  assert.deepEqual(faults, []);
});

test("a removed stream goes off the air, and a new key replaces the old one", async (t) => {
  const box = await radio(t);
  const stream = await create(box);
  const key = (method, path, streamKey) => box.person().call(method, `/api/radio/streams/${stream.id}${path}`, { streamKey });
  const rotated = (await key("POST", "/rotate-key", stream.streamKey)).body.stream;
  assert.notEqual(await broadcast(t, stream.fullRtmpUrl).ended, 0);
  const broadcaster = broadcast(t, rotated.fullRtmpUrl);
  await on_air(box);
  assert.equal((await key("DELETE", "", rotated.streamKey)).status, 200);
  assert.equal((await live(box)).count, 0);
  assert.notEqual(await broadcaster.ended, 0, "the server ends its broadcast");
});

test("no server outlives its box, and a server that is killed is started again", async (t) => {
  const box = await radio(t);
  const stream = await create(box);
  broadcast(t, stream.fullRtmpUrl);
  await on_air(box);
  const [nginx] = children_of(box.child.pid, "nginx");
  end_process(nginx);
  await until("what was live is not", async () => (await live(box)).count === 0);
  await until("another one runs", () => children_of(box.child.pid, "nginx").some((pid) => pid !== nginx));
  await until("and takes broadcasts", async () => {
    broadcast(t, stream.fullRtmpUrl);
    return on_air(box, 1, 3_000).then(
      () => true,
      () => false,
    );
  });

  const [second] = children_of(box.child.pid, "nginx");
  assert.equal(await box.end("SIGKILL"), null);
  await until("it ends with its box", () => !is_alive(second));
  await box.serve();
  await until("the stream is not live after the start", async () => (await live(box)).count === 0);
  const [third] = await until("a server", () => children_of(box.child.pid, "nginx").length === 1 && children_of(box.child.pid, "nginx"));
  assert.equal(await box.end("SIGTERM"), 0);
  assert.ok(!is_alive(third));
});

test("recordings are kept by the rule of all recordings", async (t) => {
  const box = await radio(t, { STREAM_RECORD: "true" });
  const stream = await create(box);
  const broadcaster = broadcast(t, stream.fullRtmpUrl);
  await on_air(box);
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // something to record
  broadcaster.stop();
  const asset = await until("the recording is deleted", async () =>
    (await box.backend_call("GET", "/api/admin/stream-assets")).assets.find(({ fate }) => fate === "deleted"),
  );
  assert.deepEqual([asset.streamId, asset.height], [stream.id, 240]);
  assert.deepEqual(readdirSync(join(box.folder, "media", "server", "recordings")), []);
});

test("an agent has a stream, goes on air with a text and a file, and leaves", async (t) => {
  const box = await radio(t);
  const ada = await box.customer("ada@example.org");
  const made = (await ada.call("POST", "/api/provision", { name: "Scout" })).body;
  const { streams } = (await ada.call("GET", "/api/streams")).body;
  assert.deepEqual(
    streams.map(({ id, streamKey, name }) => [id, streamKey, name]),
    [[made.liveStreamId, made.streamKey, "Scout"]],
  );
  const agent = streams[0].agentId;
  await box.until_status(ada, agent, "running");
  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("POST", `/api/streams/${made.liveStreamId}/rotate-key`)).status, 404);
  assert.equal((await eve.call("DELETE", `/api/streams/${made.liveStreamId}`)).status, 404);
  const rotated = await ada.call("POST", `/api/streams/${made.liveStreamId}/rotate-key`);
  assert.notEqual(rotated.body.stream.streamKey, made.streamKey);

  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const call = async (method, body) => {
    const answer = await fetch(`${box.backend}/api/agent-broadcast`, {
      method,
      headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  for (const wrong of [{}, { text: "x", file: "y" }, { file: "../../master.key" }, { file: "none.mp3" }, { text: "x", language: "-f" }])
    assert.equal((await call("POST", wrong)).status, 400, JSON.stringify(wrong));
  const begun = await call("POST", { text: "Good evening. This is Scout, live from the box. ".repeat(8), title: "Evening show" });
  assert.equal(begun.status, 202, JSON.stringify(begun.body));
  assert.equal((await call("POST", { text: "me too" })).status, 409);
  await on_air(box, 1, 120_000); // its sound is made at niceness 10
  assert.equal((await call("GET")).body.state, "on_air");
  const seen = children_of(box.child.pid, "ffmpeg");
  assert.equal(seen.length, 1);
  assert.equal((await call("DELETE")).status, 200);
  await on_air(box, 0);

  await promisify(execFile)("ffmpeg", [
    "-v",
    "error",
    "-f",
    "lavfi",
    "-i",
    "sine=d=20",
    join(box.folder, "agents", agent, "workspace", "tone.mp3"),
  ]);
  assert.equal((await call("POST", { file: "tone.mp3" })).status, 202);
  await on_air(box, 1, 120_000); // its sound is made at niceness 10
  await box.backend_call("DELETE", `/api/agents/${agent}`);
  await until("its stream is gone with it", async () => (await ada.call("GET", "/api/streams")).body.count === 0);
  await on_air(box, 0);
});
