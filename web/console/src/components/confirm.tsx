import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Form } from "./form";

interface Props {
  title: string;
  confirm: string;
  danger?: boolean;
  typed?: string; // has to be typed first: for what cannot be undone
  onClose: () => void;
  action: (values: FormData) => Promise<unknown>;
  children?: ComponentChildren;
}

// Asks before something is done, and closes once it is done.
export function Confirm({ title, confirm, danger, typed, onClose, action, children }: Props) {
  const written = useSignal("");
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={confirm}
        {...(danger ? { danger } : {})}
        onCancel={onClose}
        onSubmit={async (values) => {
          if (typed !== undefined && written.value.trim() !== typed.trim()) return;
          await action(values);
          onClose();
        }}
      >
        {children}
        {typed !== undefined && (
          <Field
            label={t("confirm.type_name")}
            hint={
              <>
                {t("confirm.type_hint")} <bdi class="literal">{typed}</bdi>
              </>
            }
            name="typed"
            required
            autoFocus
            autocomplete="off"
            spellcheck={false}
            value={written}
            onInput={(event) => {
              written.value = event.currentTarget.value;
              const same = written.value.trim() === typed.trim();
              event.currentTarget.setCustomValidity(same ? "" : t("confirm.mismatch"));
            }}
          />
        )}
      </Form>
    </Dialog>
  );
}
