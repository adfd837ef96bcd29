import { useSignal } from "@preact/signals";
import { maySee } from "../../account";
import { call } from "../../api/client";
import { named, t } from "../../app/i18n";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { FeedDialog, type FeedSource } from "../../parts/feed_dialog";
import { FeedFacts } from "../../parts/feed_state";
import { RowActions } from "../../parts/row_actions";
import { confirmed } from "../../step_up";

export default function FeedsPage() {
  const feeds = useLoad(async () => (await call("GET /api/data-feeds")).feeds);
  useRefreshOnReturn(feeds);
  const isAdmin = maySee("admin");
  const sources = useLoad(async () => (isAdmin ? (await call("GET /api/admin/data-feeds")).feeds : []));
  const editing = useSignal<FeedSource | "new" | undefined>(undefined);
  const removing = useSignal<FeedSource | undefined>(undefined);
  const changed = () => Promise.all([feeds.reload(), sources.reload()]);
  return (
    <div class="column">
      <div class="page-head">
        <h1>{t("page.feeds")}</h1>
        <div class="actions">
          <Reload of={feeds} />
          {isAdmin && (
            <Button kind="primary" onClick={() => (editing.value = "new")}>
              {t("feeds.new")}
            </Button>
          )}
        </div>
      </div>
      <p class="quiet">{t("feeds.about")}</p>
      <Loaded of={feeds}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("feeds.empty")} text={t("feeds.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("feeds.tools")}
              view={{
                text: ({ name, description }) => `${name} ${description}`,
                orders: [
                  { value: "name", title: t("sort.name"), compare: (a, b) => a.name.localeCompare(b.name) },
                  { value: "age", title: t("feeds.by_age"), compare: (a, b) => (a.ageSeconds ?? Infinity) - (b.ageSeconds ?? Infinity) },
                ],
                filter: {
                  title: t("fleet.state"),
                  choices: ["ok", "stale", "failed", "pending"].map((value) => ({ value, title: named("feeds.status", value) })),
                  matches: ({ status }, value) => status === value,
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((feed) => (
                    <li key={feed.name}>
                      <div>
                        <Link to={`/feeds/${encodeURIComponent(feed.name)}`} entry>
                          <bdi>{feed.name}</bdi>
                        </Link>
                        {feed.description && <p dir="auto">{feed.description}</p>}
                        <FeedFacts feed={feed} />
                      </div>
                      <SourceActions
                        source={sources.data.value?.find(({ name, kind }) => name === feed.name && kind !== "box")}
                        onEdit={(source) => (editing.value = source)}
                        onRemove={(source) => (removing.value = source)}
                      />
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {editing.value && (
        <FeedDialog
          feed={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = undefined)}
          onSaved={changed}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("passkeys.remove_title", { name: removing.value.name })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = undefined)}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/data-feeds/{name}", { path: { name: removing.value!.name } }));
            await changed();
          }}
        >
          <p>{t("feeds.remove_text")}</p>
        </Confirm>
      )}
    </div>
  );
}

interface SourceProps {
  source: FeedSource | undefined;
  onEdit: (source: FeedSource) => void;
  onRemove: (source: FeedSource) => void;
}

// Of the feeds that the box has by itself there is none.
function SourceActions({ source, onEdit, onRemove }: SourceProps) {
  if (!source) return null;
  const { name } = source;
  return (
    <RowActions
      of={name}
      first={{ title: t("action.edit"), label: t("schedule.edit_this", { name }), run: () => onEdit(source) }}
      more={[{ title: t("action.remove"), label: t("passkeys.remove_this", { name }), icon: "trash", run: () => onRemove(source) }]}
    />
  );
}
