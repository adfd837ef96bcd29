import { call } from "../../api/client";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Time } from "../../components/time";
import { AdminFrame, PagedTable } from "../../parts/admin_frame";

const pageSize = 100;

export default function EventsPage() {
  return (
    <AdminFrame>
      <p class="quiet">{t("events.about")}</p>
      <PagedTable
        title={t("page.events")}
        columns={[t("audit.at"), t("events.types"), t("audit.subject"), t("events.progress"), t("events.actions")]}
        load={async (before?: string) => {
          const { events, next } = await call("GET /api/admin/security-events", { query: { limit: pageSize, before } });
          return { items: events, next: next ?? undefined };
        }}
        text={({ events, subject, email, actions }) => `${events.map(({ type }) => type).join(" ")} ${subject} ${email} ${actions.join(" ")}`}
        row={({ id, receivedAt, events, subject, email, progress, actions }) => (
          <tr key={id}>
            <td>
              <Time at={receivedAt} />
            </td>
            <td>{events.map(({ type }) => type).join(", ")}</td>
            <td>
              <bdi>{email || subject}</bdi>
            </td>
            <td>
              <Badge tone={progress === "done" ? "good" : "busy"}>{named("events.progress", progress)}</Badge>
            </td>
            <td>{actions.join(", ") || "–"}</td>
          </tr>
        )}
      />
    </AdminFrame>
  );
}
