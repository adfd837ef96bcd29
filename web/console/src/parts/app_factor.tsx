import { useSignal } from "@preact/signals";
import * as api from "../api";
import { textOf, useAttempt } from "../attempt";
import * as factor from "../second_factor";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Notice } from "./notice";
import { passwordOf, ProveDialog } from "./prove";
import { QrCode } from "./qr_code";

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
      <h3 id="app-title">Authenticator app</h3>
      <p class="quiet">{on ? "In use: sign-in asks for its six digits." : "An app on your phone that shows six digits."}</p>
      <div class="actions start">
        {on ? (
          <button type="button" onClick={() => (step.value = "remove")}>
            Remove the app
          </button>
        ) : (
          <button type="button" onClick={() => (step.value = "begin")}>
            Set an app up
          </button>
        )}
      </div>
      {step.value === "begin" && (
        <ProveDialog
          title="Set an app up"
          confirm="Continue"
          withPassword={factor.state.value?.hasPassword ?? true}
          onClose={close}
          action={async (values, proof) => {
            step.value = await api.beginApp(passwordOf(values), proof);
          }}
        />
      )}
      {step.value === "remove" && (
        <ProveDialog
          title="Remove the app?"
          confirm="Remove"
          danger
          onClose={close}
          action={async (_, proof) => {
            await factor.change(() => api.removeApp(proof));
            close();
          }}
        />
      )}
      {step.value !== null && typeof step.value === "object" && <ConfirmDialog begun={step.value} onClose={close} />}
    </section>
  );
}

function ConfirmDialog({ begun, onClose }: { begun: Begun; onClose: () => void }) {
  const { busy, error, submit } = useAttempt();
  const confirm = async (values: FormData) => {
    await factor.change(() => api.confirmApp(textOf(values, "code").replaceAll(" ", "")));
    onClose();
  };
  return (
    <Dialog title="Set up authenticator app" onClose={onClose}>
      <form onSubmit={(event) => void submit(event, confirm)}>
        <p>
          Scan this with your app, <a href={begun.otpauthUrl}>open it on this device</a>, or type the key below it. Then type
          what the app shows.
        </p>
        <QrCode text={begun.otpauthUrl} label="The key of this account, for an authenticator app" />
        <pre class="command">{begun.secret}</pre>
        <Field label="Code" name="code" required autoFocus autocomplete="one-time-code" inputMode="numeric" maxLength={32} />
        {error.value && <Notice kind="error">{error.value}</Notice>}
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy.value}>
            Turn it on
          </button>
        </div>
      </form>
    </Dialog>
  );
}
