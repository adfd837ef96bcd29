import type { ComponentChildren } from "preact";

// A word about the thing beside it. The tone only repeats what the word says.
export function Badge({ tone = "", children }: { tone?: "" | "good" | "busy" | "bad"; children: ComponentChildren }) {
  return <span class={`badge ${tone}`.trim()}>{children}</span>;
}
