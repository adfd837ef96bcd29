import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { AuditEntry } from "../../api/types";
import { csv, download } from "../../app/download";
import { number } from "../../app/format";
import { t, tn } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Icon } from "../../components/icon";
import { Link } from "../../components/link";
import { selected, type View } from "../../components/list_tools";
import { Menu } from "../../components/menu";
import { Notice } from "../../components/notice";
import { Time } from "../../components/time";
import { actInWords } from "../../audit_acts";
import { useAttempts } from "../../parts/actions";
import { AdminFrame } from "../../parts/admin_frame";
import { PagedTable, usePages } from "../../parts/paged_table";
import { useUserNames } from "../../parts/user_names";

const pageSize = 200;
const exported = 10_000; // entries in one request

const view = (): View<AuditEntry> => ({
  text: ({ act, outcome, subject, address, userId, by, as }) => [act, outcome, subject, address, userId, by, as].filter(Boolean).join(" "),
  sorts: { at: ({ id }) => id, act: ({ act }) => actInWords(act), subject: ({ subject }) => subject, address: ({ address }) => address },
  by: "-at",
  filter: {
    title: t("audit.outcome"),
    choices: [
      { value: "ok", title: t("audit.succeeded") },
      { value: "failed", title: t("audit.failed") },
    ],
    matches: ({ outcome }, value) => (outcome === "ok") === (value === "ok"),
  },
});

export default function AuditPage() {
  const pages = usePages(async (before?: number) => {
    const { entries, next } = await call("GET /api/admin/audit", { query: { limit: pageSize, before } });
    return { items: entries, next: next ?? undefined };
  });
  const users = useUserNames();
  const columns = [
    { title: t("audit.at"), sort: "at" },
    { title: t("audit.action"), sort: "act" },
    { title: t("audit.outcome") },
    { title: t("audit.user") },
    { title: t("audit.subject"), sort: "subject" },
    { title: t("audit.address"), sort: "address" },
    { title: t("audit.by") },
  ];
  const save = () => {
    const rows = selected([...(pages.items.value ?? [])], view());
    const cells = rows.map((one) => [one.at, one.act, one.outcome, one.userId ?? "", one.subject, one.address, byOf(one)]);
    download("audit.csv", csv([columns.map(({ title }) => title), ...cells]), "text/csv");
  };
  return (
    <AdminFrame>
      <Chain onCsv={save} />
      <p class="quiet">{t("audit.about")}</p>
      <PagedTable
        of={pages}
        title={t("page.audit")}
        columns={columns}
        view={view()}
        row={(one) => (
          <tr key={one.id}>
            <td>
              <Time at={one.at} />
            </td>
            <td title={one.act}>{actInWords(one.act)}</td>
            <td>
              <Badge tone={one.outcome === "ok" ? "good" : "bad"}>{t(one.outcome === "ok" ? "audit.succeeded" : "audit.failed")}</Badge>
            </td>
            <td>
              {one.userId ? (
                <Link to={`/admin/users?user=${encodeURIComponent(one.userId)}`}>
                  <bdi>{users.data.value?.get(one.userId) ?? one.userId}</bdi>
                </Link>
              ) : (
                "–"
              )}
            </td>
            <td>
              <bdi>{one.subject}</bdi>
            </td>
            <td>{one.address}</td>
            <td>
              <bdi>{byOf(one) || "–"}</bdi>
            </td>
          </tr>
        )}
      />
    </AdminFrame>
  );
}

const byOf = ({ by, as }: AuditEntry) => [by, as && `(${as})`].filter(Boolean).join(" ");

// The whole log: whether it is as it was written, and its export, with which others can check that.
function Chain({ onCsv }: { onCsv: () => void }) {
  const said = useSignal("");
  const problem = useSignal("");
  const { busy, error, run } = useAttempts();
  const verify = async () => {
    said.value = problem.value = "";
    const found = await call("GET /api/admin/audit/verify");
    if (found.ok) said.value = tn("audit.verified", found.entries);
    else problem.value = t("audit.broken", { what: found.problem?.what ?? "", entry: number(found.problem?.entry ?? 0) });
  };
  const save = async () => {
    const parts = [];
    for (let after: number | undefined; ; ) {
      const part = await call("GET /api/admin/audit/export", { query: { limit: exported, after } });
      parts.push(part);
      if (typeof part.next !== "number") break;
      after = part.next;
    }
    const heads = new Map(parts.flatMap((part) => part.heads).map((head) => [`${head.kind} ${head.entry}`, head]));
    const whole = { ...parts[0], entries: parts.flatMap(({ entries }) => entries), heads: [...heads.values()], next: undefined };
    download("audit.json", JSON.stringify(whole, null, 1), "application/json");
  };
  return (
    <>
      <div class="page-head">
        <h1>{t("page.audit")}</h1>
        <div class="actions">
          <Button disabled={busy.value} onClick={() => void run({ title: "", run: verify })}>
            {busy.value ? t("state.working") : t("audit.verify")}
          </Button>
          <Menu
            label={t("audit.tools")}
            class="ghost icon-only"
            items={[
              { title: t("audit.csv"), run: onCsv },
              { title: t("audit.export"), disabled: busy.value, run: () => run({ title: "", run: save }) },
            ]}
          >
            <Icon name="download" />
          </Menu>
        </div>
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {said.value && <Notice kind="hint">{said.value}</Notice>}
      {problem.value && <Notice kind="error">{problem.value}</Notice>}
    </>
  );
}
