// One channel of an agent: its state, who writes over it, and what could not be delivered.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent, Channel, ChannelPeer, DeadChannelMessage, NewChannel } from "../api/types";
import { type Key, t, tn } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Action } from "../components/action";
import { Badge } from "../components/badge";
import { CodeBlock } from "../components/code_block";
import { Confirm } from "../components/confirm";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { Loaded, type Resource, useLoad } from "../components/loaded";
import { State, type Tone } from "../components/state";
import { Time } from "../components/time";
import { channelBody, ChannelFields } from "./channel_fields";
import { RowActions } from "./row_actions";

interface Props {
  agent: Agent;
  channel: Channel;
  reload: () => Promise<void>;
}

export const channelTones: Record<Channel["state"], Tone> = { connected: "good", connecting: "busy", rejected: "bad", off: "rest" };
// What programs of other images find in their environment.
const imageNames: Partial<Record<Channel["kind"], string>> = {
  telegram: "TELEGRAM_BOT_TOKEN",
  slack: "SLACK_BOT_TOKEN",
  discord: "DISCORD_BOT_TOKEN",
  whatsapp: "WHATSAPP_ACCESS_TOKEN",
};
const accesses = ["pairing", "open", "closed"] as const;

export function ChannelCard({ agent, channel, reload }: Props) {
  const path = { id: agent.id, channel: channel.id };
  const removing = useSignal(false);
  const invitation = useSignal("");
  const peers = useLoad(async () => (await call("GET /api/agents/{id}/channels/{channel}/peers", { path })).peers, [channel]);
  const letters = useLoad(
    async () => (await call("GET /api/agents/{id}/channels/{channel}/dead-letters", { path })).deadLetters,
    [channel],
  );
  // The list may be newer than the channel's own count.
  const isWaitedFor = channel.pending > 0 || !!peers.data.value?.some(({ standing }) => standing === "pending");
  const change = async (
    body: Partial<Pick<Channel, "access" | "enabled" | "usedBy" | "dailyCap" | "peerDailyCap">> | Omit<NewChannel, "kind">,
  ) => {
    await call("PATCH /api/agents/{id}/channels/{channel}", { path, body });
    await reload();
  };
  const replace = ({ kind: _, ...credentials }: NewChannel) => change(credentials);
  const invite = async (owner: boolean) => {
    const made = await call("POST /api/agents/{id}/channels/{channel}/invitations", { path, body: { owner } });
    invitation.value = made.url ?? made.code;
  };
  const name = channel.identity ?? t(`channels.kind.${channel.kind}`);
  return (
    <section class="card" aria-label={name}>
      <h3>
        {t(`channels.kind.${channel.kind}`)} {channel.identity && <bdi>{channel.identity}</bdi>}
      </h3>
      <p>
        <State tone={channelTones[channel.state]}>{t(`channels.state.${channel.state}`)}</State>{" "}
        {channel.connectedSince && <Time at={channel.connectedSince} ago />} {channel.queued > 0 && tn("channels.queued", channel.queued)}
      </p>
      {channel.error && <p dir="auto">{channel.error}</p>}
      {channel.eventsUrl && (
        <>
          <p>{t("channels.events")}</p>
          <CodeBlock text={channel.eventsUrl} />
        </>
      )}
      {channel.state === "rejected" && (
        <Form submit={t("channels.replace")} onSubmit={(values) => replace(channelBody(channel.kind, values))}>
          <Field label={t(`channels.token.${channel.kind}`)} name="token" type="password" required maxLength={1_000} autocomplete="off" />
          <ChannelFields kind={channel.kind} options={channel.options} />
        </Form>
      )}
      <Select
        label={t("channels.access")}
        value={channel.access}
        onChange={(event) => void change({ access: event.currentTarget.value as Channel["access"] })}
      >
        {accesses.map((access) => (
          <option key={access} value={access}>
            {t(`channels.access.${access}`)}
          </option>
        ))}
      </Select>
      {imageNames[channel.kind] && (
        <Select
          label={t("channels.used_by")}
          value={channel.usedBy}
          hint={t("channels.used_by_hint", { name: imageNames[channel.kind]! })}
          onChange={(event) => void change({ usedBy: event.currentTarget.value as Channel["usedBy"] })}
        >
          <option value="box">{t("channels.used_by.box")}</option>
          <option value="image">{t("channels.used_by.image")}</option>
        </Select>
      )}
      <RowActions
        of={name}
        start
        first={{ title: t("channels.link"), run: () => invite(true) }}
        more={[
          { title: t("channels.invite"), icon: "users", run: () => invite(false) },
          { title: t("channels.test"), icon: "transfer", run: () => call("POST /api/agents/{id}/channels/{channel}/test", { path }) },
          {
            title: t(channel.enabled ? "channels.disable" : "channels.enable"),
            icon: "power",
            run: () => change({ enabled: !channel.enabled }),
          },
          { title: t("action.remove"), label: t("channels.remove_this", { name }), icon: "trash", run: () => void (removing.value = true) },
        ]}
      />
      {invitation.value && (
        <>
          <p>{t("channels.invitation")}</p>
          <CodeBlock text={invitation.value} />
        </>
      )}
      <h4>{t("channels.people")}</h4>
      <Form
        submit={t("channels.save_caps")}
        onSubmit={(values) =>
          change({ dailyCap: Number(textOf(values, "dailyCap")), peerDailyCap: Number(textOf(values, "peerDailyCap")) })
        }
      >
        <div class="columns">
          <CapField label={t("channels.daily_cap")} name="dailyCap" value={channel.dailyCap} />
          <CapField label={t("channels.peer_daily_cap")} name="peerDailyCap" value={channel.peerDailyCap} />
        </div>
      </Form>
      {isWaitedFor && (
        <Form
          submit={t("channels.confirm")}
          onSubmit={async (values) => {
            await call("POST /api/agents/{id}/channels/{channel}/pairings", { path, body: { code: textOf(values, "code").trim() } });
            await reload();
          }}
        >
          <Field label={t("channels.code")} name="code" required maxLength={20} autocomplete="off" hint={t("channels.code_hint")} />
        </Form>
      )}
      <Loaded of={peers}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{t("channels.nobody")}</p>
          ) : (
            <ul class="rows">
              {list.map((peer) => (
                <PeerRow key={peer.id} path={path} peer={peer} peers={peers} usualCap={channel.peerDailyCap} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {channel.deadLetters > 0 && (
        <>
          <h4>{t("channels.dead")}</h4>
          <Loaded of={letters}>
            {(list) => (
              <ul class="rows">
                {list.map((letter) => (
                  <LetterRow key={letter.id} path={path} letter={letter} reload={reload} />
                ))}
              </ul>
            )}
          </Loaded>
        </>
      )}
      {removing.value && (
        <Confirm
          title={t("channels.remove_title", { name })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = false)}
          action={async () => {
            await call("DELETE /api/agents/{id}/channels/{channel}", { path });
            await reload();
          }}
        >
          <p>{t("channels.remove_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

interface Path {
  id: string;
  channel: string;
}

// How many messages a day; the box takes no more than a million.
function CapField({ label, name, value }: { label: string; name: string; value: number }) {
  return <Field label={label} name={name} type="number" required min={0} max={1_000_000} step={1} defaultValue={String(value)} />;
}

interface PeerProps {
  path: Path;
  peer: ChannelPeer;
  peers: Resource<ChannelPeer[]>;
  usualCap: number; // of people without one of their own
}

function PeerRow({ path, peer, peers, usualCap }: PeerProps) {
  const limiting = useSignal(false);
  const decide = async (standing: ChannelPeer["standing"], dailyCap?: number) => {
    await call("PUT /api/agents/{id}/channels/{channel}/peers/{peer}", {
      path: { ...path, peer: peer.id },
      body: { standing, ...(dailyCap !== undefined && { dailyCap }) },
    });
    limiting.value = false;
    await peers.reload();
  };
  const removeCap = async () => {
    await call("DELETE /api/agents/{id}/channels/{channel}/peers/{peer}/cap", { path: { ...path, peer: peer.id } });
    limiting.value = false;
    await peers.reload();
  };
  const admits = peer.standing === "allowed" || peer.standing === "owner";
  return (
    <li>
      <div>
        <strong>
          <bdi>{peer.name || peer.address}</bdi>
        </strong>{" "}
        <Badge tone={peer.standing === "pending" ? "busy" : ""}>{t(`channels.standing.${peer.standing}` as Key)}</Badge>
        <p class="quiet">
          <bdi>{peer.address}</bdi> · <Time at={peer.lastMessageAt} ago />
          {peer.standing === "allowed" && ` · ${tn("channels.cap", peer.dailyCap ?? usualCap)}`}
        </p>
        {limiting.value && (
          <Form
            submit={t("action.save")}
            onCancel={() => (limiting.value = false)}
            onSubmit={(values) => decide(peer.standing, Number(textOf(values, "dailyCap")))}
          >
            <CapField label={t("channels.cap_of_one")} name="dailyCap" value={peer.dailyCap ?? usualCap} />
            {typeof peer.dailyCap === "number" && <Action run={removeCap}>{t("channels.use_usual_cap", { cap: usualCap })}</Action>}
          </Form>
        )}
      </div>
      {(admits || peer.standing === "visitor") && peer.conversationId && (
        <Link to={`${agentPath(path.id, "")}?c=${peer.conversationId}`}>{t("channels.read")}</Link>
      )}
      <RowActions
        of={peer.name || peer.address}
        first={
          !admits
            ? { title: t("channels.admit"), run: () => decide("allowed") }
            : peer.standing === "allowed" &&
              !limiting.value && {
                title: t("channels.limit"),
                label: t("channels.limit_this", { name: peer.name || peer.address }),
                run: () => void (limiting.value = true),
              }
        }
        more={[peer.standing !== "blocked" && { title: t("channels.block"), icon: "close", run: () => decide("blocked") }]}
      />
    </li>
  );
}

function LetterRow({ path, letter, reload }: { path: Path; letter: DeadChannelMessage; reload: () => Promise<void> }) {
  const of = { ...path, letter: letter.id };
  return (
    <li>
      <div>
        <p class="words" dir="auto">
          {letter.file ?? letter.text}
        </p>
        <p class="quiet" dir="auto">
          {letter.error} · <Time at={letter.createdAt} ago />
        </p>
      </div>
      <RowActions
        of={letter.file ?? letter.text}
        first={{
          title: t("channels.again"),
          run: async () => {
            await call("POST /api/agents/{id}/channels/{channel}/dead-letters/{letter}/replay", { path: of });
            await reload();
          },
        }}
        more={[
          {
            title: t("channels.discard"),
            icon: "trash",
            run: async () => {
              await call("DELETE /api/agents/{id}/channels/{channel}/dead-letters/{letter}", { path: of });
              await reload();
            },
          },
        ]}
      />
    </li>
  );
}
