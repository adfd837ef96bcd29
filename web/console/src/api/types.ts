// Names for parts of the box's answers and requests.
import type { Operations } from "./schema";

type Answer<K extends keyof Operations> = Operations[K]["answer"];
type Body<K extends keyof Operations> = Operations[K] extends { body: infer B } ? B : never;

export type SessionUser = NonNullable<Answer<"GET /api/auth/session">["user"]>;
export type SignInMethods = Answer<"GET /api/auth/methods">;
export type Referral = Answer<"GET /api/admin/referrals">["referrals"][number];
export type Session = Answer<"GET /api/auth/sessions">["sessions"][number];
export type SecondFactor = Answer<"GET /api/settings/second-factor">;
export type Passkey = Answer<"GET /api/settings/second-factor/passkeys">["passkeys"][number];
export type Identity = Answer<"GET /api/settings/identities">["identities"][number];
export type CreationOptions = Answer<"POST /api/settings/second-factor/passkeys/begin">["publicKey"];
export type CreatedCredential = Body<"POST /api/settings/second-factor/passkeys">["credential"];
export type AssertedCredential = NonNullable<Body<"POST /api/auth/second-factor">["passkey"]>;
export type Registration = Body<"POST /api/register">;
export type Profile = Answer<"GET /api/settings">;

export type Agent = Answer<"GET /api/agents">["agents"][number];
export type AgentDetail = Answer<"GET /api/agents/{id}">["agent"];
export type NewAgent = Body<"POST /api/agents/provision">;
export type Tier = NonNullable<NewAgent["tier"]>;
export type ConversationItem = Answer<"GET /api/agents/{id}/conversations">["conversations"][number];
export type ConversationOverview = Answer<"GET /api/conversations">["conversations"][number];
export type ChatMessage = Answer<"GET /api/chat">["messages"][number];
export type LogLine = Answer<"GET /api/logs/{agentId}/history">["lines"][number];
export type Fact = Answer<"GET /api/memory">["memories"][number];
export type Task = Answer<"GET /api/scheduled-tasks">["tasks"][number];
export type Run = Answer<"GET /api/scheduled-tasks/{taskId}/runs">["runs"][number];
export type Channel = Answer<"GET /api/agents/{id}/channels">["channels"][number];
export type NewChannel = Body<"POST /api/agents/{id}/channels">;
export type AdminChannel = Answer<"GET /api/admin/channels">["channels"][number];
export type ChannelKindRule = Answer<"GET /api/admin/channel-kinds">["kinds"][number];
export type ChannelPeer = Answer<"GET /api/agents/{id}/channels/{channel}/peers">["peers"][number];
export type DeadChannelMessage = Answer<"GET /api/agents/{id}/channels/{channel}/dead-letters">["deadLetters"][number];
export type Notifications = Answer<"GET /api/notifications">;
export type NoticeWay = Notifications["ways"][number];
export type PushDevice = Notifications["devices"][number];
export type Heartbeat = Answer<"GET /api/heartbeat">["heartbeat"];

export interface TreeNode {
  type: "file" | "folder";
  name: string;
  path: string;
  children?: TreeNode[];
}
export type FileStatus = Answer<"GET /api/agents/{id}/files/status">;
export type Commit = Answer<"GET /api/agents/{id}/files/log">["commits"][number];

export type RouterModel = Answer<"GET /api/models">["models"][number];
export type Trial = Body<"POST /api/playground">;
export type TrialAnswer = Answer<"POST /api/playground">;

export type Cost = Answer<"GET /api/dashboard/cost">;
export type UsageRow = Cost["byModel"][number];
export type ModelCall = Answer<"GET /api/dashboard/calls">["calls"][number];
export type Cap = Answer<"GET /api/caps">["caps"][number];
export type NewCap = Body<"PUT /api/caps">;
export type ApiKey = Answer<"GET /api/keys">["keys"][number];
export type BrowserHand = Body<"POST /api/agents/{id}/browser">;
export type Terminals = Answer<"GET /api/agents/{id}/terminals">;
export type Credential = Answer<"GET /api/credentials">["credentials"][number];
export type CredentialUse = Answer<"GET /api/credentials/uses">["uses"][number];
export type ProviderKey = Answer<"GET /api/provider-keys">["keys"][number];

