// Runs before anything else: it sets the chosen theme, so that none flashes, and asks for what the page at this address
// needs, all at once. On a slow line each thing that is asked for after another costs a round trip.
declare const PAGES: Record<string, string[]>; // files of the pages, by the beginnings of their addresses
declare const TEXTS: Record<string, Record<string, string>>; // files of texts, by language and name
declare const TEXTS_OF_PAGE: Record<string, string>; // the names of those that pages need besides "frame"

{
  const theme = localStorage.getItem("agentbox.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

  const preload = (file: string) => {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = file;
    document.head.append(link);
  };
  const path = window.location.pathname;
  const steps = path.split("/");
  const page = Object.keys(PAGES).find((pattern) => {
    const wanted = pattern.split("/");
    return wanted.length === steps.length && wanted.every((step, at) => step === steps[at] || step === ":id");
  });
  for (const file of (page && PAGES[page]) || []) preload(file);
  const spoken = [localStorage.getItem("agentbox.language") ?? "", ...navigator.languages.map((tag) => tag.split("-")[0]!)];
  const texts = TEXTS[spoken.find((tag) => tag in TEXTS) ?? "en"]!;
  for (const name of ["frame", page && TEXTS_OF_PAGE[page]]) if (name) preload(texts[name]!);

  // Answers that the console takes in place of requests of its own (api/early.ts).
  const headers = { Accept: "application/json, text/event-stream" };
  const ask = (url: string) => fetch(url, { headers, credentials: "same-origin", cache: "no-store" }).catch(() => undefined);
  const early: Record<string, Promise<Response | undefined>> = { "/api/auth/session": ask("/api/auth/session") };
  // Set while a user is signed in here; others would be refused.
  if (localStorage.getItem("agentbox.signed_in")) for (const url of ["/api/agents", "/api/settings"]) early[url] = ask(url);
  (window as { early?: typeof early }).early = early;
}
