import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Field, Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Time } from "../../components/time";
import { UsageFrame } from "../../parts/usage_frame";

const providers = ["openrouter", "anthropic", "openai", "google"];

export default function ProvidersPage() {
  return (
    <UsageFrame>
      <ProviderKeys />
      <ResponseCache />
    </UsageFrame>
  );
}

function ProviderKeys() {
  const keys = useLoad(async () => (await call("GET /api/provider-keys")).keys);
  const removing = useSignal("");
  const stored = useSignal(0);
  const store = async (values: FormData) => {
    await call("PUT /api/provider-keys/{provider}", {
      path: { provider: textOf(values, "provider") },
      body: { key: textOf(values, "key").trim() },
    });
    stored.value++;
    await keys.reload();
  };
  const use = async (isOn: boolean) => {
    await call("POST /api/billing", { body: { action: isOn ? "enable-byok" : "disable-byok" } });
    await keys.reload();
  };
  return (
    <section class="card" aria-labelledby="providers-title">
      <h2 id="providers-title">{t("providers.title")}</h2>
      <p class="quiet">{t("providers.about")}</p>
      <Loaded of={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("providers.empty")} text={t("providers.empty_text")} />
          ) : (
            <>
              <ul class="rows">
                {list.map((key) => (
                  <li key={key.provider}>
                    <div>
                      <strong>{named("provider", key.provider)}</strong> <code>{key.hint}</code>{" "}
                      <Badge tone={key.inUse ? "good" : ""}>{key.inUse ? t("providers.in_use") : t("providers.off")}</Badge>
                      <p class="quiet">
                        <Time at={key.updatedAt} />
                      </p>
                    </div>
                    <Button
                      kind="danger"
                      label={t("providers.remove_this", { name: named("provider", key.provider) })}
                      onClick={() => (removing.value = key.provider)}
                    >
                      {t("action.remove")}
                    </Button>
                  </li>
                ))}
              </ul>
              <Form
                submit={list.some(({ inUse }) => inUse) ? t("providers.disable") : t("providers.enable")}
                onSubmit={() => use(!list.some(({ inUse }) => inUse))}
              />
            </>
          )
        }
      </Loaded>
      <h3>{t("providers.add")}</h3>
      <Form key={stored.value} submit={t("providers.store")} onSubmit={store}>
        <Select label={t("providers.provider")} name="provider">
          {providers.map((name) => (
            <option key={name} value={name}>
              {named("provider", name)}
            </option>
          ))}
        </Select>
        <Field label={t("providers.key")} name="key" type="password" required maxLength={500} autocomplete="off" spellcheck={false} />
      </Form>
      {removing.value && (
        <Confirm
          title={t("providers.remove_title", { name: named("provider", removing.value) })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = "")}
          action={async () => {
            await call("DELETE /api/provider-keys/{provider}", { path: { provider: removing.value } });
            await keys.reload();
          }}
        >
          <p>{t("providers.remove_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

function ResponseCache() {
  const cache = useLoad(() => call("GET /api/response-cache"));
  const saved = useSignal(false);
  const save = async (values: FormData) => {
    saved.value = false;
    await call("PUT /api/response-cache", { body: { minutes: Number(textOf(values, "minutes")) } });
    await cache.reload();
    saved.value = true;
  };
  return (
    <section class="card" aria-labelledby="cache-title">
      <h2 id="cache-title">{t("cache.title")}</h2>
      <p class="quiet">{t("cache.about")}</p>
      <Loaded of={cache}>
        {({ enabled, minutes }) => (
          <Form submit={t("action.save")} onSubmit={save}>
            <Field
              label={t("cache.minutes")}
              name="minutes"
              type="number"
              required
              min={0}
              max={10_080}
              step={1}
              hint={t("cache.hint")}
              defaultValue={String(enabled ? minutes : 0)}
            />
            {saved.value && <Notice kind="hint">{t("state.saved")}</Notice>}
          </Form>
        )}
      </Loaded>
    </section>
  );
}
