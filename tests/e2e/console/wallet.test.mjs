// The console's pages about wallets: balances, payments and their approval, rules and splits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { Chain } from "../peers/chain.mjs";
import { HOSTILE, open_browser, Person, PHONE } from "./browser.mjs";
import { package_named } from "../support/packages.mjs";

const jsqr = package_named("jsqr").default ?? package_named("jsqr");
const { PNG } = package_named("pngjs");
const NOBODY = "0x52908400098527886E0F7030069857D2E4169EE7";

const story_of = async (t, { env = {}, viewport } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  const owner = await box.customer("ada@example.org");
  const eve = await box.customer("eve@example.org");
  const receiver = (await eve.call("POST", "/api/wallet", { action: "create" })).body.address;
  const give = (amount, more = {}) =>
    box.backend_call("POST", "/api/admin/ledger/credit", { userId: owner.id, amount, reference: `gift ${Math.random()}`, ...more });
  const ada = await Person.at(browser, box, viewport ? { viewport } : {});
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  return { box, owner, receiver, give, ada };
};

test("a wallet is made, its address copied and scanned, and a payment made with every mistake named beside its field", async (t) => {
  const { receiver, give, ada } = await story_of(t);
  await ada.to_section("Wallet");
  await ada.heading("You have no wallet yet").waitFor();
  await ada.is_sound();
  await ada.button("Create a wallet").click();
  await ada.text("0 USDC").waitFor();
  await give("10");
  await ada.button("Reload").click();
  await ada.text("10 USDC").waitFor();
  await ada.text("balance on this box").waitFor();
  const address = await ada.page.locator(".address code").first().innerText();
  await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await ada.button("Copy the address").click();
  await ada.text("Copied").waitFor();
  assert.equal(await ada.page.evaluate(() => navigator.clipboard.readText()), address);
  await ada.button("QR code").click();
  const { data, width, height } = PNG.sync.read(await ada.page.getByRole("img", { name: `The address ${address}` }).screenshot());
  assert.equal(jsqr(new Uint8ClampedArray(data), width, height)?.data, address);
  await ada.is_sound();

  ada.expected = ["status of 400", "status of 402"];
  await ada.button("Transfer").click();
  const pay = () => ada.dialog.getByRole("button", { name: "Pay" }).click();
  await ada.label("To").fill("somebody");
  await ada.label("Amount").fill("2.5");
  await pay();
  await ada.alert.getByText(/^To must /).waitFor();
  await ada.label("To").fill(receiver);
  await ada.label("Amount").fill("nothing");
  await pay();
  await ada.alert.getByText(/^Amount must /).waitFor();
  await ada.label("Amount").fill("11");
  await pay();
  await ada.alert.getByText(/^Amount: /).waitFor();
  await ada.is_accessible();
  await ada.label("Amount").fill("2.5");
  await ada.label("Note").fill(HOSTILE);
  await pay();
  await ada.page.waitForURL("**/wallet/transfers");
  await ada.text("2.5 USDC").waitFor();
  await ada.page.locator(".status", { hasText: "confirmed" }).waitFor();
  await ada.is_sound();
  await ada.label("Search").fill("nothing like it");
  await ada.heading("Nothing matches").waitFor();
  await ada.link("Balances").click();
  await ada.text("7.5 USDC").waitFor();
});

test("an agent's payment waits for its owner, who sees it at home, approves one and declines the other", async (t) => {
  const { box, owner, receiver, give, ada } = await story_of(t, { viewport: PHONE });
  const id = await box.running_agent(owner, HOSTILE);
  await give("5", { agentId: id });
  assert.equal((await owner.call("GET", `/api/wallet/agents/${id}`)).body.balance, "5");
  const waiting = async (amount) => {
    const { status, body } = await owner.call("POST", "/api/wallet/transfer", { agentId: id, to: receiver, amount, memo: `for ${amount}` });
    assert.deepEqual([status, body.state], [200, "waiting"], JSON.stringify(body));
    return body.id;
  };
  const [first, second] = [await waiting("1.25"), await waiting("2")];
  await ada.page.goto("/dashboard");
  await ada.link(/asks to pay 1\.25 USDC/).waitFor();
  await ada.is_sound();
  await ada.link(/asks to pay 1\.25 USDC/).click();
  await ada.heading("Waiting for your decision").waitFor();
  await ada.is_sound();
  await ada.page.getByRole("button", { name: /^Approve 1\.25/ }).click();
  await ada.page.getByRole("button", { name: /^Decline 2/ }).click();
  await ada.heading("Waiting for your decision").waitFor({ state: "detached" });
  const state = async (transfer) => (await owner.call("GET", `/api/wallet/transfers/${transfer}`)).body.state;
  assert.deepEqual([await state(first), await state(second)], ["confirmed", "declined"]);
  await ada.label("State").selectOption({ label: "declined" });
  await ada.text("for 2").waitFor();
  assert.equal(await ada.text("for 1.25").count(), 0);

  // What is asked and decided elsewhere is seen at once.
  const third = await waiting("1");
  await ada.page.getByRole("button", { name: /^Approve 1/ }).waitFor();
  await owner.call("POST", `/api/wallet/transfers/${third}/decline`);
  await ada.page.getByRole("button", { name: /^Approve 1/ }).waitFor({ state: "detached" });

  await ada.page.goto("/wallet");
  await ada.page.getByRole("button", { name: /^Show the wallet of / }).click();
  await ada.text("3.75 USDC").waitFor();
});

