// Using a skill: a form of its inputs, and what came of its uses.
import { nameOf } from "../agents";
import { call, patience } from "../api/client";
import type { SkillDetail, SkillRun } from "../api/types";
import { duration, money, number } from "../app/format";
import { named, t } from "../app/i18n";
import { Badge } from "../components/badge";
import { EmptyState } from "../components/empty_state";
import { Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad, useRefreshOnReturn } from "../components/loaded";
import { Markdown } from "../components/markdown";
import { Reload } from "../components/reload";
import { Time } from "../components/time";

// As long as an agent may take.
const longest = 30 * patience;

export function SkillUse({ skill }: { skill: SkillDetail }) {
  const runs = useLoad(async () => (await call("GET /api/skills/{name}/runs", { path: { name: skill.name } })).runs);
  useRefreshOnReturn(runs);
  const use = async (values: FormData) => {
    const inputs: Record<string, string> = {};
    for (const { name } of skill.inputs) {
      const text = textOf(values, `inputs.${name}`).trim();
      if (text) inputs[name] = text;
    }
    const prompt = textOf(values, "prompt").trim();
    const run = call("POST /api/skills/{name}", {
      path: { name: skill.name },
      body: { agentId: textOf(values, "agentId"), inputs, ...(prompt && { prompt }) },
      timeout: longest,
    });
    // While the agent works, the use is in the list already.
    await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 500))]);
    await runs.reload();
    try {
      await run;
    } finally {
      await runs.reload();
    }
  };
  return (
    <>
      <section class="card" aria-labelledby="use-title">
        <h2 id="use-title">{t("skills.use")}</h2>
        {skill.installations.length === 0 ? (
          <p class="quiet">{t("skills.install_first")}</p>
        ) : (
          <Form submit={t("skills.use_now")} onSubmit={use}>
            <Select label={t("usage.agent")} name="agentId">
              {skill.installations.map(({ agentId }) => (
                <option key={agentId} value={agentId}>
                  {nameOf(agentId) || agentId}
                </option>
              ))}
            </Select>
            {skill.inputs.map(({ name, description, required }) => (
              <Field
                key={name}
                label={required ? name : t("skills.optional", { name })}
                name={`inputs.${name}`}
                required={required}
                maxLength={16_000}
                autocomplete="off"
                dir="auto"
                hint={description && <bdi>{description}</bdi>}
              />
            ))}
            <TextArea label={t("skills.prompt")} name="prompt" rows={2} maxLength={16_000} dir="auto" hint={t("skills.prompt_hint")} />
          </Form>
        )}
      </section>
      <section aria-labelledby="uses-title">
        <div class="page-head">
          <h2 id="uses-title">{t("skills.uses")}</h2>
          <Reload of={runs} />
        </div>
        <Loaded of={runs}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState title={t("skills.no_uses")} text={t("skills.no_uses_text")} />
            ) : (
              <ul class="rows">
                {list.map((run, at) => (
                  <Run key={run.id} run={run} open={at === 0} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
    </>
  );
}

const tones = { running: "busy", succeeded: "good", failed: "bad" } as const;

function Run({ run, open }: { run: SkillRun; open: boolean }) {
  const inputs = Object.entries(run.inputs);
  return (
    <li>
      <div>
        <p class="facts">
          <Badge tone={tones[run.outcome]}>{named("run", run.outcome)}</Badge>
          <bdi>{nameOf(run.agentId) || t("usage.deleted_agent")}</bdi>
          <Time at={run.startedAt} ago />
          {typeof run.durationMs === "number" && <span>{duration(run.durationMs)}</span>}
          {run.inputTokens + run.outputTokens > 0 && (
            <span>{t("usage.tokens", { count: number(run.inputTokens + run.outputTokens) })}</span>
          )}
          {Number(run.price) > 0 && <span>{money(run.price)}</span>}
        </p>
        {inputs.length > 0 && (
          <dl class="pairs">
            {inputs.map(([name, value]) => (
              <div key={name}>
                <dt>
                  <bdi>{name}</bdi>
                </dt>
                <dd>
                  <bdi>{String(value)}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        )}
        {run.error && (
          <p class="cause">
            <bdi>{run.error}</bdi>
          </p>
        )}
        {run.result && (
          <details open={open}>
            <summary>{t("swarm.result")}</summary>
            <Markdown text={run.result} />
          </details>
        )}
      </div>
    </li>
  );
}
