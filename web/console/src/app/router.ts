// The console's addresses. The server answers each with the same page; moving between them does not reload it.
import { signal } from "@preact/signals";

export const location = signal(new URL(window.location.href));

window.addEventListener("popstate", () => {
  location.value = new URL(window.location.href);
});

// `replace` leaves no entry to go back to: for redirects and for what is only a selection within a page.
export function go(target: string, { replace = false } = {}) {
  const url = new URL(target, window.location.href);
  if (url.href === window.location.href) return;
  if (replace) window.history.replaceState(null, "", url);
  else window.history.pushState(null, "", url);
  const samePage = url.pathname === location.value.pathname;
  location.value = url;
  if (!samePage) window.scrollTo(0, 0);
}

export const parameter = (name: string) => location.value.searchParams.get(name) ?? "";

// Changes what the address says about a list: its search, order and filters. An empty value leaves the address.
export function setParameter(name: string, value: string) {
  const url = new URL(location.value);
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
  go(url.href, { replace: true });
}
