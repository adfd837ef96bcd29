// A stand-in for Stripe's API: it takes what the official client's types allow, and nothing else. And Stripe's webhooks, signed by
// the official client.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { send } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const Stripe = package_named("stripe");
const stripe = new Stripe("sk_test_of_the_stories");

export const SECRET_KEY = "sk_test_0123456789abcdef",
  WEBHOOK_SECRET = "whsec_of_the_stories";
export const PRICES =
  "solo=price_solo,collective=price_collective,network=price_network,credits.1000=price_pack@9.00GBP,storage.10=price_storage";

// The members of the parameters that create a resource, with those of nested ones: from the types of the official client.
const parameters_of = (resource) => {
  const types = readFileSync(join(dirname(package_named.resolve("stripe")), "resources", `${resource}.d.ts`), "utf8");
  const from = types.indexOf("interface SessionCreateParams {");
  const next = types.slice(from + 1).search(/\n {4}interface Session\w+Params? \{/);
  const own = types.slice(from, next < 0 ? undefined : from + 1 + next);
  return new Set([...own.matchAll(/^ +(\w+)\??: /gm)].map(([, name]) => name));
};
const ALLOWED = {
  "/v1/checkout/sessions": parameters_of("Checkout/Sessions"),
  "/v1/billing_portal/sessions": parameters_of("BillingPortal/Sessions"),
};

export class StripeServer {
  asked = []; // {path, form, headers}
  problems = [];
  failing = []; // statuses of the next answers

  static async start(t) {
    const stand_in = new StripeServer();
    const server = createServer((request, response) => void stand_in.#answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
      assert.deepEqual(stand_in.problems, []);
    });
    stand_in.url = `http://127.0.0.1:${server.address().port}`;
    stand_in.env = {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: stand_in.url,
      STRIPE_PRICES: PRICES,
    };
    return stand_in;
  }

  async #answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    const form = Object.fromEntries(new URLSearchParams(text));
    this.asked.push({ path: request.url, form, headers: request.headers });
    const reply = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const allowed = ALLOWED[request.url];
    if (request.method !== "POST" || !allowed) this.problems.push(`${request.method} ${request.url}`);
    if (request.headers["content-type"] !== "application/x-www-form-urlencoded") this.problems.push("not a form");
    for (const name of Object.keys(form)) {
      // What is in metadata is the caller's, and arrays have numbers.
      const parts = name.split(/[[\]]+/).filter(Boolean);
      const known = parts.includes("metadata")
        ? parts.slice(0, parts.indexOf("metadata") + 1)
        : parts.filter((part) => !/^\d+$/.test(part));
      for (const part of known) if (!allowed?.has(part)) this.problems.push(`unknown parameter: ${name}`);
    }
    if (request.headers.authorization !== `Bearer ${SECRET_KEY}`) return reply(401, { error: { message: "Invalid API Key" } });
    const failure = this.failing.shift();
    if (failure) return reply(failure, { error: { type: "api_error", message: "not now" } });
    const id = `cs_test_${this.asked.length}`;
    reply(200, { id, object: "checkout.session", url: `https://checkout.stripe.com/c/pay/${id}` });
  }

  get newest() {
    return this.asked.at(-1);
  }
}

let events = 0;
export const event_of = (type, object, { created = Math.floor(Date.now() / 1000), id = `evt_${++events}` } = {}) => ({
  id,
  object: "event",
  api_version: "2024-06-20",
  created,
  livemode: false,
  pending_webhooks: 1,
  request: null,
  type,
  data: { object },
});

// What Stripe sends, or what somebody else does.
export const deliver = (box, event, { secret = WEBHOOK_SECRET, timestamp, payload = JSON.stringify(event, null, 2), header } = {}) =>
  send(box.web, "POST", "/api/webhooks/stripe", {
    headers: {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": header ?? stripe.webhooks.generateTestHeaderString({ payload, secret, ...(timestamp && { timestamp }) }),
    },
    body: payload,
  });
