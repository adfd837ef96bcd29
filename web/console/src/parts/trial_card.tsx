import { duration, money, number } from "../app/format";
import { t } from "../app/i18n";
import { Badge } from "../components/badge";
import { CopyButton } from "../components/copy_button";
import { Markdown } from "../components/markdown";
import { Notice } from "../components/notice";
import { Waiting } from "../components/waiting";
import type { Try } from "../playground";

interface Props {
  one: Try;
  name: string;
  isCheapest: boolean;
  isFastest: boolean;
}

// The answer of one model, as it comes, and then its figures.
export function TrialCard({ one, name, isCheapest, isFastest }: Props) {
  const { text, answer, error, busy, queued } = one;
  const done = answer.value;
  return (
    <li aria-busy={busy.value}>
      <header class="page-head">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {done && <CopyButton text={done.message} label={t("play.copy", { name })} />}
      </header>
      {(isCheapest || isFastest) && (
        <p class="facts">
          {isCheapest && <Badge tone="good">{t("play.cheapest")}</Badge>}
          {isFastest && <Badge tone="good">{t("play.fastest")}</Badge>}
        </p>
      )}
      {text.value && <Markdown text={text.value} />}
      {done && !done.message && <p class="quiet">{t("play.nothing_said")}</p>}
      {busy.value && <Waiting name={name} queued={queued.value} />}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {done && <Figures one={one} />}
    </li>
  );
}

function Figures({ one }: { one: Try }) {
  const { model, provider, cost, cached, estimated, latencyMs, timeToFirstTokenMs, inputTokens, outputTokens, finish } = one.answer.value!;
  const tokens = t("play.tokens", { input: number(inputTokens), output: number(outputTokens) });
  const rows: [string, string][] = [
    [t("usage.cost"), typeof cost === "string" ? money(cost) : t("play.no_price")],
    [t("usage.latency"), duration(latencyMs)],
    ...(typeof timeToFirstTokenMs === "number" ? ([[t("play.first_token"), duration(timeToFirstTokenMs)]] as [string, string][]) : []),
    [t("usage.tokens_title"), estimated ? t("play.estimated", { tokens }) : tokens],
    [t("play.served_by"), `${model} (${provider})`],
  ];
  return (
    <>
      <dl class="pairs">
        {rows.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {cached && <p class="quiet">{t("play.cached")}</p>}
      {finish === "length" && <p class="cause">{t("play.cut")}</p>}
      {finish === "content_filter" && <p class="cause">{t("play.filtered")}</p>}
    </>
  );
}
