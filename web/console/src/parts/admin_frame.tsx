// What all pages of administrators share: the proof that changes need.
import type { ComponentChildren } from "preact";
import { StepUp } from "./step_up_dialog";

export function AdminFrame({ children }: { children: ComponentChildren }) {
  return (
    <div class="column admin">
      {children}
      <StepUp />
    </div>
  );
}
