import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";

export interface Stack {
  label: string;
  parts: number[]; // of each series, in its order
}

interface Props {
  title: string;
  series: string[]; // names, at most as many as there are colours (styles)
  stacks: Stack[];
  text: (value: number) => string;
  axis: (value: number) => string; // shorter
  limit?: number | undefined; // a line that values should stay below, with its name
  limitName?: string;
  unfinished?: boolean; // the last stack still grows
  empty?: string; // said in place of the chart when all values are 0
}

const width = 1_000;
const height = 240;
export const colours = 6;

// The next number that is 1, 2 or 5 and zeros.
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((factor) => factor * power >= value * 0.999) ?? 10) * power;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

// Values side by side, each made of parts: a month by day and model. With an axis, a legend that hides series, and the
// parts of the one that is pointed at. The same numbers are in a table below it.
export function StackedChart({ title, series, stacks, text, axis, limit, limitName, unfinished, empty }: Props) {
  const pointed = useSignal(-1);
  const hidden = useSignal<ReadonlySet<number>>(new Set());
  const shownParts = (stack: Stack) => stack.parts.map((value, at) => (hidden.value.has(at) ? 0 : value));
  const highest = Math.max(...stacks.map((stack) => sum(shownParts(stack))), 0);
  const isEmpty = stacks.every(({ parts }) => sum(parts) === 0);
  if (isEmpty && empty) return <p class="quiet">{empty}</p>;
  const showsLimit = limit !== undefined && highest > 0 && limit <= highest * 3;
  const end = Math.max(highest, showsLimit ? limit : 0) || 1;
  const step = roundUp(end / 4);
  const steps = Math.ceil((end / step) * 0.999);
  const top = step * steps;
  const y = (value: number) => height - (value / top) * height;
  const column = width / Math.max(stacks.length, 1);
  const at = stacks[pointed.value];
  const every = Math.max(1, Math.ceil(stacks.length / 7));
  const toggle = (index: number) => {
    const next = new Set(hidden.value);
    if (!next.delete(index)) next.add(index);
    hidden.value = next;
  };
  return (
    <figure class="chart stacked">
      <figcaption>
        <strong>{title}</strong>
        <span class="legend">
          {series.map((name, index) => (
            <button
              key={name}
              type="button"
              class={`ghost small series-${index}`}
              aria-pressed={!hidden.value.has(index)}
              onClick={() => toggle(index)}
            >
              <span class="swatch-dot" aria-hidden="true" />
              <bdi>{name}</bdi>
            </button>
          ))}
        </span>
      </figcaption>
      <div class="plot">
        <div class="axis-labels" aria-hidden="true">
          {Array.from({ length: steps + 1 }, (_, mark) => (
            <span key={mark}>{axis(step * (steps - mark))}</span>
          ))}
        </div>
        <div class="plot-area" onMouseLeave={() => (pointed.value = -1)}>
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            {Array.from({ length: steps + 1 }, (_, mark) => (
              <line key={mark} class="grid" x1="0" x2={width} y1={(height * mark) / steps} y2={(height * mark) / steps} />
            ))}
            {stacks.map((stack, index) => {
              let below = 0;
              return (
                <g
                  key={stack.label}
                  class={index === pointed.value ? "pointed" : undefined}
                  onMouseEnter={() => (pointed.value = index)}
                  onClick={() => (pointed.value = index)}
                >
                  <rect class="hit" x={index * column} width={column} y="0" height={height} />
                  {shownParts(stack).map((value, part) => {
                    const from = below;
                    below += value;
                    return value > 0 ? (
                      <rect
                        key={part}
                        class={`series-${part}${unfinished && index === stacks.length - 1 ? " unfinished" : ""}`}
                        x={index * column + column * 0.14}
                        width={column * 0.72}
                        y={y(below)}
                        height={Math.max(y(from) - y(below), 0.5)}
                      />
                    ) : null;
                  })}
                </g>
              );
            })}
            {showsLimit && <line class="limit" x1="0" x2={width} y1={y(limit)} y2={y(limit)} />}
          </svg>
          {showsLimit && <p class="quiet limit-name">{limitName}</p>}
          {at && (
            <div class={pointed.value > stacks.length / 2 ? "plot-tip left" : "plot-tip"} role="status">
              <strong>{at.label}</strong> {text(sum(shownParts(at)))}
              <ul>
                {at.parts.map(
                  (value, part) =>
                    value > 0 &&
                    !hidden.value.has(part) && (
                      <li key={part} class={`series-${part}`}>
                        <span class="swatch-dot" aria-hidden="true" />
                        <bdi>{series[part]}</bdi> <span>{text(value)}</span>
                      </li>
                    ),
                )}
              </ul>
            </div>
          )}
        </div>
      </div>
      <div class="day-labels quiet" aria-hidden="true">
        {stacks.map(({ label }, index) => (
          <span key={label} class={index % (2 * every) === 0 ? undefined : "spare"}>
            {index % every === 0 ? label : ""}
          </span>
        ))}
      </div>
      <details>
        <summary>{t("chart.as_table")}</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table>
            <caption class="unseen">{title}</caption>
            <tbody>
              {stacks.map((stack) => (
                <tr key={stack.label}>
                  <th scope="row">{stack.label}</th>
                  <td>{text(sum(stack.parts))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
