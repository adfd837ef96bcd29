import { call } from "../../api/client";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { PagedTable, usePages } from "../../parts/paged_table";

const pageSize = 100;

export default function EventsPage() {
  const pages = usePages(async (before?: string) => {
    const { events, next } = await call("GET /api/admin/security-events", { query: { limit: pageSize, before } });
    return { items: events, next: next ?? undefined };
  });
  return (
    <AdminFrame>
      <h1>{t("page.events")}</h1>
      <p class="quiet">{t("events.about")}</p>
      <PagedTable
        of={pages}
        title={t("page.events")}
        columns={[t("audit.at"), t("events.types"), t("audit.subject"), t("events.progress"), t("events.actions")]}
        view={{
          text: ({ events, subject, email, actions }) =>
            `${events.map(({ type }) => type).join(" ")} ${subject} ${email} ${actions.join(" ")}`,
          filter: {
            title: t("events.progress"),
            choices: (["pending", "done"] as const).map((value) => ({ value, title: t(`events.progress.${value}`) })),
            matches: ({ progress }, value) => progress === value,
          },
        }}
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
