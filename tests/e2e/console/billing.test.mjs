// The console's pages about plans, credits and statements.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, until } from "../support/box.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";
import { MODEL, ModelServer, say } from "../peers/model_server.mjs";
import { StripeServer } from "../peers/stripe_server.mjs";

const story_of = async (t, { env = {}, plan = "solo", viewport } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  const owner = plan ? await box.customer("ada@example.org", plan) : box.person();
  if (!plan) {
    await owner.call("POST", "/api/register", { email: "ada@example.org", password: PASSWORD });
    await owner.log_in("ada@example.org", PASSWORD);
  }
  const ada = await Person.at(browser, box, viewport ? { viewport } : {});
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  return { box, owner, ada };
};

test("a user without a plan finds the way to one, asks for it, and sees it approved; nothing is sold by card", async (t) => {
  const { box, owner, ada } = await story_of(t, { plan: "", viewport: PHONE });
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  await ada.heading("First steps").waitFor();
  await ada.is_sound();
  await ada.link("Get a plan").click();
  await ada.text("Payment by card is not configured on this box.").waitFor();
  await ada.is_sound();
  await ada.label("Plan").selectOption("collective");
  await ada.page.getByRole("textbox", { name: "Note" }).fill("<b>for</b> the lighthouse");
  await ada.button("Ask for it").click();
  await ada.text("pending").waitFor();
  await ada.is_sound();
  const id = (await owner.call("GET", "/api/auth/session")).body.user.id;
  assert.equal((await admin.call("POST", `/api/admin/plan-requests/${id}/approve`, { reason: "welcome" })).status, 200);
  await ada.page.reload();
  await ada.text("approved").waitFor();
  await ada.text("welcome").waitFor();
  await ada.page.goto("/dashboard");
  await ada.text("Plan collective").waitFor();
  await ada.heading("First steps").waitFor();
  assert.equal(await ada.page.locator(".checks .done").count(), 1);
  await ada.button("Hide").click();
  await ada.heading("First steps").waitFor({ state: "detached" });
  await ada.page.reload();
  await ada.heading("Your first agent").waitFor();
  assert.equal(await ada.heading("First steps").count(), 0);
});

test("plans, credits and storage are bought at the payment provider, and the portal's refusal is a sentence", async (t) => {
  const stripe = await StripeServer.start(t);
  const { ada } = await story_of(t, { env: stripe.env, plan: "" });
  // The provider's own pages are not there: what matters is that they are gone to.
  await ada.context.route("https://checkout.stripe.com/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Pay</title>" }),
  );
  ada.expected = ["ERR_NAME_NOT_RESOLVED", "status of 404"];
  // The page that is not there may still end a navigation.
  const back = () =>
    until("the page of the box", () =>
      ada.page.goto("/usage/billing").then(
        () => true,
        () => false,
      ),
    );
  const buy = async (name, item) => {
    await back();
    const gone = ada.page.waitForRequest("https://checkout.stripe.com/**");
    await ada.page.getByRole("button", { name }).click();
    await gone;
    assert.equal(
      stripe.newest.form["metadata[agentbox_item]"] ?? stripe.newest.form["subscription_data[metadata][agentbox_item]"],
      item,
      JSON.stringify(stripe.newest.form),
    );
  };
  await ada.page.goto("/usage/billing");
  await ada.text("£9.00").waitFor();
  await ada.is_sound();
  await buy(/^Buy .*solo/i, "solo");
  await buy(/^Buy .*1,?000/i, "credits.1000");
  await buy(/^Buy .*10 GB/i, "storage.10");
  await back();
  await ada.button("Payment methods and invoices").click();
  await ada.alert.first().waitFor();
  assert.equal(new URL(ada.page.url()).pathname, "/usage/billing");
});

test("credits are shown with their entries, and pay for calls once the user says so", async (t) => {
  const { box, owner, ada } = await story_of(t);
  await ada.page.goto("/usage/billing");
  await ada.text("0 credits (US$0.00)").waitFor();
  await ada.heading("No entries yet").waitFor();
  const added = await box.backend_call("POST", "/api/admin/credits", { userId: `${owner.id}`, usd: "12.34", reason: "<b>sorry</b>" });
  assert.ok(!added.error, JSON.stringify(added));
  await ada.page.reload();
  await ada.text("1,234 credits (US$12.34)").waitFor();
  await ada.text("<b>sorry</b>").waitFor();
  await ada.button("Pay with credits beyond the quota").click();
  await ada.button("Stop paying with credits").waitFor();
  assert.equal((await owner.call("GET", "/api/credits")).body.payForCalls, true);
  await ada.is_sound();
});

test("a month's statement is read, downloaded and printed", async (t) => {
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const { box, owner, ada } = await story_of(t, {
    env: { OPENROUTER_BASE_URL: model.url, OPENROUTER_API_KEY: "sk-or-story", OPENROUTER_MODEL: MODEL },
  });
  const { key } = (await owner.call("POST", "/api/keys", { name: "laptop" })).body;
  model.will(say("Hello.", [1_000, 200]));
  const answer = await fetch(`${box.backend}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hello" }] }),
  });
  assert.equal(answer.status, 200, await answer.text());
  await ada.to_section("Plan");
  await ada.link("Statements").click();
  await ada.page
    .getByRole("row", { name: new RegExp(MODEL) })
    .getByText("1,000")
    .waitFor();
  await ada.is_sound();
  const [download] = await Promise.all([ada.page.waitForEvent("download"), ada.link("Download CSV").click()]);
  const csv = readFileSync(await download.path(), "utf8");
  assert.match(download.suggestedFilename(), /^statement-\d{4}-\d{2}\.csv$/);
  assert.ok(csv.includes(MODEL), csv.slice(0, 500));
  const [printed] = await Promise.all([ada.context.waitForEvent("page"), ada.link("Print").click()]);
  await printed.getByText(MODEL).first().waitFor();
  await printed.close();
  await until("one month: the account is of this one", async () => (await ada.label("Month").locator("option").count()) === 1);
  ada.expected = ["status of 400"];
  await ada.page.goto("/usage/statements?month=never");
  await ada.alert.getByText(/^Month /).waitFor();
});
