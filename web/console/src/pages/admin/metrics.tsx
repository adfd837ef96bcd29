import { send } from "../../api/client";
import { download } from "../../app/download";
import { number } from "../../app/format";
import { t } from "../../app/i18n";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Table } from "../../components/table";
import { Actions } from "../../parts/actions";
import { AdminFrame } from "../../parts/admin_frame";

interface Sample {
  id: string; // with its labels
  name: string;
  labels: string;
  value: number;
  help: string;
}

// Prometheus' text format, as far as the box writes it.
function samplesOf(text: string): Sample[] {
  const help = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const about = /^# HELP (\S+) (.*)$/.exec(line);
    if (about) help.set(about[1]!, about[2]!);
    const sample = /^([A-Za-z_:][\w:]*)(\{.*\})? (\S+)/.exec(line);
    if (!sample) continue;
    const [, name = "", labels = "", value = ""] = sample;
    const family = name.replace(/_(bucket|sum|count)$/, "");
    samples.push({ id: name + labels, name, labels: labels.slice(1, -1), value: Number(value), help: help.get(name) ?? help.get(family) ?? "" });
  }
  return samples;
}

export default function MetricsPage() {
  const metrics = useLoad(async () => (await send("GET /api/admin/metrics")).text());
  return (
    <AdminFrame>
      <h2>{t("page.metrics")}</h2>
      <p class="quiet">{t("metrics.about")}</p>
      <Actions
        actions={[
          { title: t("action.reload"), run: metrics.reload },
          { title: t("logs.download"), run: () => download("metrics.txt", metrics.data.peek() ?? "") },
        ]}
      />
      <Loaded of={metrics}>
        {(text) => (
          <List
            items={samplesOf(text).filter(({ name }) => !name.endsWith("_bucket"))}
            label={t("page.metrics")}
            view={{
              text: ({ id, help }) => `${id} ${help}`,
              orders: [
                { value: "name", title: t("sort.name"), compare: (a, b) => a.id.localeCompare(b.id) },
                { value: "value", title: t("metrics.highest"), compare: (a, b) => b.value - a.value },
              ],
            }}
          >
            {(found) => (
              <Table
                title={t("page.metrics")}
                columns={[t("sort.name"), t("metrics.labels"), t("box_settings.value"), t("box_settings.help")]}
              >
                {found.map(({ id, name, labels, value, help }) => (
                  <tr key={id}>
                    <th scope="row">
                      <code>{name}</code>
                    </th>
                    <td>
                      <bdi>{labels}</bdi>
                    </td>
                    <td>{number(value)}</td>
                    <td>{help}</td>
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
