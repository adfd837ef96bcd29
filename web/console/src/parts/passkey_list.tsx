import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Passkey } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Field } from "../components/field";
import { textOf } from "../components/form";
import { Time } from "../components/time";
import { createPasskey, passkeysWork } from "../passkey";
import * as factor from "../second_factor";
import { passwordOf, ProveDialog } from "./prove";
import { RowActions } from "./row_actions";

type Doing = { what: "add" } | { what: "rename" | "remove"; passkey: Passkey } | null;

export function PasskeyList() {
  const doing = useSignal<Doing>(null);
  const close = () => (doing.value = null);
  const done = async (action: () => Promise<unknown>) => {
    await factor.change(action);
    close();
  };
  const now = doing.value;
  const worksAt = factor.state.value?.passkeyOrigin;
  const isElsewhere = worksAt != null && worksAt !== location.origin;
  return (
    <section aria-labelledby="passkeys-title">
      <h3 id="passkeys-title">{t("passkeys.title")}</h3>
      <p class="quiet">{t("passkeys.about")}</p>
      {factor.passkeys.value.length > 0 && (
        <ul class="rows" aria-labelledby="passkeys-title">
          {factor.passkeys.value.map((passkey) => (
            <li key={passkey.id}>
              <div>
                <strong>
                  <bdi>{passkey.name}</bdi>
                </strong>
                <p class="quiet">
                  {t("passkeys.added")} <Time at={passkey.createdAt} />
                  {passkey.lastUsedAt && (
                    <>
                      {" · "}
                      {t("keys.used")} <Time at={passkey.lastUsedAt} />
                    </>
                  )}
                </p>
              </div>
              <RowActions
                of={passkey.name}
                first={{
                  title: t("action.rename"),
                  label: t("passkeys.rename_this", { name: passkey.name }),
                  run: () => void (doing.value = { what: "rename", passkey }),
                }}
                more={[
                  {
                    title: t("action.remove"),
                    label: t("passkeys.remove_this", { name: passkey.name }),
                    icon: "trash",
                    run: () => void (doing.value = { what: "remove", passkey }),
                  },
                ]}
              />
            </li>
          ))}
        </ul>
      )}
      <div class="actions start">
        <Button disabled={!passkeysWork || isElsewhere} onClick={() => (doing.value = { what: "add" })}>
          {t("passkeys.add")}
        </Button>
        {isElsewhere ? (
          <span class="quiet">
            {t("passkeys.elsewhere")} <a href={worksAt + location.pathname}>{worksAt}</a>
          </span>
        ) : (
          !passkeysWork && <span class="quiet">{t("passkeys.unsupported")}</span>
        )}
      </div>
      {now?.what === "add" && (
        <ProveDialog
          title={t("passkeys.add")}
          confirm={t("action.continue")}
          withPassword={factor.state.value?.hasPassword ?? true}
          onClose={close}
          action={async (values, proof) => {
            const { publicKey } = await call("POST /api/settings/second-factor/passkeys/begin", {
              body: { currentPassword: passwordOf(values), ...proof },
            });
            const credential = await createPasskey(publicKey);
            const name = textOf(values, "name").trim();
            await done(() => call("POST /api/settings/second-factor/passkeys", { body: { name, credential } }));
          }}
        >
          <Field
            label={t("passkeys.name")}
            name="name"
            required
            autoFocus
            autocomplete="off"
            maxLength={100}
            hint={t("passkeys.name_hint")}
            dir="auto"
          />
        </ProveDialog>
      )}
      {now?.what === "rename" && (
        <ProveDialog
          title={t("passkeys.rename_this", { name: now.passkey.name })}
          confirm={t("action.rename")}
          onClose={close}
          action={(values) =>
            done(() =>
              call("PATCH /api/settings/second-factor/passkeys/{id}", {
                path: { id: now.passkey.id },
                body: { name: textOf(values, "name").trim() },
              }),
            )
          }
        >
          <Field
            label={t("passkeys.name")}
            name="name"
            required
            autoFocus
            autocomplete="off"
            maxLength={100}
            defaultValue={now.passkey.name}
            dir="auto"
          />
        </ProveDialog>
      )}
      {now?.what === "remove" && (
        <ProveDialog
          title={t("passkeys.remove_title", { name: now.passkey.name })}
          confirm={t("action.remove")}
          danger
          onClose={close}
          action={(_, proof) =>
            done(() => call("DELETE /api/settings/second-factor/passkeys/{id}", { path: { id: now.passkey.id }, body: { ...proof } }))
          }
        />
      )}
    </section>
  );
}