export type AuditEntry = Answer<"GET /api/admin/audit">["entries"][number];
export type User = Answer<"GET /api/admin/users">["users"][number];
export type UserChange = Body<"PATCH /api/admin/users/{user}">;
export type AnyAgent = Answer<"GET /api/admin/agents">["agents"][number];
export type ModelProvider = Answer<"GET /api/admin/models/providers">["providers"][number];
export type NewProvider = Body<"PUT /api/admin/models/providers">;
export type PlanRequest = Answer<"GET /api/admin/plan-requests">["requests"][number];
export type Group = Answer<"GET /api/admin/groups">["groups"][number];
export type Share = Answer<"GET /api/agents/{id}/shares">["shares"][number];
export type SharedAgent = Answer<"GET /api/shared">["agents"][number];
export type SharedConversation = Answer<"GET /api/shared/{id}/conversations">["conversations"][number];
export type SharedSettings = Answer<"GET /api/shared/{id}/settings">;
export type Template = Answer<"GET /api/templates">["templates"][number];
export type Invite = Answer<"GET /api/admin/invites">["invites"][number];
export type Mail = Answer<"GET /api/admin/outbox">["mails"][number];
export type StandbyState = Answer<"GET /api/admin/standby">;
export type RestoreDrill = NonNullable<Answer<"GET /api/admin/backups">["restoreDrill"]>;
export type Backup = Answer<"GET /api/admin/backups">["backups"][number];
export type Setting = Answer<"GET /api/admin/settings">["settings"][number];
export type OperatorKey = Answer<"GET /api/admin/operator-keys">["keys"][number];
export type GitHost = Answer<"GET /api/admin/git-hosts">["hosts"][number];

export type Graph = Answer<"GET /api/mission-control/fleet/graph">;
export type Soul = Graph["nodes"][number];
export type Trace = Answer<"GET /api/traces">["traces"][number];
export type Span = Answer<"GET /api/traces">["running"][number] & { children: Span[] };
export type Booking = Answer<"GET /api/mission-control/fleet/bookings">[number];
export type BookingMoney = Answer<"GET /api/skills/booking-settlement">["bookings"][number];
export type Swarm = Answer<"GET /api/swarms">["swarms"][number];
export type SwarmDetail = Answer<"GET /api/swarms/{id}">;
export type SwarmTask = SwarmDetail["taskList"][number];
export type DeadLetter = Answer<"GET /api/underground/dead-letters">["deadLetters"][number];
export type BusKey = Answer<"GET /api/underground/keys">["keys"][number];
export type BusMessage = Answer<"GET /api/underground/messages">["messages"][number];

export type Wallet = Answer<"GET /api/wallet">;
export type GateRule = Answer<"GET /api/agents/{id}/gate">["rules"][number];
export type Ask = Answer<"GET /api/asks">["asks"][number];
export type Transfer = Answer<"GET /api/wallet/transfers">["transfers"][number];
export type NewTransfer = Body<"POST /api/wallet/transfer">;
export type SpendRules = Answer<"GET /api/wallet/rules">;
export type Split = Answer<"GET /api/skills/instant-split">["splits"][number];
export type CreditEntry = Answer<"GET /api/credits/entries">["entries"][number];
export type Offer = Answer<"GET /api/stripe/prices">["offers"][number];
export type Statement = Answer<"GET /api/billing/statement">;

export type Skill = Answer<"GET /api/skills">["skills"][number];
export type SkillPackage = Answer<"GET /api/skill-packages">["packages"][number];
export type SkillReview = Answer<"POST /api/skill-packages/review">;
export type SkillDetail = Answer<"GET /api/skills/{name}">;
export type SkillRun = Answer<"GET /api/skills/{name}/runs">["runs"][number];
export type Feed = Answer<"GET /api/data-feeds">["feeds"][number];
export type LiveStream = Answer<"GET /api/radio/live">["djs"][number];
export type OwnStream = Answer<"GET /api/streams">["streams"][number];
export type Broadcast = Answer<"POST /api/radio/streams">;
export type Video = Answer<"GET /api/videos">["videos"][number];
export type NewVideo = Body<"POST /api/generate-video">;

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
export type CatalogueImage = Answer<"GET /api/images">["images"][number];
export type AdminImage = Answer<"GET /api/admin/images">["images"][number];
