import { useSignal } from "@preact/signals";
import { sentence } from "../api/client";
import type { Proof, RequestOptions } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Notice } from "../components/notice";
import { passkeysWork, usePasskey } from "../passkey";

interface Props {
  // What the person's passkeys are asked for; null for users without one.
  passkey: RequestOptions | null;
  onProof: (proof: Proof) => Promise<unknown>;
  onCancel: () => void;
}

// Asks for the second factor.
export function SecondStep({ passkey, onProof, onCancel }: Props) {
  const busy = useSignal(false);
  const error = useSignal("");
  // A challenge can be signed only once, whatever the result: a request without a proof returns a fresh one.
  const provePasskey = async (options: RequestOptions) => {
    busy.value = true;
    error.value = "";
    try {
      const given = await usePasskey(options);
      try {
        await onProof({ passkey: given });
      } catch (cause) {
        await onProof({}).catch(() => undefined);
        throw cause;
      }
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  return (
    <div class="second-step">
      {passkey && passkeysWork && (
        <>
          <Button kind="primary" class="wide" disabled={busy.value} onClick={() => void provePasskey(passkey)}>
            {t("factor.use_passkey")}
          </Button>
          {error.value && <Notice kind="error">{error.value}</Notice>}
          <p class="quiet">{t("factor.or")}</p>
        </>
      )}
      <Form
        submit={t("action.continue")}
        onCancel={onCancel}
        onSubmit={(values) => onProof({ code: textOf(values, "code").replaceAll(" ", "") })}
      >
        <Field
          label={t("factor.code")}
          name="code"
          required
          autoFocus
          autocomplete="one-time-code"
          maxLength={32}
          hint={t("factor.code_hint")}
        />
      </Form>
    </div>
  );
}
