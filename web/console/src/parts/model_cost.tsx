// Models that the catalogue has no price for work, but what they cost is unknown.
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { t } from "../app/i18n";
import { useLoad } from "../components/loaded";

// Whether the model that a request with this name would get has no known price.
async function lacksPrice(model: string, provider?: string): Promise<boolean> {
  const query = { model, ...(provider && { provider }) };
  const found = await call("GET /api/models", { query });
  return found.models[0]?.costKnown === false;
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : "auto");

// Says so beneath the choice of a model. An empty name is no choice.
export function ModelCost({ model, provider }: { model: string; provider?: string }) {
  const found = useLoad(async () => model !== "" && (await lacksPrice(model, provider)), [model, provider]);
  return found.data.value ? <p class="hint">{t("model.cost_unknown_text")}</p> : null;
}

// The same in two words, of the model that an agent has.
export function AgentModelCost({ agent }: { agent: Agent }) {
  const found = useLoad(async () => {
    const { config, model } = await call("GET /api/agents/{id}/config", { path: { id: agent.id } });
    return lacksPrice(text(config.model ?? model), text(config.aiProvider));
  }, [agent.id, agent.model]);
  return found.data.value ? <span title={t("model.cost_unknown_text")}> · {t("model.cost_unknown")}</span> : null;
}
