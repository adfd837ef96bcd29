// Code in colours. The grammars are loaded once a text needs them; until then, and where they do not know the language,
// the text is plain.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { CodeNode } from "../app/syntax";

type Syntax = typeof import("../app/syntax");

const syntax = signal<Syntax | undefined>(undefined);
let loading: Promise<void> | undefined;

async function load() {
  try {
    syntax.value = await import("../app/syntax");
  } catch {
    loading = undefined; // the text stays plain; the next one tries again
  }
}

// Longer texts would hold up the page.
const longest = 60_000;

export function Highlighted({ text, syntax: name }: { text: string; syntax: string }) {
  const wanted = name.trim().split(/\s+/)[0]!.toLowerCase();
  const known = syntax.value;
  const tree = useMemo(() => (known && wanted && text.length <= longest ? known.parse(text, wanted) : undefined), [known, wanted, text]);
  if (wanted && text.length <= longest && !known) loading ??= load();
  return <>{tree ? tree.map(drawn) : text}</>;
}

function drawn(node: CodeNode, key: number): ComponentChildren {
  if (typeof node === "string") return node;
  return (
    <span key={key} class={node.kind}>
      {node.children.map(drawn)}
    </span>
  );
}
