// What came to an agent over the bus, and the keys with which programs speak for it.
import { useEffect } from "preact/hooks";
import { agents, nameOf, refresh } from "../../agents";
import { call } from "../../api/client";
import type { BusMessage } from "../../api/types";
import { t } from "../../app/i18n";
import { parameter, setParameter } from "../../app/router";
import { Badge } from "../../components/badge";
import { CodeBlock } from "../../components/code_block";
import { EmptyState, Loading } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { Time } from "../../components/time";
import { BusKeys } from "../../parts/bus_keys";
import { FleetFrame } from "../../parts/fleet_frame";

export default function MessagesPage() {
  useEffect(() => void refresh().catch(() => undefined), []);
  const known = agents.value;
  const chosen = parameter("agent") || known?.[0]?.id || "";
  return (
    <FleetFrame>
      {known === undefined && <Loading />}
      {known?.length === 0 && (
        <EmptyState title={t("bus.no_agents")} text={t("bus.no_agents_text")}>
          <Link to="/dashboard" class="button">
            {t("agent.back")}
          </Link>
        </EmptyState>
      )}
      {known && known.length > 0 && (
        <>
          <select
            aria-label={t("usage.agent")}
            class="short"
            value={chosen}
            onChange={(event) => setParameter("agent", event.currentTarget.value)}
          >
            {known.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          <Mailbox key={`mailbox ${chosen}`} agentId={chosen} />
          <BusKeys key={`keys ${chosen}`} agentId={chosen} />
        </>
      )}
    </FleetFrame>
  );
}

const most = 200;

function Mailbox({ agentId }: { agentId: string }) {
  const messages = useLoad(async () => (await call("GET /api/underground/messages", { query: { agentId, limit: most } })).messages);
  useRefreshOnReturn(messages);
  return (
    <section class="card" aria-labelledby="mailbox-title">
      <div class="page-head">
        <h2 id="mailbox-title">{t("bus.mailbox")}</h2>
        <Reload of={messages} />
      </div>
      <Loaded of={messages}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("bus.empty")} text={t("bus.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("bus.tools")}
              view={{
                text: ({ action, from, payload }) => `${action} ${nameOf(from)} ${JSON.stringify(payload)}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.id - a.id },
                  { value: "oldest", title: t("sort.oldest"), compare: (a, b) => a.id - b.id },
                ],
                filter: {
                  title: t("fleet.state"),
                  choices: [
                    { value: "unread", title: t("bus.unread") },
                    { value: "read", title: t("bus.read") },
                  ],
                  matches: ({ read }, value) => read === (value === "read"),
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((message) => (
                    <Message key={message.id} message={message} />
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
    </section>
  );
}

function Message({ message }: { message: BusMessage }) {
  return (
    <li>
      <div>
        <strong>
          <bdi>{message.action}</bdi>
        </strong>{" "}
        <Badge tone={message.read ? "" : "busy"}>{message.read ? t("bus.read") : t("bus.unread")}</Badge>
        <p class="quiet">
          {t("bus.from")} <bdi>{nameOf(message.from) || message.from}</bdi> · <Time at={message.acceptedAt} ago />
        </p>
        {Object.keys(message.payload).length > 0 && (
          <details>
            <summary>{t("bus.payload")}</summary>
            <CodeBlock text={JSON.stringify(message.payload, null, 2)} language="JSON" />
          </details>
        )}
      </div>
    </li>
  );
}
