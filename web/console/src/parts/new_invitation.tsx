import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { CodeBlock } from "../components/code_block";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { useLoad } from "../components/loaded";
import { confirmed } from "../step_up";
import { plans } from "./user_state";

// Makes codes and shows them, once, as links to the registration.
export function NewInvitation({ onClose, onMade }: { onClose: () => void; onMade: () => Promise<void> }) {
  const codes = useSignal<string[]>([]);
  const groups = useLoad(async () => (await call("GET /api/admin/groups")).groups);
  const make = async (values: FormData) => {
    const note = textOf(values, "note").trim();
    const plan = textOf(values, "plan");
    const group = textOf(values, "group");
    const made = await confirmed(() =>
      call("POST /api/admin/invites", {
        body: {
          count: Number(textOf(values, "count")),
          uses: Number(textOf(values, "uses")),
          expiresInDays: Number(textOf(values, "expiresInDays")),
          ...(note && { note }),
          ...(plan && { plan }),
          ...(group && { group }),
        },
      }),
    );
    codes.value = made.codes;
    await onMade();
  };
  const link = (code: string) => `${window.location.origin}/login?new&invite=${encodeURIComponent(code)}`;
  return (
    <Dialog title={t("invites.new")} onClose={onClose}>
      {codes.value.length > 0 ? (
        <>
          <p>{t("invites.made")}</p>
          <CodeBlock text={codes.value.map(link).join("\n")} />
          <div class="actions">
            <Button kind="primary" onClick={onClose}>
              {t("keys.kept")}
            </Button>
          </div>
        </>
      ) : (
        <Form submit={t("files.create")} onCancel={onClose} onSubmit={make}>
          <Field label={t("invites.note")} name="note" maxLength={200} autoFocus autocomplete="off" dir="auto" />
          <div class="columns">
            <Field label={t("invites.count")} name="count" type="number" required min={1} max={100} step={1} defaultValue="1" />
            <Field label={t("invites.uses_each")} name="uses" type="number" required min={1} max={10_000} step={1} defaultValue="1" />
            <Field label={t("keys.days")} name="expiresInDays" type="number" required min={1} max={3_650} step={1} defaultValue="30" />
          </div>
          <Select label={t("users.plan")} name="plan">
            <option value="">{t("home.no_plan")}</option>
            {plans.map((plan) => (
              <option key={plan} value={plan}>
                {plan}
              </option>
            ))}
          </Select>
          {(groups.data.value?.length ?? 0) > 0 && (
            <Select label={t("invites.group")} name="group" hint={t("invites.group_hint")}>
              <option value="">{t("invites.no_group")}</option>
              {groups.data.value!.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Form>
      )}
    </Dialog>
  );
}
