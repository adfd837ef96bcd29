// agentbox demo: a box with a past, made by living through it. Every page of the console has something to show.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { binary, run, until } from "../support/box.mjs";
import { OWN_PORTS } from "../support/ports.mjs";
import { agent_processes } from "../support/processes.mjs";

const DAY = 86_400_000;
const free_ports = Object.fromEntries(["WEB", "BACKEND", "SUMMARIZER"].map((name) => [`${name}_LISTEN`, "127.0.0.1:0"]));

const started = [];

// Runs the demo until it says that it is ready.
class Demo {
  static async start(args, env = {}) {
    const demo = new Demo();
    demo.child = spawn(binary, ["demo", "--outside", "127.0.0.1:0", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, AGENT_PORT_RANGE: OWN_PORTS, ...free_ports, ...env },
    });
    demo.ended = once(demo.child, "exit");
    started.push(demo);
    let said = "";
    demo.errors = "";
    demo.child.stderr.on("data", (bytes) => (demo.errors += bytes));
    await Promise.race([
      new Promise((resolve) =>
        demo.child.stdout.on("data", (bytes) => {
          said += bytes;
          if (/^ {2}outside .*\n\n/m.test(said) && /^\{"event":"ready".*\n/m.test(said)) resolve();
        }),
      ),
      demo.ended.then(([code]) => assert.fail(`the demo ended with ${code}: ${demo.errors.slice(-2000)}`)),
    ]);
    const word = (name) => said.match(new RegExp(`^  ${name} +(\\S+)(?: +(\\S+))?`, "m")).slice(1);
    demo.console = word("console")[0];
    demo.web = JSON.parse(said.match(/^\{"event":"ready".*$/m)[0]).web;
    demo.outside = word("outside")[0];
    demo.link = said.match(/^ {2}(http\S+\/sign-in\/\S+)$/m)?.[1];
    const [user, admin] = [word("user"), word("admin")];
    demo.user = await demo.signed_in(...user);
    demo.admin = await demo.signed_in(...admin);
    return demo;
  }

  async signed_in(email, password) {
    const answer = await fetch(`${this.web}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    assert.equal(answer.status, 200, `${email} signs in as printed`);
    const cookie = answer.headers
      .getSetCookie()
      .find((line) => line.startsWith("app-session="))
      .split(";")[0];
    return async (path) => {
      const got = await fetch(this.web + path, { headers: { cookie } });
      assert.equal(got.status, 200, `${path}: ${got.status}`);
      return got.json();
    };
  }

  async end() {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGTERM");
    return (await this.ended)[0];
  }
}

const scratch = (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-demo-"));
  t.after(async () => {
    for (const demo of started.splice(0)) await demo.end(); // with its agents, which it finds in the folder
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, "demo");
};

test("a demo has lived through its past, and every page has something to show", async (t) => {
  const folder = scratch(t),
    days = 4;
  const demo = await Demo.start(["--data", folder, "--days", String(days)]);
  const { user, admin } = demo;
  const { agents } = await user("/api/agents");
  assert.deepEqual(agents.map(({ name, status }) => [name, status]).sort(), [
    ["Clerk", "running"],
    ["Concierge", "running"],
    ["Scout", "running"],
  ]);
  const of = (name) => agents.find((agent) => agent.name === name).id;

  const { messages } = await user(`/api/chat?agentId=${of("Scout")}&limit=100`);
  const talked_on = new Set(messages.map(({ createdAt }) => createdAt.slice(0, 10)));
  assert.ok(talked_on.size >= days, [...talked_on].join()); // and perhaps today: a run that is made up
  assert.ok(Date.now() - Date.parse(messages.map(({ createdAt }) => createdAt).sort()[0]) > (days - 1) * DAY, "it began days ago");
  assert.ok(
    messages.some(({ role, content }) => role === "assistant" && /tide turns/.test(content)),
    "a page of the outside was read",
  );

  const [task] = (await user("/api/scheduled-tasks")).tasks;
  const { runs } = await user(`/api/scheduled-tasks/${task.id}/runs`);
  assert.deepEqual(
    runs.filter(({ trigger }) => trigger === "schedule").map(({ outcome, dueAt }) => [outcome, dueAt.slice(11, 16)]),
    Array(days).fill(["succeeded", "08:00"]),
  );
  const used = (await user("/api/dashboard/cost")).byDay.filter(({ usage }) => usage.calls > 0);
  assert.ok(used.length >= 1, "in this month");
  for (const { date } of used) assert.ok(talked_on.has(date), date);
  assert.ok(
    used.every(({ usage }) => Number(usage.cost) > 0),
    "models have prices",
  );
  const models = (await user("/api/dashboard/calls?limit=200")).calls.map(({ model }) => model);
  assert.ok(new Set(models).size >= 3, [...new Set(models)].join());

  const has = async (who, path, list) => assert.ok((await who(path))[list]?.length > 0, `${path} has ${list}`);
  for (const [path, list] of [
    ["/api/swarms", "swarms"],
    [`/api/memory?agentId=${of("Scout")}`, "memories"],
    [`/api/logs/${of("Scout")}/history`, "lines"],
    ["/api/traces", "traces"],
    ["/api/dashboard/calls", "calls"],
    ["/api/billing/statement", "plans"],
    ["/api/caps", "caps"],
    ["/api/keys", "keys"],
    ["/api/wallet/transfers", "transfers"],
    ["/api/credits/entries", "entries"],
    ["/api/skills", "skills"],
    ["/api/data-feeds", "feeds"],
    ["/api/models", "models"],
    [`/api/underground/messages?agentId=${of("Clerk")}`, "messages"],
    ["/api/mission-control/fleet/graph", "nodes"],
    ["/api/colony/status", "tree"],
  ])
    await has(user, path, list);
  for (const [path, list] of [
    ["/api/admin/users", "users"],
    ["/api/admin/audit", "entries"],
    ["/api/admin/agents", "agents"],
    ["/api/admin/invites", "invites"],
    ["/api/admin/plan-requests", "requests"],
    ["/api/admin/outbox", "mails"],
    ["/api/admin/backups", "backups"],
    ["/api/admin/operator-keys", "keys"],
    ["/api/admin/models/providers", "providers"],
    ["/api/admin/settings", "settings"],
  ])
    await has(admin, path, list);
  assert.deepEqual(
    (await user("/api/mission-control/fleet/bookings")).map(({ status }) => status),
    ["confirmed"],
  );
  assert.deepEqual(
    (await user("/api/swarms")).swarms.map(({ state }) => state),
    ["done"],
  );
  assert.equal((await user("/api/wallet")).balance, "237.5");
  assert.equal((await user("/api/data-feeds?feed=news")).feed.status, "ok");

  const { lines, policy } = await admin("/api/egress");
  assert.equal(policy.egress, "deny");
  assert.ok(lines.length > 0 && lines.every(({ calls, host }) => calls === 0 && host === "example.org"), "only refusals");
  assert.match(await (await fetch(`${demo.outside}/inbox`)).text(), /mara@demo\.example/);
  await until("the payment on the chain", async () =>
    (await user("/api/wallet/transfers")).transfers.some(
      ({ memo, state, transactionHash }) => memo === "rope" && state === "confirmed" && transactionHash,
    ),
  );
  assert.equal((await user("/api/wallet/testnet")).balance, "95");
  assert.match(await (await fetch(`${demo.outside}/chain`)).text(), /<td>5 USDC<\/td>/);

  assert.equal(await demo.end(), 0);
  assert.deepEqual(agent_processes({ folder }), [], "its agents end with it");
  const again = await Demo.start(["--data", folder]);
  assert.doesNotMatch(again.errors, /Living through/);
  assert.equal((await again.user("/api/agents")).agents.length, 3);
  assert.equal(await again.end(), 0);

  const anew = await Demo.start(["--data", folder, "--reset", "--days", "1"]);
  assert.deepEqual((await anew.user("/api/swarms")).swarms, [], "a past of its own");
  assert.equal(await anew.end(), 0);
});

test("a demo that others can reach lets no stranger register, unless it is told to", async (t) => {
  const folder = scratch(t);
  const BASE_URL = "https://demo.example.org";
  const mode = async (demo) => (await (await fetch(`${demo.web}/api/registration`)).json()).registration;
  const closed = await Demo.start(["--data", folder, "--days", "1"], { BASE_URL });
  assert.deepEqual([await mode(closed), closed.console, closed.link], ["closed", `${BASE_URL}/login`, undefined]);
  await closed.end();
  const open = await Demo.start(["--data", folder, "--registration", "open"], { BASE_URL });
  assert.equal(await mode(open), "open");
});

test("the link that it prints signs in once, from this machine", async (t) => {
  const demo = await Demo.start(["--data", scratch(t), "--days", "1"]);
  assert.match(demo.link, /^http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]{32}$/);
  const follow = (url) => fetch(url, { redirect: "manual", headers: { "user-agent": "a browser of the story" } });
  assert.equal((await follow(demo.link.slice(0, -1) + "!")).status, 410);
  const [one, two] = await Promise.all([follow(demo.link), follow(demo.link)]); // at once
  assert.deepEqual([one.status, two.status].sort(), [302, 410], "it counts once");
  const entered = one.status === 302 ? one : two;
  assert.equal(entered.headers.get("location"), `${demo.web}/dashboard?tour=1`);
  const cookie = entered.headers
    .getSetCookie()
    .find((line) => line.startsWith("app-session="))
    .split(";")[0];
  const get = async (path) => (await fetch(demo.web + path, { headers: { cookie } })).json();
  assert.equal((await get("/api/auth/session")).user.email, "mara@demo.example");
  assert.ok((await get("/api/auth/sessions")).sessions.some(({ userAgent }) => userAgent === "a browser of the story"));
  assert.equal((await follow(demo.link)).status, 410, "it is used up");
});

test("without a folder it leaves nothing behind, and it touches no folder that is no demo", async (t) => {
  const place = scratch(t);
  mkdirSync(place);
  const demo = await Demo.start(["--days", "1"], { TMPDIR: place });
  assert.equal(readdirSync(place).length, 1);
  assert.equal(await demo.end(), 0);
  assert.deepEqual(readdirSync(place), []);

  writeFileSync(join(place, "letters"), "mine");
  for (const more of [[], ["--reset"]]) {
    const { code, err } = await run(["demo", "--data", place, ...more]);
    assert.deepEqual([code, /is not empty and holds no demo/.test(err)], [2, true], err);
  }
  assert.ok(existsSync(join(place, "letters")));
});

test("the demo's outside has people who sign in, and a card processor that is paid", async (t) => {
  const demo = await Demo.start(["--data", scratch(t), "--days", "1"]);

  // A browser that goes from page to page: cookies by origin, redirects by hand.
  const cookies = new Map();
  const visit = async (url, options = {}) => {
    const { origin } = new URL(url);
    const jar = cookies.get(origin) ?? cookies.set(origin, new Map()).get(origin);
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(url, { redirect: "manual", ...options, headers: { ...(cookie && { cookie }), ...options.headers } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      jar.set(name, value);
    }
    return { status: answer.status, to: answer.headers.get("location"), text: await answer.text() };
  };
  const plain = (text) => text.replaceAll("&amp;", "&");
  const links = ({ text }) => [...text.matchAll(/href="([^"]+)"/g)].map(([, url]) => plain(url));
  const press = async (path, fields = {}) =>
    visit(path, { method: "POST", body: new URLSearchParams(fields), headers: { origin: demo.outside } });

  const asked = await visit(`${demo.web}/api/auth/idp`);
  assert.ok(asked.to.startsWith(`${demo.outside}/idp/authorize?`), JSON.stringify(asked));
  const choice = await visit(asked.to);
  assert.equal(links(choice).length, 2, choice.text);
  const { hostname, port, pathname, search } = new URL(asked.to);
  const quoted = await new Promise((resolve, reject) =>
    http
      .get({ hostname, port, path: `${pathname}${search}&x="autofocus`, agent: false }, async (answer) => {
        let text = "";
        for await (const part of answer) text += part;
        resolve(text);
      })
      .on("error", reject),
  );
  assert.match(quoted, /client_id/, "a query with a quotation mark is no query");
  assert.ok(!quoted.includes('x="autofocus'), "and does not reach the page");
  const back = await visit(links(choice)[0]);
  assert.equal((await visit(back.to)).status, 302);
  const session = JSON.parse((await visit(`${demo.web}/api/auth/session`)).text);
  assert.equal(session.user.email, "lea@outside.example");
  assert.ok(/error=/.test((await visit(back.to)).to), "a code counts once");
  const foreign = new URL(asked.to);
  foreign.searchParams.set("redirect_uri", "http://127.0.0.1:9/steal");
  assert.equal((await visit(foreign)).status, 400, "codes go to the box alone");

