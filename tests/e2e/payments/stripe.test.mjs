// Cards: what Stripe is asked, what its events do, and that nothing counts twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, INTERNAL_KEY, run, send, until } from "../support/box.mjs";
import { story_of } from "../support/stripe_story.mjs";
import { WEBHOOK_SECRET, deliver, event_of } from "../peers/stripe_server.mjs";

const now = () => Math.floor(Date.now() / 1000);
const month = () => new Date().toISOString().slice(0, 7);

test("without keys nothing can be bought, and with them only what is sold", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const as_ada = { headers: { cookie: ada.cookie } };
  const pages = [
    "/api/stripe/checkout?plan=solo",
    "/api/stripe/credits?price=credits.1000",
    "/api/stripe/storage-upgrade",
    "/api/stripe/portal",
  ];
  for (const path of pages)
    for (const method of ["GET", "POST"]) {
      assert.equal((await send(box.web, method, path)).status, 401, path);
      const answer = await send(box.web, method, path, as_ada);
      assert.deepEqual([answer.status, answer.body.error], [503, "Payments are not configured"], path);
    }
  const unknown = await send(box.web, "GET", "/api/stripe/checkout?plan=gold", as_ada);
  assert.deepEqual([unknown.status, /^plan must be one of/.test(unknown.body.error)], [400, true], "before what the box lacks");
  assert.equal((await deliver(box, event_of("invoice.paid", {}))).status, 503);
  assert.deepEqual((await box.person().call("GET", "/api/stripe/prices")).body, { offers: [], count: 0 });

  const story = await story_of(t);
  for (const path of [
    "/api/stripe/checkout?plan=free",
    "/api/stripe/checkout",
    "/api/stripe/checkout?plan=",
    "/api/stripe/credits",
    "/api/stripe/credits?price=price_solo",
    "/api/stripe/credits?price=storage.10",
    "/api/stripe/storage-upgrade?price=price_pack",
  ])
    assert.equal((await story.page("GET", path)).status, 400, path);
  assert.match(
    (await story.page("GET", "/api/stripe/checkout?plan=free")).body.error,
    /^plan must be one of: label, solo, collective, network$/,
  );
  assert.equal((await story.page("GET", "/api/stripe/checkout?plan=label")).status, 503, "the plan has no price");
  assert.equal((await story.page("GET", "/api/stripe/portal")).status, 404, "nothing was bought");
  assert.equal(story.stripe.asked.length, 0);
  const { offers } = (await box.person().call("GET", "/api/stripe/prices")).body;
  assert.deepEqual(offers, []);
  const sold = (await story.ada.call("GET", "/api/stripe/prices")).body.offers;
  assert.deepEqual(
    sold.map(({ item, amount, currency }) => [item, amount, currency]),
    [
      ["solo", "79.00", "GBP"],
      ["collective", "199.00", "GBP"],
      ["network", "499.00", "GBP"],
      ["credits.1000", "9.00", "GBP"],
      ["storage.10", null, null],
    ],
  );
});

test("the gateway offers a card, which buys credits", async (t) => {
  const { box, ada } = await story_of(t);
  const wish = { plugin: "models", input: { messages: [{ role: "user", content: "Say hello." }] } };
  const { ways } = (await ada.call("POST", "/api/v1/gateway", wish)).body;
  assert.deepEqual(
    ways.find(({ way }) => way === "card"),
    { way: "card", buys: "credits", checkout: `${box.web}/api/stripe/credits?price=credits.1000` },
  );
  const stranger = (await box.person().call("POST", "/api/v1/gateway", wish)).body;
  assert.ok(!stranger.ways.some(({ way }) => way === "card"), "only for users who have signed in");
});

test("a payment that fails is reported to the user once, by mail", async (t) => {
  const { box, invoice, sent, subscription } = await story_of(t);
  await sent(event_of("customer.subscription.updated", subscription("active")));
  await sent(event_of("invoice.payment_failed", invoice({ id: "in_0" })));
  await sent(event_of("invoice.payment_failed", invoice({ id: "in_0" })));
  const { mails } = await box.backend_call("GET", "/api/admin/outbox?limit=1000");
  const letters = mails.filter(({ subject }) => subject === "A payment has failed");
  assert.deepEqual(
    letters.map(({ to }) => to),
    ["ada@example.org"],
  );
  assert.match(letters[0].body, /Plan solo.*\/api\/stripe\/portal/s);
});

