// Signs whatever it is told to: the issuer that a provider, or somebody who pretends to be one, needs.
import { generateKeyPairSync, sign } from "node:crypto";

const encoded = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

export class SigningKey {
  constructor(kid, algorithm = "RS256") {
    this.kid = kid;
    this.algorithm = algorithm;
    const made =
      { ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }), EdDSA: () => generateKeyPairSync("ed25519") }[algorithm]?.() ??
      generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.private_key = made.privateKey;
    this.jwk = { ...made.publicKey.export({ format: "jwk" }), kid, use: "sig", alg: algorithm };
  }

  token(claims, header = {}) {
    const text = `${encoded({ alg: this.algorithm, kid: this.kid, ...header })}.${encoded(claims)}`;
    const signature = sign("sha256", Buffer.from(text), { key: this.private_key, dsaEncoding: "ieee-p1363" });
    return `${text}.${signature.toString("base64url")}`;
  }
}

export const now_in_seconds = () => Math.floor(Date.now() / 1000);
