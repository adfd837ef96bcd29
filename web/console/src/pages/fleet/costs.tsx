// What each agent cost, of all time or in a month.
import { useEffect } from "preact/hooks";
import { nameOf, refresh } from "../../agents";
import { type Answer, call } from "../../api/client";
import { money, month } from "../../app/format";
import { named, t } from "../../app/i18n";
import { agentPath } from "../../app/pages";
import { parameter, setParameter } from "../../app/router";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Meter } from "../../components/meter";
import { Reload } from "../../components/reload";
import { Table } from "../../components/table";
import { lastMonths } from "../../parts/months";
import { FleetFrame } from "../../parts/fleet_frame";

export default function CostsPage() {
  const period = parameter("period");
  const costs = useLoad(() => call("GET /api/mission-control/fleet/costs", { query: { ...(period && { period }) } }), [period]);
  useRefreshOnReturn(costs);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <FleetFrame>
      <div class="page-head">
        <select
          aria-label={t("limits.period")}
          class="short"
          value={period}
          onChange={(event) => setParameter("period", event.currentTarget.value)}
        >
          <option value="">{t("trace.all_time")}</option>
          {lastMonths().map((name) => (
            <option key={name} value={name}>
              {month(name)}
            </option>
          ))}
        </select>
        <Reload of={costs} />
      </div>
      <Loaded of={costs}>
        {(rows) => (rows.length === 0 ? <EmptyState title={t("costs.empty")} text={t("costs.empty_text")} /> : <CostList rows={rows} />)}
      </Loaded>
    </FleetFrame>
  );
}

type Row = Answer<"GET /api/mission-control/fleet/costs">[number];

const title = (id: string) => (id === "" ? t("fleet.no_agent") : nameOf(id) || t("usage.deleted_agent"));

function CostList({ rows }: { rows: Row[] }) {
  const most = Math.max(...rows.map(({ total_spend }) => Number(total_spend)));
  return (
    <List
      items={rows}
      label={t("costs.tools")}
      view={{
        text: ({ agent_id }) => title(agent_id),
        sorts: {
          agent: ({ agent_id }) => title(agent_id),
          category: ({ category }) => named("costs.category", category),
          cost: ({ total_spend }) => Number(total_spend),
        },
        by: "-cost",
      }}
    >
      {(found) => (
        <Table
          title={t("page.costs")}
          by="-cost"
          columns={[
            { title: t("usage.agent"), sort: "agent" },
            { title: t("costs.category"), sort: "category" },
            { title: t("usage.cost"), align: "end", sort: "cost" },
            t("costs.share"),
          ]}
        >
          {found.map(({ agent_id, category, total_spend }) => (
            <tr key={`${agent_id} ${category}`}>
              <th scope="row">
                {nameOf(agent_id) ? (
                  <Link to={agentPath(agent_id, "usage")} entry>
                    <bdi>{title(agent_id)}</bdi>
                  </Link>
                ) : (
                  title(agent_id)
                )}
              </th>
              <td>{named("costs.category", category)}</td>
              <td>{money(total_spend)}</td>
              <td class="bar-cell">
                <Meter plain label={title(agent_id)} share={most > 0 ? Number(total_spend) / most : 0} text={money(total_spend)} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </List>
  );
}
