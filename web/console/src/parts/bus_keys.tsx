// The keys of an agent on the bus. A secret that the box makes is shown once.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { BusKey } from "../api/types";
import { named, t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { CodeBlock } from "../components/code_block";
import { Confirm } from "../components/confirm";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { Time } from "../components/time";

const algorithms = ["ed25519", "eip191", "hmac-sha256", "webhook"] as const;
const ownKey = "own";

export function BusKeys({ agentId }: { agentId: string }) {
  const keys = useLoad(async () => (await call("GET /api/underground/keys", { query: { agentId } })).keys);
  const adding = useSignal(false);
  const secret = useSignal("");
  const revoking = useSignal<BusKey | undefined>(undefined);
  return (
    <section class="card" aria-labelledby="bus-keys-title">
      <div class="page-head">
        <h2 id="bus-keys-title">{t("bus.keys")}</h2>
        <Button onClick={() => (adding.value = true)}>{t("bus.new_key")}</Button>
      </div>
      <p class="quiet">{t("bus.keys_about")}</p>
      <Loaded of={keys}>
        {(list) => (
          <ul class="rows">
            {list.map((key) => (
              <li key={key.id}>
                <div>
                  <strong>{named("bus.algorithm", key.algorithm)}</strong> <code>{key.id}</code>{" "}
                  {key.expiresAt && (
                    <Badge tone="busy">
                      {t("keys.expires")} <Time at={key.expiresAt} ago />
                    </Badge>
                  )}
                  <p class="quiet">
                    {key.id === ownKey ? t("bus.own_key") : key.publicKey ? <code>{key.publicKey}</code> : t("bus.hidden")}
                    {key.createdAt && (
                      <>
                        {" "}
                        · <Time at={key.createdAt} />
                      </>
                    )}
                  </p>
                </div>
                {key.id !== ownKey && (
                  <Button kind="danger" label={t("bus.revoke_this", { name: key.id })} onClick={() => (revoking.value = key)}>
                    {t("bus.revoke")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {adding.value && (
        <NewKeyDialog
          agentId={agentId}
          onClose={() => (adding.value = false)}
          onMade={async (made) => {
            adding.value = false;
            secret.value = made;
            await keys.reload();
          }}
        />
      )}
      {secret.value && (
        <Dialog title={t("bus.secret")} onClose={() => (secret.value = "")}>
          <p>{t("keys.made_text")}</p>
          <CodeBlock text={secret.value} />
          <div class="actions">
            <Button kind="primary" onClick={() => (secret.value = "")}>
              {t("keys.kept")}
            </Button>
          </div>
        </Dialog>
      )}
      {revoking.value && (
        <Confirm
          title={t("bus.revoke_title")}
          confirm={t("bus.revoke")}
          danger
          onClose={() => (revoking.value = undefined)}
          action={async () => {
            await call("DELETE /api/underground/keys", { body: { agentId, keyId: revoking.value!.id } });
            await keys.reload();
          }}
        >
          <p>{t("bus.revoke_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

interface NewKey {
  agentId: string;
  onClose: () => void;
  onMade: (secret: string) => Promise<void>;
}

function NewKeyDialog({ agentId, onClose, onMade }: NewKey) {
  const algorithm = useSignal<(typeof algorithms)[number]>("ed25519");
  const isGiven = algorithm.value === "ed25519" || algorithm.value === "eip191"; // else the box makes a secret
  const add = async (values: FormData) => {
    const publicKey = textOf(values, "publicKey").trim();
    const { secret } = await call("POST /api/underground/keys", {
      body: { agentId, algorithm: algorithm.value, ...(isGiven && { publicKey }) },
    });
    await onMade(secret ?? "");
  };
  return (
    <Dialog title={t("bus.new_key")} onClose={onClose}>
      <Form submit={t("bus.add")} onCancel={onClose} onSubmit={add}>
        <Select
          label={t("bus.algorithm")}
          name="algorithm"
          autoFocus
          value={algorithm.value}
          onChange={({ currentTarget }) => (algorithm.value = currentTarget.value as typeof algorithm.value)}
          hint={t(`bus.hint.${algorithm.value}`)}
        >
          {algorithms.map((value) => (
            <option key={value} value={value}>
              {named("bus.algorithm", value)}
            </option>
          ))}
        </Select>
        {isGiven && (
          <Field
            label={algorithm.value === "eip191" ? t("bus.wallet_address") : t("bus.public_key")}
            name="publicKey"
            required
            maxLength={200}
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Form>
    </Dialog>
  );
}
