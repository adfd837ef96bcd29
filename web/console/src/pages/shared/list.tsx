import { call } from "../../api/client";
import { t } from "../../app/i18n";
import { Avatar } from "../../components/avatar";
import { Badge } from "../../components/badge";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";

// Agents of others that are shared with the user.
export default function SharedPage() {
  const shared = useLoad(async () => (await call("GET /api/shared")).agents);
  useRefreshOnReturn(shared);
  return (
    <div class="column">
      <header>
        <h1>{t("page.shared")}</h1>
        <p class="quiet">{t("shared.about")}</p>
      </header>
      <Loaded of={shared}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("shared.empty")} text={t("shared.empty_text")} />
          ) : (
            <ul class="rows">
              {list.map((agent) => (
                <li key={agent.id}>
                  <div>
                    <Avatar id={agent.id} name={agent.name} />{" "}
                    <Link to={`/shared/${agent.id}`}>
                      <bdi>{agent.name}</bdi>
                    </Link>{" "}
                    <Badge>{t(`sharing.role.${agent.role}`)}</Badge>
                    <p class="quiet">
                      {t("shared.of")} <bdi>{agent.ownerName}</bdi>
                      {agent.monthlyUsd && ` · ${t("shared.used", { used: agent.usedUsd, limit: agent.monthlyUsd })}`}
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
