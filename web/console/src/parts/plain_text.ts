const longest = 2_000;
const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  ndash: "–",
  mdash: "—",
};

function character(whole: string, code: string): string {
  if (!code.startsWith("#")) return entities[code] ?? whole;
  const point = code[1] === "x" || code[1] === "X" ? Number.parseInt(code.slice(2), 16) : Number.parseInt(code.slice(1), 10);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
}

// The words of a piece of HTML, which is not parsed: what stands between < and > is left out. What remains is text, and is
// shown as text.
export function plainText(html: string): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<!--[\s\S]*?-->|<\/?[a-z][^>]*>/gi, " ")
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]+);/gi, character)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, longest);
}
