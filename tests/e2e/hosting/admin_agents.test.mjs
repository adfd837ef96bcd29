// Administrators see the agents of all users, and run them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, until } from "../support/box.mjs";

const path = "/api/admin/agents";

test("the agents of all users are listed, searched and paged, and can be stopped and started", async (t) => {
  const box = await Box.start(t);
  const admin = box.person(),
    ada = await box.customer("ada@example.org", "network"),
    bob = await box.customer("bob@example.org");
  await admin.log_in(ADMIN.email, ADMIN.password);
  const scout = await box.running_agent(ada, "Scout"),
    keeper = await box.running_agent(bob, "Keeper");
  const own = (await box.backend_call("POST", "/api/agents", { name: "House" })).id;
  const listed = async (query = "") => (await admin.call("GET", path + query)).body;
  const ids = ({ agents }) => agents.map(({ id }) => id);

  const all = await listed();
  assert.deepEqual([ids(all), all.total, all.next], [[own, keeper, scout], 3, null]);
  assert.deepEqual([all.agents[0].userId, all.agents[0].userEmail], [null, null], "the box's own");
  assert.deepEqual([all.agents[1].name, all.agents[1].userId, all.agents[1].userEmail], ["Keeper", bob.id, "bob@example.org"]);
  const first = await listed("?limit=2"),
    rest = await listed(`?limit=2&after=${first.next}`);
  assert.deepEqual([ids(first), ids(rest), rest.next, rest.total], [[own, keeper], [scout], null, 3]);
  assert.deepEqual(ids(await listed("?search=kEEp")), [keeper]);
  assert.deepEqual(ids(await listed(`?search=${scout}`)), [scout]);
  assert.deepEqual(ids(await listed(`?userId=${ada.id}`)), [scout]);
  assert.deepEqual(ids(await listed("?search=nothing")), []);
  assert.equal((await admin.call("GET", `${path}?after=nonsense`)).status, 400);
  assert.equal((await admin.call("GET", `${path}?status=asleep`)).status, 400);
  assert.equal((await ada.call("GET", path)).status, 403);
  assert.equal((await ada.call("POST", `${path}/${keeper}/stop`)).status, 403);

  const stopped = await admin.call("POST", `${path}/${keeper}/stop`);
  assert.deepEqual([stopped.status, stopped.body.status], [200, "stopped"]);
  assert.deepEqual(ids(await listed("?status=stopped")), [keeper]);
  assert.equal((await bob.call("GET", `/api/agents/${keeper}`)).body.agent.status, "stopped");
  for (const step of ["start", "restart"])
    assert.equal((await admin.call("POST", `${path}/${keeper}/${step}`)).body.status, "running", step);
  const detail = await until("the watchdog has looked", async () => {
    const { body } = await admin.call("GET", `${path}/${keeper}`);
    return body.agent.watchdog.state === "running" && body;
  });
  assert.deepEqual([detail.agent.status, detail.userEmail], ["running", "bob@example.org"]);
  assert.equal((await admin.call("POST", `${path}/ag_nobody/stop`)).status, 404);
  assert.equal((await admin.call("DELETE", `${path}/${keeper}`)).body.deleted, true);
  assert.deepEqual(ids(await listed("?search=keeper")), []);

  const { id } = (await admin.call("GET", "/api/auth/session")).body.user;
  const { entries } = (await admin.call("GET", "/api/admin/audit")).body;
  const acts = entries.filter(({ subject }) => subject === keeper).map(({ act, by, userId }) => [act, by, userId]);
  assert.deepEqual(
    acts,
    ["deleted", "restarted", "started", "stopped"].map((what) => [`agent ${what} by admin`, `admin:${id}`, bob.id]),
  );
});
