import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { wantsSecondFactor } from "../api";
import { textOf, useAttempt } from "../attempt";
import type { Proof, RequestOptions } from "../wire";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Notice } from "./notice";
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
export function ProveDialog({ title, confirm, danger, children, withPassword, action, onClose }: Props) {
  const { busy, error, submit } = useAttempt();
  const asked = useSignal<{ values: FormData; passkey: RequestOptions | null } | null>(null);
  const run = async (values: FormData, proof: Proof) => {
    try {
      await action(values, proof);
    } catch (cause) {
      if (!wantsSecondFactor(cause)) throw cause;
      asked.value = { values, passkey: cause.passkey };
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {asked.value ? (
        <SecondStep
          passkey={asked.value.passkey}
          onProof={(proof) => run(asked.value!.values, proof)}
          onCancel={onClose}
        />
      ) : (
        <form onSubmit={(event) => void submit(event, (values) => run(values, {}))}>
          {children}
          {withPassword && (
            <Field label="Current password" name="currentPassword" type="password" required autocomplete="current-password" />
          )}
          {error.value && <Notice kind="error">{error.value}</Notice>}
          <div class="actions">
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" class={danger ? "danger" : "primary"} disabled={busy.value}>
              {confirm}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

export const passwordOf = (values: FormData) => textOf(values, "currentPassword") || undefined;
