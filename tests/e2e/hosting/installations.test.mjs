// Installations elsewhere: they register, send heartbeats, and are inactive when they do not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send, until } from "../support/box.mjs";

const post = (box, path, body, headers = { authorization: `Bearer ${INTERNAL_KEY}` }) =>
  send(box.backend, "POST", path, { headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) });
const listed = (box) => box.backend_call("GET", "/api/installations");

test("an installation registers, is inactive without heartbeats, and active again with one", async (t) => {
  const box = await Box.start(t, { INSTALLATION_HEARTBEAT_INTERVAL: "1s" });
  const [home, link] = [(await box.customer("ada@example.org")).id, (await box.customer("eve@example.org")).id].map(String);
  const made = await post(box, "/api/register-home", { userId: home, gatewayToken: "token-of-home-1" });
  assert.deepEqual([made.status, made.body.success, made.body.dashboardUrl], [200, true, `${box.web}/dashboard`]);
  assert.equal((await post(box, "/api/register-link", { userId: link, mode: "home" })).status, 200);
  const first = await listed(box);
  assert.deepEqual([first.success, first.count], [true, 2]);
  assert.deepEqual(
    first.installations.map(({ userId, mode }) => [userId, mode]),
    [
      [home, "home"],
      [link, "link"],
    ],
  );
  const status = async () => Object.fromEntries((await listed(box)).installations.map((one) => [one.userId, one.status]));
  await until("both are inactive", async () => Object.values(await status()).every((one) => one === "inactive"));
  const beat = await post(box, "/api/heartbeat", { userId: home }, {});
  assert.deepEqual([beat.status, beat.body.success], [200, true]);
  assert.ok(beat.body.timestamp);
  assert.deepEqual(await status(), { [home]: "active", [link]: "inactive" });
  for (const body of [{}, { userId: "nobody" }]) assert.equal((await post(box, "/api/heartbeat", body, {})).status, 200);
  assert.equal((await listed(box)).count, 2, "a heartbeat registers nobody");
  for (const path of ["/api/register-home", "/api/register-link"])
    for (const userId of ["4711", "nobody"]) {
      const unknown = await post(box, path, { userId });
      assert.deepEqual([unknown.status, unknown.body], [404, { error: "No such user" }]);
    }

  await post(box, "/api/register-home", { userId: home, mode: "cloud" });
  const [again] = (await listed(box)).installations;
  assert.deepEqual([again.mode, again.registeredAt], ["cloud", first.installations[0].registeredAt]);
  await box.end("SIGKILL");
  await box.serve();
  assert.deepEqual(
    (await listed(box)).installations.map(({ userId }) => userId),
    [home, link],
  );
  assert.equal((box.whole_log + JSON.stringify(await listed(box))).includes("token-of-home-1"), false);
});

test("missing and invalid fields are named", async (t) => {
  const box = await Box.start(t);
  for (const path of ["/api/register-home", "/api/register-link"]) {
    assert.match((await post(box, path, {})).body.error, /userId/);
    assert.equal((await post(box, path, { userId: "x" }, {})).status, 401);
    assert.match((await post(box, path, { userId: "x", mode: "away" })).body.error, /mode/);
  }
  assert.equal((await send(box.backend, "GET", "/api/installations")).status, 401);
});

test("a key says whose it is, with its prefix or without", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "collective");
  const { key } = (await ada.call("POST", "/api/keys", { name: "home" })).body;
  for (const token of [key, key.slice(3)]) {
    const { status, body } = await send(box.backend, "POST", "/api/validate-key", { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([status, body.valid, body.userId, body.plan], [200, true, ada.id, "collective"]);
    assert.ok(body.features.includes("agents"));
  }
  for (const token of [`${key}x`, "sk_", "garbage", INTERNAL_KEY])
    assert.equal((await send(box.backend, "POST", "/api/validate-key", { headers: { authorization: `Bearer ${token}` } })).status, 401);
  assert.equal((await send(box.backend, "POST", "/api/validate-key")).status, 401);
});
