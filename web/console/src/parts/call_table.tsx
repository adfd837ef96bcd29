import type { Agent, ModelCall } from "../api/types";
import { duration, money, number } from "../app/format";
import { named, t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Time } from "../components/time";

// Single model calls, as the ledger has them.
export function CallTable({ calls, agents }: { calls: ModelCall[]; agents: Pick<Agent, "id" | "name">[] }) {
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? t("usage.deleted_agent");
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("usage.calls")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("usage.at")}</th>
            <th scope="col">{t("usage.agent")}</th>
            <th scope="col">{t("usage.model")}</th>
            <th scope="col">{t("usage.outcome")}</th>
            <th scope="col">{t("usage.tokens_in")}</th>
            <th scope="col">{t("usage.tokens_out")}</th>
            <th scope="col">{t("usage.cost")}</th>
            <th scope="col">{t("usage.latency")}</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((one) => (
            <tr key={one.id}>
              <td>
                <Time at={one.at} />
              </td>
              <td>
                <bdi>{one.agentId ? nameOf(one.agentId) : one.keyId ? t("usage.api_key") : "–"}</bdi>
              </td>
              <td>
                {one.model} {one.ownKey && <Badge>{t("usage.own_key")}</Badge>}
              </td>
              <td>{named("call", one.outcome)}</td>
              <td>{number(one.inputTokens)}</td>
              <td>{number(one.outputTokens)}</td>
              <td>{one.cost ? money(one.cost) : "–"}</td>
              <td>{duration(one.latencyMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
