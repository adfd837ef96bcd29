// One trace as a waterfall: what happened when, and below what.
import { call } from "../../api/client";
import type { Span } from "../../api/types";
import { duration, money, number } from "../../app/format";
import { named, t } from "../../app/i18n";
import { agentPath, type PageProps } from "../../app/pages";
import { Badge } from "../../components/badge";
import { CodeBlock } from "../../components/code_block";
import { Link } from "../../components/link";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Reload } from "../../components/reload";
import { Table } from "../../components/table";
import { Time } from "../../components/time";
import { FleetFrame } from "../../parts/fleet_frame";

export default function TracePage({ id }: PageProps) {
  const trace = useLoad(() => call("GET /api/traces/{id}", { path: { id } }), [id]);
  useRefreshOnReturn(trace);
  return (
    <FleetFrame>
      <p>
        <Link to="/fleet/traces">{t("trace.back")}</Link>
      </p>
      <Loaded of={trace}>
        {({ trace: whole, spans, truncated }) => (
          <>
            <div class="page-head">
              <h2>
                <bdi>{whole.name}</bdi>
              </h2>
              <Reload of={trace} />
            </div>
            <p class="facts">
              <span>{named("trace.type", whole.type)}</span>
              {whole.agentId && !whole.foreign ? (
                <Link to={agentPath(whole.agentId)}>
                  <bdi>{whole.agentName ?? whole.agentId}</bdi>
                </Link>
              ) : (
                <bdi>{whole.agentName ?? t("fleet.no_agent")}</bdi>
              )}
              <Time at={whole.startedAt} />
              <span>{duration(whole.durationMs)}</span>
              <span>{money(whole.cost)}</span>
            </p>
            {truncated && <Notice kind="hint">{t("trace.truncated")}</Notice>}
            <Waterfall spans={spans as unknown as Span[]} />
          </>
        )}
      </Loaded>
    </FleetFrame>
  );
}

interface Line {
  span: Span;
  level: number;
}

// The tree as lines, each below its parent. Without recursion: a trace from elsewhere may be as deep as it likes.
function linesOf(roots: Span[]): Line[] {
  const lines: Line[] = [];
  const open: Line[] = roots.toReversed().map((span) => ({ span, level: 0 }));
  for (let line = open.pop(); line; line = open.pop()) {
    lines.push(line);
    for (const child of line.span.children.toReversed()) open.push({ span: child, level: line.level + 1 });
  }
  return lines;
}

const deepest = 12; // of the indentation
const time = (span: Span) => new Date(span.startedAt).getTime();

function Waterfall({ spans }: { spans: Span[] }) {
  const lines = linesOf(spans);
  const start = Math.min(...lines.map(({ span }) => time(span)));
  const end = Math.max(...lines.map(({ span }) => time(span) + (span.durationMs ?? 0)), start + 1);
  return (
    <Table title={t("trace.waterfall")} columns={[t("trace.span"), t("usage.latency"), t("trace.when")]}>
      {lines.map(({ span, level }) => {
        const from = ((time(span) - start) / (end - start)) * 100;
        const share = ((span.durationMs ?? 0) / (end - start)) * 100;
        return (
          <tr key={span.id}>
            <th scope="row" class="span-name">
              <span aria-hidden="true">{"\u2003".repeat(Math.min(level, deepest))}</span>
              <SpanName span={span} level={level} />
            </th>
            <td>{typeof span.durationMs === "number" ? duration(span.durationMs) : "–"}</td>
            <td class="waterfall">
              <svg
                viewBox="0 0 100 4"
                preserveAspectRatio="none"
                role="img"
                aria-label={t("trace.begins", { offset: duration(time(span) - start) })}
              >
                <rect class="track" width="100" height="4" />
                <rect
                  class={`fill ${span.status === "error" ? "bad" : span.type}`}
                  x={Math.min(from, 99.5)}
                  width={Math.max(share, 0.5)}
                  height="4"
                />
              </svg>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function SpanName({ span, level }: Line) {
  const attributes = Object.entries(span.attributes ?? {});
  const facts: [string, string | null | undefined][] = [
    [t("usage.agent"), span.agentName],
    [t("usage.model"), span.model && span.provider ? `${span.model} (${span.provider})` : span.model],
    [t("usage.tokens_in"), typeof span.inputTokens === "number" ? number(span.inputTokens) : null],
    [t("usage.tokens_out"), typeof span.outputTokens === "number" ? number(span.outputTokens) : null],
    [t("usage.cost"), Number(span.cost) > 0 ? money(span.cost) : null],
  ];
  return (
    <details>
      <summary>
        <span class="unseen">{t("trace.level", { level: number(level + 1) })}</span>
        <bdi>{span.name}</bdi> <Badge>{named("trace.type", span.type)}</Badge>{" "}
        {span.status !== "success" && <Badge tone={span.status === "error" ? "bad" : "busy"}>{named("trace.status", span.status)}</Badge>}
      </summary>
      {span.error && (
        <p class="cause">
          <bdi>{span.error}</bdi>
        </p>
      )}
      <dl class="pairs">
        {facts.map(
          ([title, value]) =>
            value && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
      {attributes.length > 0 && <CodeBlock text={JSON.stringify(span.attributes, null, 2)} language="JSON" />}
    </details>
  );
}
