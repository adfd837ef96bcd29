// What an agent has and does, beside its conversation: files, memory, planned work, and the trace of its newest answer.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../api/client";
import { useLive } from "../api/live";
import type { Agent, Span, TreeNode } from "../api/types";
import { duration, money, relative } from "../app/format";
import { type Key, t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Button } from "../components/button";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { conversation, type Talk } from "../conversation";
import { cronWords } from "./cron_words";

const panes = ["trace", "files", "memory", "runs"] as const;
type Pane = (typeof panes)[number];
const titles: Record<Pane, Key> = { trace: "page.trace", files: "page.files", memory: "page.memory", runs: "page.schedule" };

const stored = "agentbox.inspector";
const remembered = localStorage.getItem(stored) ?? "trace";
// What is open; empty: nothing.
const pane = signal<Pane | "">(panes.find((one) => one === remembered) ?? "");

function choose(wanted: Pane | "") {
  pane.value = wanted;
  localStorage.setItem(stored, wanted || "closed");
}

export function InspectorButton() {
  const label = t(pane.value ? "inspector.hide" : "inspector.show");
  return (
    <Button kind="ghost" class="icon-only inspector-button" label={label} title={label} onClick={() => choose(pane.value ? "" : "trace")}>
      <Icon name="panel" />
    </Button>
  );
}

export function Inspector({ agent, talk }: { agent: Agent; talk: Talk }) {
  if (!pane.value) return null;
  return (
    <aside class="inspector" aria-label={t("inspector.title", { name: agent.name })}>
      <div class="segments" role="group" aria-label={t("inspector.panes")}>
        {panes.map((one) => (
          <Button key={one} kind="ghost" class="small" pressed={pane.value === one} onClick={() => choose(one)}>
            {t(titles[one])}
          </Button>
        ))}
      </div>
      {pane.value === "trace" && <TracePane key={agent.id} agent={agent} talk={talk} />}
      {pane.value === "files" && <FilesPane key={agent.id} agent={agent} />}
      {pane.value === "memory" && <MemoryPane key={agent.id} agent={agent} />}
      {pane.value === "runs" && <RunsPane key={agent.id} agent={agent} />}
    </aside>
  );
}

// Milliseconds between two looks while an answer is on its way.
const pace = 1_000;

// The newest trace of the agent; while it answers, the spans that have begun.
function TracePane({ agent, talk }: { agent: Agent; talk: Talk }) {
  const waiting = conversation(talk).waiting.value;
  const newest = useLoad(async () => {
    const { traces, running } = await call("GET /api/traces", { query: { agent: agent.id, limit: 1 } });
    const own = running.filter(({ agentId }) => agentId === agent.id) as Span[];
    const id = own[0]?.traceId ?? traces[0]?.id;
    const trace = id ? await call("GET /api/traces/{id}", { path: { id } }).catch(() => undefined) : undefined;
    return { id, running: own, spans: trace ? flat(trace.spans as unknown as Span[]) : [] };
  }, [agent.id, waiting]);
  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => document.hidden || void newest.reload(), pace);
    return () => clearInterval(timer);
  }, [waiting]);
  return (
    <Loaded of={newest}>
      {({ id, running, spans }) => {
        const all = spans.length > 0 ? spans : running;
        if (!id || all.length === 0) return <p class="quiet">{t("inspector.no_trace")}</p>;
        return (
          <>
            <Bars spans={all} />
            <Link to={`/fleet/traces/${encodeURIComponent(id)}`}>{t("inspector.whole_trace")}</Link>
          </>
        );
      }}
    </Loaded>
  );
}

function flat(spans: Span[]): Span[] {
  const found: Span[] = [];
  const open = [...spans].reverse();
  for (let span = open.pop(); span; span = open.pop()) {
    found.push(span);
    open.push(...[...(span.children ?? [])].reverse());
  }
  return found;
}

// The most that are drawn here.
const mostBars = 30;

function Bars({ spans }: { spans: Span[] }) {
  const begin = (span: Span) => new Date(span.startedAt).getTime();
  const end = (span: Span) => (typeof span.durationMs === "number" ? begin(span) + span.durationMs : Date.now());
  const start = Math.min(...spans.map(begin));
  const total = Math.max(...spans.map(end), start + 1) - start;
  const share = (milliseconds: number) => Math.max((milliseconds / total) * 100, 0.8);
  return (
    <ol class="trace-bars">
      {spans.slice(0, mostBars).map((span) => (
        <li key={span.id}>
          <p>
            <bdi>{span.name}</bdi>
            <span class="quiet">
              {typeof span.durationMs === "number" ? duration(span.durationMs) : t("step.running")}
              {Number(span.cost) > 0 && ` · ${money(span.cost)}`}
            </span>
          </p>
          <svg class="waterfall-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect class="track" width="100" height="4" />
            <rect
              class={`fill ${span.status === "error" ? "bad" : span.type}`}
              x={Math.min(((begin(span) - start) / total) * 100, 99)}
              width={share(end(span) - begin(span))}
              height="4"
            />
          </svg>
        </li>
      ))}
    </ol>
  );
}

const mostFiles = 40;

function files(node: TreeNode): TreeNode[] {
  return node.type === "file" ? [node] : (node.children ?? []).flatMap(files);
}

function FilesPane({ agent }: { agent: Agent }) {
  const tree = useLoad(() => call("GET /api/agents/{id}/files/tree", { path: { id: agent.id }, query: { depth: 3 } }), [agent.id]);
  useLive(["message"], tree.reload, ({ id }) => id === agent.id);
  return (
    <>
      <Loaded of={tree}>
        {({ root }) => {
          const found = files(root as unknown as TreeNode);
          return found.length === 0 ? (
            <p class="quiet">{t("inspector.no_files")}</p>
          ) : (
            <ul class="inspector-list">
              {found.slice(0, mostFiles).map(({ path }) => (
                <li key={path}>
                  <Link to={`${agentPath(agent.id, "files")}?path=${encodeURIComponent(path)}`}>
                    <bdi>{path}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <Link to={agentPath(agent.id, "files")}>{t("inspector.all_files")}</Link>
    </>
  );
}

function MemoryPane({ agent }: { agent: Agent }) {
  const facts = useLoad(async () => (await call("GET /api/memory", { query: { agentId: agent.id } })).memories, [agent.id]);
  useLive(["message"], facts.reload, ({ id }) => id === agent.id);
  return (
    <>
      <Loaded of={facts}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{t("inspector.no_memory")}</p>
          ) : (
            <ul class="inspector-list">
              {list.slice(0, mostFiles).map(({ id, text }) => (
                <li key={id} dir="auto">
                  {text}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Link to={agentPath(agent.id, "memory")}>{t("inspector.all_memory")}</Link>
    </>
  );
}

function RunsPane({ agent }: { agent: Agent }) {
  const tasks = useLoad(async () => (await call("GET /api/scheduled-tasks", { query: { agentId: agent.id } })).tasks, [agent.id]);
  useLive(["run"], tasks.reload, ({ agentId }) => agentId === agent.id);
  return (
    <>
      <Loaded of={tasks}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{t("schedules.empty")}</p>
          ) : (
            <ul class="inspector-list">
              {list.map(({ id, name, cronSchedule, timezone, nextRun, enabled }) => (
                <li key={id}>
                  <bdi>{name}</bdi>
                  <p class="quiet">
                    {cronWords(cronSchedule, timezone)}
                    {enabled && nextRun && ` · ${relative(nextRun)}`}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Link to={agentPath(agent.id, "schedule")}>{t("page.schedule")}</Link>
    </>
  );
}
