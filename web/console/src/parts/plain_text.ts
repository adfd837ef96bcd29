const longest = 2_000;

// The words of a piece of HTML. It is parsed into a document of its own, in which nothing runs and nothing is loaded.
export function plainText(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const element of body.querySelectorAll("script, style")) element.remove();
  return (body.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, longest);
}
