// The browser's part of passkeys (Web Authentication): the box's options to a credential, and what it made of them.
import { ApiError } from "./api/client";
import type { AssertedCredential, CreatedCredential, CreationOptions, RequestOptions } from "./api/types";
import { t } from "./app/i18n";

export const passkeysWork = "PublicKeyCredential" in window;

function bytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function base64url(buffer: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const descriptors = (known: { id: string; transports: string[] }[]): PublicKeyCredentialDescriptor[] =>
  known.map(({ id, transports }) => ({ type: "public-key", id: bytes(id), transports: transports as AuthenticatorTransport[] }));

// What the browser says when it will not: in words for the person, by the name of its exception.
function refusal(cause: unknown, domain: string): ApiError {
  const name = cause instanceof DOMException ? cause.name : "";
  if (name === "NotAllowedError") return new ApiError(t("passkeys.cancelled"), 0);
  if (name === "InvalidStateError") return new ApiError(t("passkeys.already"), 0);
  if (name === "SecurityError") return new ApiError(t("passkeys.wrong_site", { domain }), 0);
  return new ApiError(t("passkeys.impossible"), 0);
}

export async function createPasskey(options: CreationOptions): Promise<CreatedCredential> {
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  } as PublicKeyCredentialCreationOptions;
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
