import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call, sentence, url_of } from "../../api/client";
import type { Agent, LogLine } from "../../api/types";
import { download } from "../../app/download";
import { clock, dateTime } from "../../app/format";
import { t, tn } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { parameter, setParameter } from "../../app/router";
import { Button } from "../../components/button";
import { Notice } from "../../components/notice";
import { AgentFrame } from "../../parts/agent_frame";

export default function LogsPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="logs" fill>
      {(agent) => <Logs agent={agent} />}
    </AgentFrame>
  );
}

// Lines that stay on the page; older ones go.
const kept = 5_000;
const tail = 500;
const mostDownloaded = 5_000;
// Closer to the end than this many pixels, the view follows.
const following = 60;

function Logs({ agent }: { agent: Agent }) {
  const lines = useSignal<LogLine[]>([]);
  const waiting = useSignal<LogLine[]>([]); // arrived while paused
  const paused = useSignal(false);
  const state = useSignal<"connecting" | "open" | "ended">("connecting");
  const gap = useSignal(false);
  const error = useSignal("");
  const view = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);

  useEffect(() => {
    let source: EventSource | undefined;
    // Lines that arrive together are drawn together.
    let arrived: LogLine[] = [];
    let frame = 0;
    const flush = () => {
      frame = 0;
      const target = paused.peek() ? waiting : lines;
      target.value = [...target.peek(), ...arrived].slice(-kept);
      arrived = [];
    };
    source = new EventSource(url_of("GET /api/logs/{agentId}/stream", { path: { agentId: agent.id }, query: { tail } }));
    source.addEventListener("ready", () => (state.value = "open"));
    source.addEventListener("log", (event) => {
      arrived.push(JSON.parse((event as MessageEvent<string>).data) as LogLine);
      frame ||= requestAnimationFrame(flush);
    });
    source.addEventListener("skipped", () => (gap.value = true));
    source.addEventListener("end", () => {
      state.value = "ended";
      source?.close();
    });
    // The browser connects again by itself, behind the last line, unless the box has refused it.
    source.onerror = () => (state.value = source?.readyState === EventSource.CLOSED ? "ended" : "connecting");
    return () => {
      source?.close();
      cancelAnimationFrame(frame);
    };
  }, [agent.id, agent.status]);

  const search = parameter("q");
  const level = parameter("level");
  const checks = parameter("checks") !== "";
  const inSearch = search ? lines.value.filter(({ text }) => text.toLocaleLowerCase().includes(search.toLocaleLowerCase())) : lines.value;
  const found = inSearch
    .map((line) => ({ line, entry: entryOf(line) }))
    .filter(({ entry }) => (checks || !entry.isCheck) && (!level || rankOf(entry.level) >= rankOf(level)));
  useEffect(() => {
    if (atEnd.current && view.current) view.current.scrollTop = view.current.scrollHeight;
  }, [lines.value, search, level, checks]);

  const pause = () => {
    paused.value = !paused.value;
    if (paused.value) return;
    lines.value = [...lines.value, ...waiting.value].slice(-kept);
    waiting.value = [];
  };
  const save = async () => {
    error.value = "";
    try {
      download(`${agent.name}.log`, await recentLog(agent.id));
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  const states = useComputed(() => t(`logs.${state.value}`));
  return (
    <div class="logs">
      <div class="list-tools" role="search" aria-label={t("logs.tools")}>
        <input
          type="search"
          aria-label={t("logs.search")}
          placeholder={t("logs.search")}
          value={search}
          onInput={(event) => setParameter("q", event.currentTarget.value)}
        />
        <select aria-label={t("logs.level")} value={level} onChange={(event) => setParameter("level", event.currentTarget.value)}>
          <option value="">{t("logs.all_levels")}</option>
          {chosenLevels.map((one) => (
            <option key={one} value={one}>
              {t(`logs.level.${one}` as "logs.level.info")}
            </option>
          ))}
        </select>
        <label class="choice">
          <input type="checkbox" checked={checks} onChange={(event) => setParameter("checks", event.currentTarget.checked ? "1" : "")} />
          {t("logs.checks")}
        </label>
        <Button pressed={paused.value} onClick={pause}>
          {paused.value ? t("logs.resume") : t("logs.pause")}
        </Button>
        <Button onClick={() => void save()}>{t("logs.download")}</Button>
        <span class="quiet" role="status">
          {paused.value && waiting.value.length > 0 ? tn("logs.waiting", waiting.value.length) : states}
        </span>
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {gap.value && <Notice kind="hint">{t("logs.gap")}</Notice>}
      <div
        ref={view}
        class="log-view"
        role="log"
        aria-live="off"
        aria-label={t("logs.label", { name: agent.name })}
        tabIndex={0}
        dir="ltr"
        onScroll={() => {
          const { scrollTop, scrollHeight, clientHeight } = view.current!;
          atEnd.current = scrollHeight - scrollTop - clientHeight < following;
        }}
      >
        {found.map(({ line, entry }) => (
          <Line key={line.id} line={line} entry={entry} />
        ))}
        {found.length === 0 && <p class="quiet">{lines.value.length ? t("logs.no_match") : t("logs.empty")}</p>}
      </div>
    </div>
  );
}

const chosenLevels = ["info", "warn", "error"];
const levels = ["trace", "debug", "info", "warn", "error", "fatal"];
const rankOf = (level: string) => Math.max(levels.indexOf(level === "warning" ? "warn" : level), 0);

// Fields that have a column of their own.
const headFields = "level lvl severity ts time timestamp at".split(" ");

interface Entry {
  level: string; // empty: the line does not say
  event: string; // what happened, or the whole line
  rest: [name: string, value: string][];
  isCheck: boolean; // somebody asked whether the agent is well
}

// A line of JSON, as programs write their logs, in its parts. Any other line is its own event.
function entryOf({ text }: LogLine): Entry {
  const plain = { level: "", event: text, rest: [], isCheck: /\/(healthz|health|ready)\b/.test(text) && text.length < 300 };
  if (!text.startsWith("{")) return plain;
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return plain;
  }
  const word = (...names: string[]) => names.map((name) => fields[name]).find((value) => typeof value === "string") as string | undefined;
  const level = (word("level", "lvl", "severity") ?? "").toLowerCase();
  const event = word("event", "msg", "message") ?? "";
  const used = new Set([...headFields, fields.event ? "event" : fields.msg ? "msg" : "message"]);
  const rest = Object.entries(fields)
    .filter(([name]) => !used.has(name))
    .map(([name, value]): [string, string] => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  return { ...plain, level, event: event || text, rest };
}

const tones: Record<string, string> = { warn: "busy", warning: "busy", error: "bad", fatal: "bad", info: "good" };

function Line({ line, entry: { level, event, rest } }: { line: LogLine; entry: Entry }) {
  return (
    <details class="log-line">
      <summary>
        {line.at ? (
          <time dateTime={line.at} title={dateTime(line.at)}>
            {clock(line.at)}
          </time>
        ) : (
          <span />
        )}
        <span class={`log-level status ${tones[level] ?? "rest"}`} title={level}>
          <span class="dot" aria-hidden="true" />
          <span class="unseen">{level}</span>
        </span>
        <span class="log-text">
          <strong>{event}</strong>{" "}
          {rest.map(([name, value]) => (
            <span key={name} class="quiet">
              {name}={value}{" "}
            </span>
          ))}
        </span>
      </summary>
      <pre>{line.text}</pre>
    </details>
  );
}

// The newest lines that the box keeps, up to the most that one request returns.
async function recentLog(agentId: string): Promise<string> {
  const { lines } = await call("GET /api/logs/{agentId}/history", { path: { agentId }, query: { limit: mostDownloaded } });
  return `${lines.map(({ at, text }) => (at ? `${at} ${text}` : text)).join("\n")}\n`;
}