test("the box does not start with prices that it cannot sell at", async (t) => {
  const box = await Box.start(t);
  await box.end("SIGTERM");
  for (const prices of ["free=price_1", "solo", "credits.0=price_1", "solo=price_1,solo=price_2"]) {
    const { code, err } = await run(["serve", "--data", box.folder], {
      env: { STRIPE_PRICES: prices, WEB_LISTEN: "127.0.0.1:0", BACKEND_LISTEN: "127.0.0.1:0", SUMMARIZER_LISTEN: "127.0.0.1:0" },
    });
    assert.notEqual(code, 0, prices);
    assert.match(err, /STRIPE_PRICES: /, prices);
  }
  await box.serve();
});

test("users are sent to pages of Stripe that name them and what they buy", async (t) => {
  const { stripe, page, ada } = await story_of(t);
  const first = await page("GET", "/api/stripe/checkout?plan=solo");
  assert.deepEqual([first.status, first.headers.location], [303, "https://checkout.stripe.com/c/pay/cs_test_1"]);
  const { success_url, cancel_url, ...form } = stripe.newest.form;
  assert.deepEqual(form, {
    mode: "subscription",
    "line_items[0][price]": "price_solo",
    "line_items[0][quantity]": "1",
    client_reference_id: ada.id,
    "metadata[agentbox_user]": ada.id,
    "metadata[agentbox_item]": "solo",
    "subscription_data[metadata][agentbox_user]": ada.id,
    "subscription_data[metadata][agentbox_item]": "solo",
    customer_email: "ada@example.org",
  });
  assert.match(success_url, /^http:\/\/.*\/usage\?checkout=success$/);
  assert.match(cancel_url, /\/usage\?checkout=cancelled$/);
  assert.match(stripe.newest.headers["stripe-version"], /^\d{4}-\d\d-\d\d/);

  for (const [method, path, body] of [
    ["POST", "/api/stripe/checkout?plan=solo"],
    ["POST", "/api/stripe/checkout", { plan: "solo" }],
  ])
    assert.equal((await page(method, path, body)).status, 303, path);
  for (const price of ["price_pack", "credits.1000"]) {
    assert.equal((await page("POST", `/api/stripe/credits?price=${price}`)).status, 303);
    assert.deepEqual(
      [
        stripe.newest.form.mode,
        stripe.newest.form["line_items[0][price]"],
        stripe.newest.form["payment_intent_data[metadata][agentbox_item]"],
      ],
      ["payment", "price_pack", "credits.1000"],
    );
  }
  assert.equal((await page("GET", "/api/stripe/storage-upgrade")).status, 303, "only one is sold");
  assert.equal(stripe.newest.form["line_items[0][price]"], "price_storage");

  const bought = await ada.call("POST", "/api/billing", { action: "create-checkout", plan: "network" });
  assert.deepEqual(bought.body, {
    success: true,
    action: "create-checkout",
    url: `https://checkout.stripe.com/c/pay/cs_test_${stripe.asked.length}`,
  });
  assert.match((await ada.call("POST", "/api/billing", { action: "buy-credits", price: "price_pack" })).body.url, /^https:\/\/checkout/);
  assert.equal((await ada.call("POST", "/api/billing", { action: "create-checkout" })).status, 400);
  assert.equal((await ada.call("POST", "/api/billing", { action: "buy-credits" })).status, 400);

  const keys = new Set(stripe.asked.map(({ headers }) => headers["idempotency-key"]));
  assert.equal(keys.size, stripe.asked.length, "each request is its own");
  stripe.failing = [500];
  assert.equal((await page("GET", "/api/stripe/checkout?plan=solo")).status, 303, "once more");
  assert.equal(stripe.asked.at(-1).headers["idempotency-key"], stripe.asked.at(-2).headers["idempotency-key"]);
  stripe.failing = [402];
  const refused = await page("GET", "/api/stripe/checkout?plan=solo");
  assert.equal(refused.status, 502);
  assert.match(refused.body.error, /payment provider/);
});

