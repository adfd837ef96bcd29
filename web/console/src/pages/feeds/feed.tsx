// One feed with its last good data: entries of RSS as a list, everything else as JSON.
import { call } from "../../api/client";
import type { Feed } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { CodeBlock } from "../../components/code_block";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { Time } from "../../components/time";
import { FeedFacts } from "../../parts/feed_state";
import { plainText } from "../../parts/plain_text";

interface Item {
  id: string;
  title: string;
  link: string;
  summary: string;
  published: string | null;
}
interface Channel {
  title: string;
  link: string;
  description: string;
  items: Item[];
}
type FeedWithData = Feed & { data: unknown };

export default function FeedPage({ id }: PageProps) {
  const feed = useLoad(async () => {
    const answer: unknown = await call("GET /api/data-feeds", { query: { feed: id } });
    return (answer as { feed: FeedWithData }).feed;
  });
  useRefreshOnReturn(feed);
  return (
    <div class="column">
      <p>
        <Link to="/feeds">{t("feeds.back")}</Link>
      </p>
      <div class="page-head">
        <h1>
          <bdi>{id}</bdi>
        </h1>
        <Reload of={feed} />
      </div>
      <Loaded of={feed}>
        {(found) => (
          <>
            {found.description && <p dir="auto">{found.description}</p>}
            <FeedFacts feed={found} />
            <Data feed={found} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Data({ feed: { kind, data } }: { feed: FeedWithData }) {
  if (data === null || data === undefined) return <EmptyState title={t("feeds.no_data")} text={t("feeds.no_data_text")} />;
  if (kind === "rss") return <Entries channel={data as Channel} />;
  return <CodeBlock text={JSON.stringify(data, null, 2)} language="JSON" />;
}

const isWeb = (link: string) => /^https?:\/\//i.test(link);

function Entries({ channel: { title, items } }: { channel: Channel }) {
  const at = ({ published }: Item) => published ?? "";
  return (
    <>
      <h2>
        <bdi>{title}</bdi>
      </h2>
      {items.length === 0 ? (
        <EmptyState title={t("feeds.no_items")} />
      ) : (
        <List
          items={items}
          label={t("feeds.find_items")}
          view={{
            text: (item) => `${item.title} ${item.summary}`,
            orders: [
              { value: "newest", title: t("sort.newest"), compare: (a, b) => at(b).localeCompare(at(a)) },
              { value: "oldest", title: t("sort.oldest"), compare: (a, b) => at(a).localeCompare(at(b)) },
            ],
          }}
        >
          {(found) => (
            <ul class="rows">
              {found.map((item, index) => (
                <li key={item.id || index}>
                  <div>
                    <strong>
                      {isWeb(item.link) ? (
                        <a href={item.link} target="_blank" rel="noopener noreferrer nofollow" data-entry>
                          <bdi>{item.title}</bdi>
                        </a>
                      ) : (
                        <bdi>{item.title}</bdi>
                      )}
                    </strong>
                    {item.published && (
                      <p class="quiet">
                        <Time at={item.published} ago />
                      </p>
                    )}
                    {item.summary && (
                      <p class="clamped" dir="auto">
                        {plainText(item.summary)}
                      </p>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          )}
        </List>
      )}
    </>
  );
}
