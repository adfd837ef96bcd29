// An authenticator app: RFC 6238 as an independent hand wrote it.
import { createHmac } from "node:crypto";

const decoded = (base32) => {
  const bits = [...base32].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
};
export const code_of = (secret, steps_from_now = 0) => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps_from_now));
  const mac = createHmac("sha1", decoded(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
};
