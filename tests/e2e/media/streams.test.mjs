// The radio at a hosted provider: who may create a stream, what is live, and the provider's webhooks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { Chain } from "../peers/chain.mjs";
import { hmac, SIGNING_SECRET, StreamProvider } from "../peers/stream_provider.mjs";
import { message_for, new_wallet } from "../support/wallet.mjs";

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7";
const ungated = { STREAM_TOKEN_GATING: "off" };

const radio = async (t, more = ungated) => {
  const provider = await StreamProvider.start(t);
  const box = await Box.start(t, { ...provider.settings(), ...more });
  return { provider, box, dj: box.person() };
};
const create = (person, body = { wallet: WALLET }) => person.call("POST", "/api/radio/streams", body);
const live = async (box) => (await box.person().call("GET", "/api/radio/live")).body;
const now = () => Math.floor(Date.now() / 1000);

test("a stream is created at the provider, goes live by its webhook, and idle again", async (t) => {
  const { provider, box, dj } = await radio(t);
  assert.deepEqual(await live(box), { djs: [], count: 0 });
  const { status, body } = await create(dj);
  assert.equal(status, 200, JSON.stringify(body));
  const [made] = provider.streams.values();
  const { stream, obsSettings } = body;
  assert.deepEqual(
    {
      id: stream.id,
      name: stream.name,
      wallet: stream.wallet,
      streamKey: stream.streamKey,
      playbackId: stream.playbackId,
      status: stream.status,
    },
    {
      id: made.id,
      name: "Anonymous DJ",
      wallet: WALLET,
      streamKey: made.stream_key,
      playbackId: made.playback_ids[0].id,
      status: "created",
    },
  );
  assert.equal(stream.fullRtmpUrl, `${stream.rtmpUrl}/${stream.streamKey}`);
  assert.deepEqual(obsSettings, {
    server: stream.rtmpUrl,
    streamKey: stream.streamKey,
    recommended: { audioBitrate: 160, encoder: "aac", sampleRate: 48_000, channels: 2 },
  });
  assert.equal(body.success, true);
  assert.deepEqual(await live(box), { djs: [], count: 0 });

  assert.deepEqual(await provider.go_live(box, made.id), { status: 200, body: { received: true } });
  const { djs, count } = await live(box);
  assert.equal(count, 1);
  assert.ok(Math.abs(djs[0].startedAt - now()) < 10);
  assert.deepEqual(
    { ...djs[0], startedAt: 0 },
    {
      id: made.id,
      name: "Anonymous DJ",
      wallet: WALLET,
      playbackId: stream.playbackId,
      streamKey: "",
      status: "active",
      startedAt: 0,
      hlsUrl: `https://stream.mux.com/${stream.playbackId}.m3u8`,
      embedUrl: `https://player.mux.com/${stream.playbackId}`,
      listeners: null,
    },
  );
  assert.ok(!JSON.stringify(djs).includes(made.stream_key));
  await provider.go_idle(box, made.id);
  assert.equal((await live(box)).count, 0);
  assert.match(box.whole_log, /stream_idle/);
  assert.ok(!box.whole_log.includes(made.stream_key), "no key in the log");
});

test("what is live is asked for at the start, and reports that are late change nothing", async (t) => {
  const { provider, box, dj } = await radio(t);
  const { id } = (await create(dj)).body.stream;
  provider.streams.get(id).status = "active"; // its webhook is lost
  assert.equal(await box.end("SIGKILL"), null);
  await box.serve();
  await until("the stream is found live", async () => (await live(box)).count === 1);

  const late = provider.event("video.live_stream.idle", { id }, { created_at: new Date(Date.now() - 60_000).toISOString() });
  assert.equal((await provider.deliver(box, late)).status, 200);
  assert.equal((await live(box)).count, 1);

  const idle = provider.event("video.live_stream.idle", { id });
  const active = provider.event("video.live_stream.active", { id });
  await provider.deliver(box, idle);
  await provider.deliver(box, active);
  await provider.deliver(box, idle); // delivered twice
  assert.equal((await live(box)).count, 1);
});

