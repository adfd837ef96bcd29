// The agents as cards: what each said last, what it cost today, when it works next.
import { agents, isRunning, isSettling } from "../agents";
import type { Agent, ConversationOverview, Task } from "../api/types";
import { money, relative } from "../app/format";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Avatar } from "../components/avatar";
import { Growing } from "../components/growing";
import { Link } from "../components/link";
import { List } from "../components/list_tools";
import { Spark } from "../components/spark";
import { Status } from "../components/status";
import type { Sum } from "../usage_data";

const by_name = (a: Agent, b: Agent) => a.name.localeCompare(b.name);
const newest = (a: Agent, b: Agent) => b.createdAt.localeCompare(a.createdAt);
const changed = (a: Agent, b: Agent) => b.updatedAt.localeCompare(a.updatedAt);

const states: Record<string, (agent: Agent) => boolean> = {
  running: isRunning,
  changing: isSettling,
  stopped: (agent) => agent.status === "stopped",
  error: (agent) => agent.status === "error",
};

export interface Known {
  spent?: Sum[]; // today, by agent
  byDay?: Map<string, number[]>; // calls of each agent on the days before
  tasks: Task[] | undefined;
  talks: ConversationOverview[] | undefined;
}

export function AgentCards({ known }: { known: Known }) {
  const list = agents.value ?? [];
  return (
    <section aria-labelledby="agents-title">
      <h2 id="agents-title" class="section-title">
        {t("home.title")}
      </h2>
      <List
        items={list}
        label={t("home.tools")}
        view={{
          text: ({ name, model }) => `${name} ${model}`,
          orders: [
            { value: "newest", title: t("sort.newest"), compare: newest },
            { value: "name", title: t("sort.name"), compare: by_name },
            { value: "changed", title: t("sort.changed"), compare: changed },
          ],
          filter: {
            title: t("home.filter"),
            choices: Object.keys(states).map((value) => ({ value, title: t(`home.${value}` as "home.running") })),
            matches: (agent, value) => states[value]!(agent),
          },
        }}
      >
        {(found) => (
          <Growing items={found}>
            {(shown) => (
              <ul class="cards agents">
                {shown.map((agent) => (
                  <Card key={agent.id} agent={agent} known={known} />
                ))}
              </ul>
            )}
          </Growing>
        )}
      </List>
    </section>
  );
}

// The words of Markdown, for two lines of a card.
export const withoutMarks = (text: string) =>
  text
    .replace(/```\w*|[*_`#>|]+/g, "")
    .replace(/\s+/g, " ")
    .trim();

function costToday(spent: Sum | undefined): string {
  if (spent?.cost) return t("home.today", { amount: money(spent.cost.toFixed(6)) });
  return t(spent?.unknown ? "home.unknown_cost" : "home.no_cost");
}

function Card({ agent, known: { spent, byDay, tasks, talks } }: { agent: Agent; known: Known }) {
  const talk = talks?.find(({ agentId, text }) => agentId === agent.id && text);
  const next = tasks
    ?.filter(({ agentId, enabled, nextRun }) => agentId === agent.id && enabled && nextRun)
    .map(({ nextRun }) => nextRun!)
    .sort()[0];
  return (
    <li>
      <div class="card-head">
        <Avatar id={agent.id} name={agent.name} size="large" />
        <div>
          <h3>
            <Link to={agentPath(agent.id)} entry>
              <bdi>{agent.name}</bdi>
            </Link>
          </h3>
          <Status agent={agent} />
        </div>
      </div>
      <p class="last-message quiet" dir="auto">
        {talk ? withoutMarks(talk.text) : talks && t("home.quiet")}
      </p>
      <p class="facts">
        <span>{costToday(spent?.find(({ id }) => id === agent.id))}</span>
        {next && <span>{t("home.next_in", { when: relative(next) })}</span>}
        {!next && talk && <span>{relative(talk.conversation.lastMessageAt)}</span>}
        <Spark values={byDay?.get(agent.id) ?? []} />
      </p>
    </li>
  );
}
