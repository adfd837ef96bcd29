// The browser's part of passkeys (Web Authentication): the box's options to a credential, and what it made of them.
import { ApiError } from "./api";
import type { AssertedCredential, CreatedCredential, CreationOptions, CredentialDescriptor, RequestOptions } from "./wire";

export const passkeysWork = "PublicKeyCredential" in window;

function bytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function base64url(buffer: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const descriptors = (known: CredentialDescriptor[]): PublicKeyCredentialDescriptor[] =>
  known.map(({ type, id, transports }) => ({ type, id: bytes(id), transports: transports as AuthenticatorTransport[] }));

// What the browser says when it will not: in words for the person, by the name of its exception.
function refusal(cause: unknown, domain: string): ApiError {
  const name = cause instanceof DOMException ? cause.name : "";
  if (name === "NotAllowedError") return new ApiError("No passkey was used: it was cancelled, or it took too long.", 0);
  if (name === "InvalidStateError") return new ApiError("That authenticator holds a passkey of this account already.", 0);
  if (name === "SecurityError") return new ApiError(`Passkeys work at ${domain} only: please open the console there.`, 0);
  return new ApiError("This browser cannot use passkeys here.", 0);
}

export async function createPasskey(options: CreationOptions): Promise<CreatedCredential> {
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  };
  const made = await navigator.credentials.create({ publicKey }).catch((cause: unknown) => {
    throw refusal(cause, options.rp.id);
  });
  const credential = made as PublicKeyCredential;
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    id: credential.id,
    type: credential.type,
    response: {
      clientDataJSON: base64url(response.clientDataJSON),
      attestationObject: base64url(response.attestationObject),
      transports: response.getTransports(),
    },
  };
}

export async function usePasskey(options: RequestOptions): Promise<AssertedCredential> {
  const publicKey: PublicKeyCredentialRequestOptions = {
    ...options,
    challenge: bytes(options.challenge),
    allowCredentials: descriptors(options.allowCredentials),
  };
  const given = await navigator.credentials.get({ publicKey }).catch((cause: unknown) => {
    throw refusal(cause, options.rpId);
  });
  const credential = given as PublicKeyCredential;
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    type: credential.type,
    response: {
      clientDataJSON: base64url(response.clientDataJSON),
      authenticatorData: base64url(response.authenticatorData),
      signature: base64url(response.signature),
      userHandle: response.userHandle ? base64url(response.userHandle) : null,
    },
  };
}
