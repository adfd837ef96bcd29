// Payments by card that are disputed, and purchases that cost nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN } from "../support/box.mjs";
import { story_of } from "../support/stripe_story.mjs";
import { event_of } from "../peers/stripe_server.mjs";

const now = () => Math.floor(Date.now() / 1000);
const month = () => new Date().toISOString().slice(0, 7);

const dispute = ({ status = "needs_response", intent = "pi_1", amount = 900, id = "dp_1" } = {}) => ({
  id,
  object: "dispute",
  charge: "ch_1",
  payment_intent: intent,
  amount,
  currency: "gbp",
  status,
});

test("a chargeback takes back what was bought, also what is spent already, and a won one gives it back", async (t) => {
  const { box, ada, sent, session, credits } = await story_of(t, { ADMIN_EMAILS: "boss@example.org" });
  const at = now() - 100;
  await sent(event_of("charge.dispute.created", dispute(), { created: at }));
  await sent(event_of("checkout.session.completed", session()));
  assert.equal((await credits()).balance, "0.00", "the dispute waited for its payment");
  await sent(event_of("charge.dispute.closed", dispute({ status: "won" }), { created: at + 5 }));
  await sent(event_of("charge.dispute.updated", dispute({ status: "under_review" }), { created: at + 2 }));
  assert.equal((await credits()).balance, "10.00");

  await sent(event_of("checkout.session.completed", session({ id: "cs_2", payment_intent: "pi_2" })));
  await box.backend_call("POST", "/api/admin/credits", { userId: ada.id, usd: "-15", reason: "spent" });
  await sent(event_of("charge.dispute.created", dispute({ status: "warning_needs_response", intent: "pi_2", id: "dp_2" })));
  assert.equal((await credits()).balance, "5.00", "an inquiry moves nothing");
  await sent(event_of("charge.dispute.updated", dispute({ intent: "pi_2", id: "dp_2" }), { created: now() + 1 }));
  assert.deepEqual([(await credits()).balance, (await credits()).credits], ["-5.00", -500], "a debt");
  await sent(event_of("charge.dispute.closed", dispute({ status: "lost", intent: "pi_2", id: "dp_2" }), { created: now() + 2 }));
  assert.equal((await credits()).balance, "-5.00", "taken once");
  await sent(event_of("checkout.session.completed", session({ id: "cs_3", payment_intent: "pi_3" })));
  assert.equal((await credits()).balance, "5.00", "the next purchase pays the debt first");

  const { mails } = await box.backend_call("GET", "/api/admin/outbox?limit=1000");
  const letters = mails.filter(({ subject }) => subject === "A payment is disputed");
  assert.ok(letters.length >= 3 && letters.every(({ to }) => ["boss@example.org", ADMIN.email].includes(to)), JSON.stringify(mails));
  assert.match(letters[0].body, /cs_\d of ada@example\.org is disputed/);
});

test("a chargeback suspends the plan that it paid for, in whatever order its events arrive", async (t) => {
  const at = now() - 1000;
  for (const is_reversed of [false, true]) {
    const { sent, subscription, invoice, plan } = await story_of(t);
    const events = [
      event_of("customer.subscription.updated", subscription("active"), { created: at }),
      event_of("invoice.paid", invoice(), { created: at + 1 }),
      // As of the API of 2025: the invoice does not name its payment.
      event_of(
        "invoice_payment.paid",
        { id: "inpay_1", invoice: "in_1", payment: { type: "payment_intent", payment_intent: "pi_plan" } },
        { created: at + 1 },
      ),
      event_of("charge.dispute.created", dispute({ intent: "pi_plan", amount: 7900 }), { created: at + 2 }),
    ];
    for (const event of is_reversed ? events.reverse() : events) await sent(event);
    assert.equal((await plan()).plan, null, "suspended");
    await sent(event_of("customer.subscription.updated", subscription("active"), { created: at + 3 }));
    assert.equal((await plan()).plan, null, "still");
    const outcome = is_reversed ? "won" : "lost";
    await sent(event_of("charge.dispute.closed", dispute({ status: outcome, intent: "pi_plan", amount: 7900 }), { created: at + 4 }));
    assert.equal((await plan()).plan, outcome === "won" ? "solo" : null);
    await sent(event_of("invoice.paid", invoice({ id: "in_2" }), { created: at + 5 }));
    assert.equal((await plan()).plan, "solo", "the next payment is a good one");
  }
});

test("a Checkout that costs nothing gives what it bought", async (t) => {
  const { sent, session, credits, ada } = await story_of(t);
  const free = { payment_status: "no_payment_required", amount_total: 0, payment_intent: null };
  await sent(event_of("checkout.session.completed", session(free)));
  assert.equal((await credits()).credits, 1000);
  assert.deepEqual((await ada.call("GET", `/api/billing/statement?month=${month()}`)).body.payments, []);
});
