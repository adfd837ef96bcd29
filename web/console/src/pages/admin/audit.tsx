import { call } from "../../api/client";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Time } from "../../components/time";
import { AdminFrame, PagedTable } from "../../parts/admin_frame";

const pageSize = 100;

export default function AuditPage() {
  return (
    <AdminFrame>
      <p class="quiet">{t("audit.about")}</p>
      <PagedTable
        title={t("page.audit")}
        columns={[t("audit.at"), t("audit.act"), t("audit.outcome"), t("audit.user"), t("audit.subject"), t("audit.address")]}
        load={async (before?: number) => {
          const { entries, next } = await call("GET /api/admin/audit", { query: { limit: pageSize, before } });
          return { items: entries, next: next ?? undefined };
        }}
        text={({ act, outcome, subject, address, userId }) => `${act} ${outcome} ${subject} ${address} ${userId ?? ""}`}
        row={({ id, at, act, outcome, userId, subject, address }) => (
          <tr key={id}>
            <td>
              <Time at={at} />
            </td>
            <td>{act}</td>
            <td>
              <Badge tone={outcome === "ok" ? "good" : "bad"}>{outcome}</Badge>
            </td>
            <td>{userId ?? "–"}</td>
            <td>
              <bdi>{subject}</bdi>
            </td>
            <td>{address}</td>
          </tr>
        )}
      />
    </AdminFrame>
  );
}
