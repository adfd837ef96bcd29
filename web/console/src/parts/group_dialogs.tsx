import { call } from "../api/client";
import type { Group } from "../api/types";
import { t } from "../app/i18n";
import { Action } from "../components/action";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { confirmed } from "../step_up";
import { plans } from "./user_state";

const linesOf = (values: FormData, name: string) =>
  textOf(values, name)
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);

interface EditProps {
  group: Group | undefined; // undefined: a new one
  onClose: () => void;
  onSaved: () => Promise<void>;
}

export function GroupDialog({ group, onClose, onSaved }: EditProps) {
  const save = async (values: FormData) => {
    const body = {
      name: textOf(values, "name").trim(),
      claim: textOf(values, "claim").trim(),
      plan: textOf(values, "plan"),
      models: linesOf(values, "models"),
      channels: linesOf(values, "channels"),
    };
    await confirmed(() =>
      group ? call("PATCH /api/admin/groups/{id}", { path: { id: group.id }, body }) : call("POST /api/admin/groups", { body }),
    );
    await onSaved();
  };
  return (
    <Dialog title={group ? t("groups.edit_this", { name: group.name }) : t("groups.new")} onClose={onClose}>
      <Form submit={group ? t("action.save") : t("files.create")} onCancel={onClose} onSubmit={save}>
        <Field
          label={t("groups.name")}
          name="name"
          required
          maxLength={100}
          defaultValue={group?.name}
          autoFocus
          autocomplete="off"
          dir="auto"
        />
        <Field label={t("groups.claim")} name="claim" maxLength={200} defaultValue={group?.claim ?? ""} hint={t("groups.claim_hint")} />
        <Select label={t("users.plan")} name="plan" defaultValue={group?.plan ?? ""} hint={t("groups.plan_hint")}>
          <option value="">{t("home.no_plan")}</option>
          {plans.map((plan) => (
            <option key={plan} value={plan}>
              {plan}
            </option>
          ))}
        </Select>
        <TextArea
          label={t("groups.models")}
          name="models"
          rows={3}
          defaultValue={group?.models?.join("\n") ?? ""}
          hint={t("groups.models_hint")}
        />
        <Field
          label={t("groups.channels")}
          name="channels"
          defaultValue={group?.channels?.join(", ") ?? ""}
          hint={t("groups.channels_hint")}
        />
      </Form>
    </Dialog>
  );
}

interface MembersProps {
  group: Group;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

export function MembersDialog({ group, onClose, onChanged }: MembersProps) {
  const path = { id: group.id };
  const members = useLoad(async () => (await call("GET /api/admin/groups/{id}", { path })).members, [group.id]);
  const changed = async () => {
    await members.reload();
    await onChanged();
  };
  return (
    <Dialog title={t("groups.members_of", { name: group.name })} onClose={onClose}>
      <Form
        submit={t("groups.add")}
        onSubmit={async (values) => {
          const user = textOf(values, "user").trim();
          await confirmed(() => call("PUT /api/admin/groups/{id}/members/{user}", { path: { ...path, user } }));
          await changed();
        }}
      >
        <Field label={t("groups.address")} name="user" type="email" required maxLength={254} autoFocus autocomplete="off" />
      </Form>
      <Loaded of={members}>
        {(list) => (
          <ul class="rows">
            {list.map((member) => (
              <li key={member.userId}>
                <div>
                  <bdi>{member.email}</bdi> {member.source === "invitation" && <Badge>{t("groups.by_invitation")}</Badge>}
                  {(member.source === "provider" || member.source === "scim") && <Badge>{t("groups.by_provider")}</Badge>}
                </div>
                <Action
                  kind="danger"
                  label={t("groups.remove_this", { name: member.email })}
                  run={async () => {
                    const user = member.userId;
                    await confirmed(() => call("DELETE /api/admin/groups/{id}/members/{user}", { path: { ...path, user } }));
                    await changed();
                  }}
                >
                  {t("action.remove")}
                </Action>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <div class="actions">
        <Button onClick={onClose}>{t("action.close")}</Button>
      </div>
    </Dialog>
  );
}
