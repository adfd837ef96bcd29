import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Agent, Channel } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { EmptyState } from "../../components/empty_state";
import { Field, Select } from "../../components/field";
import { Form } from "../../components/form";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { AgentFrame } from "../../parts/agent_frame";
import { ChannelCard } from "../../parts/channel_card";
import { channelBody, ChannelFields } from "../../parts/channel_fields";

export default function ChannelsPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="channels">
      {(agent) => <Channels agent={agent} />}
    </AgentFrame>
  );
}

function Channels({ agent }: { agent: Agent }) {
  const channels = useLoad(() => call("GET /api/agents/{id}/channels", { path: { id: agent.id } }), [agent.id]);
  useRefreshOnReturn(channels);
  return (
    <div class="panel-body">
      <div class="page-head">
        <h2>{t("channels.title")}</h2>
        <Reload of={channels} />
      </div>
      <p class="quiet">{t("channels.about", { name: agent.name })}</p>
      <Loaded of={channels}>
        {({ channels: list, kinds }) => (
          <>
            {list.length === 0 && <EmptyState title={t("channels.empty")} text={t("channels.empty_text")} />}
            {list.map((channel) => (
              <ChannelCard key={channel.id} agent={agent} channel={channel} reload={channels.reload} />
            ))}
            {kinds.length > 0 && <NewChannelForm agent={agent} kinds={kinds} reload={channels.reload} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

interface FormProps {
  agent: Agent;
  kinds: Channel["kind"][];
  reload: () => Promise<void>;
}

function NewChannelForm({ agent, kinds, reload }: FormProps) {
  const kind = useSignal<Channel["kind"]>(kinds[0]!);
  const made = useSignal(0);
  const connect = async (values: FormData) => {
    await call("POST /api/agents/{id}/channels", { path: { id: agent.id }, body: channelBody(kind.value, values) });
    made.value++;
    await reload();
  };
  return (
    <section class="card">
      <h3>{t("channels.add")}</h3>
      <Form key={made.value} submit={t("channels.connect")} onSubmit={connect}>
        <Select
          label={t("channels.kind")}
          name="kind"
          value={kind.value}
          onChange={(event) => (kind.value = event.currentTarget.value as Channel["kind"])}
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {t(`channels.kind.${one}`)}
            </option>
          ))}
        </Select>
        <p>{t(`channels.guide.${kind.value}`)}</p>
        <Field
          key={kind.value}
          label={t(`channels.token.${kind.value}`)}
          name="token"
          type="password"
          required
          maxLength={1_000}
          autocomplete="off"
        />
        <ChannelFields kind={kind.value} />
      </Form>
    </section>
  );
}
