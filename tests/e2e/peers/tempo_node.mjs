// A node of Tempo, as far as payers and the box need one: an EVM chain that also takes Tempo's own transactions (0x76)
// and wallet calls. It carries out their calls one by one on the chain behind it.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Chain } from "./chain.mjs";
import { package_named } from "../support/packages.mjs";

const { keccak256 } = package_named("viem");
const { Transaction } = package_named("viem/tempo");

export const TEMPO_ID = 4217;

export class TempoNode {
  static async start(t) {
    const node = new TempoNode();
    node.chain = await Chain.start(t, TEMPO_ID);
    node.token = await node.chain.deploy("MemoToken");
    node.hashes = new Map(); // of Tempo's transactions to those on the chain behind
    node.sent = 0;
    const server = createServer(async (request, response) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      const { id, method, params = [] } = JSON.parse(Buffer.concat(parts).toString());
      const answer = await node.answer(method, params).then(
        (result) => ({ result }),
        ({ message }) => ({ error: { code: -32000, message } }),
      );
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    node.url = `http://127.0.0.1:${server.address().port}`;
    return node;
  }

  async mint(address, amount) {
    await this.chain.send("Token", this.token, "mint", [address, amount]);
  }
  balance(address) {
    return this.chain.balance(this.token, address);
  }

  request(method, params) {
    return this.chain.server.provider.request({ method, params });
  }

  // Sends the calls as `from`, whatever key it has.
  async carry_out(from, calls) {
    await this.request("evm_addAccount", [from, ""]).catch(() => {});
    await this.request("personal_unlockAccount", [from, "", 0]);
    await this.request("evm_setAccountBalance", [from, "0xde0b6b3a7640000"]);
    assert.equal(calls.length, 1, "one call is what payments have");
    return this.request("eth_sendTransaction", [{ from, to: calls[0].to, data: calls[0].data, gas: "0x100000" }]);
  }

  async receipt(hash) {
    const receipt = await this.request("eth_getTransactionReceipt", [this.hashes.get(hash) ?? hash]);
    return receipt && { ...receipt, transactionHash: hash };
  }

  async answer(method, params) {
    switch (method) {
      case "wallet_sendCalls": {
        const [{ from, calls }] = params;
        return { id: await this.carry_out(from, calls) };
      }
      case "wallet_getCallsStatus": {
        const receipt = await this.receipt(params[0]);
        return {
          version: "2.0.0",
          id: params[0],
          chainId: `0x${TEMPO_ID.toString(16)}`,
          atomic: true,
          status: receipt ? 200 : 100,
          receipts: receipt ? [receipt] : [],
        };
      }
      case "eth_sendRawTransaction": {
        if (!params[0].startsWith("0x76")) return this.request(method, params);
        const { from, calls } = Transaction.deserialize(params[0]);
        const hash = keccak256(params[0]);
        this.sent += 1;
        this.hashes.set(hash, await this.carry_out(from, calls));
        return hash;
      }
      case "eth_getTransactionReceipt":
        return this.receipt(params[0]);
      case "eth_estimateGas":
        return "0x186a0";
      case "eth_maxPriorityFeePerGas":
        return "0x1";
      default:
        return this.request(method, params);
    }
  }
}
