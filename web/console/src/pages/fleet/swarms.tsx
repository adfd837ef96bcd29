import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nameOf, refresh } from "../../agents";
import { call } from "../../api/client";
import { money } from "../../app/format";
import { named, t, tn } from "../../app/i18n";
import { go } from "../../app/router";
import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { Time } from "../../components/time";
import { FleetFrame } from "../../parts/fleet_frame";
import { NewSwarmDialog } from "../../parts/new_swarm";
import { SwarmState } from "../../parts/swarm_state";

const states = ["planning", "working", "joining", "done", "failed", "stopped"];
const swarmPath = (id: string) => `/fleet/swarms/${encodeURIComponent(id)}`;

export default function SwarmsPage() {
  const swarms = useLoad(async () => (await call("GET /api/swarms")).swarms);
  const creating = useSignal(false);
  useRefreshOnReturn(swarms);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <FleetFrame>
      <div class="page-head">
        <p class="quiet">{t("swarm.about")}</p>
        <div class="actions">
          <Reload of={swarms} />
          <Button kind="primary" onClick={() => (creating.value = true)}>
            {t("swarm.new")}
          </Button>
        </div>
      </div>
      <Loaded of={swarms}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("swarm.empty")} text={t("swarm.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("swarm.tools")}
              view={{
                text: ({ name, goal }) => `${name} ${goal}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.createdAt.localeCompare(a.createdAt) },
                  { value: "name", title: t("sort.name"), compare: (a, b) => a.name.localeCompare(b.name) },
                  { value: "cost", title: t("costs.by_cost"), compare: (a, b) => Number(b.spentUsd) - Number(a.spentUsd) },
                ],
                filter: {
                  title: t("fleet.state"),
                  choices: states.map((value) => ({ value, title: named("swarm.state", value) })),
                  matches: ({ state }, value) => state === value,
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((swarm) => (
                    <li key={swarm.id}>
                      <div>
                        <Link to={swarmPath(swarm.id)} entry>
                          <bdi>{swarm.name}</bdi>
                        </Link>
                        <p class="facts">
                          <SwarmState swarm={swarm} />
                          <span>{tn("swarm.tasks_of", swarm.tasks)}</span>
                          <span>{money(swarm.spentUsd)}</span>
                          <Time at={swarm.createdAt} ago />
                        </p>
                        <p class="quiet">
                          <bdi>{swarm.agents.map((id) => nameOf(id) || t("usage.deleted_agent")).join(", ")}</bdi>
                        </p>
                      </div>
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {creating.value && <NewSwarmDialog onClose={() => (creating.value = false)} onStarted={({ id }) => go(swarmPath(id))} />}
    </FleetFrame>
  );
}
