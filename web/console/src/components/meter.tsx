import { percent } from "../app/format";

interface Props {
  label: string;
  share: number; // 0 to 1, or more
  text: string; // what the bar shows, in words
  plain?: boolean; // of something that has no limit: a full bar is nothing bad
}

// A used share as a bar. The text says the same.
export function Meter({ label, share, text, plain = false }: Props) {
  const tone = plain ? "good" : share >= 1 ? "bad" : share >= 0.8 ? "busy" : "good";
  const shown = Math.min(Math.max(share, 0), 1);
  return (
    <div
      class={`meter ${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(shown * 100)}
      aria-valuetext={share > 1 ? text : `${text} (${percent(share)})`}
    >
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="4" />
        <rect class="fill" width={shown * 100} height="4" />
      </svg>
    </div>
  );
}
