import { useSignal } from "@preact/signals";
import * as account from "../account";
import { call } from "../api/client";
import { t } from "../app/i18n";
import { CodeBlock } from "../components/code_block";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Notice } from "../components/notice";

// The name that others see, and the code with which they come.
export function Profile() {
  const saved = useSignal(false);
  const settings = account.settings.value;
  if (!settings) return null;
  const save = async (values: FormData) => {
    saved.value = false;
    await call("PATCH /api/settings", { body: { name: textOf(values, "name").trim() } });
    await Promise.all([account.refreshUser(), account.refreshSettings()]);
    saved.value = true;
  };
  return (
    <section class="card" aria-labelledby="profile-title">
      <h2 id="profile-title">{t("profile.title")}</h2>
      <Form submit={t("action.save")} onSubmit={save}>
        <Field label={t("profile.name")} name="name" required maxLength={100} autocomplete="name" dir="auto" defaultValue={settings.name} />
        {saved.value && <Notice kind="hint">{t("state.saved")}</Notice>}
      </Form>
      <p class="quiet">{t("profile.referral")}</p>
      <CodeBlock text={settings.referralCode} />
    </section>
  );
}
