import { useSignal } from "@preact/signals";
import * as api from "../api";
import { textOf } from "../attempt";
import { createPasskey, passkeysWork } from "../passkey";
import * as factor from "../second_factor";
import type { Passkey } from "../wire";
import { Field } from "./field";
import { passwordOf, ProveDialog } from "./prove";
import { Time } from "./time";

type Doing = { what: "add" } | { what: "rename" | "remove"; passkey: Passkey } | null;

export function PasskeyList() {
  const doing = useSignal<Doing>(null);
  const close = () => (doing.value = null);
  const done = async (action: () => Promise<unknown>) => {
    await factor.change(action);
    close();
  };
  const now = doing.value;
  return (
    <section aria-labelledby="passkeys-title">
      <h3 id="passkeys-title">Passkeys</h3>
      <p class="quiet">A key in your phone, computer or security key. It cannot be phished: it works on this site only.</p>
      {factor.passkeys.value.length > 0 && (
        <ul class="rows" aria-labelledby="passkeys-title">
          {factor.passkeys.value.map((passkey) => (
            <li key={passkey.id}>
              <div>
                <strong>{passkey.name}</strong>
                <p class="quiet">
                  added <Time at={passkey.createdAt} />
                  {passkey.lastUsedAt && (
                    <>
                      , used <Time at={passkey.lastUsedAt} />
                    </>
                  )}
                </p>
              </div>
              <div class="actions">
                <button type="button" aria-label={`Rename ${passkey.name}`} onClick={() => (doing.value = { what: "rename", passkey })}>
                  Rename
                </button>
                <button
                  type="button"
                  class="danger"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => (doing.value = { what: "remove", passkey })}
                >
                  Remove
                </button>
              </div>
            </li>
          ))}
        </ul>
      )}
      <div class="actions start">
        <button type="button" disabled={!passkeysWork} onClick={() => (doing.value = { what: "add" })}>
          Add a passkey
        </button>
        {!passkeysWork && <span class="quiet">This browser, or this address, has no passkeys.</span>}
      </div>
      {now?.what === "add" && (
        <ProveDialog
          title="Add a passkey"
          confirm="Continue"
          withPassword={factor.state.value?.hasPassword ?? true}
          onClose={close}
          action={async (values, proof) => {
            const options = await api.beginPasskey(passwordOf(values), proof);
            const credential = await createPasskey(options);
            await done(() => api.addPasskey(textOf(values, "name").trim(), credential));
          }}
        >
          <Field label="Name" name="name" required autoFocus autocomplete="off" maxLength={100} hint="Such as: my phone." />
        </ProveDialog>
      )}
      {now?.what === "rename" && (
        <ProveDialog
          title={`Rename ${now.passkey.name}`}
          confirm="Rename"
          onClose={close}
          action={(values) => done(() => api.renamePasskey(now.passkey.id, textOf(values, "name").trim()))}
        >
          <Field label="Name" name="name" required autoFocus autocomplete="off" maxLength={100} value={now.passkey.name} />
        </ProveDialog>
      )}
      {now?.what === "remove" && (
        <ProveDialog
          title={`Remove ${now.passkey.name}?`}
          confirm="Remove"
          danger
          onClose={close}
          action={(_, proof) => done(() => api.removePasskey(now.passkey.id, proof))}
        />
      )}
    </section>
  );
}