test("wallets: malformed input is refused before tokens are looked at, and those before the provider is asked", async (t) => {
  const chain = await Chain.start(t);
  const token = await chain.deploy("Token");
  const { provider, box, dj } = await radio(t, { L2_RPC_URL: chain.url, GATING_TOKEN_ADDRESS: token });
  for (const body of [{}, { wallet: null }, { wallet: "" }, { wallet: 7 }, { name: "DJ" }])
    assert.equal((await create(dj, body)).status, 400);
  assert.match((await create(dj, {})).body.error, /wallet/);
  for (const wallet of [
    "0x1234",
    "me",
    `${WALLET} `,
    WALLET.replace("0x", ""),
    WALLET.replace("E", "e"),
    "0x" + "g".repeat(40),
    "😀".repeat(42),
  ])
    assert.equal((await create(dj, { wallet })).status, 400, wallet);
  const poor = await create(dj);
  assert.equal(poor.status, 403);
  assert.equal(poor.body.required, "1250000");
  assert.equal(provider.streams.size, 0);

  await chain.send("Token", token, "mint", [WALLET, 1_250_000n * 10n ** 6n - 1n]);
  const rich = new_wallet();
  await chain.send("Token", token, "mint", [rich.address, 1_250_000n * 10n ** 6n]);
  provider.broken = true;
  assert.equal((await create(dj, { wallet: rich.address })).status, 500);
  provider.broken = false;
  const made = await create(dj, { wallet: rich.address, name: "DJ {\\an8}; rm -rf 😀" });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.equal(made.body.stream.name, "DJ {\\an8}; rm -rf 😀");
  assert.equal((await create(dj, { wallet: rich.address, name: "a\u0000b" })).status, 400);
  assert.equal((await create(dj, { wallet: rich.address, name: "x".repeat(10_000) })).status, 400);
});

test("five open streams a wallet; whoever has a key can replace it or remove the stream", async (t) => {
  const { provider, box, dj } = await radio(t);
  const made = [];
  for (let count = 0; count < 5; ++count) made.push((await create(dj)).body.stream);
  const beyond = await create(dj, { wallet: WALLET.toLowerCase() });
  assert.deepEqual([beyond.status, beyond.body.current, beyond.body.limit], [429, 5, 5]);
  assert.equal(provider.streams.size, 5);

  const [first, second] = made;
  const key = (person, method, path, streamKey) => person.call(method, `/api/radio/streams/${path}`, { streamKey });
  assert.equal((await key(dj, "POST", `${first.id}/rotate-key`, second.streamKey)).status, 404);
  const rotated = await key(dj, "POST", `${first.id}/rotate-key`, first.streamKey);
  assert.equal(rotated.body.stream.streamKey, provider.streams.get(first.id).stream_key);
  assert.notEqual(rotated.body.stream.streamKey, first.streamKey);
  assert.equal((await key(dj, "DELETE", first.id, first.streamKey)).status, 404);
  provider.broken = true; // it is removed there later
  assert.equal((await key(dj, "DELETE", first.id, rotated.body.stream.streamKey)).status, 200);
  assert.equal((await key(dj, "DELETE", first.id, rotated.body.stream.streamKey)).status, 404);
  provider.broken = false;
  assert.equal((await create(dj)).status, 200);
  await box.end("SIGTERM");
  await box.serve();
  await until("the provider has removed it", () => !provider.streams.has(first.id));
});

test("with STREAM_REQUIRE_PROOF the wallet must sign, and a false proof is refused anyway", async (t) => {
  const { box, dj } = await radio(t, { ...ungated, STREAM_REQUIRE_PROOF: "true" });
  const wallet = new_wallet(),
    other = new_wallet();
  assert.equal((await create(dj, { wallet: wallet.address })).status, 400);
  const message = await message_for(box, wallet.address);
  const theirs = await other.signMessage({ message });
  assert.equal((await create(dj, { wallet: wallet.address, message, signature: theirs })).status, 401);
  const proof = { wallet: wallet.address, message, signature: await wallet.signMessage({ message }) };
  assert.equal((await create(dj, proof)).status, 200);
  assert.equal((await create(dj, proof)).status, 401, "a proof is valid once");
});