test("only what Stripe has signed counts, and counts once", async (t) => {
  const { box, sent, session, credits } = await story_of(t);
  const bought = event_of("checkout.session.completed", session());
  const payload = JSON.stringify(bought);
  for (const options of [
    { secret: "whsec_of_another" },
    { timestamp: now() - 301 },
    { timestamp: now() + 400 },
    { header: "" },
    { header: "t=1" },
    { header: `t=${now()},v1=${"0".repeat(64)}` },
  ]) {
    const answer = await deliver(box, bought, { payload, ...options });
    assert.equal(answer.status, 400, JSON.stringify(options));
    assert.match(answer.body.error, /Stripe-Signature/);
  }
  assert.equal((await deliver(box, bought, { payload: "not json" })).status, 400);
  assert.equal((await deliver(box, bought, { payload: "[]" })).status, 400);
  assert.equal((await credits()).credits, 0);

  assert.deepEqual(await sent(bought), { received: true, duplicate: false });
  assert.deepEqual(await sent(bought), { received: true, duplicate: true });
  // The same purchase told by another event, all at once.
  const again = Array.from({ length: 20 }, () => event_of("checkout.session.async_payment_succeeded", session()));
  await Promise.all([...again, ...again].map((event) => sent(event)));
  const { credits: count, balance } = await credits();
  assert.deepEqual([count, balance], [1000, "10.00"]);
  assert.deepEqual(
    await sent(event_of("product.created", { id: "prod_1" })),
    { received: true, duplicate: false },
    "others are acknowledged",
  );
  assert.equal(box.whole_log.includes(WEBHOOK_SECRET), false);
});

test("plans follow their subscription, in whatever order its events arrive", async (t) => {
  const { box, stripe, ada, page, subscription, invoice, sent, plan } = await story_of(t);
  const at = now() - 1000;
  const begun = event_of("customer.subscription.created", subscription("incomplete"), { created: at });
  const active = event_of("customer.subscription.updated", subscription("active"), { created: at + 1 });
  const paid = event_of("invoice.paid", invoice({ billing_reason: "subscription_create" }), { created: at + 1 });
  await sent(paid);
  assert.deepEqual([(await plan()).plan, (await plan()).status], ["solo", "active"]);
  await sent(active);
  await sent(begun);
  assert.equal((await plan()).plan, "solo", "an older event changes nothing");
  const { subscriptionId } = await box.backend_call("GET", "/api/admin/users/ada@example.org");
  assert.equal(subscriptionId, "sub_ada", "its id is what x-billing-subscription-id claims");

  // Who pays already changes the plan in the portal, and is not charged twice.
  assert.equal((await page("GET", "/api/stripe/checkout?plan=network")).status, 303);
  assert.deepEqual(
    [stripe.newest.path, stripe.newest.form.customer, stripe.newest.form["flow_data[subscription_update][subscription]"]],
    ["/v1/billing_portal/sessions", "cus_ada", "sub_ada"],
  );
  assert.equal((await page("POST", "/api/stripe/portal")).status, 303);
  const upgraded = event_of("customer.subscription.updated", subscription("active", { price: "price_network" }), { created: at + 100 });
  await sent(event_of("invoice.paid", invoice({ id: "in_2", amount: 49900 }), { created: at + 101 }));
  await sent(upgraded);
  assert.equal((await plan()).plan, "network", "the invoice's metadata is of the beginning");

  // What the administrator sets stays until Stripe changes something.
  await box.backend_call("PATCH", "/api/admin/users/ada@example.org", { plan: "collective" });
  await sent(event_of("invoice.paid", invoice({ id: "in_3", amount: 49900 }), { created: at + 200 }));
  assert.equal((await plan()).plan, "collective");
  await sent(event_of("invoice.payment_failed", invoice({ id: "in_4", amount: 49900 }), { created: at + 300 }));
  await sent(event_of("customer.subscription.updated", subscription("past_due", { price: "price_solo" }), { created: at + 300 }));
  assert.equal((await plan()).plan, "solo", "while Stripe tries again the plan is kept");

  // An end that arrives before what led to it.
  await sent(event_of("customer.subscription.deleted", subscription("canceled"), { created: at + 500 }));
  assert.deepEqual([(await plan()).plan, (await plan()).status], [null, "none"]);
  await sent(event_of("customer.subscription.updated", subscription("unpaid"), { created: at + 499 }));
  await sent(event_of("invoice.paid", invoice({ id: "in_5" }), { created: at + 600 }));
  assert.equal((await plan()).plan, null, "nothing revives it");
  const audited = (await box.backend_call("GET", "/api/admin/audit?limit=1000")).entries
    .filter((entry) => String(entry.userId) === ada.id)
    .map((entry) => entry.act);
  assert.ok(
    audited.some((act) => act === "plan solo paid by card"),
    JSON.stringify(audited),
  );
});

