import { duration } from "../app/format";
import { t } from "../app/i18n";
import { CodeBlock } from "../components/code_block";
import type { Step } from "../conversation";

// One step of an agent: folded to its name and duration, unfolded with what went in and what came out.
export function ToolStep({ step }: { step: Step }) {
  const state = step.result === undefined ? t("step.running") : step.failed ? t("step.failed") : duration(step.duration ?? 0);
  return (
    <details class={step.failed ? "step failed" : "step"}>
      <summary>
        <code>{step.name}</code> <span class="quiet">{state}</span>
      </summary>
      <CodeBlock text={indented(step.arguments)} language={t("step.arguments")} syntax="json" />
      {step.result !== undefined && <CodeBlock text={indented(step.result)} language={t("step.result")} syntax="json" />}
    </details>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
