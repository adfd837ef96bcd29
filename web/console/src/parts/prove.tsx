import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { passkeyOptions, wantsSecondFactor } from "../api/requests";
import type { Proof, RequestOptions } from "../api/types";
import { t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { SecondStep } from "./second_step";

interface Props {
  title: string;
  confirm: string;
  danger?: boolean;
  // Further fields of the form, whose values `action` gets.
  children?: ComponentChildren;
  withPassword?: boolean;
  // Throws SECOND_FACTOR_REQUIRED to have the second factor asked for and to be called again with it.
  action: (values: FormData, proof: Proof) => Promise<void>;
  onClose: () => void;
}

// Something that wants the person to prove once more who they are.
export function ProveDialog({ title, confirm, danger = false, children, withPassword, action, onClose }: Props) {
  const asked = useSignal<{ values: FormData; passkey: RequestOptions | null } | null>(null);
  const run = async (values: FormData, proof: Proof) => {
    try {
      await action(values, proof);
    } catch (cause) {
      if (!wantsSecondFactor(cause)) throw cause;
      asked.value = { values, passkey: passkeyOptions(cause) };
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {asked.value ? (
        <SecondStep passkey={asked.value.passkey} onProof={(proof) => run(asked.value!.values, proof)} onCancel={onClose} />
      ) : (
        <Form submit={confirm} danger={danger} onCancel={onClose} onSubmit={(values) => run(values, {})}>
          {children}
          {withPassword && (
            <Field label={t("password.current")} name="currentPassword" type="password" required autocomplete="current-password" />
          )}
        </Form>
      )}
    </Dialog>
  );
}

export const passwordOf = (values: FormData) => textOf(values, "currentPassword") || undefined;