test("events about unknown customers and payments wait for those that tell", async (t) => {
  const { ada, sent, session, subscription, plan, credits } = await story_of(t);
  const anonymous = { ...subscription("active"), metadata: {}, customer: "cus_later" };
  await sent(event_of("customer.subscription.updated", anonymous));
  assert.equal((await plan()).plan, null);
  await sent(
    event_of("charge.refunded", {
      id: "ch_1",
      object: "charge",
      payment_intent: "pi_later",
      amount: 900,
      amount_refunded: 450,
      currency: "gbp",
    }),
  );
  await sent(event_of("checkout.session.completed", session({ id: "cs_later", customer: "cus_later", payment_intent: "pi_later" })));
  assert.equal((await plan()).plan, "solo", "the customer is known now");
  assert.equal((await credits()).credits, 500, "and half of the payment was refunded");
  const { entries } = (await ada.call("GET", "/api/credits/entries")).body;
  assert.deepEqual(
    entries.map(({ kind, amount }) => [kind, amount]),
    [
      ["refunded", "-5.00"],
      ["bought", "10.00"],
    ],
  );
  await sent(
    event_of("charge.refunded", {
      id: "ch_1",
      object: "charge",
      payment_intent: "pi_later",
      amount: 900,
      amount_refunded: 900,
      currency: "gbp",
    }),
  );
  assert.equal((await credits()).balance, "0.00");
});

test("events survive the end of the box", async (t) => {
  const { box, sent, session, subscription, credits, plan } = await story_of(t);
  const bought = event_of("checkout.session.completed", session());
  await sent(bought);
  await sent(event_of("customer.subscription.updated", subscription("active")));
  await box.end("SIGKILL");
  await box.serve();
  assert.deepEqual(await sent(bought), { received: true, duplicate: true });
  assert.deepEqual([(await credits()).credits, (await plan()).plan], [1000, "solo"]);
});

test("a plan that ends stops the agents beyond it, with the reason, and deletes nothing", async (t) => {
  const { box, ada, subscription, sent } = await story_of(t);
  const at = now() - 1000;
  await sent(event_of("customer.subscription.updated", subscription("active", { price: "price_solo" }), { created: at }));
  const first = await box.running_agent(ada, "First");
  const agent = async (id) => (await ada.call("GET", `/api/agents/${id}`)).body.agent;
  await sent(event_of("customer.subscription.deleted", subscription("canceled"), { created: at + 1 }));
  await until("the agent stopped", async () => (await agent(first)).status === "stopped");
  assert.equal((await agent(first)).statusReason, "The plan of this agent's owner has ended.");
  const start = () => ada.call("POST", "/api/agent", { action: "start", agentId: first });
  const refused = await start();
  assert.deepEqual([refused.status, refused.body.code, refused.body.limit], [402, "SUBSCRIPTION_REQUIRED", 0]);

  await sent(event_of("customer.subscription.updated", subscription("active", { id: "sub_new" }), { created: at + 2 }));
  assert.equal((await start()).body.status, "running");
});

test("storage that was bought raises the quota of the user's agents", async (t) => {
  const { box, ada, subscription, sent } = await story_of(t);
  await sent(event_of("customer.subscription.updated", subscription("active")));
  const id = await box.running_agent(ada);
  const quota = async () => (await ada.call("GET", `/api/files?agentId=${id}`)).body.quotaBytes;
  const before = await quota();
  const storage = { id: "sub_storage", price: "price_storage", item: "storage.10" };
  await sent(event_of("customer.subscription.updated", subscription("active", storage), { created: now() - 5 }));
  assert.equal(await quota(), before + 10 * 2 ** 30);
  await sent(event_of("customer.subscription.deleted", subscription("canceled", storage), { created: now() }));
  assert.equal(await quota(), before);
});

test("an adjustment of credits with a key is made once", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const adjust = (more) =>
    send(box.backend, "POST", "/api/admin/credits", {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ userId: ada.id, usd: "2", reason: "sorry", ...more }),
    });
  const made = await Promise.all(Array.from({ length: 6 }, () => adjust({ idempotencyKey: "ticket 12" })));
  assert.deepEqual([...new Set(made.map(({ status, body }) => `${status} ${body.entry?.id}`))], [`200 ${made[0].body.entry.id}`]);
  assert.equal((await ada.call("GET", "/api/credits")).body.balance, "2.00");
  const other = await adjust({ idempotencyKey: "ticket 12", usd: "3" });
  assert.deepEqual([other.status, other.body.code], [409, "IDEMPOTENCY_KEY_ALREADY_USED"]);
  await adjust({});
  assert.equal((await ada.call("GET", "/api/credits")).body.balance, "4.00");
});

