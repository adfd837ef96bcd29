import { call } from "../../api/client";
import type { Setting } from "../../api/types";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Table } from "../../components/table";
import { AdminFrame } from "../../parts/admin_frame";

const sources: Setting["source"][] = ["flag", "environment", "file", "defaults"];

export default function SettingsPage() {
  const list = useLoad(async () => (await call("GET /api/admin/settings")).settings);
  return (
    <AdminFrame>
      <h2>{t("page.box_settings")}</h2>
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
              <Table
                title={t("page.box_settings")}
                columns={[t("box_settings.name"), t("box_settings.value"), t("box_settings.source"), t("box_settings.help")]}
              >
                {found.map((setting) => (
                  <tr key={setting.name}>
                    <th scope="row">
                      <code>{setting.name}</code>
                    </th>
                    <td>
                      <Value setting={setting} />
                    </td>
                    <td>
                      <Badge tone={setting.source === "defaults" ? "" : "good"}>{named("box_settings.from", setting.source)}</Badge>
                    </td>
                    <td>{setting.help}</td>
                  </tr>
                ))}
              </Table>
            )}
          </List>
        )}
      </Loaded>
    </AdminFrame>
  );
}

function Value({ setting: { value, isSecret, isSet } }: { setting: Setting }) {
  if (isSecret) return <span class="quiet">{t(isSet ? "box_settings.secret" : "box_settings.unset")}</span>;
  return value ? <code>{value}</code> : <span class="quiet">{t("box_settings.unset")}</span>;
}
