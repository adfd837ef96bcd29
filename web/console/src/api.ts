// All requests of the console to the box. Every failure becomes an ApiError whose message is a sentence for the user.
import { go } from "./router";
import type {
  Agent,
  ChatMessage,
  CreatedCredential,
  CreationOptions,
  NewAgent,
  Passkey,
  Proof,
  Registration,
  RequestOptions,
  SecondFactor,
  Session,
  SessionUser,
  Settings,
} from "./wire";

export class ApiError extends Error {
  // Status 0: the box did not answer at all. `retryAfter` is in seconds.
  constructor(
    message: string,
    readonly status: number,
    readonly code = "",
    readonly retryAfter = 0,
    // With SECOND_FACTOR_REQUIRED: what the person's passkeys are asked for; null for users without one.
    readonly passkey: RequestOptions | null = null,
  ) {
    super(message);
  }
}

// Whether the box only waits for the second factor.
export const wantsSecondFactor = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === "SECOND_FACTOR_REQUIRED";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

let csrfToken = "";

// Calls that wait for an agent may take minutes; the others are given up after this many milliseconds.
const patience = 20_000;

export async function session(): Promise<SessionUser | null> {
  const response = await send("GET", "/api/auth/session");
  csrfToken = response.headers.get("X-CSRF-Token") ?? "";
  return ((await response.json()) as { user: SessionUser | null }).user;
}

export async function login(email: string, password: string, proof: Proof = {}) {
  try {
    await call("POST", "/api/auth/login", { email, password, ...proof });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    if (error.code === "SECOND_FACTOR_REQUIRED" || proof.passkey) throw error;
    if (proof.code) throw new ApiError("The code is wrong or was already used.", error.status, error.code);
    throw new ApiError("Incorrect e-mail address or password.", error.status, error.code);
  }
}
// A second factor that was wrong.
async function proving(answer: Promise<unknown>) {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || error.message !== "Invalid credentials.") throw error;
    throw new ApiError("The code is wrong or was already used.", error.status, error.code);
  }
}
// Completes a sign-in by another method that waits for the second factor. Without a proof the error has the options for
// a passkey.
export const finishSignIn = (proof: Proof) => proving(call("POST", "/api/auth/second-factor", proof));
export const register = (person: Registration) => call("POST", "/api/register", person);
export const forgotPassword = (email: string) => call("POST", "/api/auth/forgot-password", { email });
export const resetPassword = (token: string, password: string, proof: Proof) =>
  proving(call("POST", "/api/auth/reset-password", { token, password, ...proof }));
export const verifyEmail = (token: string) => call("POST", "/api/auth/verify-email", { token });
export const sendVerificationMail = () => call("POST", "/api/auth/verify-email/mail");
export const signOut = () => call("POST", "/api/auth/signout");
export const settings = () => call<Settings>("GET", "/api/settings");
// For users with a password.
export const changeEmail = (email: string, currentPassword: string | undefined, proof: Proof) =>
  call<Settings>("PATCH", "/api/settings", { email, currentPassword, ...proof });
export const changePassword = (currentPassword: string, newPassword: string) =>
  call("POST", "/api/settings/password", { currentPassword, newPassword });

export const sessions = async () => (await call<{ sessions: Session[] }>("GET", "/api/auth/sessions")).sessions;
export const endSession = (id: string) => call("DELETE", `/api/auth/sessions/${encodeURIComponent(id)}`);
export const endOtherSessions = () => call("DELETE", "/api/auth/sessions");

const factor = "/api/settings/second-factor";
type Codes = { recoveryCodes: string[] };
export const secondFactor = () => call<SecondFactor>("GET", factor);
// For users with a password.
export const beginApp = (currentPassword: string | undefined, proof: Proof) =>
  call<{ secret: string; otpauthUrl: string }>("POST", `${factor}/begin`, { currentPassword, ...proof });
