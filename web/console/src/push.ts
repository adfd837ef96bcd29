// Notices on this browser by Web Push.
import { call } from "./api/client";

export const isSupported = () => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

// As the box names it.
export async function deviceId(endpoint: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint)));
  return `pd_${[...digest.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

async function subscription(): Promise<PushSubscription | null> {
  if (!isSupported()) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

// Of this browser; empty without a subscription.
export async function ownDevice(): Promise<string> {
  const found = await subscription();
  return found ? deviceId(found.endpoint) : "";
}

const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

// False: the user does not allow notifications.
export async function subscribe(pushKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  await navigator.serviceWorker.register("/worker.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(pushKey) });
  const { endpoint = "", keys = {} } = made.toJSON();
  await call("POST /api/notifications/devices", { body: { endpoint, keys: { p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" } } });
  return true;
}

// Ends the subscription of this browser, if it has one.
export async function unsubscribe() {
  const found = await subscription();
  if (!found) return;
  await call("DELETE /api/notifications/devices/{id}", { path: { id: await deviceId(found.endpoint) } }).catch(() => undefined);
  await found.unsubscribe();
}
