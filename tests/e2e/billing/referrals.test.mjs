// Referrals: both users' credits wait until the new user's address is verified, and a payment or an administrator vouches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD } from "../support/box.mjs";
import { story_of } from "../support/stripe_story.mjs";
import { event_of } from "../peers/stripe_server.mjs";

const register = (person, email, more = {}) => person.call("POST", "/api/register", { email, password: PASSWORD, ...more });
const verify = async (box, person, email) => {
  const { token } = await box.mail_with("verify", email);
  assert.equal((await person.call("POST", "/api/auth/verify-email", { token })).status, 200);
};

test("a referral's credits wait for the verified address and an administrator, who may refuse them", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { referralCode } = (await ada.call("GET", "/api/settings")).body;
  const credits = async (name) => (await box.backend_call("GET", `/api/admin/users/${name}@example.org`)).credits;
  const ids = {};
  for (const name of ["bob", "carl", "dora", "eve"])
    ids[name] = (await register(box.person(), `${name}@example.org`, { referralCode })).body.id;
  const pending = async () => (await box.backend_call("GET", "/api/admin/referrals")).referrals.map(({ email }) => email.split("@")[0]);
  const decide = (name, decision) => box.backend_call("POST", `/api/admin/referrals/${ids[name]}/${decision}`);
  assert.deepEqual(await pending(), ["bob", "carl", "dora", "eve"]);
  assert.deepEqual([await credits("ada"), await credits("bob")], [0, 0]);

  assert.deepEqual(await decide("eve", "approve"), { credited: false }, "the address is not verified");
  assert.deepEqual([await credits("ada"), await credits("eve")], [0, 0]);
  const bob = box.person();
  await bob.log_in("bob@example.org", PASSWORD);
  await verify(box, bob, "bob@example.org");
  assert.deepEqual(await decide("bob", "approve"), { credited: true });
  assert.deepEqual([await credits("ada"), await credits("bob")], [100, 100]);

  assert.deepEqual(await decide("carl", "refuse"), { credited: false });
  assert.deepEqual([await pending(), await credits("ada"), await credits("carl")], [["dora", "eve"], 100, 0]);
  assert.equal((await decide("carl", "approve")).error, "No referral of this user is pending");
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=10");
  for (const act of ["referral approved by admin", "referral refused by admin"]) assert.ok(entries.some((entry) => entry.act === act));
});

test("a card payment of a verified user grants the credits of the referral", async (t) => {
  const { box, ada, session, sent } = await story_of(t);
  const { referralCode } = (await ada.call("GET", "/api/settings")).body;
  const bob = box.person();
  bob.id = (await register(bob, "bob@example.org", { referralCode })).body.id;
  await bob.log_in("bob@example.org", PASSWORD);
  const credits = async (person) => (await person.call("GET", "/api/settings")).body.credits;
  await verify(box, bob, "bob@example.org");
  assert.deepEqual([await credits(ada), await credits(bob)], [0, 0]);

  const paid = session({
    id: "cs_bob",
    client_reference_id: bob.id,
    customer: "cus_bob",
    payment_intent: "pi_bob",
    metadata: { agentbox_user: bob.id, agentbox_item: "credits.1000" },
  });
  await sent(event_of("checkout.session.completed", paid));
  assert.deepEqual([await credits(ada), await credits(bob)], [100, 1100]);
  assert.deepEqual((await box.backend_call("GET", "/api/admin/referrals")).referrals, []);
});
