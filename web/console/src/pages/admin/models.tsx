import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { ModelProvider, NewProvider } from "../../api/types";
import { duration } from "../../app/format";
import { named, t, tn } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { Dialog } from "../../components/dialog";
import { Checkbox, Field } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Actions } from "../../parts/actions";
import { AdminFrame } from "../../parts/admin_frame";
import { confirmed } from "../../step_up";

export default function ModelsPage() {
  const list = useLoad(() => call("GET /api/admin/models/providers"));
  const editing = useSignal<Partial<ModelProvider> | null>(null);
  const removing = useSignal("");
  const said = useSignal("");
  const change = async (body: NewProvider) => {
    await confirmed(() => call("PUT /api/admin/models/providers", { body }));
    await list.reload();
  };
  return (
    <AdminFrame>
      <h1>{t("page.models")}</h1>
      <p class="quiet">{t("models.about")}</p>
      {said.value && <Notice kind="hint">{said.value}</Notice>}
      <Actions
        actions={[
          { title: t("models.add"), run: async () => void (editing.value = {}) },
          {
            title: t("models.probe"),
            run: async () => {
              said.value = "";
              const { servers } = await confirmed(() => call("POST /api/admin/models/local-servers"));
              said.value = servers.length ? tn("models.probed", servers.length) : t("models.none_found");
              await list.reload();
            },
          },
          {
            title: t("models.reload"),
            run: async () => {
              said.value = "";
              const { models } = await confirmed(() => call("POST /api/admin/models/reload"));
              said.value = tn("models.reloaded", models);
            },
          },
        ]}
      />
      <Loaded of={list}>
        {({ providers, found }) => (
          <>
            <ul class="cards providers">
              {providers.map((provider) => (
                <Provider
                  key={provider.provider}
                  provider={provider}
                  onEdit={() => (editing.value = provider)}
                  onRemove={() => (removing.value = provider.provider)}
                />
              ))}
            </ul>
            {found.servers.length > 0 && (
              <section class="card" aria-labelledby="found-title">
                <h2 id="found-title">{t("models.found")}</h2>
                <ul class="rows">
                  {found.servers.map(({ kind, baseUrl, models, inUse }) => (
                    <li key={baseUrl}>
                      <div>
                        <strong>{kind}</strong> <code>{baseUrl}</code> {inUse && <Badge tone="good">{t("providers.in_use")}</Badge>}
                        <p class="quiet">{models.join(", ")}</p>
                      </div>
                      {!inUse && (
                        <Button onClick={() => (editing.value = { provider: "local", baseUrl, model: models[0] ?? "" })}>
                          {t("models.use")}
                        </Button>
                      )}
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Loaded>
      {editing.value && <ProviderDialog provider={editing.value} onClose={() => (editing.value = null)} onSave={change} />}
      {removing.value && (
        <Confirm
          title={t("models.remove_title", { name: named("provider", removing.value) })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = "")}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/models/providers/{name}", { path: { name: removing.value } }));
            await list.reload();
          }}
        >
          <p>{t("models.remove_text")}</p>
        </Confirm>
      )}
    </AdminFrame>
  );
}

const circuits = { closed: "good", half_open: "busy", open: "bad" } as const;

function Provider({ provider, onEdit, onRemove }: { provider: ModelProvider; onEdit: () => void; onRemove: () => void }) {
  const {
    provider: name,
    configured,
    circuit,
    source,
    setting,
    baseUrl,
    keyHint,
    model,
    fallbackModel,
    billsAfterDisconnect,
    slots,
    running,
    waiting,
    problem,
  } = provider;
  const rows: [string, string | null | undefined][] = [
    [t("models.address"), baseUrl],
    [t("providers.key"), keyHint],
    [t("models.model"), model],
    [t("models.fallback"), fallbackModel],
    [t("models.disconnect"), billsAfterDisconnect ? t("models.bills_short") : ""],
    [t("models.queue"), slots > 0 ? t("models.queue_state", { running, slots, waiting }) : ""],
    [t("models.source"), source === "settings" ? setting : source === "stored" ? t("models.stored") : ""],
  ];
  const builtin = name === "builtin";
  const title = named("provider", name);
  return (
    <li>
      <h2>{title}</h2>
      <p class="facts">
        <Badge tone={configured ? "good" : ""}>{configured ? t("models.configured") : t("models.not_configured")}</Badge>
        {configured && <Badge tone={circuits[circuit]}>{named("models.circuit", circuit)}</Badge>}
      </p>
      {problem && <Notice kind="error">{problem}</Notice>}
      <dl class="pairs">
        {rows
          .filter(([, value]) => value)
          .map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {!builtin && (
        <div class="actions start">
          <Button label={t(configured ? "schedule.edit_this" : "models.configure_this", { name: title })} onClick={onEdit}>
            {configured ? t("action.edit") : t("models.configure")}
          </Button>
          {source === "stored" && (
            <Button kind="danger" label={t("providers.remove_this", { name: title })} onClick={onRemove}>
              {t("action.remove")}
            </Button>
          )}
        </div>
      )}
      {configured && <Test name={name} />}
    </li>
  );
}

// Asks the provider a short question.
function Test({ name }: { name: string }) {
  const said = useSignal("");
  const failed = useSignal("");
  const listed = useSignal<string[]>([]);
  return (
    <Form
      submit={t("models.test")}
      onSubmit={async (values) => {
        said.value = failed.value = "";
        const model = textOf(values, "model").trim();
        listed.value = [];
        const found = await confirmed(() =>
          call("POST /api/admin/models/providers/{name}/test", { path: { name }, body: model ? { model } : {}, timeout: 90_000 }),
        );
        listed.value = found.models;
        if (found.success)
          said.value = t("models.answered", { model: found.model, time: duration(found.latencyMs), answer: found.answer ?? "" });
        else failed.value = found.error ?? t("error.internal");
      }}
    >
      <Field label={t("models.test_model")} name="model" maxLength={200} autocomplete="off" hint={t("models.test_hint")} />
      {said.value && <Notice kind="hint">{said.value}</Notice>}
      {failed.value && <Notice kind="error">{failed.value}</Notice>}
      {listed.value.length > 0 && (
        <p class="quiet">
          {t("models.listed")} {listed.value.join(", ")}
        </p>
      )}
    </Form>
  );
}

// Those of the box; further servers have names that administrators choose.
const own = ["openrouter", "anthropic", "openai", "google", "local", "builtin"];

interface DialogProps {
  provider: Partial<ModelProvider>;
  onClose: () => void;
  onSave: (body: NewProvider) => Promise<void>;
}

function ProviderDialog({ provider, onClose, onSave }: DialogProps) {
  const { provider: name = "", baseUrl, keyHint, model, fallbackModel, billsAfterDisconnect = false, source } = provider;
  const fixed = source === "settings"; // the settings decide all the rest
  const local = name === "local";
  const server = !own.includes(name); // a further one, or a new one without a name yet
  const save = async (values: FormData) => {
    const key = textOf(values, "key").trim();
    const bills = { billsAfterDisconnect: values.has("billsAfterDisconnect") };
    if (fixed) await onSave({ provider: name, ...bills });
    else
      await onSave({
        ...bills,
        provider: name || textOf(values, "provider").trim(),
        baseUrl: textOf(values, "baseUrl").trim(),
        ...(key && { key }),
        ...((local || server) && { model: textOf(values, "model").trim() }),
        ...(local && { fallbackModel: textOf(values, "fallbackModel").trim() }),
      });
    onClose();
  };
  return (
    <Dialog title={name ? t("models.configure_this", { name: named("provider", name) }) : t("models.add")} onClose={onClose}>
      <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
        {!name && (
          <Field
            label={t("models.name")}
            name="provider"
            required
            maxLength={20}
            pattern="[a-z][a-z0-9\\-]*"
            autocomplete="off"
            spellcheck={false}
            hint={t("models.name_hint")}
          />
        )}
        {!fixed && (
          <>
            <Field
              label={t("models.address")}
              name="baseUrl"
              type="url"
              required={local || server}
              maxLength={500}
              autocomplete="off"
              hint={local || server ? t("models.local_hint") : t("models.address_hint")}
              defaultValue={baseUrl ?? ""}
            />
            <Field
              label={t("providers.key")}
              name="key"
              type="password"
              maxLength={500}
              autocomplete="off"
              spellcheck={false}
              hint={keyHint ? t("models.key_kept", { hint: keyHint }) : ""}
            />
            {(local || server) && (
              <Field label={t("models.model")} name="model" maxLength={200} autocomplete="off" defaultValue={model ?? ""} />
            )}
            {local && (
              <Field
                label={t("models.fallback")}
                name="fallbackModel"
                maxLength={200}
                autocomplete="off"
                defaultValue={fallbackModel ?? ""}
              />
            )}
          </>
        )}
        <Checkbox
          label={t("models.bills")}
          name="billsAfterDisconnect"
          hint={t("models.bills_hint")}
          defaultChecked={billsAfterDisconnect}
        />
      </Form>
    </Dialog>
  );
}
