// What the box answers, as far as the console reads it. The whole interface is at /api/openapi.json.

export interface SessionUser {
  id: string;
  name: string;
  email: string;
  isAdmin: boolean;
}

export type Plan = "label" | "solo" | "collective" | "network";
export type Tier = "starter" | "pro" | "enterprise";

export interface Settings {
  id: string;
  name: string;
  email: string;
  isAdmin: boolean;
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
  website?: string; // left empty by people; whoever fills it is a robot
}
