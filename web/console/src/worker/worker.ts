// The console's service worker: it shows the notices that the box pushes, and the console's shell while the box cannot
// be reached. It keeps files of the console only, never an answer of the API.
export {};

declare const SHELL: string[]; // the page and the files that it always needs
declare const VERSION: string;
declare const ICON: string;
declare const BADGE: string;

interface LateEvent extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}
interface RequestEvent extends LateEvent {
  request: Request;
  preloadResponse: Promise<Response | undefined>;
  respondWith: (answer: Promise<Response>) => void;
}
interface PushEvent extends LateEvent {
  data: { json: () => unknown } | null;
}
interface ClickEvent extends LateEvent {
  notification: Notification;
}
interface RenewalEvent extends LateEvent {
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
}
interface Page {
  focus: () => Promise<unknown>;
  postMessage: (message: unknown) => void;
}
interface Worker {
  location: Location;
  registration: ServiceWorkerRegistration;
  clients: { claim: () => Promise<void>; matchAll: (options: object) => Promise<Page[]>; openWindow: (url: string) => Promise<unknown> };
  skipWaiting: () => Promise<void>;
  addEventListener: <E extends Event>(name: string, listener: (event: E) => void) => void;
}
interface Shown {
  title?: string;
  body?: string;
  url?: string;
  tag?: string;
}

const worker = self as unknown as Worker;
const kept = `console-${VERSION}`;

worker.addEventListener("install", (event: LateEvent) => event.waitUntil(install()));
worker.addEventListener("activate", (event: LateEvent) => event.waitUntil(activate()));
worker.addEventListener("fetch", (event: RequestEvent) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate" && !pathname.startsWith("/api/")) event.respondWith(page(event));
  else if (pathname !== "/" && SHELL.includes(pathname)) event.respondWith(file(request));
});
worker.addEventListener("push", (event: PushEvent) => event.waitUntil(show(event)));
worker.addEventListener("notificationclick", (event: ClickEvent) => event.waitUntil(open(event.notification)));
worker.addEventListener("pushsubscriptionchange", (event: RenewalEvent) => event.waitUntil(renew(event)));

async function install() {
  const cache = await caches.open(kept);
  await cache.addAll(SHELL);
  await worker.skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) if (name !== kept) await caches.delete(name);
  await worker.registration.navigationPreload?.enable();
  await worker.clients.claim();
}

const find = (path: string) => caches.match(path, { cacheName: kept, ignoreVary: true });

async function page({ request, preloadResponse }: RequestEvent): Promise<Response> {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch (unreachable) {
    const shell = await find("/");
    if (!shell) throw unreachable;
    return shell;
  }
}

const file = async (request: Request) => (await find(new URL(request.url).pathname)) ?? (await fetch(request));

async function show({ data }: PushEvent) {
  let shown: Shown = {};
  try {
    shown = (data?.json() ?? {}) as Shown;
  } catch {
    // Something must be shown for every message, or the browser ends the subscription.
  }
  const { title = "agentbox", body = "", url = "/dashboard", tag = "" } = shown;
  await worker.registration.showNotification(title, { body, tag, icon: ICON, badge: BADGE, data: { url } });
}

async function open(notification: Notification) {
  notification.close();
  const { url } = (notification.data ?? {}) as Shown;
  const target = new URL(url ?? "/dashboard", worker.location.origin);
  const path = target.origin === worker.location.origin ? target.pathname + target.search + target.hash : "/dashboard";
  const [shown] = await worker.clients.matchAll({ type: "window" });
  if (!shown) return worker.clients.openWindow(path);
  shown.postMessage({ go: path });
  return shown.focus();
}

// The push service has replaced the browser's subscription.
async function renew({ oldSubscription, newSubscription }: RenewalEvent) {
  const options = oldSubscription?.options;
  const made =
    newSubscription ??
    (await worker.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: options?.applicationServerKey ?? null,
    }));
  await fetch("/api/notifications/devices", {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(made),
  });
}
