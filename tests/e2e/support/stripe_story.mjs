// The words of the stories about cards.
import assert from "node:assert/strict";
import { Box, send } from "./box.mjs";
import { StripeServer, deliver } from "../peers/stripe_server.mjs";

// A box with Stripe, Ada on it, what its events are about, and how to deliver them.
export const story_of = async (t, env = {}) => {
  const stripe = await StripeServer.start(t);
  const box = await Box.start(t, { ...stripe.env, ...env });
  const ada = box.person();
  const email = "ada@example.org";
  ada.id = (await ada.call("POST", "/api/register", { email, password: "a customer's long password" })).body.id;
  await ada.log_in(email, "a customer's long password");
  const page = (method, path, body, person = ada) =>
    send(box.web, method, path, {
      headers: { ...(person.cookie && { cookie: person.cookie }), ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
  const metadata = (item) => ({ agentbox_user: ada.id, agentbox_item: item });
  const subscription = (status, { id = "sub_ada", price = "price_solo", item = "solo", customer = "cus_ada" } = {}) => ({
    id,
    object: "subscription",
    customer,
    status,
    metadata: metadata(item),
    items: { object: "list", data: [{ id: "si_1", price: { id: price } }] },
  });
  const invoice = ({ id = "in_1", subscription: of = "sub_ada", item = "solo", amount = 7900, ...more } = {}) => ({
    id,
    object: "invoice",
    customer: "cus_ada",
    subscription: of,
    subscription_details: { metadata: metadata(item) },
    amount_paid: amount,
    amount_due: amount,
    currency: "gbp",
    billing_reason: "subscription_cycle",
    ...more,
  });
  const session = ({ id = "cs_1", item = "credits.1000", ...more } = {}) => ({
    id,
    object: "checkout.session",
    mode: "payment",
    payment_status: "paid",
    client_reference_id: ada.id,
    customer: "cus_ada",
    metadata: metadata(item),
    amount_total: 900,
    currency: "gbp",
    payment_intent: "pi_1",
    ...more,
  });
  const sent = async (event, options) => {
    const answer = await deliver(box, event, options);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const plan = async () => (await ada.call("GET", "/api/billing")).body;
  const credits = async () => (await ada.call("GET", "/api/credits")).body;
  return { stripe, box, ada, page, subscription, invoice, session, sent, plan, credits };
};
