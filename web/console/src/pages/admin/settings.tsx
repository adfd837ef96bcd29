import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Setting } from "../../api/types";
import { named, t } from "../../app/i18n";
import { Action } from "../../components/action";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { Field, Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { AdminFrame } from "../../parts/admin_frame";
import { confirmed } from "../../step_up";

const sources: Setting["source"][] = ["flag", "environment", "file", "defaults"];

export default function SettingsPage() {
  const list = useLoad(async () => (await call("GET /api/admin/settings")).settings);
  const changing = useSignal<Setting | undefined>(undefined);
  return (
    <AdminFrame>
      <h1>{t("page.box_settings")}</h1>
      <p class="quiet">{t("box_settings.about")}</p>
      <Loaded of={list}>
        {(settings) => (
          <List
            items={settings}
            label={t("page.box_settings")}
            view={{
              text: ({ name, value, help }) => `${name} ${value ?? ""} ${help}`,
              filter: {
                title: t("box_settings.source"),
                choices: [
                  { value: "changed", title: t("box_settings.changed") },
                  ...sources.map((value) => ({ value, title: named("box_settings.from", value) })),
                ],
                matches: ({ source }, value) => (value === "changed" ? source !== "defaults" : source === value),
              },
            }}
          >
            {(found) => (
              <>
                {grouped(found).map(([title, settings]) => (
                  <section key={title} aria-label={title} class="setting-group">
                    <h2>{title}</h2>
                    <ul class="rows">
                      {settings.map((setting) => (
                        <li key={setting.name}>
                          <div>
                            <strong>{inWords(setting.name)}</strong> <code class="quiet">{setting.name}</code>
                            <p class="quiet">{setting.help}</p>
                          </div>
                          <div class="setting-value">
                            <Value setting={setting} />
                            <Badge tone={setting.source === "defaults" ? "" : "good"}>{named("box_settings.from", setting.source)}</Badge>
                            {setting.locked ? (
                              <small class="quiet" title={setting.locked}>
                                {t("box_settings.locked")}
                              </small>
                            ) : (
                              <Button
                                class="small"
                                label={t("box_settings.change", { name: setting.name })}
                                onClick={() => (changing.value = setting)}
                              >
                                {t("action.edit")}
                              </Button>
                            )}
                            {setting.isPending && <Pending setting={setting} />}
                          </div>
                        </li>
                      ))}
                    </ul>
                  </section>
                ))}
              </>
            )}
          </List>
        )}
      </Loaded>
      {changing.value && <ChangeDialog setting={changing.value} reload={list.reload} onClose={() => (changing.value = undefined)} />}
    </AdminFrame>
  );
}

// Words that are written in capitals.
const acronyms = new Set("TLS URL CPU IP ID API SSO SCIM SMTP ACME IDP CDP USD USDC GB MB UID GID LLM RPC HTTP CA".split(" "));

// WEB_LISTEN: Web listen.
function inWords(name: string): string {
  const words = name
    .split("_")
    .map((word, at) => (acronyms.has(word) ? word : at === 0 ? word[0] + word.slice(1).toLowerCase() : word.toLowerCase()));
  return words.join(" ");
}

// By the first word of the name; names that share it with no other are together at the end.
function grouped(settings: Setting[]): [string, Setting[]][] {
  const groups = new Map<string, Setting[]>();
  for (const setting of settings) {
    const head = setting.name.split("_")[0]!;
    groups.set(head, [...(groups.get(head) ?? []), setting]);
  }
  const alone = [...groups].filter(([, members]) => members.length === 1).flatMap(([, members]) => members);
  const together = [...groups]
    .filter(([, members]) => members.length > 1)
    .map(([head, members]): [string, Setting[]] => [inWords(head), members]);
  return alone.length > 0 ? [...together, [t("box_settings.others"), alone]] : together;
}

// What the file says already: another value, or none.
function Pending({ setting: { pending, isSecret } }: { setting: Setting }) {
  const value = isSecret ? t("box_settings.secret") : pending || t("box_settings.from.defaults");
  return (
    <p class="pending-setting">
      <Badge tone="busy">{t("box_settings.pending", { value })}</Badge>
    </p>
  );
}

interface ChangeProps {
  setting: Setting;
  reload: () => Promise<void>;
  onClose: () => void;
}

// One setting, in the control that fits its type. An empty field removes the line, so that the default applies.
function ChangeDialog({ setting, reload, onClose }: ChangeProps) {
  const { name, type, help, isSecret, isLive } = setting;
  const now = setting.pending ?? setting.value ?? "";
  const choices = /^[\w-]+(\|[\w-]+)+$/.test(type) ? type.split("|") : [];
  const save = (value: string | null) =>
    confirmed(async () => {
      await call("PUT /api/admin/settings", { body: { name, value } });
      await reload();
      onClose();
    });
  return (
    <Dialog title={inWords(name)} onClose={onClose}>
      <Form
        submit={t("action.save")}
        onCancel={onClose}
        onSubmit={async (values) => {
          const value = textOf(values, "value").trim();
          await save(value === "" ? null : value);
        }}
      >
        <p>
          <code>{name}</code>
        </p>
        {choices.length > 0 ? (
          <Select label={t("box_settings.value")} name="value" defaultValue={now} hint={help}>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </Select>
        ) : (
          <Field
            label={t("box_settings.value")}
            name="value"
            type={isSecret ? "password" : "text"}
            maxLength={4_000}
            autoFocus
            autocomplete="off"
            spellcheck={false}
            placeholder={type}
            hint={help}
            defaultValue={isSecret ? "" : now}
          />
        )}
        <p class="quiet">{t(isLive ? "box_settings.at_once" : "box_settings.after_restart")}</p>
        <div class="actions start">
          <Action run={() => save(null)}>{t("box_settings.use_default")}</Action>
        </div>
      </Form>
    </Dialog>
  );
}

function Value({ setting: { value, isSecret, isSet } }: { setting: Setting }) {
  if (isSecret) return <span class="quiet">{t(isSet ? "box_settings.secret" : "box_settings.unset")}</span>;
  return value ? <code>{value}</code> : <span class="quiet">{t("box_settings.unset")}</span>;
}
