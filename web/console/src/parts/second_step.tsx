import { textOf, useAttempt } from "../attempt";
import { passkeysWork, usePasskey } from "../passkey";
import type { Proof, RequestOptions } from "../wire";
import { Field } from "./field";
import { Notice } from "./notice";

interface Props {
  // What the person's passkeys are asked for; null for users without one.
  passkey: RequestOptions | null;
  onProof: (proof: Proof) => Promise<unknown>;
  onCancel: () => void;
}

// Asks for the second factor.
export function SecondStep({ passkey, onProof, onCancel }: Props) {
  const { busy, error, attempt, submit } = useAttempt();
  // A challenge can be signed only once, whatever the result: a request without a proof returns a fresh one.
  const provePasskey = async (options: RequestOptions) => {
    const given = await usePasskey(options);
    try {
      await onProof({ passkey: given });
    } catch (cause) {
      await onProof({}).catch(() => undefined);
      throw cause;
    }
  };
  return (
    <form
      onSubmit={(event) =>
        void submit(event, (values) => onProof({ code: textOf(values, "code").replaceAll(" ", "") }))
      }
    >
      {passkey && passkeysWork && (
        <>
          <button
            type="button"
            class="primary wide"
            disabled={busy.value}
            onClick={() => void attempt(() => provePasskey(passkey))}
          >
            Use a passkey
          </button>
          <p class="quiet">or</p>
        </>
      )}
      <Field
        label="Code"
        name="code"
        required
        autoFocus
        autocomplete="one-time-code"
        maxLength={32}
        hint="Six digits of your authenticator app, or one of your recovery codes."
      />
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <div class="actions">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class={passkey ? "" : "primary"} disabled={busy.value}>
          {busy.value ? "Checking…" : "Continue"}
        </button>
      </div>
    </form>
  );
}
