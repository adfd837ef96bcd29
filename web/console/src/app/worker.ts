// The service worker's side of the console, once a user is signed in.
import { go } from "./router";

const isHere = "serviceWorker" in navigator;

if (isHere) {
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ go?: string }>) => {
    if (data.go?.startsWith("/")) go(data.go);
  });
  const register = () => navigator.serviceWorker.register("/worker.js").catch(() => undefined);
  // It loads files that the page may need first.
  if (document.readyState === "complete") setTimeout(() => void register(), 1_000);
  else window.addEventListener("load", () => setTimeout(() => void register(), 1_000));
}
