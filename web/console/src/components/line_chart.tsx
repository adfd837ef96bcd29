import { useSignal } from "@preact/signals";
import { dateTime, time } from "../app/format";
import { t } from "../app/i18n";

export interface Point {
  at: number; // milliseconds
  value: number;
}

interface Props {
  title: string;
  from: number;
  until: number;
  // Points further apart than this are not joined: nothing was measured in between.
  gap: number;
  points: Point[]; // by time
  text: (value: number) => string;
}

const width = 1_000,
  height = 120,
  margin = 4;

// A value over time. The same numbers are in a table below it, for those who cannot see it.
export function LineChart({ title, from, until, gap, points, text }: Props) {
  const pointed = useSignal(-1);
  const top = Math.max(...points.map(({ value }) => value), 0);
  const x = (at: number) => ((at - from) / (until - from)) * width;
  const y = (value: number) => height - (top > 0 ? (value / top) * (height - margin) : 0);
  const point = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const at = from + ((event.clientX - box.left) / box.width) * (until - from);
    pointed.value = nearest(points, at);
  };
  const shown = points[pointed.value];
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <span class="quiet">
          {shown ? `${dateTime(new Date(shown.at))}: ${text(shown.value)}` : t("chart.highest", { value: text(top) })}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onMouseMove={point}
        onClick={point}
        onMouseLeave={() => (pointed.value = -1)}
      >
        <rect class="hit" width={width} height={height} />
        <line class="axis" x1="0" x2={width} y1={height} y2={height} />
        {runsOf(points, gap).map((run) => (
          <path key={run[0]!.at} class="line" d={path(run.map(({ at, value }) => [x(at), y(value)]))} />
        ))}
        {shown && <line class="pointer" x1={x(shown.at)} x2={x(shown.at)} y1="0" y2={height} />}
      </svg>
      <div class="chart-ends quiet" aria-hidden="true">
        <span>{time(new Date(from))}</span>
        <span>{time(new Date(until))}</span>
      </div>
      <details>
        <summary>{t("chart.as_table")}</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table>
            <caption class="unseen">{title}</caption>
            <tbody>
              {points.map(({ at, value }) => (
                <tr key={at}>
                  <th scope="row">{dateTime(new Date(at))}</th>
                  <td>{text(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function nearest(points: Point[], at: number): number {
  let best = -1;
  points.forEach((point, index) => {
    if (best < 0 || Math.abs(point.at - at) < Math.abs(points[best]!.at - at)) best = index;
  });
  return best;
}

// The points in groups that are joined by a line.
function runsOf(points: Point[], gap: number): Point[][] {
  const runs: Point[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    if (run && point.at - run.at(-1)!.at <= gap) run.push(point);
    else runs.push([point]);
  }
  return runs;
}

// A point alone is a line of no length, which its round ends make a dot.
const path = (run: [number, number][]) =>
  `M${run.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}${run.length === 1 ? "h0.1" : ""}`;
