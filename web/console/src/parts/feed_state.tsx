import type { Feed } from "../api/types";
import { duration, relative } from "../app/format";
import { named, t } from "../app/i18n";
import { State, type Tone } from "../components/state";

const tones: Record<Feed["status"], Tone> = { ok: "good", stale: "busy", failed: "bad", pending: "rest" };

// Whether a feed works, how old its data is, and how often it is fetched.
export function FeedFacts({ feed }: { feed: Feed }) {
  return (
    <>
      <p class="facts">
        <State tone={tones[feed.status]}>{named("feeds.status", feed.status)}</State>
        <span>{named("feeds.kind", feed.kind)}</span>
        {typeof feed.ageSeconds === "number" && (
          <span>{t("feeds.fetched", { when: relative(new Date(Date.now() - feed.ageSeconds * 1_000)) })}</span>
        )}
        {typeof feed.intervalSeconds === "number" && <span>{t("feeds.every", { interval: duration(feed.intervalSeconds * 1_000) })}</span>}
      </p>
      {feed.error && (
        <p class="cause">
          <bdi>{feed.error}</bdi>
        </p>
      )}
    </>
  );
}
