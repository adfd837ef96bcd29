// A wallet, and signing in with it, in a few words: a real wallet library makes the keys and the messages.
import { CHAIN_ID } from "../peers/chain.mjs";
import { package_named } from "./packages.mjs";

const { createSiweMessage } = package_named("viem/siwe");
const { generatePrivateKey, privateKeyToAccount } = package_named("viem/accounts");

export const new_wallet = () => privateKeyToAccount(generatePrivateKey());
export const nonce_of = async (box) => (await box.person().call("GET", "/api/auth/nonce")).body.nonce;

// What a wallet on `address` would be asked to sign on this box; `more` replaces fields.
export const message_for = async (box, address, more = {}) =>
  createSiweMessage({
    address,
    chainId: CHAIN_ID,
    domain: new URL(box.web).host,
    uri: `${box.web}/login`,
    version: "1",
    statement: "Sign in to the box.",
    nonce: more.nonce ?? (await nonce_of(box)),
    ...more,
  });

// Sends the proof and keeps the cookie, as a browser would.
export const present = async (person, proof) => {
  const answer = await person.call("POST", "/api/wallet-auth", proof);
  const set = answer.headers.getSetCookie().find((line) => line.startsWith("app-session="));
  if (set) person.cookie = set.split(";")[0];
  return answer;
};
export const sign_in = async (person, box, wallet, more) => {
  const message = await message_for(box, wallet.address, more);
  return present(person, { address: wallet.address, message, signature: await wallet.signMessage({ message }) });
};
