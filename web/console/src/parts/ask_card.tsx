// A question of an agent: what would happen, whose texts it has read, and the owner's answer.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Ask } from "../api/types";
import { named, t } from "../app/i18n";
import { Action } from "../components/action";
import { CodeBlock } from "../components/code_block";
import { State, type Tone } from "../components/state";
import { Time } from "../components/time";
import { QuestionForm, type QuestionSchema } from "./question_form";

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
  // Of a server that asks for more than yes or no; only the signed-in owner can answer it.
  const schema = answer ? undefined : (ask.act["requestedSchema"] as QuestionSchema | undefined);
  const address = ask.kind === "mcp_question" ? ask.act["url"] : undefined;
  const page = typeof address === "string" && address.startsWith("https://") ? address : "";
  const sendContent = async (content: Record<string, unknown>) =>
    onChanged(await call("POST /api/asks/{id}/answer", { path: { id: ask.id }, body: { decision: "allow", content } }));
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
      {page && (
        <p>
          <a href={page} target="_blank" rel="noopener noreferrer">
            <bdi>{page}</bdi>
          </a>
        </p>
      )}
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
          {schema && <QuestionForm schema={schema} onAnswer={sendContent} />}
          {!answer && ask.agentId && ask.kind !== "mcp_question" && (
            <label class="check">
              <input type="checkbox" checked={always.value} onChange={(event) => (always.value = event.currentTarget.checked)} />{" "}
              {t("ask.always", { target: ask.target })}
            </label>
          )}
          <div class="actions">
            {!schema && (
              <Action kind="primary" label={t("ask.allow_this", { title: ask.title })} run={decide("allow")}>
                {t("ask.allow")}
              </Action>
            )}
            <Action label={t("ask.refuse_this", { title: ask.title })} run={decide("refuse")}>
              {t("ask.refuse")}
            </Action>
          </div>
        </>
      )}
    </article>
  );
}
