// The events of the box (GET /api/events), by one stream for this tab while a user is signed in and the tab is looked at.
// A stream that breaks is opened again behind its last event.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, send } from "./client";
import { events, type ServerEvent } from "./events";

const names = ["agent", "health", "run", "message", "cap", "payment", "dead_letter", "plan"] as const;
export type LiveName = (typeof names)[number];

export interface LiveEvent {
  name: LiveName; // in place of the name that the thing may have
  id: string; // of the thing that the event is about
  agentId?: string; // of a run
  state?: string; // of an agent's health
  removed?: boolean;
}
// What may have changed: what the event is about, or everything.
type Listener = (event: LiveEvent | undefined) => void;

// The box does not answer. It is asked again and again.
export const lost = signal(false);
// It ended the stream itself, as it does when it stops: most likely it is on its way back.
export const restarting = signal(false);

const listeners = new Set<Listener>();
const tell = (event?: LiveEvent) => listeners.forEach((listener) => listener(event));

// Milliseconds before the next attempt: of the first, which often follows a restart of the box, and at most.
const soon = 500;
const longest = 10_000;
// The box sends something every 15 seconds. A stream that is silent for longer than this is dead, without saying so.
const silence = 40_000;
const forever = 2 ** 31 - 1;

let user = "";
let reading: AbortController | undefined;
let last = ""; // id of the last event
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

// The box refuses the events, of a user who has to set up a second factor first.
let refused = false;

// Follows the events of this user, nobody's with an empty id. Called again when something about the user has changed.
export function followUser(id: string) {
  if (id === user && !refused) return;
  user = id;
  last = "";
  lost.value = restarting.value = false;
  failures = 0;
  refused = false;
  open();
}

function close() {
  clearTimeout(timer);
  reading?.abort();
  reading = undefined;
}

function open() {
  close();
  if (!user || document.hidden) return;
  reading = new AbortController();
  void read(reading);
}

async function read(mine: AbortController) {
  let wait = 0;
  try {
    const query = { lastEventId: last || undefined };
    const response = await send("GET /api/events", { query, signal: mine.signal, timeout: forever });
    let dead = setTimeout(() => mine.abort(silence), silence);
    const onBytes = () => {
      clearTimeout(dead);
      dead = setTimeout(() => mine.abort(silence), silence);
    };
    try {
      for await (const event of events(response.body!, onBytes)) take(event);
      restarting.value = true;
    } finally {
      clearTimeout(dead);
    }
  } catch (error) {
    if (mine.signal.aborted && mine.signal.reason !== silence) return;
    if (error instanceof ApiError) {
      refused = error.status === 403;
      if (refused || error.status === 401) return;
      lost.value = error.status === 0;
      wait = error.retryAfter * 1_000;
    }
  }
  if (reading !== mine) return;
  timer = setTimeout(open, Math.max(wait, Math.min(soon * 2 ** failures++, longest)));
}

function take({ event, data, id }: ServerEvent) {
  const isFirst = last === "";
  if (id) last = id;
  if (event === "ready" || event === "reset") {
    failures = 0;
    lost.value = restarting.value = false;
    // What has changed since the page asked for it.
    if (isFirst || event === "reset") tell();
  } else if ((names as readonly string[]).includes(event)) {
    tell({ ...JSON.parse(data), name: event } as LiveEvent);
  }
}

// Hidden tabs hold no connection: a browser has few of them for one box.
document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
window.addEventListener("online", () => lost.peek() && open());
window.addEventListener("offline", () => {
  if (!user) return;
  close();
  lost.value = true;
});

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

// Milliseconds for which events are collected, so that several are answered by one request.
const together = 50;

// Loads again what a page shows when the box says that it has changed.
export function useLive(about: readonly LiveName[], reload: () => unknown, concerns: (event: LiveEvent) => boolean = () => true) {
  const latest = useRef({ reload, concerns });
  latest.current = { reload, concerns };
  useEffect(() => {
    let pending: ReturnType<typeof setTimeout> | undefined;
    const stop = listen((event) => {
      if (event && !(about.includes(event.name) && latest.current.concerns(event))) return;
      pending ??= setTimeout(() => {
        pending = undefined;
        void latest.current.reload();
      }, together);
    });
    return () => {
      stop();
      clearTimeout(pending);
    };
  }, []);
}

// Until the box says that it has changed, or the signal is given.
export function changed(name: LiveName, id: string, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      end();
      resolve();
    };
    const end = listen((event) => {
      if (!event || (event.name === name && event.id === id)) done();
    });
    if (stop.aborted) done();
    stop.addEventListener("abort", done, { once: true });
  });
}