test("webhooks: 401 without a signature, 403 for a bad one, 400 for signed nonsense", async (t) => {
  const { provider, box, dj } = await radio(t);
  const { id } = (await create(dj)).body.stream;
  const body = provider.event("video.live_stream.active", { id });
  const status = async (options, text = body) => (await provider.deliver(box, text, options)).status;
  const good = await hmac(SIGNING_SECRET, `${now()}.${body}`),
    t_now = now();
  const right = await hmac(SIGNING_SECRET, `${t_now}.${body}`);

  assert.equal(await status({ value: "" }), 401);
  for (const value of [
    "x",
    "t=1",
    `t=${t_now}`,
    `v1=${right}`,
    `t=,v1=${right}`,
    `t=-${t_now},v1=${right}`,
    `t=${t_now}, v1=${right}`,
    ` t = ${t_now},v1=${right}`,
    `t=${t_now},v1=${right.toUpperCase()}`,
    `t=${t_now},v1=${right.slice(1)}`,
    `t=${t_now},t=${t_now},v1=${right}`,
    `t=${t_now},v2=${right}`,
    `t=${t_now}.0,v1=${right}`,
    `t=99999999999999999999,v1=${right}`,
    `t=${t_now},v1=${"0".repeat(64)}`,
    "t=".repeat(4_000),
  ])
    assert.equal(await status({ value }), 403, value.slice(0, 120));
  assert.equal(await status({ secret: "another" }), 403);
  for (const away of [-301, 330, -86_400, 1e9]) assert.equal(await status({ time: t_now + away }), 403, `${away} s`);
  assert.equal(await status({ value: `t=${t_now},v1=${right}` }, body.replace("active", "actjve")), 403);
  assert.equal((await live(box)).count, 0);
  const doubled = await send(box.web, "POST", "/api/webhooks/stream", {
    body,
    headers: { "stream-signature": [`t=${t_now},v1=${right}`, `t=${t_now},v1=${right}`] },
  });
  assert.equal(doubled.status, 403);

  for (const text of ["", "{", "[]", "7", "{}", "\u0000", '{"type":1}', "x".repeat(1_000)])
    assert.equal(await status({}, text), 400, text.slice(0, 20));
  assert.equal(await status({}, provider.event("video.upload.created", { id: "u1" })), 200);
  assert.equal(await status({}, provider.event("video.live_stream.active", { id: "of-somebody-else" })), 200);
  assert.equal(await status({ header: "stream-signature", time: t_now - 290 }), 200);
  assert.equal((await live(box)).count, 1);
  assert.equal(await status({ value: `t=${t_now},v1=${"0".repeat(64)},v1=${right},v0=old` }), 200, "the provider changes its secret");
  assert.ok(good);
});

test("recordings: long ones in full HD stay, all others are deleted, however often that fails at first", async (t) => {
  const { provider, box } = await radio(t);
  const asset = (id, seconds, more) =>
    provider.deliver(box, provider.event("video.asset.ready", { id, duration: seconds, status: "ready", ...more }));
  const tracks = (max_width, max_height) => ({ tracks: [{ type: "audio" }, { type: "video", max_width, max_height, max_frame_rate: 30 }] });
  provider.broken = true;
  await asset("long-hd", 901, tracks(1920, 1080));
  await asset("long-upright", 5_000, tracks(1080, 1920));
  await asset("long-4k", 901.5, { resolution_tier: "2160p" });
  await asset("long-unknown", 1_000, {});
  await asset("just-15-minutes", 900, tracks(1920, 1080));
  await asset("short-4k", 60, { resolution_tier: "2160p" });
  await asset("long-720", 4_000, tracks(1280, 720));
  await asset("long-audio", 4_000, { resolution_tier: "audio-only" });
  await asset("long-sd", 4_000, { max_stored_resolution: "SD" });
  const list = async () => (await box.backend_call("GET", "/api/admin/stream-assets")).assets;
  await until("a failed attempt is recorded", async () => (await list()).some(({ attempts }) => attempts > 0));
  assert.deepEqual(provider.deleted_assets, []);
  provider.broken = false;
  await box.end("SIGKILL");
  // The pause after a failure is a minute: what was not tried yet goes at once.
  await box.serve();
  await asset("late-short", 5, tracks(1920, 1080));
  await until("deletion", async () => (await list()).some(({ id, fate }) => id === "late-short" && fate === "deleted"));
  assert.ok(provider.deleted_assets.includes("late-short"));
  const fates = Object.fromEntries((await list()).map(({ id, fate }) => [id, fate]));
  for (const id of ["long-hd", "long-upright", "long-4k", "long-unknown"]) assert.equal(fates[id], "archived", id);
  for (const id of ["just-15-minutes", "short-4k", "long-720", "long-audio", "long-sd"]) assert.match(fates[id], /^delet/, id);
  assert.equal(fates["late-short"], "deleted");
});

test("without a provider, and without a secret, nothing is accepted", async (t) => {
  const box = await Box.start(t, ungated);
  const person = box.person();
  assert.equal((await person.call("GET", "/api/radio/live")).status, 500);
  const ada = await box.customer("ada@example.org");
  assert.deepEqual((await ada.call("GET", "/api/streams")).body, { streams: [], count: 0, configured: false });
  assert.equal((await create(person, {})).status, 400);
  assert.equal((await create(person)).status, 500);
  const provider = new StreamProvider();
  const body = provider.event("video.live_stream.active", { id: "x" });
  assert.equal((await provider.deliver(box, body)).status, 403);
  assert.equal((await provider.deliver(box, body, { secret: "another" })).status, 403);
  const gated = await Box.start(t, {});
  assert.equal((await create(gated.person())).status, 500, "the chain is not configured");
});
