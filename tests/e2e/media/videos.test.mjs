// Generated videos, looked at with ffprobe and as pictures.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { package_named } from "../support/packages.mjs";
import { children_of, is_alive } from "../support/processes.mjs";
import { S3 } from "../peers/s3_server.mjs";

const { PNG } = package_named("pngjs");

const probe = (file) => JSON.parse(execFileSync("ffprobe", ["-v", "error", "-show_streams", "-show_format", "-of", "json", file]));

// The pixels of one frame.
const frame = (file, seconds) =>
  PNG.sync.read(
    execFileSync("ffmpeg", ["-v", "error", "-ss", `${seconds}`, "-i", file, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "-"], {
      maxBuffer: 1 << 26,
    }),
  );
const bright_pixels = ({ data }) => {
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at] > 190 && data[at + 1] > 190 && data[at + 2] > 190) ++count;
  return count;
};

// Fetches the video and checks what every one of them must be.
const watch = async (box, { url }, seconds) => {
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "video/mp4");
  const file = join(box.folder, `seen-${Math.random()}.mp4`);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  const { streams, format } = probe(file);
  const video = streams.find(({ codec_type }) => codec_type === "video"),
    sound = streams.find(({ codec_type }) => codec_type === "audio");
  assert.deepEqual([video.codec_name, video.width, video.height, video.pix_fmt, sound.codec_name], ["h264", 1280, 720, "yuv420p", "aac"]);
  assert.ok(Math.abs(Number(format.duration) - seconds) < 0.5, `${format.duration} s for ${seconds}`);
  assert.equal(streams.length, 2);
  return file;
};
const generate = (person, body) => person.call("POST", "/api/generate-video", body);
const demo = { type: "demo", agentName: "Scout", agentDescription: "Finds venues. Writes to them.", duration: 10 };
// What is in the folder of the box's videos.
const files = (box, folder) => readdirSync(join(box.folder, "media", folder));

test("a demo video is made, seen in parts, and refused with another signature", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  assert.equal((await generate(box.person(), demo)).status, 401);
  const { status, body } = await generate(ada, demo);
  assert.equal(status, 200, JSON.stringify(body) + box.log);
  const file = await watch(box, body, 10);
  assert.ok(bright_pixels(frame(file, 2)) > 1_000, "the title is seen");

  const whole = readFileSync(file);
  const part = await fetch(body.url, { headers: { range: "bytes=100-199" } });
  assert.deepEqual([part.status, part.headers.get("content-range")], [206, `bytes 100-199/${whole.length}`]);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(100, 200));
  const url = new URL(body.url);
  for (const [name, value] of [
    ["signature", "0".repeat(64)],
    ["expires", `${Number(url.searchParams.get("expires")) + 1}`],
    ["expires", "1"],
    ["expires", "x"],
  ]) {
    const other = new URL(url);
    other.searchParams.set(name, value);
    assert.equal((await fetch(other)).status, 403, name);
  }
  assert.equal((await fetch(`${url.origin}/videos/${"vid_" + "a".repeat(20)}.mp4${url.search}`)).status, 403);
  assert.equal((await fetch(`${url.origin}${url.pathname}`)).status, 400);

  const { videos } = (await ada.call("GET", "/api/videos")).body;
  assert.deepEqual(
    videos.map(({ id, status, progress, title }) => [id, status, progress, title]),
    [[body.id, "done", 100, "Scout"]],
  );
  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("GET", `/api/videos/${body.id}`)).status, 404);
  assert.equal((await eve.call("DELETE", `/api/videos/${body.id}`)).status, 404);
  assert.equal((await ada.call("DELETE", `/api/videos/${body.id}`)).status, 200);
  assert.equal((await fetch(body.url)).status, 404);
  assert.deepEqual(files(box, "videos"), []);
});

test("any text is shown as it is: tags, filters, emoji, right to left", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const features = [
    "{\\p1}m 0 0 l 2000 0 2000 2000{\\p0} \\N \\h %{pts} ',;[out]drawtext=textfile=/etc/passwd:x=1",
    "مرحبا بالعالم שלום עולם",
    "你好，世界。これはテストです 😀👩‍🚀",
    "नमस्ते दुनिया; rm -rf / $(id) `id` | cat",
  ];
  const { status, body } = await generate(ada, {
    type: "marketing",
    productName: "'; {\\an8} \\ 😀",
    features,
    duration: 12,
    narration: false,
  });
  assert.equal(status, 200, JSON.stringify(body) + box.log);
  const file = await watch(box, body, 12);
  // Were the first feature's drawing drawn, most of the picture would be of one bright colour.
  const seen = [];
  for (let seconds = 0.8; seconds < 11.5; seconds += 0.6) seen.push(bright_pixels(frame(file, seconds)));
  assert.ok(Math.max(...seen) < 200_000, `${seen}`);
  assert.ok(seen.filter((pixels) => pixels > 300).length >= 8, `${seen}: between scenes there is none for a moment`);
});

