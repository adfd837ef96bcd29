// Requests that first_paint.ts has made before the console was there. Each answer is taken once, and only soon: what is older
// may no longer be so.
const soon = 10_000;
const began = performance.now();

interface Early {
  early?: Record<string, Promise<Response | undefined>>;
}

export function takeEarly(url: string): Promise<Response | undefined> | undefined {
  const { early } = window as Early;
  const found = early?.[url];
  if (!found || performance.now() - began > soon) return undefined;
  delete early[url];
  return found;
}

const stored = "agentbox.signed_in";

// Whether a user is signed in, for the next time that the console is opened here.
export function rememberSession(signedIn: boolean) {
  if (!signedIn) delete (window as Early).early;
  if (signedIn) localStorage.setItem(stored, "1");
  else localStorage.removeItem(stored);
}
