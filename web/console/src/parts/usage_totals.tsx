import type { UsageRow } from "../api/types";
import { compact, money, number } from "../app/format";
import { t } from "../app/i18n";

// The figures of a period.
export function Totals({ usage }: { usage: UsageRow["usage"] }) {
  const figures: [string, string][] = [
    [t("usage.cost"), money(usage.cost)],
    [t("usage.calls"), number(usage.calls)],
    [t("usage.tokens_in"), compact(usage.inputTokens)],
    [t("usage.tokens_out"), compact(usage.outputTokens)],
    [t("usage.failed"), number(usage.failed)],
  ];
  return (
    <dl class="figures">
      {figures.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
