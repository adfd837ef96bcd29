import { type Signal, useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent, Heartbeat } from "../api/types";
import { named, t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Checkbox, Field, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { Time } from "../components/time";

// The prompt that the agent gets at a steady pace.
export function HeartbeatCard({ agent }: { agent: Agent }) {
  const heartbeat = useLoad(async () => (await call("GET /api/heartbeat", { query: { agentId: agent.id } })).heartbeat, [agent.id]);
  const saved = useSignal(false);
  return (
    <section class="card" aria-labelledby="heartbeat-title">
      <h2 id="heartbeat-title">{t("heartbeat.title")}</h2>
      <p class="quiet">{t("heartbeat.about", { name: agent.name })}</p>
      <Loaded of={heartbeat}>
        {(found) => (
          <HeartbeatForm key={found.lastUpdated ?? ""} agent={agent} heartbeat={found} saved={saved} onSaved={heartbeat.reload} />
        )}
      </Loaded>
    </section>
  );
}

interface Props {
  agent: Agent;
  heartbeat: Heartbeat;
  saved: Signal<boolean>; // outlives the form, which is made again with what was saved
  onSaved: () => Promise<void>;
}

function HeartbeatForm({ agent, heartbeat, saved, onSaved }: Props) {
  const { lastHeartbeat, lastOutcome, lastError, nextHeartbeat, lastUpdated } = heartbeat;
  const isSet = Boolean(lastUpdated);
  const save = async (values: FormData) => {
    saved.value = false;
    const body = { frequency: textOf(values, "frequency").trim(), enabled: values.has("enabled"), prompt: textOf(values, "prompt") };
    await call("POST /api/heartbeat", { body: { agentId: agent.id, ...body } });
    await onSaved();
    saved.value = true;
  };
  return (
    <>
      {lastHeartbeat && (
        <p>
          {t("heartbeat.last")} <Time at={lastHeartbeat} ago /> {lastOutcome && <Badge>{named("run", lastOutcome)}</Badge>}
        </p>
      )}
      {lastError && <p class="cause">{lastError}</p>}
      {nextHeartbeat && (
        <p>
          {t("heartbeat.next")} <Time at={nextHeartbeat} />
        </p>
      )}
      <Form submit={t("action.save")} onSubmit={save}>
        <Checkbox label={t("heartbeat.on")} name="enabled" defaultChecked={isSet && heartbeat.enabled} />
        <Field
          label={t("heartbeat.frequency")}
          name="frequency"
          required
          maxLength={12}
          autocomplete="off"
          hint={t("heartbeat.frequency_hint")}
          defaultValue={heartbeat.frequency}
        />
        <TextArea
          label={t("heartbeat.prompt")}
          name="prompt"
          rows={3}
          maxLength={8_000}
          dir="auto"
          hint={t("heartbeat.prompt_hint")}
          defaultValue={heartbeat.prompt}
        />
        {saved.value && <Notice kind="hint">{t("state.saved")}</Notice>}
      </Form>
    </>
  );
}
