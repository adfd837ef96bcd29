// What a new user does first, with what is done already. It goes once all of it is done, or when it is put away.
import { signal } from "@preact/signals";
import * as account from "../account";
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Link } from "../components/link";
import { useLoad } from "../components/loaded";

const stored = "agentbox.first_steps";
const away = signal(localStorage.getItem(stored) === "away");

function putAway() {
  localStorage.setItem(stored, "away");
  away.value = true;
}

export function FirstSteps({ agents }: { agents: Agent[] }) {
  const found = useLoad(async () => {
    const [{ models }, { keys }] = await Promise.all([call("GET /api/models"), call("GET /api/keys")]);
    return { hasModel: models.some(({ available, provider }) => available && provider !== "builtin"), hasKey: keys.length > 0 };
  });
  const { value } = found.data;
  if (away.value || !value) return null;
  const steps = [
    { title: t("steps.plan"), to: "/usage/billing", done: account.mayProvision.value },
    { title: t("steps.agent"), to: "", done: agents.length > 0 },
    { title: t("steps.model"), to: "/usage/providers", done: value.hasModel },
    { title: t("steps.key"), to: "/usage/keys", done: value.hasKey },
  ];
  if (steps.every(({ done }) => done)) return null;
  return (
    <section class="card" aria-labelledby="steps-title">
      <div class="page-head">
        <h2 id="steps-title">{t("steps.title")}</h2>
        <Button class="small" onClick={putAway}>
          {t("steps.hide")}
        </Button>
      </div>
      <ol class="checks">
        {steps.map(({ title, to, done }) => (
          <li key={title} class={done ? "done" : undefined}>
            <span aria-hidden="true">{done ? "✓" : "○"}</span> <span class="unseen">{t(done ? "steps.done" : "steps.open")}</span>{" "}
            {to && !done ? <Link to={to}>{title}</Link> : title}
          </li>
        ))}
      </ol>
    </section>
  );
}
