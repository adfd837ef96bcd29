// Names for parts of the box's answers and requests.
import type { Operations } from "./schema";

type Answer<K extends keyof Operations> = Operations[K]["answer"];
type Body<K extends keyof Operations> = Operations[K] extends { body: infer B } ? B : never;

export type SessionUser = NonNullable<Answer<"GET /api/auth/session">["user"]>;
export type Session = Answer<"GET /api/auth/sessions">["sessions"][number];
export type SecondFactor = Answer<"GET /api/settings/second-factor">;
export type Passkey = Answer<"GET /api/settings/second-factor/passkeys">["passkeys"][number];
export type CreationOptions = Answer<"POST /api/settings/second-factor/passkeys/begin">["publicKey"];
export type CreatedCredential = Body<"POST /api/settings/second-factor/passkeys">["credential"];
export type AssertedCredential = NonNullable<Body<"POST /api/auth/second-factor">["passkey"]>;
export type Registration = Body<"POST /api/register">;
export type Profile = Answer<"GET /api/settings">;

export type Agent = Answer<"GET /api/agents">["agents"][number];
export type AgentDetail = Answer<"GET /api/agents/{id}">["agent"];
export type NewAgent = Body<"POST /api/agents/provision">;
export type Tier = NonNullable<NewAgent["tier"]>;
export type ChatMessage = Answer<"GET /api/chat">["messages"][number];
export type LogLine = Answer<"GET /api/logs/{agentId}/history">["lines"][number];
export type Fact = Answer<"GET /api/memory">["memories"][number];
export type Task = Answer<"GET /api/scheduled-tasks">["tasks"][number];
export type Run = Answer<"GET /api/scheduled-tasks/{taskId}/runs">["runs"][number];
export type Heartbeat = Answer<"GET /api/heartbeat">["heartbeat"];

export type Cost = Answer<"GET /api/dashboard/cost">;
export type UsageRow = Cost["byModel"][number];
export type ModelCall = Answer<"GET /api/dashboard/calls">["calls"][number];
export type Cap = Answer<"GET /api/caps">["caps"][number];
export type NewCap = Body<"PUT /api/caps">;
export type ApiKey = Answer<"GET /api/keys">["keys"][number];
export type ProviderKey = Answer<"GET /api/provider-keys">["keys"][number];

// What a person's passkeys are asked for, as errors with the code SECOND_FACTOR_REQUIRED have it. Bytes are base64url
// without padding.
export interface RequestOptions {
  challenge: string;
  rpId: string;
  timeout: number;
  userVerification: UserVerificationRequirement;
  allowCredentials: { type: string; id: string; transports: string[] }[];
}

// How one proves to have the second factor: either, or neither to be asked for it.
export interface Proof {
  code?: string;
  passkey?: AssertedCredential;
}
