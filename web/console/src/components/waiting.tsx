import type { QueuePlace } from "../api/queue";
import { duration, number } from "../app/format";
import { t } from "../app/i18n";

interface Props {
  name: string; // of what works on the answer
  queued: QueuePlace | undefined;
}

// An answer is on its way: it is worked on, or waits in the queue before its model.
export function Waiting({ name, queued }: Props) {
  return (
    <p class="waiting">
      {queued
        ? t("chat.queued", { name, place: number(queued.place), time: duration(1_000 * Math.max(1, queued.expectedSeconds)) })
        : t("chat.working", { name })}
      <span class="dots" aria-hidden="true" />
    </p>
  );
}
