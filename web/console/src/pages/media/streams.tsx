// The radio: what is live, the streams of one's agents, and new ones for wallets.
import { useSignal } from "@preact/signals";
import * as account from "../../account";
import { call } from "../../api/client";
import type { Broadcast, LiveStream } from "../../api/types";
import { t, tn } from "../../app/i18n";
import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { State } from "../../components/state";
import { Time } from "../../components/time";
import { MediaFrame } from "../../parts/media_frame";
import { KeyedStreamDialog, NewStreamDialog } from "../../parts/new_stream";
import { OwnStreams } from "../../parts/own_streams";
import { StreamKeyDialog } from "../../parts/stream_key";

export default function StreamsPage() {
  // Without a provider the list of live streams is an error, as the interface says.
  const live = useLoad(async () => ((await call("GET /api/streams")).configured ? (await call("GET /api/radio/live")).djs : null));
  const creating = useSignal(false);
  const managing = useSignal(false);
  const made = useSignal<Broadcast | undefined>(undefined);
  useRefreshOnReturn(live);
  return (
    <MediaFrame>
      <section aria-labelledby="live-title">
        <div class="page-head">
          <h2 id="live-title">{t("radio.live")}</h2>
          <div class="actions">
            {live.data.value && (
              <>
                <Reload of={live} />
                <Button onClick={() => (managing.value = true)}>{t("radio.manage")}</Button>
                <Button kind="primary" onClick={() => (creating.value = true)}>
                  {t("radio.new")}
                </Button>
              </>
            )}
          </div>
        </div>
        <Loaded of={live}>
          {(djs) =>
            djs === null ? (
              <EmptyState title={t("radio.off")} text={t(account.user.value?.isAdmin ? "radio.off_admin" : "radio.off_text")} />
            ) : djs.length === 0 ? (
              <EmptyState title={t("radio.silent")} text={t("radio.silent_text")} />
            ) : (
              <List
                items={djs}
                label={t("radio.tools")}
                view={{
                  text: ({ name, wallet }) => `${name} ${wallet ?? ""}`,
                  orders: [
                    { value: "newest", title: t("sort.newest"), compare: (a, b) => b.startedAt - a.startedAt },
                    { value: "name", title: t("sort.name"), compare: (a, b) => a.name.localeCompare(b.name) },
                    { value: "listeners", title: t("radio.by_listeners"), compare: (a, b) => (b.listeners ?? 0) - (a.listeners ?? 0) },
                  ],
                }}
              >
                {(found) => (
                  <ul class="rows">
                    {found.map((stream) => (
                      <Live key={stream.id} stream={stream} />
                    ))}
                  </ul>
                )}
              </List>
            )
          }
        </Loaded>
      </section>
      {live.data.value && <OwnStreams onRotated={(stream) => (made.value = stream)} />}
      {creating.value && <NewStreamDialog onClose={() => (creating.value = false)} onMade={(stream) => (made.value = stream)} />}
      {managing.value && <KeyedStreamDialog onClose={() => (managing.value = false)} onRotated={(stream) => (made.value = stream)} />}
      {made.value && <StreamKeyDialog broadcast={made.value} onClose={() => (made.value = undefined)} />}
    </MediaFrame>
  );
}

function Live({ stream }: { stream: LiveStream }) {
  // The page of the box's own server, or the hosted provider's player.
  const player = stream.embedUrl ?? stream.hlsUrl;
  return (
    <li>
      <div>
        <p class="facts">
          <strong>
            <bdi>{stream.name}</bdi>
          </strong>
          <State tone="good">{t("radio.on_air")}</State>
          <span>
            {t("radio.since")} <Time at={new Date(stream.startedAt * 1_000).toISOString()} ago />
          </span>
          {typeof stream.listeners === "number" && <span>{tn("radio.listeners", stream.listeners)}</span>}
        </p>
        {stream.wallet && (
          <p class="quiet">
            <code>{stream.wallet}</code>
          </p>
        )}
      </div>
      {player && (
        <a class="button" href={player} target="_blank" rel="noopener noreferrer" aria-label={t("radio.listen_to", { name: stream.name })}>
          {t("radio.listen")}
        </a>
      )}
    </li>
  );
}
