// What kinds of channels ask for besides the token.
import { useSignal } from "@preact/signals";
import type { Channel, NewChannel } from "../api/types";
import { type Key, t } from "../app/i18n";
import { CodeBlock } from "../components/code_block";
import { Field, Select } from "../components/field";
import { textOf } from "../components/form";

interface Extra {
  name: string;
  of: "secrets" | "options";
  optional?: boolean;
  pattern?: string;
}

const extras: Partial<Record<Channel["kind"], Extra[]>> = {
  webhook: [{ name: "url", of: "options", optional: true }],
  mail: [
    { name: "address", of: "options" },
    { name: "imap", of: "options" },
    { name: "smtp", of: "options" },
    { name: "authserv", of: "options" },
    { name: "user", of: "options", optional: true },
  ],
  matrix: [{ name: "homeserver", of: "options" }],
  xmpp: [
    { name: "address", of: "options" },
    { name: "server", of: "options", optional: true },
    { name: "rooms", of: "options", optional: true },
  ],
  irc: [
    { name: "server", of: "options" },
    { name: "nickname", of: "options" },
    { name: "user", of: "options", optional: true },
    { name: "channels", of: "options", optional: true },
  ],
  whatsapp: [
    { name: "phoneNumberId", of: "options", pattern: "[0-9]+" },
    { name: "appSecret", of: "secrets" },
    { name: "verifyToken", of: "secrets" },
    { name: "template", of: "options", optional: true, pattern: "[A-Za-z0-9_]+" },
    { name: "templateLanguage", of: "options", optional: true, pattern: "[A-Za-z_]+" },
  ],
};
const slackExtras: Record<string, Extra> = {
  socket: { name: "appToken", of: "secrets" },
  events: { name: "signingSecret", of: "secrets" },
};

// What the app needs at Slack, for "Create an app from a manifest".
const slackManifest = `display_information:
  name: Scout
features:
  app_home:
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: scout
oauth_config:
  scopes:
    bot: [app_mentions:read, channels:history, chat:write, files:read, files:write, groups:history, im:history, users:read]
settings:
  event_subscriptions:
    bot_events: [app_mention, message.channels, message.groups, message.im]
  interactivity:
    is_enabled: true
  socket_mode_enabled: true`;

const extrasOf = (kind: Channel["kind"], receive: string) => (kind === "slack" ? [slackExtras[receive]!] : (extras[kind] ?? []));

interface Props {
  kind: Channel["kind"];
  options?: Channel["options"]; // of a channel that there is already
}

const optionOf = (options: Channel["options"], name: string) => (typeof options[name] === "string" ? options[name] : "");

export function ChannelFields({ kind, options = {} }: Props) {
  const receive = useSignal(optionOf(options, "receive") || "socket");
  return (
    <>
      {kind === "slack" && (
        <>
          <CodeBlock text={slackManifest} language="yaml" />
          <Select
            label={t("channels.receive")}
            name="receive"
            value={receive.value}
            onChange={(event) => (receive.value = event.currentTarget.value)}
          >
            <option value="socket">{t("channels.receive.socket")}</option>
            <option value="events">{t("channels.receive.events")}</option>
          </Select>
        </>
      )}
      {extrasOf(kind, receive.value).map(({ name, of, optional, pattern }) => (
        <Field
          key={name}
          label={t(`channels.field.${name}` as Key)}
          hint={t(`channels.field.${name}_hint` as Key)}
          name={name}
          type={of === "secrets" ? "password" : name === "url" ? "url" : "text"}
          required={!optional}
          defaultValue={of === "options" ? optionOf(options, name) : undefined}
          maxLength={2_000}
          pattern={pattern}
          autocomplete="off"
        />
      ))}
    </>
  );
}

export const channelBody = (kind: Channel["kind"], values: FormData): NewChannel => {
  const receive = textOf(values, "receive") || "socket";
  const options: Record<string, string> = kind === "slack" ? { receive } : {};
  const secrets: Record<string, string> = {};
  for (const { name, of } of extrasOf(kind, receive)) {
    const value = textOf(values, name).trim();
    if (value) (of === "secrets" ? secrets : options)[name] = value;
  }
  return {
    kind,
    token: textOf(values, "token").trim(),
    ...(Object.keys(options).length > 0 && { options }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
};