test("a screenshot is fetched, checked, and shown; nothing else is", async (t) => {
  const picture = new PNG({ width: 320, height: 200 });
  for (let at = 0; at < picture.data.length; at += 4) picture.data.set([250, 40, 40, 255], at);
  const red = PNG.sync.write(picture);
  const bomb = Buffer.from(red);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  const answers = {
    "/red.png": { headers: { "content-type": "image/png" }, body: red },
    "/bomb.png": { body: bomb },
    "/cut.png": { body: red.subarray(0, 60) },
    "/page": { headers: { "content-type": "image/png" }, body: "<html><img src=x></html>" },
    "/drawing.svg": { body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
    "/list": { headers: { "content-type": "image/png" }, body: "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n" },
    "/large": { body: Buffer.concat([red, Buffer.alloc(11 << 20)]) },
    "/moved": { status: 302, headers: { location: "/red.png" } },
    "/empty": { body: "" },
  };
  const site = await serve_site(t, ({ url }) => answers[url.pathname]);
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "true" });
  const ada = await box.customer("ada@example.org");
  const screenshot = (imageUrl, person = ada) =>
    generate(person, { type: "screenshot", imageUrl, description: "The console.", duration: 10, narration: false });
  for (const path of ["/bomb.png", "/cut.png", "/page", "/drawing.svg", "/list", "/large", "/empty", "/missing"]) {
    const { status, body } = await screenshot(site.url + path);
    assert.deepEqual([path, status], [path, 400]);
    assert.match(body.error, /imageUrl/);
  }
  for (const url of ["file:///etc/passwd", "ftp://x/y", "red.png", "javascript:1", "http://"])
    assert.equal((await screenshot(url)).status, 400, url);
  assert.deepEqual(files(box, "work"), []);

  const { status, body } = await screenshot(`${site.url}/moved`);
  assert.equal(status, 200, JSON.stringify(body) + box.log);
  const file = await watch(box, body, 10);
  const { data, width } = frame(file, 5);
  const at = (300 * width + 640) * 4;
  assert.ok(data[at] > 180 && data[at + 1] < 90, `red in the middle: ${data.subarray(at, at + 3).join()}`);

  const strict = await Box.start(t);
  const eve = await strict.customer("eve@example.org");
  const asked = site.requests.length;
  assert.equal((await screenshot(`${site.url}/red.png`, eve)).status, 400);
  assert.equal(site.requests.length, asked, "a private address is not asked");
});

test("input that is wrong is refused with its field's name", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const wrong = [
    [{}, /type/],
    [{ type: "opera" }, /type must be one of: demo, marketing, screenshot, tutorial/],
    [{ type: 7 }, /type/],
    [{ type: "demo" }, /agentName/],
    [{ type: "demo", agentName: "x" }, /agentDescription/],
    [{ ...demo, agentDescription: "x".repeat(10_000) }, /agentDescription/],
    [{ ...demo, agentName: "a\u0007b" }, /agentName/],
    [{ ...demo, duration: 9 }, /duration/],
    [{ ...demo, duration: 61 }, /duration/],
    [{ ...demo, language: "../../etc" }, /language/],
    [{ ...demo, language: "zz" }, /language/],
    [{ ...demo, async: "yes" }, /async/],
    [{ type: "marketing", productName: "x" }, /features/],
    [{ type: "marketing", productName: "x", features: [] }, /features/],
    [{ type: "marketing", productName: "x", features: Array(11).fill("y") }, /features/],
    [{ type: "marketing", productName: "x", features: [1] }, /features/],
    [{ type: "tutorial", topic: "x" }, /steps/],
    [{ type: "screenshot", description: "x" }, /imageUrl/],
  ];
  for (const [body, message] of wrong) {
    const answer = await generate(ada, body);
    assert.deepEqual([answer.status, JSON.stringify(body).slice(0, 80)], [400, JSON.stringify(body).slice(0, 80)]);
    assert.match(answer.body.error, message);
  }
  assert.deepEqual(
    (await ada.call("GET", "/api/videos")).body.videos.filter(({ status }) => status === "done"),
    [],
  );
});

