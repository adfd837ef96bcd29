// Requests to the box. The operations and their types are those of its OpenAPI document (schema.ts). Every failure
// becomes an ApiError whose message is a sentence for the user.
import { signal } from "@preact/signals";
import { t, untilLoaded } from "../app/i18n";
import { go } from "../app/router";
import { takeEarly } from "./early";
import type { Operations } from "./schema";

type Key = keyof Operations;
type Part<K extends Key, P extends string> = P extends keyof Operations[K] ? Operations[K][P] : never;
// The part is left out where the operation has none, and may be left out where it has no required member.
type Given<K extends Key, P extends string> = [Part<K, P>] extends [never]
  ? unknown
  : object extends Part<K, P>
    ? { [Q in P]?: Part<K, P> }
    : { [Q in P]: Part<K, P> };
interface Limits {
  timeout?: number; // milliseconds
  signal?: AbortSignal;
}
export type Input<K extends Key> = Given<K, "path"> & Given<K, "query"> & Given<K, "body"> & Limits;
export type Answer<K extends Key> = Operations[K]["answer"];
type Rest<K extends Key> = object extends Input<K> ? [input?: Input<K>] : [input: Input<K>];

interface Parts extends Limits {
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
}

// Calls that wait for an agent may take minutes; the others are given up after this many milliseconds.
export const patience = 20_000;

let csrfToken = "";

// Counts the answers that say that the session has ended: by its age, or from another browser.
export const sessionsEnded = signal(0);

// Reads that are on their way, and the end of the session that they are given up for.
let reads = new AbortController();
let ending: Promise<unknown> | undefined;

// Sends the request that ends the session. Reads that are on their way, or begin meanwhile, are given up: they would
// be refused.
export async function endSession(request: () => Promise<unknown>): Promise<void> {
  reads.abort();
  reads = new AbortController();
  ending = request();
  try {
    await ending;
  } finally {
    ending = undefined;
  }
}

export class ApiError extends Error {
  // Status 0: the box did not answer at all. `retryAfter` is in seconds. `field` is the first word of the box's message,
  // which names the field of a body that it refused; `rest` is what follows it.
  constructor(
    message: string,
    readonly status: number,
    readonly code = "",
    readonly retryAfter = 0,
    readonly body: Record<string, unknown> = {},
    readonly field = "",
    readonly rest = "",
  ) {
    super(message);
  }
}

export async function call<K extends Key>(operation: K, ...[input]: Rest<K>): Promise<Answer<K>> {
  const response = await send(operation, input as Parts | undefined);
  const token = response.headers.get("X-CSRF-Token");
  if (token) csrfToken = token;
  try {
    return (await response.json()) as Answer<K>;
  } catch {
    throw new ApiError(t("error.unreadable"), response.status);
  }
}

// The address of an operation, for what the browser loads itself: event streams and downloads.
export function url_of<K extends Key>(operation: K, ...[input]: Rest<K>): string {
  const { path = {}, query = {} } = (input ?? {}) as Parts;
  let url = operation.slice(operation.indexOf(" ") + 1);
  for (const [name, value] of Object.entries(path)) url = url.replace(`{${name}}`, encodeURIComponent(value));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null && value !== undefined) search.set(name, String(value));
  return search.size ? `${url}?${search}` : url;
}

// The answer as it comes, for streams. Throws ApiError unless it is a success. A body that is a form or a file is sent
// as it is, others as JSON.
export async function send<K extends Key>(operation: K, input: Parts = {}): Promise<Response> {
  const method = operation.slice(0, operation.indexOf(" "));
  const headers: Record<string, string> = { Accept: "application/json, text/event-stream" };
  const isRaw = input.body instanceof FormData || input.body instanceof Blob;
  if (input.body !== undefined && !isRaw) headers["Content-Type"] = "application/json";
  if (method !== "GET" && csrfToken) headers["X-CSRF-Token"] = csrfToken;
  const limits = [AbortSignal.timeout(input.timeout ?? patience)];
  if (input.signal) limits.push(input.signal);
  if (method === "GET") {
    if (ending) {
      await ending.catch(() => undefined);
      throw new ApiError(t("error.unreachable"), 0);
    }
    limits.push(reads.signal);
  }

  let response: Response;
  try {
    const url = url_of(operation, input as never);
    const early = method === "GET" ? await takeEarly(url) : undefined;
    response = early?.ok
      ? early
      : await fetch(url, {
          method,
          headers,
          body: isRaw ? (input.body as BodyInit) : input.body === undefined ? null : JSON.stringify(input.body),
          credentials: "same-origin",
          cache: "no-store",
          signal: anyOf(limits),
        });
  } catch (cause) {
    if (input.signal?.aborted) throw cause;
    await untilLoaded();
    const tooLate = cause instanceof DOMException && cause.name === "TimeoutError";
    throw new ApiError(t(tooLate ? "error.timeout" : "error.unreachable"), 0);
  }
  if (!response.ok) throw await failure(response);
  return response;
}

// AbortSignal.any, which browsers older than 2023 do not have.
function anyOf(signals: AbortSignal[]): AbortSignal {
  if (signals.length === 1) return signals[0]!;
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}

async function failure(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  await untilLoaded();
  if (body.code === "SECOND_FACTOR_SETUP_REQUIRED") go("/settings", { replace: true });
  const wait = Number(response.headers.get("Retry-After") ?? response.headers.get("RateLimit-Reset") ?? 0);
  let message = typeof body.error === "string" && body.error !== "" ? body.error : fallback(response.status);
  if (response.status === 401 && message === "Unauthorized") {
    message = t("error.signed_out");
    sessionsEnded.value++;
  }
  if (!/[.!?…]$/.test(message)) message += ".";
  const [, field = "", rest = ""] = /^([A-Za-z][\w.[\]-]*)(:? .*)$/s.exec(message) ?? [];
  return new ApiError(
    message[0]!.toUpperCase() + message.slice(1),
    response.status,
    typeof body.code === "string" ? body.code : "",
    response.status === 429 || response.status === 503 ? wait : 0,
    body,
    field,
    rest,
  );
}

function fallback(status: number): string {
  if (status === 429) return t("error.too_many");
  if (status >= 500) return t("error.internal");
  return t("error.refused", { status });
}

// A sentence for anything that was thrown.
export function sentence(error: unknown): string {
  return error instanceof ApiError ? error.message : t("error.console");
}