test("rules are set for a wallet, with a wrong address named, and hold", async (t) => {
  const { box, owner, receiver, give, ada } = await story_of(t);
  const id = await box.running_agent(owner);
  await give("50", { agentId: id });
  await ada.page.goto("/wallet/rules");
  await ada.text("0 USDC spent today").waitFor();
  await ada.label("Wallet").selectOption({ label: "Scout" });
  assert.equal(new URL(ada.page.url()).searchParams.get("agent"), id);
  ada.expected = ["status of 400", "status of 429", "status of 403"];
  await ada.label("At most a day (USDC)").fill("10");
  await ada.label("Ask me above (USDC)").fill("a lot");
  await ada.button("Save").click();
  await ada.alert.getByText(/^Ask me above/).waitFor();
  await ada.label("Ask me above (USDC)").fill("6");
  await ada.label("Allowed receivers").fill(`${receiver}\n0x1`);
  await ada.button("Save").click();
  await ada.alert.getByText(/^Allowed receivers: /).waitFor();
  await ada.label("Allowed receivers").fill(receiver);
  await ada.button("Save").click();
  await ada.text("Saved.").waitFor();
  await ada.is_sound();
  const rules = (await owner.call("GET", `/api/wallet/rules?agentId=${id}`)).body;
  assert.deepEqual([Number(rules.dailyUsdc), Number(rules.approvalAboveUsdc), rules.receivers], [10, 6, [receiver]]);

  await ada.page.goto("/wallet/transfers");
  await ada.button("Transfer").click();
  await ada.label("From").selectOption({ label: "Scout" });
  await ada.label("To").fill(NOBODY);
  await ada.label("Amount").fill("5");
  const pay = () => ada.dialog.getByRole("button", { name: "Pay" }).click();
  await pay();
  await ada.alert.getByText(/^To: /).waitFor();
  await ada.label("To").fill(receiver);
  await pay();
  await ada.dialog.waitFor({ state: "detached" });
  await ada.button("Transfer").click();
  await ada.label("From").selectOption({ label: "Scout" });
  await ada.label("To").fill(receiver);
  await ada.label("Amount").fill("5.5");
  await pay();
  await ada.alert.getByText(/^Amount: /).waitFor();
  await ada.page.goto(`/wallet/rules?agent=${id}`);
  await ada.page.getByRole("meter").waitFor();
  await ada.text("5 USDC of 10 USDC spent today").waitFor();
  await ada.is_sound();
});

test("a payment is divided among receivers", async (t) => {
  const { box, owner, receiver, give, ada } = await story_of(t);
  const id = await box.running_agent(owner);
  await give("9", { agentId: id });
  await owner.call("GET", `/api/wallet/agents/${id}`);
  const own = (await owner.call("POST", "/api/wallet", { action: "create" })).body.address;
  await ada.page.goto("/wallet/splits");
  await ada.heading("No splits yet").waitFor();
  await ada.is_sound();
  await ada.button("New split").click();
  await ada.label("Total (USDC)").fill("3");
  await ada.label("Name").fill(HOSTILE);
  const addresses = ada.page.getByLabel("Address", { exact: true }),
    shares = ada.page.getByLabel("Share (percent)", { exact: true });
  await addresses.nth(0).fill(receiver);
  await shares.nth(0).fill("60");
  await addresses.nth(1).fill("0x1");
  await shares.nth(1).fill("40");
  ada.expected = ["status of 400"];
  await ada.button("Pay and divide").click();
  await ada.alert.first().waitFor();
  assert.match(await ada.alert.first().innerText(), /address/i);
  await addresses.nth(1).fill(own);
  await shares.nth(1).fill("30");
  await ada.button("Pay and divide").click();
  await ada.alert.getByText(/add up to 100/).waitFor();
  await shares.nth(1).fill("40");
  await ada.is_accessible();
  await ada.button("Pay and divide").click();
  await ada.page.locator(".status", { hasText: "paid" }).waitFor();
  await ada.text("2 receivers").click();
  await ada.text("1.2 USDC").waitFor();
  await ada.is_sound();
  assert.equal(Number((await owner.call("GET", "/api/wallet")).body.balance), 1.2);
});

test("a test wallet is made, and shown apart from one's own", async (t) => {
  const chain = await Chain.start(t, 84532); // Base Sepolia
  const { ada } = await story_of(t, {
    env: { TESTNET_RPC_URL: chain.url, TESTNET_USDC_ADDRESS: await chain.deploy("Usdc", ["USD Coin", "2"]) },
  });
  ada.expected = ["status of 404", "status of 400"];
  await ada.page.goto("/wallet");
  await ada.button("Show the test wallet").click();
  const section = ada.page.getByRole("region", { name: "Test network" });
  await section.getByLabel("Private key to import").fill("0x12");
  await section.getByRole("button", { name: "Create the test wallet" }).click();
  await ada.alert.getByText(/^Private key to import /).waitFor();
  await section.getByLabel("Private key to import").fill("");
  await section.getByRole("button", { name: "Create the test wallet" }).click();
  await section.getByText("0 USDC").waitFor();
  await section.getByText("0 coin for fees").waitFor();
  await ada.is_sound();
});

test("a box without a test network says so", async (t) => {
  const { ada } = await story_of(t);
  ada.expected = ["status of 404", "status of 503"];
  await ada.page.goto("/wallet");
  await ada.button("Show the test wallet").click();
  await until("its sentence", async () =>
    /not configured|TESTNET|test network/i.test(await ada.page.getByRole("region", { name: "Test network" }).innerText()),
  );
});
