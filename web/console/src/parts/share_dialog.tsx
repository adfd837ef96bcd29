import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Share } from "../api/types";
import { t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { useLoad } from "../components/loaded";
import { SharedConversations } from "./shared_conversations";

const roles = ["viewer", "talker", "builder"] as const;
const payers = ["owner", "talker"] as const;

interface Props {
  agent: string;
  share: Share | undefined; // undefined: a new one
  onClose: () => void;
  onSaved: () => Promise<void>;
}

export function ShareDialog({ agent, share, onClose, onSaved }: Props) {
  const role = useSignal<Share["role"]>(share?.role ?? "talker");
  const groups = useLoad(async () => (await call("GET /api/groups")).groups);
  // Where the box sends no mail, no address is ever verified.
  const sendsMail = useLoad(async () => (await call("GET /api/auth/methods")).sendsMail);
  const save = async (values: FormData) => {
    const group = share ? (share.group ?? "") : textOf(values, "group");
    const email = share ? (share.email ?? "") : textOf(values, "email").trim();
    const monthlyUsd = textOf(values, "monthlyUsd").trim();
    await call("PUT /api/agents/{id}/shares", {
      path: { id: agent },
      body: {
        ...(group ? { group } : { email }),
        role: role.value,
        unverified: sendsMail.data.value === false,
        ...(role.value !== "viewer" && { paidBy: textOf(values, "paidBy") as Share["paidBy"] }),
        ...(monthlyUsd && { monthlyUsd }),
        conversations: [...chosen.value],
      },
    });
    await onSaved();
  };
  const groupChosen = useSignal("");
  const chosen = useSignal<ReadonlySet<string>>(new Set(share?.conversations));
  return (
    <Dialog title={share ? t("sharing.edit") : t("sharing.new")} onClose={onClose}>
      <Form submit={share ? t("action.save") : t("sharing.share")} onCancel={onClose} onSubmit={save}>
        {!share && (groups.data.value?.length ?? 0) > 0 && (
          <Select label={t("sharing.group")} name="group" onChange={(event) => (groupChosen.value = event.currentTarget.value)}>
            <option value="">{t("sharing.one_person")}</option>
            {groups.data.value!.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
        {!share && !groupChosen.value && (
          <Field label={t("groups.address")} name="email" type="email" required maxLength={254} autoFocus autocomplete="off" />
        )}
        <Select
          label={t("sharing.role")}
          name="role"
          defaultValue={role.value}
          hint={t(`sharing.role_hint.${role.value}`)}
          onChange={(event) => (role.value = event.currentTarget.value as Share["role"])}
        >
          {roles.map((one) => (
            <option key={one} value={one}>
              {t(`sharing.role.${one}`)}
            </option>
          ))}
        </Select>
        {role.value !== "viewer" && (
          <>
            <Select label={t("sharing.payer")} name="paidBy" defaultValue={share?.paidBy ?? "owner"}>
              {payers.map((one) => (
                <option key={one} value={one}>
                  {t(`sharing.paid_by.${one}`)}
                </option>
              ))}
            </Select>
            <Field
              label={t("sharing.limit")}
              name="monthlyUsd"
              inputMode="decimal"
              maxLength={20}
              defaultValue={share?.monthlyUsd ?? ""}
              hint={t("sharing.limit_hint")}
            />
          </>
        )}
        <SharedConversations agent={agent} chosen={chosen} />
      </Form>
    </Dialog>
  );
}
