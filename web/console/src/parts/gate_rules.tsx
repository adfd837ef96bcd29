// What an agent may do without asking its owner: rules by effect, by whose texts the turn has, and by what they are about.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent, GateRule } from "../api/types";
import { type Key, t, tn } from "../app/i18n";
import { Action } from "../components/action";
import { Button } from "../components/button";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { State, type Tone } from "../components/state";
import { Time } from "../components/time";

const effects = ["outward", "code", "money", "write", "read"] as const;
const turns = ["any", "clean", "foreign"] as const;
const decisions = ["ask", "allow", "refuse"] as const;
const tones: Record<GateRule["decision"], Tone> = { allow: "good", ask: "busy", refuse: "bad" };

interface Props {
  rules: GateRule[];
  empty: string; // what holds while there are none
  save?: (rules: GateRule[]) => Promise<unknown>; // without it they are only shown
}

export function GateRules({ rules, empty, save }: Props) {
  const adding = useSignal(false);
  const add = async (values: FormData) => {
    const [target, until] = [textOf(values, "target").trim(), textOf(values, "until")];
    const rule = {
      effect: textOf(values, "effect"),
      turns: textOf(values, "turns"),
      decision: textOf(values, "decision"),
      ...(target && { target }),
      ...(until && { until: new Date(until).toISOString() }),
    } as GateRule;
    await save!([...rules, rule]);
    adding.value = false;
  };
  return (
    <>
      {rules.length === 0 ? (
        <p class="quiet">{empty}</p>
      ) : (
        <ul class="rows">
          {rules.map((rule, at) => (
            <li key={JSON.stringify(rule)}>
              <RuleLine rule={rule} />
              {save && (
                <div class="actions">
                  <Action
                    kind="danger"
                    label={t("gate.remove_this", { rule: words(rule) })}
                    run={() => save(rules.filter((_, other) => other !== at))}
                  >
                    {t("action.remove")}
                  </Action>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {save &&
        (adding.value ? (
          <Form submit={t("gate.add")} onCancel={() => (adding.value = false)} onSubmit={add}>
            <Choice name="effect" of={effects} />
            <Choice name="turns" of={turns} />
            <Choice name="decision" of={decisions} />
            <Field label={t("gate.target")} name="target" maxLength={200} autocomplete="off" dir="auto" hint={t("gate.target_hint")} />
            <Field label={t("gate.until")} name="until" type="datetime-local" hint={t("gate.until_hint")} />
          </Form>
        ) : (
          <div class="actions start">
            <Button onClick={() => (adding.value = true)}>{t("gate.add")}</Button>
          </div>
        ))}
    </>
  );
}

function Choice({ name, of }: { name: string; of: readonly string[] }) {
  return (
    <Select label={t(`gate.${name}` as Key)} name={name}>
      {of.map((one) => (
        <option key={one} value={one}>
          {t(`gate.${name}.${one}` as Key)}
        </option>
      ))}
    </Select>
  );
}

const words = ({ effect, turns, target }: GateRule) =>
  [t(`gate.effect.${effect}`), target, turns && turns !== "any" && t(`gate.turns.${turns}`)].filter(Boolean).join(" · ");

function RuleLine({ rule }: { rule: GateRule }) {
  return (
    <div>
      <State tone={tones[rule.decision]}>{t(`gate.decision.${rule.decision}`)}</State> <strong dir="auto">{words(rule)}</strong>
      {(rule.conversationId || rule.until) && (
        <p class="quiet">
          {rule.conversationId && t("gate.in_conversation")} {rule.until && t("gate.until")} {rule.until && <Time at={rule.until} />}
        </p>
      )}
    </div>
  );
}

// The owner's rules of one agent, those of its plan, and the texts of others that it keeps.
export function AgentPermissions({ agent }: { agent: Agent }) {
  const path = { id: agent.id };
  const gate = useLoad(() => call("GET /api/agents/{id}/gate", { path }), [agent.id]);
  const save = async (rules: GateRule[]) => {
    await call("PUT /api/agents/{id}/gate", { path, body: { rules } });
    await gate.reload();
  };
  const vouch = async (what?: string) => {
    await call("DELETE /api/agents/{id}/gate/marks", { path, query: { ...(what && { what }) } });
    await gate.reload();
  };
  return (
    <section aria-labelledby="gate-title">
      <h2 id="gate-title">{t("gate.title")}</h2>
      <p class="quiet">{t("gate.about")}</p>
      <Loaded of={gate}>
        {({ rules, planRules, marks }) => (
          <>
            <GateRules rules={rules} empty={t("gate.none_of_agent")} save={save} />
            <details>
              <summary>{t("gate.of_plan")}</summary>
              <GateRules rules={planRules} empty={t("gate.usual")} />
            </details>
            {marks.length > 0 && (
              <details>
                <summary>{tn("gate.marks", marks.length)}</summary>
                <p class="quiet">{t("gate.marks_about")}</p>
                <ul class="rows">
                  {marks.map(({ what, source, at }) => (
                    <li key={what}>
                      <div>
                        <strong dir="auto">{what}</strong>
                        <p class="quiet" dir="auto">
                          {source} · <Time at={at} ago />
                        </p>
                      </div>
                      <div class="actions">
                        <Action label={t("gate.vouch_this", { what })} run={() => vouch(what)}>
                          {t("gate.vouch")}
                        </Action>
                      </div>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