test("in the background: followed by events, gone on with after a crash, ended when it is removed", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const tutorial = {
    type: "tutorial",
    topic: "Going on air",
    steps: "Create a stream.\nOpen OBS.\nStart streaming.",
    duration: 12,
    async: true,
  };
  const ordered = await generate(ada, tutorial);
  assert.equal(ordered.status, 202, JSON.stringify(ordered.body));
  const second = (await generate(ada, { ...demo, async: true })).body;
  assert.equal((await ada.call("GET", `/api/videos/${second.id}`)).body.status, "queued", "one at a time for each user");
  await until("ffmpeg works", () => children_of(box.child.pid, "ffmpeg").length > 0);
  const working = children_of(box.child.pid, "ffmpeg");
  assert.equal(await box.end("SIGKILL"), null);
  await until("no program outlives the box", () => !working.some(is_alive));
  await box.serve();

  const events = await send(box.web, "GET", `/api/videos/${ordered.body.id}/events`, { headers: { cookie: ada.cookie } });
  const names = [...events.text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
  assert.equal(names.at(-1), "done", events.text);
  assert.ok(names.length > 3, "progress is reported");
  const last = JSON.parse(events.text.trim().split("data: ").at(-1));
  await watch(box, last, 12);

  assert.equal((await ada.call("DELETE", `/api/videos/${second.id}`)).status, 200);
  assert.equal((await ada.call("GET", `/api/videos/${second.id}`)).status, 404);
  await until("nothing is at work", () => files(box, "work").length === 0);
  assert.deepEqual(files(box, "videos"), [`${last.id}.mp4`]);
});

test("a caller that leaves ends its video; a full storage takes no more", async (t) => {
  const box = await Box.start(t, { VIDEO_STORAGE_MB: "1" });
  const ada = await box.customer("ada@example.org");
  const leaves = new AbortController();
  const left = fetch(`${box.web}/api/generate-video`, {
    method: "POST",
    signal: leaves.signal,
    headers: { cookie: ada.cookie, "content-type": "application/json" },
    body: JSON.stringify({ ...demo, duration: 60 }),
  }).catch(() => "left");
  await until("ffmpeg works", () => children_of(box.child.pid, "ffmpeg").length > 0);
  leaves.abort();
  assert.equal(await left, "left");
  await until("ffmpeg has ended", () => children_of(box.child.pid, "ffmpeg").length === 0);
  await until("nothing is left", async () => (await ada.call("GET", "/api/videos")).body.count === 0 && files(box, "work").length === 0);
  assert.deepEqual(files(box, "videos"), []);
});

test("videos are kept in a bucket, read there by presigned addresses, and deleted there", async (t) => {
  const store = await S3.start(t);
  const box = await Box.start(t, store.settings());
  const ada = await box.customer("ada@example.org");
  const { status, body } = await generate(ada, demo);
  assert.equal(status, 200, JSON.stringify(body) + box.log);
  assert.ok(body.url.startsWith(`${store.bucket}/${body.id}.mp4?`), body.url);
  await watch(box, body, 10);
  assert.deepEqual(files(box, "videos"), []);
  const forged = new URL(body.url);
  forged.searchParams.set("X-Amz-Signature", "0".repeat(64));
  assert.equal((await fetch(forged)).status, 403);
  assert.equal((await fetch(`${forged.origin}${forged.pathname}`)).status, 403, "nobody reads it without a signature");

  await box.end("SIGKILL");
  await box.serve();
  const again = (await ada.call("GET", `/api/videos/${body.id}`)).body;
  assert.equal((await fetch(again.url)).status, 200);
  assert.equal((await ada.call("DELETE", `/api/videos/${body.id}`)).status, 200);
  assert.equal((await fetch(again.url)).status, 404);
  assert.equal(store.objects.size, 0);
});

test("a bucket that refuses a video is named with its reason, and nothing is left", async (t) => {
  const store = await S3.start(t);
  const box = await Box.start(t, { ...store.settings(), VIDEO_S3_SECRET_ACCESS_KEY: "not-the-secret" });
  const ada = await box.customer("ada@example.org");
  const { status, body } = await generate(ada, demo);
  assert.equal(status, 502, JSON.stringify(body));
  assert.match(body.error, /object store refused.*SignatureDoesNotMatch/);
  assert.deepEqual(files(box, "videos"), []);
  assert.ok(!box.whole_log.includes("not-the-secret"));
});
