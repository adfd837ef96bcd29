import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";

export interface Bar {
  label: string;
  value: number;
  text: string; // the value in words
}

const height = 120;

// Values side by side, such as a month by day. The same numbers are in a table below it, for those who cannot see it.
export function BarChart({ title, bars }: { title: string; bars: Bar[] }) {
  const pointed = useSignal(-1);
  const top = Math.max(...bars.map(({ value }) => value), 0);
  const width = 100 / Math.max(bars.length, 1);
  const shown = bars[pointed.value];
  const highest = bars.find(({ value }) => value === top);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <span class="quiet">
          {shown ? `${shown.label}: ${shown.text}` : highest && top > 0 ? t("chart.highest", { value: highest.text }) : ""}
        </span>
      </figcaption>
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true" onMouseLeave={() => (pointed.value = -1)}>
        <line class="axis" x1="0" x2="100" y1={height} y2={height} />
        {bars.map((bar, index) => {
          const size = top > 0 ? (bar.value / top) * (height - 4) : 0;
          return (
            <g key={bar.label} onMouseEnter={() => (pointed.value = index)} onClick={() => (pointed.value = index)}>
              <rect class="hit" x={index * width} width={width} y="0" height={height} />
              <rect
                class={index === pointed.value ? "bar pointed" : "bar"}
                x={index * width + width * 0.12}
                width={width * 0.76}
                y={height - size}
                height={size}
              />
            </g>
          );
        })}
      </svg>
      <div class="chart-ends quiet" aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <details>
        <summary>{t("chart.as_table")}</summary>
        <table>
          <caption class="unseen">{title}</caption>
          <tbody>
            {bars.map(({ label, text }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
