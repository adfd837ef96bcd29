import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Invite } from "../../api/types";
import { number } from "../../app/format";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { NewInvitation } from "../../parts/new_invitation";
import { PagedTable, usePages } from "../../parts/paged_table";
import { confirmed } from "../../step_up";

const pageSize = 100;
const stateOf = ({ uses, used, expiresAt }: Invite) => (new Date(expiresAt) < new Date() ? "expired" : used >= uses ? "used" : "open");

export default function InvitationsPage() {
  const revoking = useSignal<Invite | null>(null);
  const creating = useSignal(false);
  const pages = usePages(async (after?: string) => {
    const { invites, next } = await call("GET /api/admin/invites", { query: { limit: pageSize, after } });
    return { items: invites, next: next ?? undefined };
  });
  return (
    <AdminFrame>
      <div class="page-head">
        <h1>{t("page.invitations")}</h1>
        <Button kind="primary" onClick={() => (creating.value = true)}>
          {t("invites.new")}
        </Button>
      </div>
      <p class="quiet">{t("invites.about")}</p>
      <PagedTable
        of={pages}
        title={t("page.invitations")}
        empty={{ title: t("invites.empty"), text: t("invites.about") }}
        columns={[
          { title: t("invites.note"), sort: "note" },
          t("users.state"),
          { title: t("invites.uses"), align: "end", sort: "uses" },
          t("users.plan"),
          t("invites.group"),
          { title: t("invites.expires"), sort: "expires" },
          { title: t("admin_agents.actions"), hidden: true, align: "end" },
        ]}
        view={{
          text: ({ note, plan, groupName, id }) => `${note} ${plan ?? ""} ${groupName ?? ""} ${id}`,
          sorts: {
            made: ({ createdAt }) => createdAt,
            note: ({ note }) => note,
            uses: ({ used }) => used,
            expires: ({ expiresAt }) => expiresAt,
          },
          by: "-made",
          filter: {
            title: t("users.state"),
            choices: (["open", "used", "expired"] as const).map((value) => ({ value, title: t(`invites.${value}`) })),
            matches: (invite, value) => stateOf(invite) === value,
          },
        }}
        row={(invite) => (
          <tr key={invite.id}>
            <th scope="row">
              <bdi>{invite.note || "–"}</bdi>
            </th>
            <td>
              <Badge tone={stateOf(invite) === "open" ? "good" : ""}>{t(`invites.${stateOf(invite)}`)}</Badge>
            </td>
            <td>
              {number(invite.used)} / {number(invite.uses)}
            </td>
            <td>{invite.plan ?? "–"}</td>
            <td>
              <bdi>{invite.groupName ?? "–"}</bdi>
            </td>
            <td>
              <Time at={invite.expiresAt} />
            </td>
            <td>
              <Button
                kind="danger"
                label={t("invites.revoke_this", { note: invite.note || invite.id })}
                onClick={() => (revoking.value = invite)}
              >
                {t("invites.revoke")}
              </Button>
            </td>
          </tr>
        )}
      />
      {creating.value && <NewInvitation onClose={() => (creating.value = false)} onMade={pages.reload} />}
      {revoking.value && (
        <Confirm
          title={t("invites.revoke_title")}
          confirm={t("invites.revoke")}
          danger
          onClose={() => (revoking.value = null)}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/invites/{id}", { path: { id: revoking.value!.id } }));
            await pages.reload();
          }}
        >
          <p>
            <bdi>{revoking.value.note || revoking.value.id}</bdi>
          </p>
        </Confirm>
      )}
    </AdminFrame>
  );
}
