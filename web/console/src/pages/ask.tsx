// The question that a mailed link is about. Its token is the part of the address after '#', which browsers do not send;
// nothing is decided before a button is pressed.
import { call } from "../api/client";
import { t } from "../app/i18n";
import { location } from "../app/router";
import { Loaded, useLoad } from "../components/loaded";
import { AskCard } from "../parts/ask_card";

export default function AskPage() {
  const token = location.value.hash.slice(1);
  const found = useLoad(() => call("POST /api/ask-links/show", { body: { token } }), [token]);
  return (
    <div class="column">
      <h1>{t("page.ask")}</h1>
      <Loaded of={found}>
        {(ask) => (
          <AskCard
            ask={ask}
            onChanged={() => void found.reload()}
            answer={(decision) => call("POST /api/ask-links/answer", { body: { token, decision } })}
          />
        )}
      </Loaded>
    </div>
  );
}
