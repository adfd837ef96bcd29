// Posts that are passed on to followers: to each at most once, and not for ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { BusAgent } from "../support/bus.mjs";

const posts_of = async (agent) => (await agent.mailbox()).filter(({ action }) => action === "AMPLIFY_POST");

test("a post reaches every follower once, and whoever got it may share it up to the limit of hops", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "collective");
  const chain = [];
  for (const name of ["Author", "First", "Second", "Third", "Fourth", "Fifth"]) chain.push(await BusAgent.of(box, ada, name));
  const [author, first, second] = chain;
  for (const [n, agent] of chain.entries())
    if (n > 0) await agent.sends({ action: "AMPLIFY_FOLLOW", payload: { agentId: chain[n - 1].id } });
  await second.sends({ action: "AMPLIFY_FOLLOW", payload: { agentId: author.id } });
  await author.sends({ action: "AMPLIFY_FOLLOW", payload: { agentId: first.id } });
  assert.equal((await author.mailbox()).filter(({ action }) => action === "AMPLIFY_FOLLOW").length, 2);

  const { post } = await author.sends({ action: "AMPLIFY_POST", payload: { text: "Doors open at eight", url: "https://example.org/" } });
  assert.deepEqual([post.author, post.hops], [author.id, 0]);
  for (const agent of [first, second]) {
    const [got] = await until("the post", async () => (await posts_of(agent)).length > 0 && posts_of(agent));
    assert.deepEqual(
      [got.from, got.payload, got.context.post],
      [author.id, { text: "Doors open at eight", url: "https://example.org/" }, { id: post.id, author: author.id, hops: 1 }],
    );
  }
  // Shared along the chain: `second` has it already, `third` is at hop 2, `fifth` at 4, and there it ends.
  await first.sends({ action: "AMPLIFY_SHARE", payload: { postId: post.id } });
  await second.sends({ action: "AMPLIFY_SHARE", payload: { postId: post.id } });
  for (const [n, agent] of chain.entries()) {
    if (n < 3) continue;
    const [got] = await until(`the post at ${n}`, async () => (await posts_of(agent)).length > 0 && posts_of(agent));
    assert.deepEqual([got.from, got.context.post.hops], [chain[n - 1].id, n - 1]);
    const shared = await agent.send({ action: "AMPLIFY_SHARE", payload: { postId: post.id } });
    assert.equal(shared.status, n < 5 ? 200 : 409, JSON.stringify(shared.body));
  }
  for (const agent of chain) assert.equal((await posts_of(agent)).length, agent === author ? 0 : 1, agent.id);

  await first.sends({ action: "AMPLIFY_UNFOLLOW", payload: { agentId: author.id } });
  await author.sends({ action: "AMPLIFY_POST", payload: { text: "Sold out" } });
  await until("the second post", async () => (await posts_of(second)).length === 2);
  assert.equal((await posts_of(first)).length, 1);
});

test("what amplification cannot do is refused", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const scout = await BusAgent.of(box, ada, "Scout"),
    spy = await BusAgent.of(box, eve, "Spy");
  const open = await BusAgent.of(box, ada, "Open", { bus: { accept: "all" } });
  for (const [body, status, error] of [
    [{ action: "AMPLIFY_SHOUT" }, 400, /^action must be one of/],
    [{ action: "AMPLIFY_POST" }, 400, /^payload.text is required$/],
    [{ action: "AMPLIFY_POST", payload: { text: "x".repeat(4_001) } }, 400, /^payload.text /],
    [{ action: "AMPLIFY_SHARE", payload: { postId: 1 } }, 404, /^No such post$/],
    [{ action: "AMPLIFY_FOLLOW", payload: { agentId: scout.id } }, 404, /^No such agent$/],
    [{ action: "AMPLIFY_FOLLOW", payload: { agentId: "ag_nobody" } }, 404, /^No such agent$/],
    [{ action: "AMPLIFY_FOLLOW", payload: { agentId: spy.id } }, 400, /^payload.agentId must not be the sender$/],
    [{ action: "AMPLIFY_FOLLOW", payload: { agentId: open.id }, to: scout.id }, 400, /^to /],
  ]) {
    const answer = await spy.send(body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.match(answer.body.error, error);
  }
  // To follow is not enough: what comes from another user's agent needs the follower's consent, too.
  await spy.sends({ action: "AMPLIFY_FOLLOW", payload: { agentId: open.id } });
  await scout.sends({ action: "AMPLIFY_FOLLOW", payload: { agentId: open.id } });
  await open.sends({ action: "AMPLIFY_POST", payload: { text: "for friends" } });
  await until("the post", async () => (await posts_of(scout)).length === 1);
  assert.deepEqual(await posts_of(spy), []);
});
