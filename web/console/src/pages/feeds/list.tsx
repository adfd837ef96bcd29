import { call } from "../../api/client";
import { named, t } from "../../app/i18n";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { FeedFacts } from "../../parts/feed_state";

export default function FeedsPage() {
  const feeds = useLoad(async () => (await call("GET /api/data-feeds")).feeds);
  useRefreshOnReturn(feeds);
  return (
    <div class="column">
      <div class="page-head">
        <h1>{t("page.feeds")}</h1>
        <Reload reload={feeds.reload} />
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
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
    </div>
  );
}
