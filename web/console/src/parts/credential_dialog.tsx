// Adds a credential, or replaces one: its binding, and its secret unless that is to stay.
import { useSignal } from "@preact/signals";
import { agents } from "../agents";
import { call } from "../api/client";
import type { Credential } from "../api/types";
import { named, t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Checkbox, Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";

interface Props {
  credential: Credential | undefined; // undefined: a new one
  onClose: () => void;
  onSaved: () => Promise<void>;
}

const forms = ["bearer", "basic", "header", "query"] as const;
const schemes = ["https", "http"];
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const withParameter = ["basic", "header", "query"];

const linesOf = (values: FormData, name: string) =>
  textOf(values, name)
    .split(/[\s,]+/)
    .filter(Boolean);

export function CredentialDialog({ credential, onClose, onSaved }: Props) {
  const form = useSignal<Credential["form"]>(credential?.form ?? "bearer");
  const save = async (values: FormData) => {
    const secret = textOf(values, "secret");
    const body = {
      name: textOf(values, "name").trim(),
      ...(secret && { secret }),
      scheme: textOf(values, "scheme"),
      hosts: linesOf(values, "hosts"),
      paths: linesOf(values, "paths"),
      methods: values.getAll("methods").map(String),
      agents: values.getAll("agents").map(String),
      form: form.value,
      ...(withParameter.includes(form.value) && { parameter: textOf(values, "parameter").trim() }),
    };
    if (credential) await call("PUT /api/credentials/{id}", { path: { id: credential.id }, body });
    else await call("POST /api/credentials", { body });
    await onSaved();
    onClose();
  };
  return (
    <Dialog title={credential ? t("credential.replace_this", { name: credential.name }) : t("credential.new")} onClose={onClose}>
      <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
        <Field
          label={t("credential.name")}
          name="name"
          required
          maxLength={64}
          pattern="[A-Z][A-Z0-9_]*"
          autoFocus
          autocomplete="off"
          spellcheck={false}
          hint={t("credential.name_hint")}
          defaultValue={credential?.name}
        />
        <Field
          label={t("credential.secret")}
          name="secret"
          type="password"
          required={!credential}
          minLength={8}
          maxLength={8_000}
          autocomplete="new-password"
          spellcheck={false}
          hint={t(credential ? "credential.secret_stays" : "credential.secret_hint")}
        />
        <Select
          label={t("credential.form")}
          value={form.value}
          onChange={({ currentTarget }) => (form.value = currentTarget.value as Credential["form"])}
          hint={t(`credential.form_hint.${form.value}`)}
        >
          {forms.map((value) => (
            <option key={value} value={value}>
              {named("credential.form", value)}
            </option>
          ))}
        </Select>
        {withParameter.includes(form.value) && (
          <Field
            key={form.value}
            label={named("credential.parameter", form.value)}
            name="parameter"
            required={form.value !== "basic"}
            maxLength={100}
            autocomplete="off"
            spellcheck={false}
            defaultValue={credential?.form === form.value ? credential.parameter : ""}
          />
        )}
        <Select label={t("credential.scheme")} name="scheme" defaultValue={credential?.scheme ?? "https"}>
          {schemes.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </Select>
        <TextArea
          label={t("credential.hosts")}
          name="hosts"
          required
          rows={2}
          spellcheck={false}
          hint={t("credential.hosts_hint")}
          defaultValue={credential?.hosts.join("\n")}
        />
        <details open={Boolean(credential && (credential.paths.length || credential.methods.length || credential.agents.length))}>
          <summary>{t("credential.more")}</summary>
          <TextArea
            label={t("credential.paths")}
            name="paths"
            rows={2}
            spellcheck={false}
            hint={t("credential.paths_hint")}
            defaultValue={credential?.paths.join("\n")}
          />
          <fieldset>
            <legend>{t("credential.methods")}</legend>
            <p class="hint">{t("credential.methods_hint")}</p>
            {methods.map((name) => (
              <Checkbox key={name} label={name} name="methods" value={name} defaultChecked={credential?.methods.includes(name) ?? false} />
            ))}
          </fieldset>
          {agents.value && agents.value.length > 0 && (
            <fieldset>
              <legend>{t("keys.agents")}</legend>
              <p class="hint">{t("credential.agents_hint")}</p>
              {agents.value.map(({ id, name }) => (
                <Checkbox key={id} label={name} name="agents" value={id} defaultChecked={credential?.agents.includes(id) ?? false} />
              ))}
            </fieldset>
          )}
        </details>
      </Form>
    </Dialog>
  );
}
