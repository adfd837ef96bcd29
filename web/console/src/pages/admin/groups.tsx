import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Group } from "../../api/types";
import { number } from "../../app/format";
import { t, tn } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { AdminFrame } from "../../parts/admin_frame";
import { GroupDialog, MembersDialog } from "../../parts/group_dialogs";
import { RowActions } from "../../parts/row_actions";
import { confirmed } from "../../step_up";

export default function GroupsPage() {
  const groups = useLoad(async () => (await call("GET /api/admin/groups")).groups);
  const editing = useSignal<Group | "new" | null>(null);
  const members = useSignal<Group | null>(null);
  const removing = useSignal<Group | null>(null);
  return (
    <AdminFrame>
      <div class="page-head">
        <h1>{t("page.groups")}</h1>
        <Button kind="primary" onClick={() => (editing.value = "new")}>
          {t("groups.new")}
        </Button>
      </div>
      <p class="quiet">{t("groups.about")}</p>
      <Loaded of={groups}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("groups.empty")} text={t("groups.empty_text")} />
          ) : (
            <List items={list} label={t("page.groups")} view={{ text: ({ name, claim, plan }) => [name, claim, plan].join(" ") }}>
              {(found) => (
                <ul class="rows">
                  {found.map((group) => (
                    <li key={group.id}>
                      <GroupText group={group} />
                      <RowActions
                        of={group.name}
                        first={{
                          title: t("groups.members"),
                          label: t("groups.members_of", { name: group.name }),
                          run: () => void (members.value = group),
                        }}
                        more={[
                          {
                            title: t("action.edit"),
                            label: t("groups.edit_this", { name: group.name }),
                            icon: "edit",
                            run: () => void (editing.value = group),
                          },
                          {
                            title: t("action.delete"),
                            label: t("keys.delete_this", { name: group.name }),
                            icon: "trash",
                            run: () => void (removing.value = group),
                          },
                        ]}
                      />
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {editing.value && (
        <GroupDialog
          group={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = null)}
          onSaved={async () => {
            editing.value = null;
            await groups.reload();
          }}
        />
      )}
      {members.value && <MembersDialog group={members.value} onClose={() => (members.value = null)} onChanged={groups.reload} />}
      {removing.value && (
        <Confirm
          title={t("keys.delete_title", { name: removing.value.name })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/groups/{id}", { path: { id: removing.value!.id } }));
            await groups.reload();
          }}
        >
          <p>{t("groups.delete_text")}</p>
        </Confirm>
      )}
    </AdminFrame>
  );
}

function GroupText({ group }: { group: Group }) {
  const limits = [
    group.models && tn("groups.limits_models", group.models.length),
    group.channels && tn("groups.limits_channels", group.channels.length),
  ].filter(Boolean);
  return (
    <div>
      <strong>
        <bdi>{group.name}</bdi>
      </strong>{" "}
      {group.plan && <Badge>{group.plan}</Badge>}
      <p class="quiet">
        {tn("groups.count", group.members, { count: number(group.members) })}
        {group.claim && (
          <>
            {" · "}
            {t("groups.claim")} <bdi>{group.claim}</bdi>
          </>
        )}
        {limits.length > 0 && ` · ${limits.join(" · ")}`}
      </p>
    </div>
  );
}
