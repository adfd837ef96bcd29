import { useSignal } from "@preact/signals";
import { maySee } from "../../account";
import { call } from "../../api/client";
import type { AnyAgent } from "../../api/types";
import { relative } from "../../app/format";
import { named, t, tn } from "../../app/i18n";
import { parameter, setParameter } from "../../app/router";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState, Loading } from "../../components/empty_state";
import { Link } from "../../components/link";
import { Notice } from "../../components/notice";
import { Status } from "../../components/status";
import { Table } from "../../components/table";
import { Actions } from "../../parts/actions";
import { ExportAgentDialog, ImportAgentDialog } from "../../parts/agent_archive";
import { AdminFrame } from "../../parts/admin_frame";
import { usePages } from "../../parts/paged_table";
import { RowActions } from "../../parts/row_actions";
import { userAddress } from "../../parts/user_state";
import { confirmed } from "../../step_up";

const pageSize = 100;
const statuses = ["running", "stopped", "error", "pending", "provisioning", "stopping", "deleting"] as const;

export default function AllAgentsPage() {
  return (
    <AdminFrame>
      <AllAgents />
    </AdminFrame>
  );
}

// Found by the box, as there may be many: by a part of the name, by state, by owner.
function AllAgents() {
  const search = parameter("q").trim();
  const status = statuses.find((name) => name === parameter("filter"));
  const userId = parameter("user");
  const total = useSignal(0);
  const { items, error, hasMore, more, reload } = usePages(
    async (after?: string) => {
      const query = { limit: pageSize, after, search: search || undefined, status, userId: userId || undefined };
      const page = await call("GET /api/admin/agents", { query });
      total.value = page.total;
      return { items: page.agents, next: page.next ?? undefined };
    },
    [search, status, userId],
  );
  const deleting = useSignal<AnyAgent | null>(null);
  const exporting = useSignal<AnyAgent | null>(null);
  const importing = useSignal(false);
  const chosen = useSignal(new Set<string>());
  const list = items.value;
  const marked = (list ?? []).filter(({ id }) => chosen.value.has(id));
  const mark = (ids: string[], on: boolean) => {
    const next = new Set(chosen.value);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    chosen.value = next;
  };
  const clear = () => {
    for (const name of ["q", "filter", "user"]) setParameter(name, "");
  };
  const acts = maySee("admin"); // support looks only
  return (
    <div class="list">
      <div class="page-head">
        <h1>{t("page.all_agents")}</h1>
        {acts && <Button onClick={() => (importing.value = true)}>{t("transfer_agent.import")}</Button>}
      </div>
      <div class="list-tools" role="search" aria-label={t("home.tools")}>
        <input
          type="search"
          aria-label={t("list.search")}
          placeholder={t("list.search")}
          maxLength={100}
          value={parameter("q")}
          onInput={(event) => setParameter("q", event.currentTarget.value)}
        />
        <select aria-label={t("home.filter")} value={status ?? ""} onChange={(event) => setParameter("filter", event.currentTarget.value)}>
          <option value="">{t("list.all")}</option>
          {statuses.map((name) => (
            <option key={name} value={name}>
              {named("status", name)}
            </option>
          ))}
        </select>
        {userId && <Button onClick={() => setParameter("user", "")}>{t("admin_agents.all_users")}</Button>}
        <span class="quiet" role="status">
          {list ? tn("admin_agents.count", total.value) : ""}
        </span>
      </div>
      {list === undefined && !error.value && <Loading />}
      {list?.length === 0 &&
        (search || status || userId ? (
          <EmptyState title={t("list.nothing")} text={t("list.nothing_hint")}>
            <Button onClick={clear}>{t("list.clear")}</Button>
          </EmptyState>
        ) : (
          <EmptyState title={t("admin_agents.empty")} text={t("admin_agents.empty_text")} />
        ))}
      {marked.length > 0 && <Together agents={marked} onDone={reload} />}
      {list && list.length > 0 && (
        <Table
          title={t("page.all_agents")}
          columns={[
            ...(acts ? [t("admin_agents.chosen")] : []),
            t("usage.agent"),
            t("home.filter"),
            t("admin_agents.owner"),
            t("usage.model"),
            t("admin_agents.changed"),
            ...(acts ? [{ title: t("admin_agents.actions"), hidden: true, align: "end" as const }] : []),
          ]}
        >
          {list.map((agent) => (
            <tr key={agent.id}>
              {acts && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={t("admin_agents.choose", { name: agent.name })}
                    checked={chosen.value.has(agent.id)}
                    onChange={(event) => mark([agent.id], event.currentTarget.checked)}
                  />
                </td>
              )}
              <th scope="row">
                <bdi>{agent.name}</bdi>
              </th>
              <td>
                <Status agent={agent} />
              </td>
              <td>
                {agent.userId ? (
                  <Link to={userAddress(agent.userId)}>
                    <bdi>{agent.userEmail ?? agent.userId}</bdi>
                  </Link>
                ) : (
                  t("admin_agents.of_box")
                )}
              </td>
              <td>{agent.model}</td>
              <td>{relative(agent.updatedAt)}</td>
              {acts && (
                <td>
                  <Life
                    agent={agent}
                    onDone={reload}
                    onExport={() => (exporting.value = agent)}
                    onDelete={() => (deleting.value = agent)}
                  />
                </td>
              )}
            </tr>
          ))}
        </Table>
      )}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {(error.value || hasMore) && (
        <div class="actions start">
          <Button onClick={() => void more()}>{error.value ? t("action.retry") : t("usage.more")}</Button>
        </div>
      )}
      {importing.value && <ImportAgentDialog onClose={() => (importing.value = false)} onMade={reload} />}
      {exporting.value && <ExportAgentDialog agent={exporting.value} onClose={() => (exporting.value = null)} />}
      {deleting.value && (
        <Confirm
          title={t("removal.question", { name: deleting.value.name })}
          confirm={t("removal.confirm")}
          danger
          typed={deleting.value.name}
          onClose={() => (deleting.value = null)}
          action={async () => {
            const { id } = deleting.value!;
            await confirmed(() => call("DELETE /api/admin/agents/{id}", { path: { id }, timeout: longest }));
            await reload();
          }}
        >
          <p>{t("removal.about")}</p>
        </Confirm>
      )}
    </div>
  );
}

