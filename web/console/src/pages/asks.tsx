// What the user's agents ask for: the questions that wait, and the newest earlier ones.
import { nameOf } from "../agents";
import { call } from "../api/client";
import { useLive } from "../api/live";
import { t } from "../app/i18n";
import { EmptyState } from "../components/empty_state";
import { Loaded, useLoad, useRefreshOnReturn } from "../components/loaded";
import { AskCard } from "../parts/ask_card";

export default function AsksPage() {
  const found = useLoad(() => call("GET /api/asks", { query: { limit: 100 } }));
  useRefreshOnReturn(found);
  useLive(["message"], found.reload);
  return (
    <div class="column">
      <div class="page-head">
        <h1>{t("page.asks")}</h1>
      </div>
      <p class="quiet">{t("ask.about")}</p>
      <Loaded of={found}>
        {({ asks }) => {
          const waiting = asks.filter(({ state }) => state === "waiting");
          const earlier = asks.filter(({ state }) => state !== "waiting");
          const card = (ask: (typeof asks)[number]) => (
            <AskCard key={ask.id} ask={ask} name={ask.agentId ? nameOf(ask.agentId) : undefined} onChanged={() => void found.reload()} />
          );
          return (
            <>
              {waiting.length === 0 ? <EmptyState title={t("ask.none")} text={t("ask.none_text")} /> : waiting.map(card)}
              {earlier.length > 0 && <h2>{t("ask.earlier")}</h2>}
              {earlier.map(card)}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}
