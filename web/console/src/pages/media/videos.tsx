// Videos that the box makes. One at work shows its progress, by the events of the box.
import { useSignal } from "@preact/signals";
import { call, url_of } from "../../api/client";
import { useEvents } from "../../api/event_source";
import type { Video } from "../../api/types";
import { bytes, duration, percent } from "../../app/format";
import { named, t } from "../../app/i18n";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Meter } from "../../components/meter";
import { Reload } from "../../components/reload";
import { State, type Tone } from "../../components/state";
import { Time } from "../../components/time";
import { MediaFrame } from "../../parts/media_frame";
import { NewVideoDialog } from "../../parts/new_video";
import { RowActions } from "../../parts/row_actions";

const tones: Record<Video["status"], Tone> = { queued: "rest", running: "busy", done: "good", failed: "bad" };
const types = ["demo", "marketing", "screenshot", "tutorial"];

export default function VideosPage() {
  const videos = useLoad(async () => (await call("GET /api/videos")).videos);
  const creating = useSignal(false);
  const removing = useSignal<Video | undefined>(undefined);
  useRefreshOnReturn(videos);
  const onChanged = (changed: Video) => (videos.data.value = videos.data.peek()?.map((one) => (one.id === changed.id ? changed : one)));
  return (
    <MediaFrame>
      <div class="page-head">
        <p class="quiet">{t("video.about")}</p>
        <div class="actions">
          <Reload of={videos} />
          <Button kind="primary" onClick={() => (creating.value = true)}>
            {t("video.new")}
          </Button>
        </div>
      </div>
      <Loaded of={videos}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("video.empty")} text={t("video.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("video.tools")}
              view={{
                text: ({ title, type }) => `${title} ${named("video.type", type)}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.createdAt.localeCompare(a.createdAt) },
                  { value: "name", title: t("sort.name"), compare: (a, b) => a.title.localeCompare(b.title) },
                  { value: "size", title: t("video.by_size"), compare: (a, b) => b.bytes - a.bytes },
                ],
                filter: {
                  title: t("video.kind"),
                  choices: types.map((value) => ({ value, title: named("video.type", value) })),
                  matches: ({ type }, value) => type === value,
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((video) => (
                    <Row
                      key={video.id}
                      video={video}
                      onChanged={onChanged}
                      onGone={videos.reload}
                      onRemove={() => (removing.value = video)}
                    />
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {creating.value && <NewVideoDialog onClose={() => (creating.value = false)} onStarted={videos.reload} />}
      {removing.value && (
        <Confirm
          title={t("video.delete_title", { name: removing.value.title })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = undefined)}
          action={async () => {
            await call("DELETE /api/videos/{videoId}", { path: { videoId: removing.value!.id } });
            await videos.reload();
          }}
        >
          <p>{t("video.delete_text")}</p>
        </Confirm>
      )}
    </MediaFrame>
  );
}

const events = ["progress", "done", "failed", "removed"];

interface RowProps {
  video: Video;
  onChanged: (video: Video) => void;
  onGone: () => Promise<void>;
  onRemove: () => void;
}

function Row({ video, onChanged, onGone, onRemove }: RowProps) {
  const playing = useSignal("");
  const isAtWork = video.status === "queued" || video.status === "running";
  useEvents(isAtWork ? url_of("GET /api/videos/{videoId}/events", { path: { videoId: video.id } }) : "", events, (name, data) => {
    if (name === "progress") onChanged(JSON.parse(data) as Video);
    else void onGone();
    return name !== "progress";
  });
  // The address that the list has may have expired meanwhile.
  const address = async () => {
    const { url } = await call("GET /api/videos/{videoId}", { path: { videoId: video.id } });
    const { pathname, search } = new URL(url ?? "", window.location.href);
    return pathname + search;
  };
  const download = async () => {
    const link = document.createElement("a");
    link.href = await address();
    link.download = `${video.title || video.id}.mp4`;
    link.click();
  };
  return (
    <li>
      <div>
        <p class="facts">
          <strong>
            <bdi>{video.title}</bdi>
          </strong>
          <State tone={tones[video.status]}>{named("video.status", video.status)}</State>
          <span>{named("video.type", video.type)}</span>
          {video.status === "done" && <span>{`${duration(video.seconds * 1_000)} · ${bytes(video.bytes)}`}</span>}
          <Time at={video.createdAt} ago />
        </p>
        {isAtWork && (
          <Meter
            plain
            label={t("video.progress", { name: video.title })}
            share={video.progress / 100}
            text={percent(video.progress / 100)}
          />
        )}
        {video.error && (
          <p class="cause">
            <bdi>{video.error}</bdi>
          </p>
        )}
        {playing.value && <video class="player" controls autoplay playsInline src={playing.value} aria-label={video.title} />}
      </div>
      <RowActions
        of={video.title}
        first={
          video.status === "done" && {
            title: playing.value ? t("action.close") : t("video.play"),
            label: t("video.play_this", { name: video.title }),
            run: async () => (playing.value = playing.value ? "" : await address()),
          }
        }
        more={[
          video.status === "done" && {
            title: t("logs.download"),
            label: t("video.download_this", { name: video.title }),
            icon: "download",
            run: download,
          },
          {
            title: isAtWork ? t("swarm.stop") : t("action.delete"),
            label: t(isAtWork ? "video.stop_this" : "video.delete_this", { name: video.title }),
            icon: isAtWork ? "stop" : "trash",
            run: onRemove,
          },
        ]}
      />
    </li>
  );
}
