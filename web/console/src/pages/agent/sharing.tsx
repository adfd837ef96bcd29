import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Agent, Share } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { go } from "../../app/router";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Loaded, useLoad } from "../../components/loaded";
import { AgentFrame } from "../../parts/agent_frame";
import { RowActions } from "../../parts/row_actions";
import { ShareDialog } from "../../parts/share_dialog";
import { TemplateDialog } from "../../parts/template_dialog";

export default function SharingPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="sharing">
      {(agent) => (
        <div class="panel-body panel-sections">
          <Sharing agent={agent} />
          <Publishing agent={agent} />
        </div>
      )}
    </AgentFrame>
  );
}

const nameOf = (share: Share) => share.email ?? share.groupName ?? t("sharing.lost_group");

// Whom the agent is shared with.
function Sharing({ agent }: { agent: Agent }) {
  const shares = useLoad(async () => (await call("GET /api/agents/{id}/shares", { path: { id: agent.id } })).shares, [agent.id]);
  const editing = useSignal<Share | "new" | null>(null);
  const removing = useSignal<Share | null>(null);
  return (
    <section aria-labelledby="sharing-title">
      <div class="page-head">
        <h2 id="sharing-title">{t("page.sharing")}</h2>
        <Button kind="primary" onClick={() => (editing.value = "new")}>
          {t("sharing.new")}
        </Button>
      </div>
      <p class="quiet">{t("sharing.about")}</p>
      <Loaded of={shares}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("sharing.empty")} text={t("sharing.empty_text")} />
          ) : (
            <ul class="rows">
              {list.map((share) => (
                <li key={share.id}>
                  <div>
                    <strong>
                      <bdi>{nameOf(share)}</bdi>
                    </strong>{" "}
                    <Badge>{t(`sharing.role.${share.role}`)}</Badge>
                    <p class="quiet">
                      {t(`sharing.paid_by.${share.paidBy}`)}
                      {share.monthlyUsd && ` · ${t("sharing.up_to", { amount: share.monthlyUsd })}`}
                    </p>
                  </div>
                  <RowActions
                    of={nameOf(share)}
                    first={{
                      title: t("action.edit"),
                      label: t("sharing.edit_this", { name: nameOf(share) }),
                      run: () => void (editing.value = share),
                    }}
                    more={[
                      {
                        title: t("action.remove"),
                        label: t("sharing.end_this", { name: nameOf(share) }),
                        icon: "trash",
                        run: () => void (removing.value = share),
                      },
                    ]}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing.value && (
        <ShareDialog
          agent={agent.id}
          share={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = null)}
          onSaved={async () => {
            editing.value = null;
            await shares.reload();
          }}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("sharing.end_title", { name: nameOf(removing.value) })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            await call("DELETE /api/agents/{id}/shares/{share}", { path: { id: agent.id, share: removing.value!.id } });
            await shares.reload();
          }}
        >
          <p>{t("sharing.end_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

// A template: what others begin with, without anything of the owner's.
function Publishing({ agent }: { agent: Agent }) {
  const publishing = useSignal(false);
  return (
    <section aria-labelledby="publishing-title">
      <h2 id="publishing-title">{t("templates.publish")}</h2>
      <p class="quiet">{t("templates.publish_about")}</p>
      <div class="actions start">
        <Button onClick={() => (publishing.value = true)}>{t("templates.publish_button")}</Button>
      </div>
      {publishing.value && (
        <TemplateDialog
          agent={agent}
          onClose={() => (publishing.value = false)}
          onSaved={() => {
            publishing.value = false;
            go("/templates");
          }}
        />
      )}
    </section>
  );
}
