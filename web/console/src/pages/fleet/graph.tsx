// The fleet as a picture and as a table.
import { useEffect } from "preact/hooks";
import { agents, watch } from "../../agents";
import { call } from "../../api/client";
import type { Graph, Soul } from "../../api/types";
import { number } from "../../app/format";
import { named, t } from "../../app/i18n";
import { agentPath } from "../../app/pages";
import { parameter, setParameter } from "../../app/router";
import { Button } from "../../components/button";
import { CopyButton } from "../../components/copy_button";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { Table } from "../../components/table";
import { Time } from "../../components/time";
import { FleetFrame } from "../../parts/fleet_frame";
import { FleetGraph } from "../../parts/fleet_graph";
import { roleName, SoulState } from "../../parts/souls";

export default function FleetPage() {
  useEffect(watch, []);
  // An agent that changes its state changes the picture.
  const states = agents.value?.map(({ id, status }) => `${id} ${status}`).join();
  const graph = useLoad(() => call("GET /api/mission-control/fleet/graph"), [states]);
  useRefreshOnReturn(graph);
  const selected = parameter("soul");
  const select = (id: string) => setParameter("soul", id === selected ? "" : id);
  return (
    <FleetFrame>
      <Loaded of={graph}>
        {(found) => {
          const soul = found.nodes.find(({ id }) => id === selected);
          return (
            <>
              <div class="page-head">
                <p class="quiet">
                  {t("fleet.as_of")} <Time at={found.timestamp} />
                </p>
                <Reload of={graph} />
              </div>
              {found.source === "fallback" && (
                <EmptyState title={t("fleet.empty")} text={t("fleet.empty_text")}>
                  <Link to="/dashboard" class="button">
                    {t("agent.back")}
                  </Link>
                </EmptyState>
              )}
              <div class="fleet">
                <FleetGraph graph={found} selected={selected} onSelect={select} />
                {soul && <SoulCard soul={soul} graph={found} onClose={() => setParameter("soul", "")} />}
              </div>
              {found.source !== "fallback" && <Souls graph={found} onSelect={select} selected={selected} />}
            </>
          );
        }}
      </Loaded>
    </FleetFrame>
  );
}

const isAgent = ({ id }: Soul) => agents.value?.some((agent) => agent.id === id) ?? false;

function SoulCard({ soul, graph, onClose }: { soul: Soul; graph: Graph; onClose: () => void }) {
  const nameOf = (id: string) => graph.nodes.find((node) => node.id === id)?.name ?? id;
  const near = graph.edges
    .filter(({ from, to }) => from === soul.id || to === soul.id)
    .sort((a, b) => b.strength - a.strength)
    .map(({ id, from, to, strength }) => ({ id, name: nameOf(from === soul.id ? to : from), strength }));
  const facts: [string, string | undefined][] = [
    [t("fleet.role"), roleName(soul)],
    [t("fleet.load"), t("fleet.percent", { value: number(soul.load) })],
    [t("fleet.memory"), t("fleet.percent", { value: number(soul.memory) })],
    [t("fleet.fitness"), typeof soul.fitness === "number" ? t("fleet.percent", { value: number(soul.fitness) }) : undefined],
    [t("fleet.children"), shown(soul.children)],
    [t("fleet.endpoints"), shown(soul.endpoints)],
    [t("fleet.cycles"), shown(soul.cycles)],
  ];
  return (
    <section class="card" aria-labelledby="soul-title">
      <div class="page-head">
        <h2 id="soul-title">
          <bdi>{soul.name}</bdi>
        </h2>
        <Button class="small" onClick={onClose}>
          {t("action.close")}
        </Button>
      </div>
      <p class="facts">
        <SoulState soul={soul} />
      </p>
      <dl class="figures">
        {facts.map(
          ([title, value]) =>
            value !== undefined && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {soul.walletAddress && (
        <p class="address">
          <code>{soul.walletAddress}</code> <CopyButton text={soul.walletAddress} label={t("wallet.copy")} />
        </p>
      )}
      {near.length > 0 && (
        <>
          <h3>{t("fleet.connections")}</h3>
          <ul class="plain">
            {near.map(({ id, name, strength }) => (
              <li key={id}>
                <bdi>{name}</bdi> <span class="quiet">{t("fleet.strength", { value: number(Math.round(strength * 100)) })}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions start">
        {isAgent(soul) && (
          <Link to={agentPath(soul.id)} class="button">
            {t("fleet.open")}
          </Link>
        )}
        <Link to={`/fleet/traces?agent=${encodeURIComponent(soul.id.startsWith("~") ? soul.id.slice(1) : soul.id)}`} class="button">
          {t("page.traces")}
        </Link>
      </div>
    </section>
  );
}

const shown = (value: number | null | undefined) => (typeof value === "number" ? number(value) : undefined);

function Souls({ graph, selected, onSelect }: { graph: Graph; selected: string; onSelect: (id: string) => void }) {
  const edges = (soul: Soul) => graph.edges.filter(({ from, to }) => from === soul.id || to === soul.id).length;
  return (
    <List
      items={graph.nodes}
      label={t("fleet.tools")}
      view={{
        text: (soul) => `${soul.name} ${roleName(soul)}`,
        sorts: {
          name: ({ name }) => name,
          role: roleName,
          load: ({ load }) => load,
          memory: ({ memory }) => memory,
          fitness: ({ fitness }) => fitness ?? 100,
          connections: edges,
        },
        by: "name",
        filter: {
          title: t("fleet.state"),
          choices: ["active", "idle", "stale", "offline"].map((value) => ({ value, title: named("fleet.status", value) })),
          matches: (soul, value) => soul.status === value,
        },
      }}
    >
      {(found) => (
        <Table
          title={t("fleet.souls")}
          by="name"
          columns={[
            { title: t("usage.name"), sort: "name" },
            { title: t("fleet.role"), sort: "role" },
            t("fleet.state"),
            { title: t("fleet.load"), align: "end", sort: "load" },
            { title: t("fleet.memory"), align: "end", sort: "memory" },
            { title: t("fleet.fitness"), align: "end", sort: "fitness" },
            { title: t("fleet.connections"), align: "end", sort: "connections" },
          ]}
        >
          {found.map((soul) => (
            <tr key={soul.id}>
              <th scope="row">
                <button type="button" class="link" aria-pressed={soul.id === selected} data-entry onClick={() => onSelect(soul.id)}>
                  <bdi>{soul.name}</bdi>
                </button>
              </th>
              <td>{roleName(soul)}</td>
              <td>
                <SoulState soul={soul} />
              </td>
              <td>{t("fleet.percent", { value: number(soul.load) })}</td>
              <td>{t("fleet.percent", { value: number(soul.memory) })}</td>
              <td>{typeof soul.fitness === "number" ? t("fleet.percent", { value: number(soul.fitness) }) : "–"}</td>
              <td>{number(edges(soul))}</td>
            </tr>
          ))}
        </Table>
      )}
    </List>
  );
}
