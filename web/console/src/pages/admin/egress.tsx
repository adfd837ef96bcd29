import { call } from "../../api/client";
import { t } from "../../app/i18n";
import { bytes, number } from "../../app/format";
import { Badge } from "../../components/badge";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { PagedTable, usePages } from "../../parts/paged_table";
import { Policy } from "../../parts/egress_policy";
import { useAgentNames, useUserNames } from "../../parts/user_names";

const pageSize = 200;

export default function EgressPage() {
  const pages = usePages(async (before?: string) => {
    const { lines, next } = await call("GET /api/egress", { query: { limit: pageSize, before } });
    return { items: lines, next: next ?? undefined };
  });
  const users = useUserNames();
  const agents = useAgentNames();
  return (
    <AdminFrame>
      <h1>{t("page.egress")}</h1>
      <p class="quiet">{t("egress.about")}</p>
      <Policy />
      <PagedTable
        of={pages}
        title={t("page.egress")}
        empty={{ title: t("egress.empty"), text: t("egress.empty_text") }}
        columns={[
          t("egress.hour"),
          t("egress.asker"),
          t("egress.to"),
          t("egress.setting"),
          { title: t("egress.calls"), align: "end" },
          { title: t("egress.out"), align: "end" },
          { title: t("egress.in"), align: "end" },
        ]}
        view={{
          text: ({ part, userId, agentId, host, port, setting }) => `${part} ${userId ?? ""} ${agentId ?? ""} ${host}:${port} ${setting}`,
          filter: {
            title: t("egress.outcome"),
            choices: (["admitted", "refused"] as const).map((value) => ({ value, title: t(`egress.${value}`) })),
            matches: ({ calls, refused }, value) => (value === "refused" ? refused > 0 : calls > 0),
          },
        }}
        row={({ id, hour, part, userId, agentId, host, port, setting, calls, refused, bytesOut, bytesIn }) => (
          <tr key={id}>
            <td>
              <Time at={hour} />
            </td>
            <td>
              <bdi>
                {[
                  part,
                  agentId && (agents.data.value?.get(agentId) ?? agentId),
                  userId && (users.data.value?.get(userId) ?? t("egress.user", { id: userId })),
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </bdi>
            </td>
            <td>
              <bdi>{host === "*" ? t("egress.others") : `${host}:${port}`}</bdi>
            </td>
            <td>{setting}</td>
            <td>
              {number(calls)} {refused > 0 && <Badge tone="bad">{t("egress.refused_count", { count: number(refused) })}</Badge>}
            </td>
            <td>{bytes(bytesOut)}</td>
            <td>{bytes(bytesIn)}</td>
          </tr>
        )}
      />
    </AdminFrame>
  );
}
