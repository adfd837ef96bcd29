// The paid gateway on a box without any chain: users who have signed in pay from their balance on the box's own ledger.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";

const WISH = { plugin: "models", input: { messages: [{ role: "user", content: "Say hello." }] } };

const balance_of = async (box, user) => (await box.backend_call("GET", `/api/admin/ledger?userId=${user.id}`)).balance;

test("a balance pays, and gets back what was not delivered", async (t) => {
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org");
  const buy = (wish, person = ada) => person.call("POST", "/api/v1/gateway", { ...wish, payment: "balance" });

  const anonymous = await buy(WISH, box.person());
  assert.equal(anonymous.status, 401, JSON.stringify(anonymous.body));
  const offered = await ada.call("POST", "/api/v1/gateway", WISH);
  assert.deepEqual(
    [offered.status, offered.body.ways],
    [
      402,
      [
        { way: "balance", available: "0" },
        { way: "credits", available: "0" },
      ],
    ],
  );
  const poor = await buy(WISH);
  assert.deepEqual(
    [poor.status, poor.body.code, poor.body.type],
    [402, "INSUFFICIENT_BALANCE", "https://paymentauth.org/problems/payment-insufficient"],
  );

  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: ada.id, amount: "0.0025", reference: "gift" });
  const paid = await buy(WISH);
  assert.equal(paid.status, 200, JSON.stringify(paid.body));
  assert.deepEqual([paid.body.payment.way, paid.body.payment.network, paid.body.payment.amount], ["balance", "ledger", "0.001"]);
  assert.equal(await balance_of(box, ada), "0.0015");

  const failed = await buy({ plugin: "summarize", input: { url: "http://127.0.0.1:9/" } });
  assert.deepEqual([failed.status, failed.body.charged], [502, false], JSON.stringify(failed.body));
  assert.equal(await balance_of(box, ada), "0.0015");

  // Of many at once, as many as the balance covers.
  const many = await Promise.all(Array.from({ length: 8 }, () => buy(WISH)));
  assert.deepEqual(many.map(({ status }) => status).sort(), [200, 402, 402, 402, 402, 402, 402, 402]);
  assert.equal(await balance_of(box, ada), "0.0005");
});

test("credits pay, and are given back for what was not delivered", async (t) => {
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on", GATEWAY_PRICE_MODELS: "0.01", GATEWAY_PRICE_SUMMARIZE: "0.01" });
  const ada = await box.customer("ada@example.org");
  const buy = (wish) => ada.call("POST", "/api/v1/gateway", { ...wish, payment: "credits" });
  assert.deepEqual([(await buy(WISH)).status, (await buy(WISH)).body.code], [402, "INSUFFICIENT_BALANCE"]);
  const given = await box.backend_call("POST", "/api/admin/credits", { userId: ada.id, usd: "0.02", reason: "gift" });
  assert.equal(given.success, true, JSON.stringify(given));
  const left = async () => (await ada.call("POST", "/api/v1/gateway", WISH)).body.ways.find(({ way }) => way === "credits").available;
  assert.equal(await left(), "2");
  const failed = await buy({ plugin: "summarize", input: { url: "http://127.0.0.1:9/" } });
  assert.deepEqual([failed.status, failed.body.charged, await left()], [502, false, "2"]);
  const paid = await buy(WISH);
  assert.deepEqual(
    [paid.status, paid.body.payment.way, paid.body.payment.amount, await left()],
    [200, "credits", "0.01", "1"],
    JSON.stringify(paid.body),
  );
  const many = await Promise.all(Array.from({ length: 5 }, () => buy(WISH)));
  assert.deepEqual(many.map(({ status }) => status).sort(), [200, 402, 402, 402, 402]);
});

test("a crash between payment and delivery gives the balance back", async (t) => {
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org");
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: ada.id, amount: "1", reference: "gift" });
  let asked;
  const is_asked = new Promise((resolve) => {
    asked = resolve;
  });
  const site = await serve_site(t, () => {
    asked();
    return new Promise(() => {});
  });
  const lost = ada
    .call("POST", "/api/v1/gateway", { plugin: "summarize", input: { url: site.url }, payment: "balance" })
    .catch(() => undefined);
  await is_asked;
  assert.equal(await balance_of(box, ada), "0.999");
  await box.end("SIGKILL");
  await lost;
  await box.serve();
  for (const end = Date.now() + 20_000; Date.now() < end && (await balance_of(box, ada)) !== "1"; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await balance_of(box, ada), "1");
  assert.equal((await box.backend_call("GET", "/api/admin/ledger/verify")).ok, true);
});

test("a buyer who hangs up before the model has answered pays for the answer", async (t) => {
  const asked = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "POST") return asked.push(response);
    response.end(JSON.stringify({ object: "list", data: [{ id: "slow", object: "model" }] }));
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const box = await Box.start(t, { LOCAL_MODEL_URL: `http://127.0.0.1:${server.address().port}/v1` });
  const ada = await box.customer("ada@example.org");
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: ada.id, amount: "1", reference: "gift" });
  const buyer = new AbortController();
  const body = JSON.stringify({ ...WISH, payment: "balance" });
  const bought = fetch(`${box.web}/api/v1/gateway`, {
    method: "POST",
    headers: { cookie: ada.cookie, "content-type": "application/json" },
    body,
    signal: buyer.signal,
  }).catch(() => undefined);
  await until("the model is asked", () => asked.length > 0);
  buyer.abort();
  await bought;
  const message = { role: "assistant", content: "Hello." };
  const answer = JSON.stringify({
    id: "1",
    object: "chat.completion",
    model: "slow",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  // Long enough for the box to have noticed that the buyer is gone.
  await new Promise((resolve) => setTimeout(resolve, 300));
  asked[0].setHeader("content-type", "application/json").end(answer);
  await box.end("SIGTERM"); // gives the request the time that it takes
  await box.serve();
  assert.equal(await balance_of(box, ada), "0.999");
});
