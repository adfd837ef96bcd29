// Events and bookings from outside: the contract's two rows, a negotiation over the bus, and tickets that are never
// oversold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { BusAgent, SEND, backend, webhook } from "../support/bus.mjs";

const EVENTS = "/api/underground/events";
const later = (days) => new Date(Date.now() + days * 86_400_000).toISOString();

// Ada's agent sells, Bob's agents buy; both let the other in.
const market = async (t, { plan = "network", config = {} } = {}) => {
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org", plan),
    bob = await box.customer("bob@example.org", plan);
  const seller = await BusAgent.of(box, ada, "Box office", { bus: { accept: "all" }, ...config });
  const buyer = await BusAgent.of(box, bob, "Concierge", { bus: { accept: "listed", listed: [seller.id] } });
  const event = async (fields = {}) => {
    const answer = await backend(box, "POST", EVENTS, {
      agentId: seller.id,
      name: "Recital",
      description: "Two pianos",
      venue: "Town hall",
      eventDate: later(30),
      ticketPriceUsdc: "25.50",
      totalTickets: 10,
      ...fields,
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };
  const request = (eventId, tickets, agent = buyer) =>
    agent.send({ to: seller.id, action: "BOOKING_REQUEST", payload: { eventId, tickets } });
  const step = async (agent, action, bookingId, more = {}) => agent.send({ action: `BOOKING_${action}`, payload: { bookingId, ...more } });
  return { box, ada, bob, seller, buyer, event, request, step };
};

test("events are made and listed as the contract says", async (t) => {
  const { box, seller, event } = await market(t);
  const first = await event({ eventDate: "2030-05-01T20:00:00+02:00" });
  assert.deepEqual(first, {
    id: first.id,
    agent_id: seller.id,
    name: "Recital",
    description: "Two pianos",
    venue: "Town hall",
    event_date: "2030-05-01T18:00:00.000Z",
    ticket_price_usdc: "25.50",
    total_tickets: 10,
  });
  assert.ok(Number.isInteger(first.id) && first.id > 0);
  const second = await event({ name: "Later", eventDate: "2031-01-01", ticketPriceUsdc: "0" });
  const third = await event({ name: "Sooner", eventDate: "2029-01-01T00:00:00" });
  assert.ok(second.id > first.id && third.id > second.id);
  const listed = await backend(box, "GET", EVENTS);
  assert.deepEqual([listed.status, listed.body], [200, [second, first, third]]);
  assert.deepEqual((await backend(box, "GET", `${EVENTS}?agentId=${seller.id}&limit=1`)).body.length, 1);
  assert.deepEqual((await backend(box, "GET", `${EVENTS}?agentId=ag_nobody`)).body, []);

  const whole = { agentId: seller.id, name: "x", description: "x", venue: "x", eventDate: later(1), ticketPriceUsdc: "1", totalTickets: 1 };
  const refused = async (status, body, headers) => {
    const answer = await backend(box, "POST", EVENTS, body, headers);
    assert.equal(answer.status, status, JSON.stringify([body, answer.body]));
    return answer.body.error;
  };
  for (const field of Object.keys(whole)) assert.equal(await refused(400, { ...whole, [field]: undefined }), `${field} is required`);
  for (const [field, values] of [
    ["ticketPriceUsdc", [1, "", "-1", "1.0000001", "1e3", "abc", "1000000.1", " 1", "+1"]],
    ["totalTickets", [0, -1, 1.5, "1", 1_000_001, 1e300]],
    ["eventDate", ["tomorrow", "2030-13-01", "2030-02-30T00:00:00Z", 5]],
    ["name", ["", 1, "x".repeat(201)]],
  ])
    for (const value of values)
      assert.match(await refused(400, { ...whole, [field]: value }), new RegExp(`^${field} `), `${field}: ${value}`);
  await refused(404, { ...whole, agentId: "ag_nobody" });
  await refused(401, whole, {});
  assert.equal((await backend(box, "GET", EVENTS, undefined, {})).status, 401);
});

test("a booking is requested, offered, accepted and confirmed, and each step is delivered to the other party", async (t) => {
  const hook = await webhook(t);
  const { buyer, seller, event, request, step } = await market(t, { config: { webhookUrl: hook.url } });
  const { id: eventId } = await event();
  const asked = await request(eventId, 2);
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const { booking } = asked.body;
  assert.deepEqual(booking, { id: booking.id, eventId, eventName: "Recital", tickets: 2, priceUsdc: "51", status: "requested" });
  const status = async (answer) => {
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return [answer.body.booking.status, answer.body.booking.priceUsdc];
  };
  const out_of_order = async (answer, present) =>
    assert.deepEqual([answer.status, answer.body.status, answer.body.bookingId], [409, present, booking.id], JSON.stringify(answer.body));
  await out_of_order(await step(buyer, "ACCEPT", booking.id), "requested");
  await out_of_order(await step(seller, "CONFIRM", booking.id), "requested");
  assert.deepEqual(await status(await step(seller, "OFFER", booking.id, { priceUsdc: "45.25" })), ["offered", "45.25"]);
  await out_of_order(await step(seller, "ACCEPT", booking.id), "offered");
  assert.deepEqual(await status(await step(buyer, "ACCEPT", booking.id)), ["accepted", "45.25"]);
  await out_of_order(await step(buyer, "CONFIRM", booking.id), "accepted");
  await out_of_order(await step(seller, "OFFER", booking.id), "accepted");
  assert.deepEqual(await status(await step(seller, "CONFIRM", booking.id)), ["confirmed", "45.25"]);
  await out_of_order(await step(seller, "CONFIRM", booking.id), "confirmed");
  const seen = (await buyer.mailbox()).map(({ action, context }) => [action, context.booking.status]);
  assert.deepEqual(seen, [
    ["BOOKING_CONFIRM", "confirmed"],
    ["BOOKING_OFFER", "offered"],
  ]);
  const arrived = (await seller.mailbox()).map(({ action }) => action);
  assert.deepEqual(arrived, ["BOOKING_ACCEPT", "BOOKING_REQUEST"]);

  const declined = (await request(eventId, 1)).body.booking.id;
  assert.deepEqual((await status(await step(seller, "DECLINE", declined)))[0], "declined");
  const cancelled = (await request(eventId, 1)).body.booking.id;
  assert.deepEqual((await status(await step(buyer, "CANCEL", cancelled)))[0], "cancelled");
  for (const [body, code, error] of [
    [{ action: "BOOKING_HAGGLE" }, 400, /^action must be one of: BOOKING_REQUEST, /],
    [{ action: "BOOKING_REQUEST" }, 400, /^payload.eventId is required$/],
    [{ action: "BOOKING_REQUEST", payload: { eventId, tickets: 0 } }, 400, /^payload.tickets /],
    [{ action: "BOOKING_REQUEST", payload: { eventId: 10 ** 9, tickets: 1 } }, 404, /^No such event$/],
    [{ action: "BOOKING_REQUEST", payload: { eventId, tickets: 1 }, to: buyer.id }, 400, /^to /],
    [{ action: "BOOKING_ACCEPT", payload: { bookingId: 10 ** 9 } }, 404, /^No such booking$/],
    [{ action: "BOOKING_CANCEL", payload: { bookingId: booking.id, priceUsdc: "1" } }, 400, /^payload.priceUsdc /],
  ]) {
    const answer = await buyer.send(body);
    assert.equal(answer.status, code, JSON.stringify(answer.body));
    assert.match(answer.body.error, error);
  }
  assert.equal((await seller.send({ action: "BOOKING_REQUEST", payload: { eventId, tickets: 1 } })).status, 400);
  assert.deepEqual((await request((await event({ eventDate: later(-1) })).id, 1)).status, 409);
});

test("nobody but its two agents learns of a booking", async (t) => {
  const { box, bob, buyer, event, request } = await market(t);
  const { booking } = (await request((await event()).id, 1)).body;
  const other = await BusAgent.of(box, bob, "Other");
  const missing = await other.send({ action: "BOOKING_CANCEL", payload: { bookingId: 10 ** 9 } });
  assert.deepEqual(await other.send({ action: "BOOKING_CANCEL", payload: { bookingId: booking.id } }), missing);
  assert.equal((await buyer.send({ action: "BOOKING_CANCEL", payload: { bookingId: booking.id } })).status, 200);
});

test("of a hundred requests for the last ticket one wins, and a given-up ticket can be booked again", async (t) => {
  const { event, request, step, buyer } = await market(t);
  const { id } = await event({ totalTickets: 1 });
  const answers = await Promise.all(Array.from({ length: 100 }, () => request(id, 1)));
  const won = answers.filter(({ status }) => status === 200),
    lost = answers.filter(({ status }) => status === 409);
  assert.deepEqual([won.length, lost.length], [1, 99]);
  for (const { body } of lost) assert.equal(body.available, 0);
  await step(buyer, "CANCEL", won[0].body.booking.id);
  const again = await Promise.all(Array.from({ length: 10 }, () => request(id, 1)));
  assert.equal(again.filter(({ status }) => status === 200).length, 1);
});

test("kill -9 neither oversells nor loses tickets", async (t) => {
  const { box, buyer, event, request } = await market(t);
  const { id } = await event({ totalTickets: 30 });
  const booked = new Set();
  const messages = Array.from({ length: 60 }, () => buyer.signed({ action: "BOOKING_REQUEST", payload: { eventId: id, tickets: 1 } }));
  const book = async (message) => {
    const answer = await backend(box, "POST", SEND, message, {}).catch(() => undefined);
    if (answer?.status === 200) booked.add(answer.body.booking.id);
    return answer;
  };
  const first = Promise.all(messages.slice(0, 25).map(book));
  await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 60))]);
  await box.end("SIGKILL");
  await first;
  await box.serve();
  const before = new Set(booked);
  // All are sent again: those that were accepted get their first answer, and take no second ticket.
  for (const message of messages) await book(message);
  assert.equal(booked.size, 30);
  for (const id_before of before) assert.ok(booked.has(id_before));
  assert.equal((await request(id, 1)).body.available, 0);
});
