import { useSignal } from "@preact/signals";
import * as account from "../../account";
import { call } from "../../api/client";
import type { Template } from "../../api/types";
import { t, tn } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { RowActions } from "../../parts/row_actions";
import { knownGroups, TemplateDialog } from "../../parts/template_dialog";
import { UseTemplateDialog } from "../../parts/use_template";

// Templates of agents that the user may use, the own ones among them.
export default function TemplatesPage() {
  const templates = useLoad(async () => (await call("GET /api/templates")).templates);
  const groups = useLoad(knownGroups);
  useRefreshOnReturn(templates);
  const using = useSignal<Template | null>(null);
  const editing = useSignal<Template | null>(null);
  const removing = useSignal<Template | null>(null);
  const nameOf = (group: string) => groups.data.value?.find(({ id }) => id === group)?.name;
  return (
    <div class="column">
      <header>
        <h1>{t("page.templates")}</h1>
        <p class="quiet">{t("templates.about")}</p>
      </header>
      <Loaded of={templates}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("templates.empty")} text={t("templates.empty_text")} />
          ) : (
            <ul class="rows">
              {list.map((one) => (
                <li key={one.id}>
                  <div>
                    <strong>
                      <bdi>{one.name}</bdi>
                    </strong>{" "}
                    {one.own && <Badge>{t("templates.own")}</Badge>}
                    {one.groups.length === 0 && <Badge>{t("templates.for_all")}</Badge>}
                    {one.description && (
                      <p class="words" dir="auto">
                        {one.description}
                      </p>
                    )}
                    <p class="quiet">{contentsOf(one)}</p>
                    {one.groups.length > 0 && (
                      <p class="quiet">
                        {t("templates.groups")}{" "}
                        <bdi>{one.groups.map((group) => nameOf(group) ?? t("templates.another_group")).join(", ")}</bdi>
                      </p>
                    )}
                  </div>
                  <RowActions
                    of={one.name}
                    first={
                      account.mayProvision.value && {
                        title: t("templates.use"),
                        label: t("templates.use_this", { name: one.name }),
                        run: () => void (using.value = one),
                      }
                    }
                    more={[
                      one.own && {
                        title: t("action.edit"),
                        label: t("templates.edit_this", { name: one.name }),
                        icon: "edit",
                        run: () => void (editing.value = one),
                      },
                      (one.own || account.user.value?.isAdmin) && {
                        title: t("templates.withdraw"),
                        label: t("templates.withdraw_this", { name: one.name }),
                        icon: "trash",
                        run: () => void (removing.value = one),
                      },
                    ]}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {using.value && <UseTemplateDialog template={using.value} onClose={() => (using.value = null)} />}
      {editing.value && (
        <TemplateDialog
          template={editing.value}
          onClose={() => (editing.value = null)}
          onSaved={async () => {
            editing.value = null;
            await templates.reload();
          }}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("templates.withdraw_title", { name: removing.value.name })}
          confirm={t("templates.withdraw")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            await call("DELETE /api/templates/{template}", { path: { template: removing.value!.id } });
            await templates.reload();
          }}
        >
          <p>{t("templates.withdraw_text")}</p>
        </Confirm>
      )}
    </div>
  );
}

// What an agent that is made from it has.
function contentsOf({ model, files, schedules, questions }: Template): string {
  const parts = [model === "auto" ? t("agent.default_model") : model];
  if (files.length > 0) parts.push(tn("templates.files", files.length));
  if (schedules.length > 0) parts.push(tn("templates.schedules", schedules.length));
  if (questions.length > 0) parts.push(tn("templates.questions", questions.length));
  return parts.join(" · ");
}
