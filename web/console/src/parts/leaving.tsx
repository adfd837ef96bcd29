import { useSignal } from "@preact/signals";
import * as account from "../account";
import { call, endSession, url_of } from "../api/client";
import { t } from "../app/i18n";
import { go } from "../app/router";
import { Button } from "../components/button";
import { forgetAll } from "../conversation";
import * as factor from "../second_factor";
import { passwordOf, ProveDialog } from "./prove";

// Milliseconds that erasing many agents may take.
const longest = 300_000;

// Everything that is the user's, to take along, and the end of the account.
export function Leaving() {
  const erasing = useSignal(false);
  const close = () => (erasing.value = false);
  return (
    <section class="card" aria-labelledby="leaving-title">
      <h2 id="leaving-title">{t("leaving.title")}</h2>
      <p class="quiet">{t("leaving.export_about")}</p>
      <div class="actions start">
        <a class="button" href={url_of("GET /api/settings/export")} download="">
          {t("leaving.export")}
        </a>
      </div>
      <p class="quiet">{t("leaving.about")}</p>
      <div class="actions start">
        <Button kind="danger" onClick={() => (erasing.value = true)}>
          {t("leaving.erase")}
        </Button>
      </div>
      {erasing.value && (
        <ProveDialog
          title={t("leaving.question")}
          confirm={t("leaving.confirm")}
          danger
          withPassword={factor.state.value?.hasPassword ?? true}
          onClose={close}
          action={async (values, proof) => {
            const currentPassword = passwordOf(values);
            const body = { ...(currentPassword && { currentPassword }), ...proof };
            await endSession(() => call("DELETE /api/settings/account", { body, timeout: longest }));
            close();
            forgetAll();
            account.user.value = null;
            account.settings.value = null;
            go("/?done=erased", { replace: true });
          }}
        >
          <p>{t("leaving.about")}</p>
        </ProveDialog>
      )}
    </section>
  );
}
