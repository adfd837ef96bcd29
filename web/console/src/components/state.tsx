import type { ComponentChildren } from "preact";

export type Tone = "good" | "busy" | "bad" | "rest";

// A state in words, with a dot whose colour only repeats them.
export function State({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`status ${tone}`}>
      <span class="dot" aria-hidden="true" />
      {children}
    </span>
  );
}