test("the statement has plans, credits and payments, as JSON, CSV and a page", async (t) => {
  const { box, ada, session, subscription, invoice, sent } = await story_of(t);
  await sent(event_of("customer.subscription.updated", subscription("active")));
  await sent(event_of("invoice.payment_failed", invoice({ id: "in_0" })));
  await sent(event_of("invoice.paid", invoice()));
  await sent(event_of("checkout.session.completed", session()));
  await box.backend_call("POST", "/api/admin/credits", {
    userId: ada.id,
    usd: "-0.000000000001",
    reason: "=cmd|' /C calc'!A0, \"thanks\"",
  });
  const { body } = await ada.call("GET", `/api/billing/statement?month=${month()}`);
  assert.deepEqual(
    body.plans.map(({ plan, priceGbp }) => [plan, priceGbp]),
    [["solo", 79]],
  );
  const { opening, bought, adjusted, spent, closing } = body.credits;
  assert.deepEqual([opening, bought, adjusted, spent, closing], ["0.00", "10.00", "-0.000000000001", "0.00", "9.999999999999"]);
  assert.deepEqual(body.payments.map(({ id, title, amount, currency, status }) => [id, title, amount, currency, status]).sort(), [
    ["cs_1", "1000 credits", "9.00", "GBP", "paid"],
    ["in_0", "Plan solo", "79.00", "GBP", "failed"],
    ["in_1", "Plan solo", "79.00", "GBP", "paid"],
  ]);
  assert.deepEqual(body.paymentTotals, [{ currency: "GBP", paid: "88.00", refunded: "0.00" }]);

  const cookie = { headers: { cookie: ada.cookie } };
  const csv = await send(box.web, "GET", "/api/billing/statement?format=csv", cookie);
  assert.match(csv.headers["content-type"], /^text\/csv/);
  assert.match(csv.text, /\r\npayment paid,[^,]+,1000 credits,,,,9\.00,GBP,\r\n/);
  assert.match(csv.text, /"adjusted: =cmd\|' \/C calc'!A0, ""thanks"""/, "a text that spreadsheets do not run");
  assert.equal(
    csv.text
      .split("\r\n")
      .filter(Boolean)
      .every((line) => !line.startsWith("=")),
    true,
  );
  const html = await send(box.web, "GET", "/api/billing/statement?format=html", cookie);
  assert.match(html.headers["content-type"], /^text\/html/);
  assert.match(html.text, /<td align="right">9\.00<\/td>/);
  assert.match(html.text, /&quot;thanks&quot;/);
  for (const wrong of ["2026-13", "1999-01", "9999-01", "x", "2026-1"])
    assert.match((await ada.call("GET", `/api/billing/statement?month=${wrong}`)).body.error, /^month /);
  assert.equal((await ada.call("GET", "/api/billing/statement?format=pdf")).status, 400);
  assert.equal((await box.person().call("GET", "/api/billing/statement")).status, 401);

  const backend = new URL(box.backend).host;
  const admin = (...args) =>
    run(["admin", ...args, "--data", box.folder], { env: { BACKEND_LISTEN: backend, INTERNAL_API_KEY: "internal-key-of-the-stories" } });
  const printed = await admin("invoice", "ada@example.org", month(), "--format", "json");
  assert.equal(printed.code, 0, printed.err);
  assert.deepEqual({ ...JSON.parse(printed.out), createdAt: 0, plans: 0 }, { ...body, createdAt: 0, plans: 0 });
  assert.match((await admin("invoice", ada.id, month())).out, /^<!doctype html>/);
  assert.match((await admin("invoice", "nobody@example.org", month())).err, /No such user/);
  assert.match(
    (await admin("credits", "ada@example.org", "--add=2.50", "--reason", "sorry")).out,
    /balance 12\.499999999999 USD[^]*adjusted +2\.50 +sorry/,
  );
  assert.notEqual((await admin("credits", "ada@example.org", "--add=-100", "--reason", "no")).code, 0);
  assert.notEqual((await admin("credits", "ada@example.org", "--add=1")).code, 0, "a reason is required");
});
