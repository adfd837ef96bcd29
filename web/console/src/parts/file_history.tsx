import { call } from "../api/client";
import type { Agent } from "../api/types";
import { named, t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { parameter } from "../app/router";
import { Badge } from "../components/badge";
import { EmptyState } from "../components/empty_state";
import { Link } from "../components/link";
import { List } from "../components/list_tools";
import { Loaded, useLoad } from "../components/loaded";
import { Patch } from "../components/patch";
import { Time } from "../components/time";

const most = 100; // commits that the box lists

export function FileHistory({ agent }: { agent: Agent }) {
  const rev = parameter("rev");
  return rev ? <OneCommit key={rev} agent={agent} rev={rev} /> : <Commits agent={agent} />;
}

const address = (agent: Agent, rev = "") => `${agentPath(agent.id, "files")}?view=history${rev && `&rev=${rev}`}`;

function Commits({ agent }: { agent: Agent }) {
  const commits = useLoad(
    async () => (await call("GET /api/agents/{id}/files/log", { path: { id: agent.id }, query: { limit: most } })).commits,
    [agent.id],
  );
  return (
    <section aria-label={t("files.history")}>
      <Loaded of={commits}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("files.no_commits")} text={t("files.no_commits_text")} />
          ) : (
            <List
              items={list}
              label={t("files.find_commits")}
              view={{ text: ({ subject, author, hash }) => `${subject} ${author} ${hash}` }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map(({ hash, shortHash, subject, author, date }) => (
                    <li key={hash}>
                      <div>
                        <Link to={address(agent, hash)} entry>
                          <bdi>{subject || shortHash}</bdi>
                        </Link>
                        <p class="quiet">
                          <bdi>{author}</bdi> · <Time at={date} />
                        </p>
                      </div>
                      <code>{shortHash}</code>
                    </li>
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

function OneCommit({ agent, rev }: { agent: Agent; rev: string }) {
  const shown = useLoad(() => call("GET /api/agents/{id}/files/show", { path: { id: agent.id }, query: { rev } }));
  return (
    <section aria-label={t("files.commit_shown")}>
      <p>
        <Link to={address(agent)}>{t("files.all_commits")}</Link>
      </p>
      <Loaded of={shown}>
        {({ commit, changes, diff }) => (
          <>
            <h2>
              <bdi>{commit.subject}</bdi>
            </h2>
            <p class="quiet">
              <bdi>{commit.author}</bdi> · <Time at={commit.date} /> · <code>{commit.shortHash}</code>
            </p>
            {commit.message.trim() !== commit.subject.trim() && (
              <p class="words" dir="auto">
                {commit.message.trim()}
              </p>
            )}
            <ul class="rows">
              {changes.slice(0, 500).map(({ status, path, from }) => (
                <li key={path}>
                  <div>
                    {from && (
                      <>
                        <bdi>{from}</bdi> →{" "}
                      </>
                    )}
                    <bdi>{path}</bdi>
                  </div>
                  <Badge>{named("git", status)}</Badge>
                </li>
              ))}
            </ul>
            {diff && <Patch text={diff} />}
          </>
        )}
      </Loaded>
    </section>
  );
}