export const confirmApp = (code: string) => call<Codes>("POST", `${factor}/confirm`, { code });
export const removeApp = (proof: Proof) => call("DELETE", `${factor}/app`, proof);
export const renewRecoveryCodes = (proof: Proof) => call<Codes>("POST", `${factor}/recovery-codes`, proof);
export const passkeys = async () => (await call<{ passkeys: Passkey[] }>("GET", `${factor}/passkeys`)).passkeys;
export const beginPasskey = async (currentPassword: string | undefined, proof: Proof) =>
  (await call<{ publicKey: CreationOptions }>("POST", `${factor}/passkeys/begin`, { currentPassword, ...proof }))
    .publicKey;
export const addPasskey = (name: string, credential: CreatedCredential) =>
  call<Codes>("POST", `${factor}/passkeys`, { name, credential });
export const renamePasskey = (id: string, name: string) =>
  call("PATCH", `${factor}/passkeys/${encodeURIComponent(id)}`, { name });
export const removePasskey = (id: string, proof: Proof) =>
  call("DELETE", `${factor}/passkeys/${encodeURIComponent(id)}`, proof);

// Why the agent is in the state it is in: a sentence, or empty.
export const statusReason = async (id: string) =>
  (await call<{ agent: { statusReason: string } }>("GET", `/api/agents/${encodeURIComponent(id)}`)).agent.statusReason;
export const agents = async () => (await call<{ agents: Agent[] }>("GET", "/api/agents")).agents;
export const provision = async (agent: NewAgent) =>
  (await call<{ agent: Agent }>("POST", "/api/agents/provision", agent)).agent;
export const remove = (id: string) => call("DELETE", `/api/agents/${encodeURIComponent(id)}`);
export const gatewayToken = async (id: string) =>
  (await call<{ token: string }>("GET", `/api/agents/${encodeURIComponent(id)}/token`)).token;
export const rotateToken = async (id: string) =>
  (await call<{ token: string }>("POST", `/api/agents/${encodeURIComponent(id)}/rotate-token`)).token;
export const lifecycle = (id: string, action: "start" | "stop" | "restart") =>
  call<{ status: string }>("POST", `/api/instance/${encodeURIComponent(id)}/${action}`, undefined, 3 * patience);

export const history = async (agentId: string) =>
  (await call<{ messages: ChatMessage[] }>("GET", `/api/chat?agentId=${encodeURIComponent(agentId)}&limit=200`)).messages;
export const say = (agentId: string, message: string) =>
  call<{ message: unknown }>("POST", "/api/chat", { agentId, message }, 15 * patience);

async function call<T = unknown>(method: Method, path: string, body?: object, timeout = patience): Promise<T> {
  const response = await send(method, path, body, timeout);
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError("The box sent an answer that cannot be read.", response.status);
  }
}

async function send(method: Method, path: string, body?: object, timeout = patience): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if (method !== "GET" && csrfToken) headers["X-CSRF-Token"] = csrfToken;

  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(timeout),
    });
  } catch (cause) {
    const tooLate = cause instanceof DOMException && cause.name === "TimeoutError";
    throw new ApiError(tooLate ? "The box took too long to answer." : "The box cannot be reached.", 0);
  }
  if (!response.ok) throw await failure(response);
  return response;
}

async function failure(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: unknown;
    code?: unknown;
    passkey?: RequestOptions | null;
  };
  if (body.code === "SECOND_FACTOR_SETUP_REQUIRED") go("/settings", { replace: true });
  const wait = Number(response.headers.get("Retry-After") ?? response.headers.get("RateLimit-Reset") ?? 0);
  let message = typeof body.error === "string" && body.error !== "" ? body.error : fallback(response.status);
  if (response.status === 401 && message === "Unauthorized") message = "You are signed out. Please sign in again.";
  if (!/[.!?…]$/.test(message)) message += ".";
  return new ApiError(
    message[0]!.toUpperCase() + message.slice(1),
    response.status,
    typeof body.code === "string" ? body.code : "",
    response.status === 429 || response.status === 503 ? wait : 0,
    body.passkey ?? null,
  );
}

function fallback(status: number): string {
  if (status === 429) return "Too many requests; please wait a moment";
  if (status >= 500) return "The box could not do that; its log says why";
  return `The box refused that (status ${status})`;
}

// A sentence for anything that was thrown.
export function sentence(error: unknown): string {
  return error instanceof ApiError ? error.message : "Something went wrong in the console. Please reload the page.";
}
