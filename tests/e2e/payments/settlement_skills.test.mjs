// The skills that the box itself carries out: bookings settled in escrow, and payments split at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { backend, BusAgent } from "../support/bus.mjs";

const SETTLEMENT = "/api/skills/booking-settlement",
  SPLIT = "/api/skills/instant-split";

// Ada, whose agent has money, and Sam, whose agent sells tickets.
class Story {
  static async start(t) {
    const story = new Story();
    story.box = await Box.start(t);
    [story.ada, story.sam] = [await story.box.customer("ada@example.org"), await story.box.customer("sam@example.org")];
    const config = { bus: { accept: "all" } };
    story.buyer = await BusAgent.of(story.box, story.ada, "Buyer", config);
    story.seller = await BusAgent.of(story.box, story.sam, "Seller", config);
    await story.credit(story.ada, story.buyer, "100");
    return story;
  }
  async credit(person, agent, amount) {
    const { status, body } = await backend(this.box, "POST", "/api/admin/ledger/credit", {
      userId: String(person.id),
      agentId: agent.id,
      amount,
      reference: `test/${agent.id}`,
    });
    assert.equal(status, 200, JSON.stringify(body));
  }
  async balance(person, agent) {
    return (await backend(this.box, "GET", `/api/admin/ledger?userId=${person.id}&agentId=${agent.id}`)).body.balance;
  }
  // A booking of two tickets at 12.50 that the seller has accepted, or confirmed.
  async booking(state = "confirmed") {
    const event = await backend(this.box, "POST", "/api/underground/events", {
      userId: String(this.sam.id),
      agentId: this.seller.id,
      name: "Night",
      description: "A night",
      venue: "The cellar",
      eventDate: new Date(Date.now() + 86_400_000).toISOString(),
      ticketPriceUsdc: "12.50",
      totalTickets: 100,
    });
    assert.ok(event.status < 300, JSON.stringify(event.body));
    const eventId = event.body.eventId ?? event.body.id ?? event.body.event.id;
    const requested = await this.buyer.sends({ to: this.seller.id, action: "BOOKING_REQUEST", payload: { eventId, tickets: 2 } });
    const bookingId = requested.booking?.id ?? (await this.bookings(this.ada))[0].bookingId;
    await this.seller.sends({ to: this.buyer.id, action: "BOOKING_ACCEPT", payload: { bookingId } });
    if (state === "confirmed") await this.seller.sends({ to: this.buyer.id, action: "BOOKING_CONFIRM", payload: { bookingId } });
    return bookingId;
  }
  async bookings(person) {
    return (await person.call("GET", SETTLEMENT)).body.bookings;
  }
  step(person, bookingId, action) {
    return person.call("POST", SETTLEMENT, { bookingId, ...(action && { action }) });
  }
  async balances() {
    return [await this.balance(this.ada, this.buyer), await this.balance(this.sam, this.seller)];
  }
  async verified() {
    assert.deepEqual((await backend(this.box, "GET", "/api/admin/ledger/verify")).body, { ok: true, differences: [] });
  }
}

test("a booking's price is held, and goes to the seller once it is confirmed", async (t) => {
  const story = await Story.start(t);
  const { ada, sam, buyer, seller } = story;
  const id = await story.booking("accepted");
  const early = await story.step(ada, id);
  assert.deepEqual([early.status, early.body.status, early.body.escrow], [409, "accepted", "none"], JSON.stringify(early.body));
  assert.equal((await story.step(sam, id, "hold")).status, 403);
  const held = await story.step(ada, id, "hold");
  assert.deepEqual(
    [held.status, held.body.booking.escrow, held.body.booking.status, held.body.booking.priceUsdc],
    [200, "held", "accepted", "25"],
    JSON.stringify(held.body),
  );
  assert.deepEqual((await story.step(ada, id, "hold")).body, held.body, "once");
  assert.deepEqual(await story.balances(), ["75", "0"]);
  assert.equal((await story.step(ada, id, "refund")).status, 409);
  await seller.sends({ to: buyer.id, action: "BOOKING_CONFIRM", payload: { bookingId: id } });
  const settled = await Promise.all([ada, sam, ada, sam].map((person) => story.step(person, id, "settle")));
  for (const { status, body } of settled)
    assert.deepEqual([status, body.booking.escrow, body.booking.status], [200, "released", "settled"], JSON.stringify(body));
  assert.deepEqual(await story.balances(), ["75", "25"]);
  assert.deepEqual(
    (await story.bookings(sam)).map(({ bookingId, status, escrow }) => [bookingId, status, escrow]),
    [[id, "settled", "released"]],
  );
  await story.verified();
});

test("the buyer pays a confirmed booking directly, once, whatever else is asked for at the same time", async (t) => {
  const story = await Story.start(t);
  const { ada, sam } = story;
  const id = await story.booking();
  assert.equal((await story.step(sam, id)).status, 403, "the seller does not take what is not held");
  const answers = await Promise.all(["hold", "settle", "hold", "settle"].map((action) => story.step(ada, id, action)));
  for (const { status } of answers) assert.equal(status, 200, JSON.stringify(answers.map(({ body }) => body)));
  assert.deepEqual(await story.balances(), ["75", "25"]);
  await story.box.end("SIGKILL");
  await story.box.serve();
  assert.equal((await story.step(ada, id)).body.booking.escrow, "released");
  assert.deepEqual(await story.balances(), ["75", "25"]);
  await story.verified();
});

