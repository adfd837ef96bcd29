import { useSignal } from "@preact/signals";
import { duration } from "../app/format";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { CodeBlock } from "../components/code_block";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import type { Step } from "../conversation";
import { filesPath, isImage, rawUrl, type Workspace } from "../workspace";

interface TodoItem {
  text: string;
  status: "open" | "in_progress" | "done";
}

// The list that the agent keeps of a long task; empty if the arguments are not one.
function todoOf(step: Step): TodoItem[] {
  if (step.name !== "todo" || step.failed) return [];
  try {
    const { items } = JSON.parse(step.arguments) as { items?: Partial<TodoItem>[] };
    return (items ?? []).map(({ text = "", status = "open" }) => ({ text: String(text), status }));
  } catch {
    return [];
  }
}

// The steps to show: of the agent's lists only the newest.
export function shownSteps(steps: Step[]): Step[] {
  const newest = steps.findLast((step) => todoOf(step).length > 0);
  return steps.filter((step) => step === newest || todoOf(step).length === 0);
}

const marks = { open: "○", in_progress: "◐", done: "✓" };

function TodoList({ items }: { items: TodoItem[] }) {
  return (
    <ul class="todo" aria-label={t("step.todo")}>
      {items.map(({ text, status }, index) => (
        <li key={index} class={status}>
          <span aria-hidden="true">{marks[status] ?? marks.open}</span> <span class="unseen">{t(`step.todo_${status}`)}</span>{" "}
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}

// The steps of an answer, one line each.
export function Steps({ agent, steps }: { agent: Workspace; steps: Step[] }) {
  if (steps.length === 0) return null;
  return (
    <div class="agent-steps">
      {shownSteps(steps).map((step) => (
        <ToolStep key={step.id} agent={agent} step={step} />
      ))}
    </div>
  );
}

// The command that a step runs in the workspace, and what it has printed so far; undefined for other tools.
function commandOf({ name, arguments: given, output: printed, result }: Step): { command: string; output: string } | undefined {
  if (name !== "run_command" && name !== "run_code" && name !== "start_process") return undefined;
  try {
    const { shell, code, arguments: words } = JSON.parse(given) as { shell?: unknown; code?: unknown; arguments?: unknown };
    const command = shell ?? code ?? (Array.isArray(words) ? words.join(" ") : undefined);
    if (typeof command !== "string") return undefined;
    const said = result === undefined ? {} : (JSON.parse(result) as { output?: unknown; exitCode?: unknown; endedBecause?: unknown });
    const end = typeof said.exitCode === "number" && said.exitCode !== 0 ? t("step.exit_code", { code: said.exitCode }) : undefined;
    const shown = printed ?? (typeof said.output === "string" ? said.output : (result ?? ""));
    return { command, output: [shown, said.endedBecause, end].filter((part) => typeof part === "string").join("\n") };
  } catch {
    return undefined;
  }
}

// The file of a screenshot, which is shown unfolded; empty for other steps.
function pictureOf({ name, failed, result }: Step): string {
  if (name !== "browser_screenshot" || failed || result === undefined) return "";
  try {
    const { picture } = JSON.parse(result) as { picture?: unknown };
    return typeof picture === "string" && isImage(picture) ? picture : "";
  } catch {
    return "";
  }
}

// One step of an agent: folded to its name and duration, unfolded with what went in and what came out.
export function ToolStep({ agent, step }: { agent: Workspace; step: Step }) {
  const open = useSignal(false);
  const items = todoOf(step);
  if (items.length > 0) return <TodoList items={items} />;
  const state = step.result === undefined ? t("step.running") : step.failed ? t("step.failed") : duration(step.duration ?? 0);
  const command = commandOf(step);
  const runs = command !== undefined && step.result === undefined;
  const picture = pictureOf(step);
  if (picture && !agent.shared)
    return (
      <figure class="step-picture">
        <Link to={filesPath(agent, picture)}>
          <img src={rawUrl(agent, picture)} alt={t("step.picture")} loading="lazy" />
        </Link>
      </figure>
    );
  return (
    <details class={step.failed ? "step failed" : "step"} open={runs} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>
        <Icon name={step.failed ? "alert" : "next"} size={14} />
        <code>{step.name}</code> <span class="quiet">{state}</span>
        {step.name.startsWith("browser_") && step.result === undefined && !agent.shared && (
          <Link to={agentPath(agent.id, "browser")}>{t("browser.watch")}</Link>
        )}
      </summary>
      {!open.value && !runs ? null : command ? (
        <CodeBlock text={`$ ${command.command}\n${command.output}`} language={t("step.terminal")} syntax="" />
      ) : (
        <>
          <CodeBlock text={indented(step.arguments)} language={t("step.arguments")} syntax="json" />
          {step.result !== undefined && <CodeBlock text={indented(step.result)} language={t("step.result")} syntax="json" />}
        </>
      )}
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
