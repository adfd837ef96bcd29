// What the box answers, as far as the console reads it. The whole interface is at /api/openapi.json.

export interface SessionUser {
  id: string;
  name: string;
  email: string;
  isAdmin: boolean;
}

// Where one is signed in.
export interface Session {
  id: string;
  createdAt: string;
  expiresAt: string;
  current: boolean;
}

export interface SecondFactor {
  enabled: boolean;
  app: boolean;
  passkeys: number;
  recoveryCodesLeft: number;
  required: boolean;
  hasPassword: boolean;
}

export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

// Bytes in these are base64url without padding.
export interface CredentialDescriptor {
  type: "public-key";
  id: string;
  transports: string[];
}
export interface CreationOptions {
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  challenge: string;
  pubKeyCredParams: { type: "public-key"; alg: number }[];
  timeout: number;
  excludeCredentials: CredentialDescriptor[];
  authenticatorSelection: AuthenticatorSelectionCriteria;
  attestation: AttestationConveyancePreference;
}
export interface RequestOptions {
  challenge: string;
  rpId: string;
  timeout: number;
  userVerification: UserVerificationRequirement;
  allowCredentials: CredentialDescriptor[];
}
export interface CreatedCredential {
  id: string;
  type: string;
  response: { clientDataJSON: string; attestationObject: string; transports: string[] };
}
export interface AssertedCredential {
  id: string;
  type: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string | null };
}

// How one proves to have the second factor: either, or neither to be asked for it.
export interface Proof {
  code?: string;
  passkey?: AssertedCredential;
}

export type Plan = "label" | "solo" | "collective" | "network";
export type Tier = "starter" | "pro" | "enterprise";

export interface Settings {
  id: string;
  name: string;
  email: string;
  isAdmin: boolean;
  emailVerified: boolean;
  plan: Plan | null;
  referralCode: string;
  credits: number;
}

export interface Agent {
  id: string;
  name: string;
  model: string;
  status: string;
  websocketUrl: string;
  createdAt: string;
  updatedAt: string;
}

export interface ChatMessage {
  id: string;
  role: string;
  content: string;
  createdAt: string;
  // Of the user's messages: `sent` while the agent works on it; `failed` for the reason in `error`, a sentence.
  delivery?: "sent" | "answered" | "failed" | null;
  error?: string | null;
}

export interface NewAgent {
  name: string;
  model?: string;
  tier?: Tier;
}

export interface Registration {
  email: string;
  password: string;
  name?: string;
  referralCode?: string;
  website?: string; // left empty by people; only robots fill it in
}
