// One skill: what it does, the agents that have it, and its uses.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, nameOf, refresh } from "../../agents";
import { call } from "../../api/client";
import type { SkillDetail } from "../../api/types";
import { bytes, money } from "../../app/format";
import { t, tn } from "../../app/i18n";
import { agentPath, type PageProps } from "../../app/pages";
import { Badge } from "../../components/badge";
import { Confirm } from "../../components/confirm";
import { Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Link } from "../../components/link";
import { Loaded, useLoad } from "../../components/loaded";
import { Markdown } from "../../components/markdown";
import { Time } from "../../components/time";
import { RowActions } from "../../parts/row_actions";
import { SkillUse } from "../../parts/skill_use";

// Skills that the box carries out itself have pages of their own.
const pageOf: Record<string, string> = { "booking-settlement": "/fleet/bookings", "instant-split": "/wallet/splits" };

export default function SkillPage({ id }: PageProps) {
  const skill = useLoad(() => call("GET /api/skills/{name}", { path: { name: id } }));
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <div class="column">
      <p>
        <Link to="/skills">{t("skills.back")}</Link>
      </p>
      <h1>
        <bdi>{id}</bdi>
      </h1>
      <Loaded of={skill}>
        {(found) => (
          <>
            <Description skill={found} />
            {found.runsOnBox ? (
              pageOf[found.name] && (
                <div class="actions start">
                  <Link to={pageOf[found.name]!} class="button">
                    {t("skills.open_page")}
                  </Link>
                </div>
              )
            ) : (
              <>
                <Installations skill={found} onChanged={skill.reload} />
                <SkillUse skill={found} />
              </>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Description({ skill }: { skill: SkillDetail }) {
  return (
    <>
      <p class="words" dir="auto">
        {skill.description}
      </p>
      <p class="facts">
        <span>{Number(skill.price) > 0 ? t("skills.price", { price: money(skill.price) }) : t("skills.free")}</span>
        <span>{t("skills.version", { version: skill.version })}</span>
        {skill.license && <bdi>{skill.license}</bdi>}
        <Badge>{skill.source === "admin" ? t("skills.from_admin") : t("skills.from_box")}</Badge>
      </p>
      <details>
        <summary>
          <h2>{t("skills.instructions")}</h2>
        </summary>
        <div class="card">
          <Markdown text={skill.instructions} />
        </div>
      </details>
      {skill.files.length > 1 && (
        <details>
          <summary>{tn("skills.files", skill.files.length)}</summary>
          <ul class="plain">
            {skill.files.map(({ path, size }) => (
              <li key={path}>
                <code>{path}</code> <span class="quiet">{bytes(size)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Installations({ skill, onChanged }: { skill: SkillDetail; onChanged: () => Promise<void> }) {
  const removing = useSignal("");
  const installed = new Set(skill.installations.map(({ agentId }) => agentId));
  const free = (agents.value ?? []).filter(({ id }) => !installed.has(id));
  const install = async (agentId: string) => {
    await call("POST /api/skills", { body: { name: skill.name, agentId } });
    await onChanged();
  };
  const name = (id: string) => nameOf(id) || t("usage.deleted_agent");
  return (
    <section class="card" aria-labelledby="installed-title">
      <h2 id="installed-title">{t("skills.installed")}</h2>
      {skill.installations.length === 0 && <p class="quiet">{t("skills.not_installed")}</p>}
      <ul class="rows">
        {skill.installations.map((one) => (
          <li key={one.agentId}>
            <div>
              <Link to={agentPath(one.agentId)}>
                <bdi>{name(one.agentId)}</bdi>
              </Link>{" "}
              {!one.isCurrent && <Badge tone="busy">{t("skills.outdated", { version: one.version })}</Badge>}
              <p class="quiet">
                {t("skills.since")} <Time at={one.installedAt} />
              </p>
            </div>
            <RowActions
              of={name(one.agentId)}
              first={
                !one.isCurrent && {
                  title: t("skills.update"),
                  label: t("skills.update_this", { name: name(one.agentId) }),
                  run: () => install(one.agentId),
                }
              }
              more={[
                {
                  title: t("skills.uninstall"),
                  label: t("skills.uninstall_this", { name: name(one.agentId) }),
                  icon: "trash",
                  run: () => void (removing.value = one.agentId),
                },
              ]}
            />
          </li>
        ))}
      </ul>
      {free.length > 0 ? (
        <Form key={skill.installations.length} submit={t("skills.install")} onSubmit={(values) => install(textOf(values, "agentId"))}>
          <Select label={t("skills.install_for")} name="agentId">
            {free.map(({ id, name: title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </Select>
        </Form>
      ) : (
        agents.value?.length === 0 && <p class="quiet">{t("skills.no_agents")}</p>
      )}
      {removing.value && (
        <Confirm
          title={t("skills.uninstall_title", { name: name(removing.value) })}
          confirm={t("skills.uninstall")}
          danger
          onClose={() => (removing.value = "")}
          action={async () => {
            await call("DELETE /api/skills/{name}", { path: { name: skill.name }, body: { agentId: removing.value } });
            await onChanged();
          }}
        >
          <p>{t("skills.uninstall_text")}</p>
        </Confirm>
      )}
    </section>
  );
}