test("what is held goes back when the booking is cancelled; without money nothing moves", async (t) => {
  const story = await Story.start(t);
  const { ada, sam, buyer, seller, box } = story;
  const id = await story.booking();
  await story.step(ada, id, "hold");
  await seller.sends({ to: buyer.id, action: "BOOKING_CANCEL", payload: { bookingId: id } });
  assert.equal((await story.step(sam, id, "settle")).status, 409);
  const back = await Promise.all([story.step(sam, id, "refund"), story.step(ada, id, "refund")]);
  for (const { status, body } of back) assert.deepEqual([status, body.booking.escrow], [200, "refunded"], JSON.stringify(body));
  assert.deepEqual(await story.balances(), ["100", "0"]);

  await backend(box, "POST", "/api/admin/ledger/debit", {
    userId: String(ada.id),
    agentId: buyer.id,
    amount: "90",
    reference: "test/debit",
  });
  const poor = await story.booking();
  for (const action of ["hold", "settle"]) {
    const refused = await story.step(ada, poor, action);
    assert.deepEqual([refused.status, refused.body.code], [402, "INSUFFICIENT_BALANCE"], action);
  }
  assert.deepEqual((await story.bookings(ada)).find(({ bookingId }) => bookingId === poor).status, "confirmed");
  await story.verified();

  const eve = await box.customer("eve@example.org");
  assert.deepEqual((await story.step(eve, id)).body, { error: "No such booking" });
  assert.deepEqual((await story.step(eve, 999_999)).body, { error: "No such booking" });
  assert.deepEqual(await story.bookings(eve), []);
  for (const bookingId of [0, -1, 1.5, "1", null]) assert.equal((await ada.call("POST", SETTLEMENT, { bookingId })).status, 400);
  assert.equal((await ada.call("POST", SETTLEMENT, { bookingId: id, action: "steal" })).status, 400);
  assert.equal((await box.person().call("POST", SETTLEMENT, { bookingId: id })).status, 401);
});

test("a payment is split at once, exactly", async (t) => {
  const story = await Story.start(t);
  const { ada, buyer, sam, box } = story;
  const recipients = [];
  for (const [agentId, share] of [
    ["one", 33.33],
    ["two", 33.33],
    ["three", 33.34],
  ]) {
    const { body } = await backend(box, "POST", "/api/underground/wallets", { userId: String(sam.id), agentId });
    recipients.push({ address: body.address, share });
  }
  const paid = await ada.call("POST", SPLIT, { agentId: buyer.id, totalAmount: "10", recipients, name: "Royalties" });
  assert.deepEqual([paid.status, paid.body.success, paid.body.split.status], [200, true, "settled"], JSON.stringify(paid.body));
  assert.deepEqual(
    paid.body.split.recipients.map(({ amount }) => amount),
    ["3.333", "3.333", "3.334"],
  );
  assert.equal(await story.balance(ada, buyer), "90");
  assert.deepEqual(
    (await ada.call("GET", SPLIT)).body.splits.map(({ splitId }) => splitId),
    [paid.body.split.splitId],
  );
  assert.equal((await ada.call("GET", SPLIT)).body.name, "instant-split");

  const failed = await ada.call("POST", SPLIT, { agentId: buyer.id, totalAmount: "1000", recipients });
  assert.deepEqual([failed.status, failed.body.success, failed.body.split.status], [200, false, "failed"], JSON.stringify(failed.body));
  assert.ok(failed.body.split.reason);
  for (const [fields, field] of [
    [{ totalAmount: "0" }, "totalAmount"],
    [{ totalAmount: "1e3" }, "totalAmount"],
    [{ recipients: [] }, "recipients"],
    [{ recipients: [{ address: "0x12", share: 100 }] }, "recipients[0].address"],
    [{ recipients: recipients.slice(1) }, "recipients"],
  ]) {
    const { status, body } = await ada.call("POST", SPLIT, { agentId: buyer.id, totalAmount: "10", recipients, ...fields });
    assert.equal(status, 400, JSON.stringify(fields));
    assert.ok(body.error.includes(field), body.error);
  }
  assert.equal((await sam.call("POST", SPLIT, { agentId: buyer.id, totalAmount: "10", recipients })).status, 404);
  const install = await ada.call("POST", "/api/skills", { name: "instant-split", agentId: buyer.id });
  assert.deepEqual([install.status, install.body.error], [409, "The box itself carries out this skill: it is not installed."]);
  const { skills } = (await ada.call("GET", "/api/skills")).body;
  assert.deepEqual(
    skills.filter(({ runsOnBox }) => runsOnBox).map(({ name }) => name),
    ["booking-settlement", "instant-split"],
  );
});
