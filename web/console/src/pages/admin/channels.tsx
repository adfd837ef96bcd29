import { call } from "../../api/client";
import type { AdminChannel, ChannelKindRule } from "../../api/types";
import { type Key, t } from "../../app/i18n";
import { agentPath } from "../../app/pages";
import { Action } from "../../components/action";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { State } from "../../components/state";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { channelTones } from "../../parts/channel_card";
import { plans } from "../../parts/user_state";
import { confirmed } from "../../step_up";

const kindName = (kind: string) => t(`channels.kind.${kind}` as Key);

// Which kinds of channels agents may have, and how all channels are.
export default function AdminChannelsPage() {
  const kinds = useLoad(async () => (await call("GET /api/admin/channel-kinds")).kinds);
  const channels = useLoad(async () => (await call("GET /api/admin/channels")).channels);
  useRefreshOnReturn(channels);
  const changed = async () => {
    await kinds.reload();
    await channels.reload();
  };
  return (
    <AdminFrame>
      <div class="page-head">
        <h1>{t("page.all_channels")}</h1>
        <Reload of={{ reload: changed, at: channels.at }} />
      </div>
      <p class="quiet">{t("admin_channels.about")}</p>
      <Loaded of={kinds}>
        {(list) => (
          <ul class="rows">
            {list.map((rule) => (
              <KindRow key={rule.kind} rule={rule} changed={changed} />
            ))}
          </ul>
        )}
      </Loaded>
      <h2>{t("admin_channels.states")}</h2>
      <Loaded of={channels}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("admin_channels.empty")} text={t("admin_channels.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("page.all_channels")}
              view={{ text: ({ kind, identity, agentId, error }) => [kindName(kind), identity, agentId, error].join(" ") }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((channel) => (
                    <ChannelRow key={channel.id} channel={channel} />
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
    </AdminFrame>
  );
}

function KindRow({ rule, changed }: { rule: ChannelKindRule; changed: () => Promise<void> }) {
  const name = kindName(rule.kind);
  const set = async (body: { enabled: boolean; plans: string[] }) => {
    await confirmed(() => call("PUT /api/admin/channel-kinds/{kind}", { path: { kind: rule.kind }, body }));
    await changed();
  };
  // No plan is named: all have it.
  const allowed = rule.plans.length === 0 ? [...plans] : rule.plans;
  const toggle = (plan: string, isAllowed: boolean) => {
    const chosen = plans.filter((one) => (one === plan ? isAllowed : allowed.includes(one)));
    return set({ enabled: rule.enabled && chosen.length > 0, plans: chosen.length === plans.length ? [] : chosen });
  };
  return (
    <li>
      <div>
        <strong>{name}</strong>{" "}
        <State tone={rule.enabled ? "good" : "rest"}>{t(rule.enabled ? "admin_channels.on" : "admin_channels.off")}</State>
        <fieldset class="inline" disabled={!rule.enabled}>
          <legend>{t("admin_channels.plans", { name })}</legend>
          {plans.map((plan) => (
            <label key={plan}>
              <input
                type="checkbox"
                checked={allowed.includes(plan)}
                onChange={(event) => void toggle(plan, event.currentTarget.checked)}
              />{" "}
              {plan}
            </label>
          ))}
        </fieldset>
      </div>
      <div class="actions">
        <Action run={() => set({ enabled: !rule.enabled, plans: rule.plans })}>
          {t(rule.enabled ? "channels.disable" : "channels.enable")}
        </Action>
      </div>
    </li>
  );
}

function ChannelRow({ channel }: { channel: AdminChannel }) {
  return (
    <li>
      <div>
        <strong>
          {kindName(channel.kind)} {channel.identity && <bdi>{channel.identity}</bdi>}
        </strong>{" "}
        <State tone={channelTones[channel.state]}>{t(`channels.state.${channel.state}`)}</State>
        <p class="quiet">
          <Link to={agentPath(channel.agentId, "channels")}>{channel.agentId}</Link>
          {channel.connectedSince && (
            <>
              {" · "}
              <Time at={channel.connectedSince} ago />
            </>
          )}
          {" · "}
          {t("admin_channels.counts", { queued: String(channel.queued), dead: String(channel.deadLetters) })}
        </p>
        {channel.error && <p dir="auto">{channel.error}</p>}
      </div>
    </li>
  );
}
