// An authenticator in software, as an independent hand wrote it: ES256 or RS256, attestation "none".
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const base64url = (bytes) => Buffer.from(bytes).toString("base64url");

// CBOR of integers, texts, bytes and maps (as arrays of pairs, written in their order).
const head = (major, argument) =>
  argument < 24
    ? Buffer.of((major << 5) | argument)
    : argument < 256
      ? Buffer.of((major << 5) | 24, argument)
      : Buffer.of((major << 5) | 25, argument >> 8, argument & 255);
const cbor = (value) => {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.length), ...value.flat().map(cbor)]);
};

const key_pair = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
const cose = {
  ES256: ({ x, y }) => [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, "base64url")],
    [-3, Buffer.from(y, "base64url")],
  ],
  RS256: ({ n, e }) => [
    [1, 3],
    [3, -257],
    [-1, Buffer.from(n, "base64url")],
    [-2, Buffer.from(e, "base64url")],
  ],
};

export class Authenticator {
  id = randomBytes(32);
  counter = 0;

  constructor(origin, algorithm = "ES256") {
    this.origin = origin;
    this.algorithm = algorithm;
    this.keys = key_pair[algorithm]();
  }

  client_data(type, challenge) {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }
  // User present and verified.
  data(party, flags) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++this.counter);
    return Buffer.concat([sha256(party), Buffer.of(flags | 5), counter]);
  }

  // What navigator.credentials.create() would give, as JSON.
  create({ challenge, rp }) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const key = cbor(cose[this.algorithm](this.keys.publicKey.export({ format: "jwk" })));
    const authData = Buffer.concat([this.data(rp.id, 64), Buffer.alloc(16), length, this.id, key]);
    const attestation = cbor([
      ["fmt", "none"],
      ["attStmt", []],
      ["authData", authData],
    ]);
    return {
      id: base64url(this.id),
      type: "public-key",
      response: { clientDataJSON: base64url(this.client_data("webauthn.create", challenge)), attestationObject: base64url(attestation) },
    };
  }

  // What navigator.credentials.get() would give.
  get({ challenge, rpId }) {
    const client_data = this.client_data("webauthn.get", challenge),
      data = this.data(rpId, 0);
    const signature = createSign("sha256")
      .update(Buffer.concat([data, sha256(client_data)]))
      .sign(this.keys.privateKey);
    return {
      id: base64url(this.id),
      type: "public-key",
      response: { clientDataJSON: base64url(client_data), authenticatorData: base64url(data), signature: base64url(signature) },
    };
  }
}

// Gives a person a passkey; resolves with {id, authenticator, recoveryCodes}.
export const add_passkey = async (box, person, password, algorithm) => {
  const path = "/api/settings/second-factor/passkeys";
  const authenticator = new Authenticator(box.web.replace("127.0.0.1", "localhost"), algorithm);
  const offer = await person.call("POST", `${path}/begin`, { currentPassword: password });
  if (offer.status !== 200) throw new Error(`no passkey is offered: ${JSON.stringify(offer.body)}`);
  const added = await person.call("POST", path, { name: "key", credential: authenticator.create(offer.body.publicKey) });
  if (added.status !== 201) throw new Error(`the passkey is refused: ${JSON.stringify(added.body)}`);
  return { id: added.body.passkey.id, authenticator, recoveryCodes: added.body.recoveryCodes };
};
