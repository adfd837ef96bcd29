import { download } from "../../app/download";
import { number } from "../../app/format";
import { t, tn } from "../../app/i18n";
import { Button } from "../../components/button";
import { Icon } from "../../components/icon";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { readMetrics, type Sample, samplesOf } from "../../metrics";
import { AdminFrame } from "../../parts/admin_frame";
import { RateCharts, useRates } from "../../parts/box_overview";

interface Family {
  name: string;
  help: string;
  samples: Sample[];
  total: number;
}

// One row for each name; the buckets of distributions are left out.
function familiesOf(text: string): Family[] {
  const families = new Map<string, Family>();
  for (const sample of samplesOf(text)) {
    if (sample.name.endsWith("_bucket")) continue;
    const family = families.get(sample.name) ?? { name: sample.name, help: sample.help, samples: [], total: 0 };
    family.samples.push(sample);
    family.total += sample.value;
    families.set(sample.name, family);
  }
  return [...families.values()];
}

export default function MetricsPage() {
  const metrics = useLoad(readMetrics);
  const { rates } = useRates();
  return (
    <AdminFrame>
      <div class="page-head">
        <h1>{t("page.metrics")}</h1>
        <div class="actions">
          <Reload of={metrics} />
          <Button
            kind="ghost"
            class="icon-only"
            label={t("logs.download")}
            title={t("logs.download")}
            onClick={() => download("metrics.txt", metrics.data.peek() ?? "")}
          >
            <Icon name="download" />
          </Button>
        </div>
      </div>
      <p class="quiet">{t("metrics.about")}</p>
      <section class="card" aria-label={t("overview.now")}>
        <RateCharts rates={rates.value} />
      </section>
      <Loaded of={metrics}>
        {(text) => (
          <List
            items={familiesOf(text)}
            label={t("page.metrics")}
            view={{
              text: ({ name, help, samples }) => `${name} ${help} ${samples.map(({ labels }) => labels).join(" ")}`,
              orders: [
                { value: "name", title: t("sort.name"), compare: (a, b) => a.name.localeCompare(b.name) },
                { value: "value", title: t("metrics.highest"), compare: (a, b) => b.total - a.total },
              ],
            }}
          >
            {(found) => (
              <ul class="rows metric-rows">
                {found.map((family) => (
                  <Row key={family.name} family={family} />
                ))}
              </ul>
            )}
          </List>
        )}
      </Loaded>
    </AdminFrame>
  );
}

function Row({ family: { name, help, samples, total } }: { family: Family }) {
  const one = samples.length === 1 ? samples[0] : undefined;
  return (
    <li>
      <div>
        <code>{name}</code> {one?.labels && <bdi class="quiet">{one.labels}</bdi>}
        <p class="quiet">{help}</p>
        {!one && (
          <details>
            <summary>{tn("metrics.series", samples.length)}</summary>
            <dl class="pairs">
              {samples.map(({ id, labels, value }) => (
                <div key={id}>
                  <dt>
                    <bdi>{labels}</bdi>
                  </dt>
                  <dd>{number(value)}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </div>
      <strong class="metric-value">{number(total)}</strong>
    </li>
  );
}
