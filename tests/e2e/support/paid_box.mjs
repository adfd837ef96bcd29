// A box that is paid in USDC on a chain of its own, and people who pay it.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Box, send, until } from "./box.mjs";
import { CHAIN_ID, Chain } from "../peers/chain.mjs";
import { package_named } from "./packages.mjs";
import { new_wallet } from "./wallet.mjs";

export const RECEIVER = "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  NETWORK = `eip155:${CHAIN_ID}`;
export const PRICE = 1_000n; // 0.001 USDC in its smallest unit
export const MILLION = 1_000_000n;
const DOMAIN = { name: "USD Coin", version: "2" };
const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
};

// What everybody buys in these stories: the builtin model answers without any provider.
export const WISH = { plugin: "models", input: { messages: [{ role: "user", content: "Say hello." }] } };

export const to_header = (value) => Buffer.from(JSON.stringify(value)).toString("base64");
export const from_header = (text) => JSON.parse(Buffer.from(text, "base64").toString());

export class PaidBox {
  static async start(t, env = {}) {
    const paid = new PaidBox();
    paid.chain = await Chain.start(t);
    paid.token = await paid.chain.deploy("Usdc", [DOMAIN.name, DOMAIN.version]);
    paid.box = await Box.start(t, { L2_RPC_URL: paid.chain.url, USDC_ADDRESS: paid.token, PAYMENT_RECEIVER: RECEIVER, ...env });
    await paid.chain.fund(await paid.sender());
    return paid;
  }

  // The wallet of the box that pays for the gas of settlements.
  sender(box = this.box) {
    return until("the box has its wallet", async () => {
      const supported = await fetch(`${box.web}/x402/supported`).then((answer) => answer.json());
      return supported.signers["eip155:*"]?.[0];
    });
  }

  async rich_wallet(amount = MILLION) {
    const wallet = new_wallet();
    await this.mint(wallet.address, amount);
    return wallet;
  }
  mint(address, amount) {
    return this.chain.send("Token", this.token, "mint", [address, amount]);
  }
  earned() {
    return this.chain.balance(this.token, RECEIVER);
  }

  ask(wish = WISH, headers = {}) {
    return send(this.box.web, "POST", "/api/v1/gateway", {
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(wish),
    });
  }

  // What the box asks for, of x402 version 2.
  async required(wish) {
    const answer = await this.ask(wish);
    assert.equal(answer.status, 402, answer.text);
    return from_header(answer.headers["payment-required"]).accepts[0];
  }

  // An authorization, signed by the wallet; `more` replaces its fields, `domain` those of its domain.
  async authorization(wallet, { domain = {}, ...more } = {}) {
    const now = Math.floor(Date.now() / 1000);
    const fields = {
      from: wallet.address,
      to: RECEIVER,
      value: `${PRICE}`,
      validAfter: "0",
      validBefore: `${now + 300}`,
      nonce: `0x${randomBytes(32).toString("hex")}`,
      ...more,
    };
    const signer = wallet.signer ?? wallet;
    const signature = await signer.signTypedData({
      domain: { ...DOMAIN, chainId: CHAIN_ID, verifyingContract: this.token, ...domain },
      types: TYPES,
      primaryType: "TransferWithAuthorization",
      message: { ...fields, value: BigInt(fields.value), validAfter: BigInt(fields.validAfter), validBefore: BigInt(fields.validBefore) },
    });
    return { signature, authorization: fields };
  }

  async payment(wallet, options) {
    return { x402Version: 2, accepted: await this.required(), payload: await this.authorization(wallet, options) };
  }
  pay(payment, wish) {
    return this.ask(wish, { "payment-signature": typeof payment === "string" ? payment : to_header(payment) });
  }

  // Clients of x402's own library; `version` says which protocol they speak.
  fetch_with(wallet, version = 2) {
    const { wrapFetchWithPayment, x402Client } = package_named("@x402/fetch");
    const client = new x402Client();
    client.setSpendControls(false); // this token is nobody's default
    if (version === 2) client.register(NETWORK, new (package_named("@x402/evm/exact/client").ExactEvmScheme)(wallet));
    else client.registerV1("base", new (package_named("@x402/evm/exact/v1/client").ExactEvmSchemeV1)(wallet));
    if (version === 2) return wrapFetchWithPayment(fetch, client);
    // An old client knows nothing of the header.
    const without_header = async (input, init) => {
      const answer = await fetch(input, init);
      const headers = new Headers(answer.headers);
      headers.delete("payment-required");
      return new Response(await answer.text(), { status: answer.status, headers });
    };
    return wrapFetchWithPayment(without_header, client);
  }
}

export const body_of = (wish = WISH) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wish) });
