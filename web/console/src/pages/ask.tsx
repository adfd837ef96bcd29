// The question that a mailed link is about. Its token is the part of the address after '#', which browsers do not send;
// nothing is decided before a button is pressed.
import { call } from "../api/client";
import { t } from "../app/i18n";
import { location } from "../app/router";
import { EmptyState } from "../components/empty_state";
import { Loaded, useLoad } from "../components/loaded";
import { AskCard } from "../parts/ask_card";

export default function AskPage() {
  const token = location.value.hash.slice(1);
  return (
    <div class="column">
      <h1>{t("page.ask")}</h1>
      {token ? <Question token={token} /> : <EmptyState title={t("ask.no_token")} text={t("ask.no_token_text")} />}
    </div>
  );
}

function Question({ token }: { token: string }) {
  const found = useLoad(() => call("POST /api/ask-links/show", { body: { token } }), [token]);
  return (
    <Loaded of={found}>
      {(ask) => (
        <AskCard
          ask={ask}
          onChanged={() => void found.reload()}
          answer={(decision) => call("POST /api/ask-links/answer", { body: { token, decision } })}
        />
      )}
    </Loaded>
  );
}
