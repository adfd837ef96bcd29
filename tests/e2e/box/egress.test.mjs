// Where agents' pages may come from, what their processes reach, and what the box says about isolation.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Box } from "../support/box.mjs";

// A site that answers to any name of this machine; /away leads to the same page by its address.
const site = async (t) => {
  const server = createServer((request, response) => {
    const page = `http://127.0.0.1:${server.address().port}/page`;
    if (request.url === "/away") response.writeHead(302, { location: page }).end();
    else if (request.url === "/stay") response.writeHead(302, { location: "/page" }).end();
    else response.writeHead(200, { "content-type": "text/html" }).end("<title>Tides</title><p>The tide turns at six.");
  });
  server.listen(0);
  await once(server, "listening");
  t.after(() => server.close());
  return server.address().port;
};

test("an agent's pages come from where its config says", async (t) => {
  const port = await site(t);
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
  const fetch_page = async (url, headers = { authorization: `Bearer ${box_token}` }) => {
    const answer = await fetch(`${box.summarizer}/api/summarize`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ url }),
    });
    const body = await answer.json();
    return [answer.status, body.title ?? body.error];
  };
  const set = async (egress) => (await ada.call("PATCH", `/api/agents/${id}`, { config: { egress } })).status;
  const named = (path) => `http://localhost:${port}${path}`,
    by_address = `http://127.0.0.1:${port}/page`;

  assert.deepEqual(await fetch_page(by_address), [200, "Tides"], "anywhere by default");
  assert.equal(await set("none"), 200);
  const [refused, reason] = await fetch_page(by_address);
  assert.deepEqual([refused, /egress none/.test(reason)], [403, true], reason);

  assert.equal(await set(["localhost", ".example.org"]), 200);
  assert.deepEqual(await fetch_page(named("/page")), [200, "Tides"]);
  assert.deepEqual(await fetch_page(named("/stay")), [200, "Tides"], "a redirect within the list");
  for (const url of [by_address, named("/away"), "http://example.org/"]) {
    const [status, error] = await fetch_page(url);
    assert.equal(status, 500, url);
    assert.match(error, /does not list (127\.0\.0\.1|example\.org) in egress/);
  }
  assert.deepEqual(await fetch_page(by_address, { "x-agentbox-egress": "nowhere" }), [200, "Tides"], "the header is the box's own");

  assert.equal(await set([]), 200);
  assert.equal((await fetch_page(named("/page")))[0], 500);
  for (const wrong of ["everything", 7, ["a b"], ["."], [7], { host: "x" }]) assert.equal(await set(wrong), 400, JSON.stringify(wrong));
  assert.equal(await set("web"), 200);
  assert.deepEqual(await fetch_page(by_address), [200, "Tides"]);
});

test("a plan bounds what its agents reach", async (t) => {
  const port = await site(t);
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org", "collective");
  const id = await box.running_agent(ada, "Scout", "pro");
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
  const fetched = async (host) => {
    const answer = await fetch(`${box.summarizer}/api/summarize`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${box_token}` },
      body: JSON.stringify({ url: `http://${host}:${port}/page` }),
    });
    return answer.status;
  };
  const set = async (egress) => await ada.call("PATCH", `/api/agents/${id}`, { config: { egress } });
  const bound = (plan, egress) => box.backend_call("PUT", `/api/admin/plans/${plan}/egress`, { egress });
  const plans = async () => (await box.backend_call("GET", "/api/admin/plans/egress")).plans;

  assert.deepEqual(
    await plans(),
    ["label", "solo", "collective", "network"].map((plan) => ({ plan, egress: "web" })),
  );
  assert.deepEqual([await fetched("127.0.0.1"), await fetched("localhost")], [200, 200]);

  assert.deepEqual(await bound("collective", ["LOCALHOST", ".example.org"]), { plan: "collective", egress: ["localhost", ".example.org"] });
  assert.deepEqual(
    (await plans()).map(({ egress }) => egress),
    ["web", "web", ["localhost", ".example.org"], "web"],
  );
  assert.deepEqual([await fetched("127.0.0.1"), await fetched("localhost")], [500, 200], "at once, without a word in its config");
  for (const wrong of ["web", ["127.0.0.1"], [".org"], ["example.org"]]) {
    const { status, body } = await set(wrong);
    assert.deepEqual(
      [status, body.error],
      [403, 'config.egress must be none or host names of ["localhost",".example.org"]: the agent\'s plan admits no more'],
    );
  }
  for (const right of [["localhost"], [".www.example.org", "a.example.org"], [".example.org"], "none", null])
    assert.equal((await set(right)).status, 200, JSON.stringify(right));
  const made = await ada.call("POST", "/api/agents/provision", { name: "Wide", tier: "pro", config: { egress: "web" } });
  assert.equal(made.status, 403, JSON.stringify(made.body));

  assert.equal((await set(["localhost"])).status, 200);
  await bound("collective", "none");
  assert.equal(await fetched("localhost"), 403);
  assert.equal(
    (await ada.call("PATCH", `/api/agents/${id}`, { name: "Renamed" })).status,
    200,
    "a bound that came later stops no other change",
  );
  assert.match((await set(["example.org"])).body.error, /must be none: the agent's plan/);
  await bound("collective", "web");
  assert.deepEqual([await fetched("127.0.0.1"), await fetched("localhost")], [500, 200], "its own list holds again");
  assert.match((await bound("gold", "web")).error, /No such plan: there are label/);
  assert.match((await bound("solo", "all")).error, /egress must be web, none, or a list/);
});

test("the box says what isolates its agents", async (t) => {
  const box = await Box.start(t, { ISOLATION: "required" });
  const ada = await box.customer("ada@example.org");
  await box.running_agent(ada);
  const { isolation } = await (await fetch(`${box.web}/health`)).json();
  assert.ok(["strong", "basic"].includes(isolation), isolation);
  const line = JSON.parse(box.whole_log.split("\n").find((one) => one.includes('"isolation_of_agents"')));
  assert.ok(line.holds.startsWith(`${isolation}: `), line.holds);
  assert.match(line.holds, /system call filter/);
});