  const buy = async (path) => {
    const checkout = (await visit(demo.web + path)).to;
    assert.ok(checkout.startsWith(`${demo.outside}/cards/pay/`), checkout);
    const cancel = links(await visit(checkout)).at(-1);
    assert.equal(cancel, `${demo.web}/usage?checkout=cancelled`);
    const paid = await press(checkout);
    assert.deepEqual([paid.status, paid.to], [303, `${demo.web}/usage?checkout=success`], paid.text);
    assert.equal((await press(checkout)).status, 404, "paid once");
  };
  const get = async (path) => JSON.parse((await visit(demo.web + path)).text);
  await buy("/api/stripe/checkout?plan=solo");
  assert.equal((await get("/api/auth/session")).user.email, "lea@outside.example");
  const plan = async () => (await get("/api/billing")).plan;
  assert.equal(await plan(), "solo");
  await buy("/api/stripe/credits?price=credits.1000");
  assert.equal((await get("/api/credits")).credits, 1000);

  const portal = (await visit(`${demo.web}/api/stripe/portal`)).to;
  const subscription = (await visit(portal)).text.match(/name="subscription" value="([^"]+)"/)[1];
  assert.equal((await press(portal, { subscription, price: "price_network" })).status, 303);
  assert.equal(await plan(), "network");
  await press(portal, { subscription });
  assert.notEqual(await plan(), "network");
  assert.equal(await demo.end(), 0);
});
