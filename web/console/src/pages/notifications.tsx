// How the user gets notices: by which ways, when, and on which devices; and the recent ones.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../api/client";
import type { NoticeWay, Notifications, PushDevice } from "../api/types";
import { t } from "../app/i18n";
import { Action } from "../components/action";
import { Badge } from "../components/badge";
import { Checkbox, Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { Loaded, type Resource, useLoad, useRefreshOnReturn } from "../components/loaded";
import { Notice } from "../components/notice";
import { Time } from "../components/time";
import * as push from "../push";

const allWays: NoticeWay[] = ["channels", "email", "push"];

interface Props {
  notifications: Notifications;
  of: Resource<Notifications>;
}

export default function NotificationsPage() {
  const notifications = useLoad(() => call("GET /api/notifications"));
  useRefreshOnReturn(notifications);
  return (
    <div class="column settings">
      <h1>{t("page.notifications")}</h1>
      <p class="quiet">{t("notify.about")}</p>
      <Loaded of={notifications}>
        {(loaded) => (
          <>
            <Ways notifications={loaded} of={notifications} />
            <Devices notifications={loaded} of={notifications} />
            <Times notifications={loaded} of={notifications} />
            <Recent notifications={loaded} />
          </>
        )}
      </Loaded>
    </div>
  );
}

type Choice = Pick<Notifications, "ways" | "firstOnly" | "urgentWhenQuiet" | "timeZone" | "quietFrom" | "quietUntil" | "digestAt">;

// All of them are replaced, so that each part of the page sends the others' as they are.
async function save({ notifications, of }: Props, change: Partial<Choice>) {
  const { ways, firstOnly, urgentWhenQuiet, timeZone, quietFrom, quietUntil, digestAt } = { ...notifications, ...change };
  const body = { ways, firstOnly, urgentWhenQuiet, timeZone: timeZone || null, quietFrom, quietUntil, digestAt };
  of.data.value = await call("PUT /api/notifications", { body });
}

function Ways(props: Props) {
  const { ways, firstOnly, emailReady } = props.notifications;
  const tested = useSignal<NoticeWay[] | undefined>(undefined);
  const listed = [...ways, ...allWays.filter((way) => !ways.includes(way))];
  const choose = (way: NoticeWay, chosen: boolean) =>
    save(props, { ways: chosen ? [...ways, way] : ways.filter((other) => other !== way) });
  const raise = (way: NoticeWay) => {
    const at = ways.indexOf(way);
    return save(props, { ways: [...ways.slice(0, at - 1), way, ways[at - 1]!, ...ways.slice(at + 1)] });
  };
  return (
    <section class="card" aria-labelledby="ways-title">
      <h2 id="ways-title">{t("notify.ways")}</h2>
      <p class="quiet">{t("notify.ways_about")}</p>
      <ol class="rows">
        {listed.map((way, at) => (
          <li key={way}>
            <Checkbox
              label={t(`notify.way.${way}`)}
              hint={t(way === "email" && !emailReady ? "notify.way_hint.email_off" : `notify.way_hint.${way}`)}
              checked={ways.includes(way)}
              onChange={(event) => void choose(way, event.currentTarget.checked)}
            />
            {ways.includes(way) && at > 0 && (
              <Action label={t("notify.up", { way: t(`notify.way.${way}`) })} run={() => raise(way)}>
                ↑
              </Action>
            )}
          </li>
        ))}
      </ol>
      <Checkbox
        label={t("notify.first_only")}
        checked={firstOnly}
        onChange={(event) => void save(props, { firstOnly: event.currentTarget.checked })}
      />
      <div class="actions start">
        <Action
          run={async () => {
            tested.value = (await call("POST /api/notifications/test")).sentBy;
            await props.of.reload();
          }}
        >
          {t("notify.test")}
        </Action>
      </div>
      {tested.value && (
        <Notice kind="hint">
          {tested.value.length > 0
            ? t("notify.tested", { ways: tested.value.map((way) => t(`notify.way.${way}`)).join(", ") })
            : t("notify.untested")}
        </Notice>
      )}
    </section>
  );
}

function Devices({ notifications, of }: Props) {
  const own = useSignal("");
  const denied = useSignal(false);
  useEffect(() => {
    void push.ownDevice().then((id) => (own.value = id));
  }, [notifications.devices]);
  const enable = async () => {
    denied.value = !(await push.subscribe(notifications.pushKey));
    await of.reload();
  };
  const remove = async ({ id }: PushDevice) => {
    if (id === own.value) await push.unsubscribe();
    else await call("DELETE /api/notifications/devices/{id}", { path: { id } });
    await of.reload();
  };
  const isHere = notifications.devices.some(({ id }) => id === own.value);
  return (
    <section class="card" aria-labelledby="devices-title">
      <h2 id="devices-title">{t("notify.devices")}</h2>
      {notifications.devices.length === 0 && <p class="quiet">{t("notify.no_devices")}</p>}
      <ul class="rows" aria-labelledby="devices-title">
        {notifications.devices.map((device) => (
          <li key={device.id}>
            <div>
              <strong>{device.name}</strong> {device.id === own.value && <Badge tone="good">{t("notify.this")}</Badge>}
              <p class="quiet">
                {t("notify.added")} <Time at={device.createdAt} ago />
                {device.lastUsedAt && (
                  <>
                    , {t("notify.used")} <Time at={device.lastUsedAt} ago />
                  </>
                )}
              </p>
              {device.error && <p dir="auto">{device.error}</p>}
            </div>
            <Action kind="danger" label={t("notify.remove", { name: device.name })} run={() => remove(device)}>
              {t("action.remove")}
            </Action>
          </li>
        ))}
      </ul>
      {denied.value && <Notice kind="error">{t("notify.denied")}</Notice>}
      {push.isSupported() ? (
        !isHere && (
          <div class="actions start">
            <Action run={enable}>{t("notify.enable")}</Action>
          </div>
        )
      ) : (
        <p class="quiet">{t("notify.unsupported")}</p>
      )}
    </section>
  );
}

function Times(props: Props) {
  const { timeZone, quietFrom, quietUntil, urgentWhenQuiet, digestAt } = props.notifications;
  const saved = useSignal(false);
  const submit = async (values: FormData) => {
    saved.value = false;
    const time = (name: string) => textOf(values, name) || null;
    await save(props, {
      timeZone: textOf(values, "timeZone").trim(),
      quietFrom: time("quietFrom"),
      quietUntil: time("quietUntil"),
      urgentWhenQuiet: values.has("urgentWhenQuiet"),
      digestAt: time("digestAt"),
    });
    saved.value = true;
  };
  return (
    <section class="card" aria-labelledby="times-title">
      <h2 id="times-title">{t("notify.times")}</h2>
      <Form submit={t("action.save")} onSubmit={submit}>
        <Field label={t("notify.zone")} name="timeZone" defaultValue={timeZone} maxLength={64} hint={t("notify.zone_hint")} />
        <div class="columns">
          <Field label={t("notify.quiet_from")} name="quietFrom" type="time" defaultValue={quietFrom ?? ""} />
          <Field label={t("notify.quiet_until")} name="quietUntil" type="time" defaultValue={quietUntil ?? ""} />
        </div>
        <p class="quiet">{t("notify.quiet_hint")}</p>
        <Checkbox label={t("notify.urgent")} name="urgentWhenQuiet" defaultChecked={urgentWhenQuiet} hint={t("notify.urgent_hint")} />
        <Field label={t("notify.digest")} name="digestAt" type="time" defaultValue={digestAt ?? ""} hint={t("notify.digest_hint")} />
        {saved.value && <Notice kind="hint">{t("state.saved")}</Notice>}
      </Form>
    </section>
  );
}

function Recent({ notifications: { recent } }: { notifications: Notifications }) {
  return (
    <section class="card" aria-labelledby="recent-title">
      <h2 id="recent-title">{t("notify.recent")}</h2>
      {recent.length === 0 && <p class="quiet">{t("notify.none")}</p>}
      <ul class="rows" aria-labelledby="recent-title">
        {recent.map((notice) => (
          <li key={notice.id}>
            <div>
              <Link to={notice.path}>
                <bdi>{notice.agentName ?? "agentbox"}</bdi>
              </Link>{" "}
              <Time at={notice.createdAt} ago />
              {notice.subject && <p dir="auto">{notice.subject}</p>}
              <p class="words" dir="auto">
                {notice.text}
              </p>
              <p class="quiet">
                {notice.waitsUntil ? (
                  <>
                    {t("notify.waits")} <Time at={notice.waitsUntil} />
                  </>
                ) : (
                  notice.sentBy.map((way) => t(`notify.way.${way}`)).join(", ") || t("notify.console_only")
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
