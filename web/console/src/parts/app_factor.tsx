import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { CodeBlock } from "../components/code_block";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { QrCode } from "../components/qr_code";
import * as factor from "../second_factor";
import { passwordOf, ProveDialog } from "./prove";

interface Begun {
  secret: string;
  otpauthUrl: string;
}

// The authenticator app: set up in two steps, so that it is not asked for before it has shown a right code.
export function AppFactor() {
  const step = useSignal<"begin" | "remove" | Begun | null>(null);
  const close = () => (step.value = null);
  const on = factor.state.value?.app;
  return (
    <section aria-labelledby="app-title">
      <h3 id="app-title">{t("app.title")}</h3>
      <p class="quiet">{on ? t("app.on") : t("app.off")}</p>
      <div class="actions start">
        {on ? (
          <Button onClick={() => (step.value = "remove")}>{t("app.remove")}</Button>
        ) : (
          <Button onClick={() => (step.value = "begin")}>{t("app.begin")}</Button>
        )}
      </div>
      {step.value === "begin" && (
        <ProveDialog
          title={t("app.begin")}
          confirm={t("action.continue")}
          withPassword={factor.state.value?.hasPassword ?? true}
          onClose={close}
          action={async (values, proof) => {
            step.value = await call("POST /api/settings/second-factor/begin", { body: { currentPassword: passwordOf(values), ...proof } });
          }}
        />
      )}
      {step.value === "remove" && (
        <ProveDialog
          title={t("app.remove_title")}
          confirm={t("action.remove")}
          danger
          onClose={close}
          action={async (_, proof) => {
            await factor.change(() => call("DELETE /api/settings/second-factor/app", { body: { ...proof } }));
            close();
          }}
        />
      )}
      {step.value !== null && typeof step.value === "object" && <ConfirmDialog begun={step.value} onClose={close} />}
    </section>
  );
}

function ConfirmDialog({ begun, onClose }: { begun: Begun; onClose: () => void }) {
  const confirm = async (values: FormData) => {
    const code = textOf(values, "code").replaceAll(" ", "");
    await factor.change(() => call("POST /api/settings/second-factor/confirm", { body: { code } }));
    onClose();
  };
  return (
    <Dialog title={t("app.setup")} onClose={onClose}>
      <Form submit={t("app.turn_on")} onCancel={onClose} onSubmit={confirm}>
        <p>
          {t("app.scan")} <a href={begun.otpauthUrl}>{t("app.open")}</a>
        </p>
        <QrCode text={begun.otpauthUrl} label={t("app.qr")} />
        <CodeBlock text={begun.secret} />
        <Field label={t("factor.code")} name="code" required autoFocus autocomplete="one-time-code" inputMode="numeric" maxLength={32} />
      </Form>
    </Dialog>
  );
}
