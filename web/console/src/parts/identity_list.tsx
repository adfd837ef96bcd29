import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Identity } from "../api/types";
import { named, t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Loaded, useLoad } from "../components/loaded";
import { Time } from "../components/time";
import * as factor from "../second_factor";
import { passwordOf, ProveDialog } from "./prove";

// Accounts elsewhere and wallets that one signs in with.
export function IdentityList() {
  const found = useLoad(async () => (await call("GET /api/settings/identities")).identities);
  const leaving = useSignal<Identity | null>(null);
  const close = () => (leaving.value = null);
  const chosen = leaving.value;
  return (
    <section class="card" aria-labelledby="identities-title">
      <h2 id="identities-title">{t("identities.title")}</h2>
      <p class="quiet">{t("identities.about")}</p>
      <Loaded of={found}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{t("identities.none")}</p>
          ) : (
            <ul class="rows" aria-labelledby="identities-title">
              {list.map((identity) => (
                <li key={identity.id}>
                  <div>
                    <strong>{titleOf(identity)}</strong> {identity.disabled && <Badge tone="bad">{t("identities.disabled")}</Badge>}
                    <p class="quiet">
                      <bdi>{identity.account}</bdi>
                    </p>
                    <p class="quiet">
                      {t("identities.since")} <Time at={identity.connectedAt} />
                    </p>
                  </div>
                  <Button
                    kind="danger"
                    label={t("identities.disconnect_this", { name: titleOf(identity) })}
                    onClick={() => (leaving.value = identity)}
                  >
                    {t("identities.disconnect")}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {chosen && (
        <ProveDialog
          title={t("identities.disconnect_title", { name: titleOf(chosen) })}
          confirm={t("identities.disconnect")}
          danger
          withPassword={factor.state.value?.hasPassword ?? true}
          onClose={close}
          action={async (values, proof) => {
            await call("DELETE /api/settings/identities/{id}", {
              path: { id: chosen.id },
              body: { currentPassword: passwordOf(values), ...proof },
            });
            await found.reload();
            close();
          }}
        >
          <p>{t("identities.disconnect_text")}</p>
        </ProveDialog>
      )}
    </section>
  );
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

const titleOf = ({ provider, issuer }: Identity) =>
  issuer ? `${named("identity", provider)}: ${hostOf(issuer)}` : named("identity", provider);
