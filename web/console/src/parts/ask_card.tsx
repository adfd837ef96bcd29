// A question of an agent: what would happen, whose texts it has read, and the owner's answer.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Ask } from "../api/types";
import { named, t } from "../app/i18n";
import { Action } from "../components/action";
import { CodeBlock } from "../components/code_block";
import { State, type Tone } from "../components/state";
import { Time } from "../components/time";

const tones: Record<string, Tone> = { done: "good", waiting: "busy", failed: "bad", unknown: "bad", refused: "rest", expired: "rest" };

// `answer` sends the decision in the place of the signed-in owner's call.
interface Props {
  ask: Ask;
  name?: string | undefined;
  onChanged: (changed: Ask) => void;
  answer?: (decision: "allow" | "refuse") => Promise<Ask>;
}

export function AskCard({ ask, name, onChanged, answer }: Props) {
  const always = useSignal(false);
  const send =
    answer ??
    ((decision: "allow" | "refuse") =>
      call("POST /api/asks/{id}/answer", {
        path: { id: ask.id },
        body: { decision, ...(always.value && { always: { of: "target" as const } }) },
      }));
  const decide = (decision: "allow" | "refuse") => async () => onChanged(await send(decision));
  const waits = ask.state === "waiting";
  return (
    <article class="card ask" aria-label={ask.title}>
      <p class="facts">
        <State tone={tones[ask.state] ?? "busy"}>{named("ask.state", ask.state)}</State>
        {name && <bdi>{name}</bdi>}
        <Time at={ask.createdAt} ago />
      </p>
      <p>
        <strong dir="auto">{ask.title}</strong>
      </p>
      <CodeBlock text={JSON.stringify(ask.act, null, 2)} language="JSON" />
      {ask.sources.length > 0 && <p class="quiet">{t("ask.sources", { sources: ask.sources.join(", ") })}</p>}
      {ask.reason && (
        <p class="quiet" dir="auto">
          {t("ask.reason", { reason: ask.reason })}
        </p>
      )}
      {ask.failure && <p class="cause">{ask.failure}</p>}
      {waits && (
        <>
          <p class="quiet">
            {t("ask.expires")} <Time at={ask.expiresAt} />
          </p>
          {!answer && ask.agentId && (
            <label class="check">
              <input type="checkbox" checked={always.value} onChange={(event) => (always.value = event.currentTarget.checked)} />{" "}
              {t("ask.always", { target: ask.target })}
            </label>
          )}
          <div class="actions">
            <Action kind="primary" label={t("ask.allow_this", { title: ask.title })} run={decide("allow")}>
              {t("ask.allow")}
            </Action>
            <Action label={t("ask.refuse_this", { title: ask.title })} run={decide("refuse")}>
              {t("ask.refuse")}
            </Action>
          </div>
        </>
      )}
    </article>
  );
}
