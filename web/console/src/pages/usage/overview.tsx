import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { call } from "../../api/client";
import { money } from "../../app/format";
import { t } from "../../app/i18n";
import { agentPath } from "../../app/pages";
import { Loaded, useLoad } from "../../components/loaded";
import { PlanCard } from "../../parts/plan_card";
import { UsageFrame } from "../../parts/usage_frame";
import { RangeChoice, UsageReport } from "../../parts/usage_report";
import { loadCalls } from "../../usage_data";

export default function UsagePage() {
  const calls = useLoad(() => loadCalls());
  const caps = useLoad(async () => (await call("GET /api/caps")).caps);
  const cost = useLoad(() => call("GET /api/dashboard/cost"));
  useEffect(() => void refresh().catch(() => undefined), []);
  const own = cost.data.value?.ownKeys.total;
  return (
    <UsageFrame aside={<RangeChoice />}>
      {own && Number(own) > 0 && <p class="quiet">{t("usage.own_keys_total", { total: money(own) })}</p>}
      <Loaded of={calls}>
        {(found) => (
          <UsageReport
            data={found}
            agents={agents.value ?? []}
            limit={caps.data.value?.find(({ scope, usd }) => (scope === "user" || scope === "plan") && usd)}
            linkTo={(id) => (agents.value?.some((agent) => agent.id === id) ? agentPath(id, "usage") : "")}
          />
        )}
      </Loaded>
      <PlanCard />
    </UsageFrame>
  );
}
