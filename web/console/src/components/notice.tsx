import type { ComponentChildren } from "preact";

interface Props {
  kind: "error" | "hint";
  children: ComponentChildren;
}

// Errors interrupt a screen reader, hints wait.
export function Notice({ kind, children }: Props) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}