// The same for all that are chosen, one after the other; it ends at the first that fails.
function Together({ agents, onDone }: { agents: AnyAgent[]; onDone: () => Promise<void> }) {
  const at = useSignal(0);
  const act = async (action: "start" | "stop" | "restart") => {
    at.value = 0;
    try {
      for (const { id } of agents) {
        at.value++;
        await confirmed(() => call(`POST /api/admin/agents/{id}/${action}`, { path: { id }, timeout: longest }));
      }
    } finally {
      at.value = 0;
      await onDone();
    }
  };
  return (
    <Actions
      label={tn("admin_agents.marked", agents.length)}
      actions={[
        { title: t("admin_agents.start_chosen"), run: () => act("start") },
        { title: t("admin_agents.stop_chosen"), run: () => act("stop") },
        { title: t("admin_agents.restart_chosen"), run: () => act("restart") },
      ]}
    >
      <span class="quiet" role="status">
        {at.value > 0 ? t("admin_agents.progress", { done: at.value, all: agents.length }) : tn("admin_agents.marked", agents.length)}
      </span>
    </Actions>
  );
}

// Milliseconds that the box may take to stop or start an agent.
const longest = 120_000;

interface LifeProps {
  agent: AnyAgent;
  onDone: () => Promise<void>;
  onExport: () => void;
  onDelete: () => void;
}

function Life({ agent, onDone, onExport, onDelete }: LifeProps) {
  const act = async (action: "start" | "stop" | "restart") => {
    try {
      await confirmed(() => call(`POST /api/admin/agents/{id}/${action}`, { path: { id: agent.id }, timeout: longest }));
    } finally {
      await onDone();
    }
  };
  const runs = agent.status === "running";
  const label = (title: string) => `${title}: ${agent.name}`;
  const of = (title: string, action: "start" | "stop" | "restart") => ({ title, label: label(title), run: () => act(action) });
  return (
    <RowActions
      of={agent.name}
      first={runs ? of(t("agent.stop"), "stop") : of(t("agent.start"), "start")}
      more={[
        runs && { ...of(t("agent.restart"), "restart"), icon: "restart" },
        { title: t("transfer_agent.export"), label: label(t("transfer_agent.export")), icon: "download", run: onExport },
        { title: t("action.delete"), label: label(t("action.delete")), icon: "trash", run: onDelete },
      ]}
    />
  );
}
