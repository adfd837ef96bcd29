import { call } from "../../api/client";
import type { Setting } from "../../api/types";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { AdminFrame } from "../../parts/admin_frame";

const sources: Setting["source"][] = ["flag", "environment", "file", "defaults"];

export default function SettingsPage() {
  const list = useLoad(async () => (await call("GET /api/admin/settings")).settings);
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

function Value({ setting: { value, isSecret, isSet } }: { setting: Setting }) {
  if (isSecret) return <span class="quiet">{t(isSet ? "box_settings.secret" : "box_settings.unset")}</span>;
  return value ? <code>{value}</code> : <span class="quiet">{t("box_settings.unset")}</span>;
}
