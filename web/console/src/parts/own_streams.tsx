// The streams of one's agents, with their keys behind a button.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nameOf, refresh } from "../agents";
import { call } from "../api/client";
import type { Broadcast, OwnStream } from "../api/types";
import { named, t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Confirm } from "../components/confirm";
import { EmptyState } from "../components/empty_state";
import { Link } from "../components/link";
import { Loaded, useLoad, useRefreshOnReturn } from "../components/loaded";
import { State, type Tone } from "../components/state";
import { Time } from "../components/time";
import { RowActions } from "./row_actions";
import { BroadcastSettings } from "./stream_key";

const tones: Record<OwnStream["status"], Tone> = { created: "rest", active: "good", idle: "rest", removed: "bad" };

export function OwnStreams({ onRotated }: { onRotated: (broadcast: Broadcast) => void }) {
  const streams = useLoad(async () => (await call("GET /api/streams")).streams);
  const rotating = useSignal<OwnStream | undefined>(undefined);
  const removing = useSignal<OwnStream | undefined>(undefined);
  useRefreshOnReturn(streams);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <section aria-labelledby="own-title">
      <h2 id="own-title">{t("radio.own")}</h2>
      <p class="quiet">{t("radio.own_about")}</p>
      <Loaded of={streams}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("radio.own_empty")} text={t("radio.own_empty_text")} />
          ) : (
            <ul class="rows">
              {list.map((stream) => (
                <Row
                  key={stream.id}
                  stream={stream}
                  onRotate={() => (rotating.value = stream)}
                  onRemove={() => (removing.value = stream)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {rotating.value && (
        <Confirm
          title={t("radio.rotate_title", { name: rotating.value.name })}
          confirm={t("radio.rotate")}
          onClose={() => (rotating.value = undefined)}
          action={async () => {
            const broadcast = await call("POST /api/streams/{streamId}/rotate-key", { path: { streamId: rotating.value!.id } });
            onRotated(broadcast);
            await streams.reload();
          }}
        >
          <p>{t("radio.rotate_text")}</p>
        </Confirm>
      )}
      {removing.value && (
        <Confirm
          title={t("radio.delete_title", { name: removing.value.name })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = undefined)}
          action={async () => {
            await call("DELETE /api/streams/{streamId}", { path: { streamId: removing.value!.id } });
            await streams.reload();
          }}
        >
          <p>{t("radio.delete_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

interface RowProps {
  stream: OwnStream;
  onRotate: () => void;
  onRemove: () => void;
}

function Row({ stream, onRotate, onRemove }: RowProps) {
  const shown = useSignal(false);
  const agent = stream.agentId ? nameOf(stream.agentId) : "";
  const player = stream.status === "active" ? (stream.embedUrl ?? stream.hlsUrl) : undefined;
  return (
    <li>
      <div>
        <p class="facts">
          <strong>
            <bdi>{stream.name}</bdi>
          </strong>
          <State tone={tones[stream.status]}>{named("radio.status", stream.status)}</State>
          {agent && (
            <Link to={agentPath(stream.agentId!)}>
              <bdi>{agent}</bdi>
            </Link>
          )}
          {stream.startedAt && (
            <span>
              {t("radio.last_live")} <Time at={stream.startedAt} ago />
            </span>
          )}
        </p>
        {shown.value && <BroadcastSettings server={stream.rtmpUrl} streamKey={stream.streamKey} />}
      </div>
      <div class="actions">
        {player && (
          <a href={player} target="_blank" rel="noopener noreferrer" aria-label={t("radio.listen_to", { name: stream.name })}>
            {t("radio.listen")}
          </a>
        )}
        <RowActions
          of={stream.name}
          first={{
            title: t("radio.show_key"),
            label: t("radio.show_key_of", { name: stream.name }),
            pressed: shown.value,
            run: () => void (shown.value = !shown.value),
          }}
          more={[
            { title: t("radio.rotate"), label: t("radio.rotate_this", { name: stream.name }), icon: "key", run: onRotate },
            { title: t("action.delete"), label: t("radio.delete_this", { name: stream.name }), icon: "trash", run: onRemove },
          ]}
        />
      </div>
    </li>
  );
}
