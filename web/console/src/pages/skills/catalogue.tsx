import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nameOf, refresh } from "../../agents";
import { call } from "../../api/client";
import type { Skill } from "../../api/types";
import { money, number } from "../../app/format";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { SkillPackages } from "../../parts/skill_packages";

const filters: Record<string, (skill: Skill) => boolean> = {
  installed: ({ installedFor }) => installedFor.length > 0,
  available: ({ installedFor, runsOnBox }) => installedFor.length === 0 && !runsOnBox,
  box: ({ runsOnBox }) => runsOnBox,
  admin: ({ source }) => source === "admin",
};

export default function SkillsPage() {
  const skills = useLoad(() => call("GET /api/skills"));
  useRefreshOnReturn(skills);
  const adding = useSignal(false);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <div class="column">
      <div class="page-head">
        <h1>{t("page.skills")}</h1>
        <div class="actions">
          <Reload of={skills} />
          <Button onClick={() => (adding.value = true)}>{t("packages.add")}</Button>
        </div>
      </div>
      <p class="quiet">{t("skills.about")}</p>
      <Loaded of={skills}>
        {({ skills: list, installed, limit }) => (
          <>
            <p>
              {typeof limit === "number"
                ? t("skills.installed_of", { count: number(installed), limit: number(limit) })
                : t("skills.installed_count", { count: number(installed) })}
            </p>
            <SkillPackages adding={adding} onChanged={skills.reload} />
            {list.length === 0 ? <EmptyState title={t("skills.empty")} text={t("skills.empty_text")} /> : <Catalogue list={list} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Catalogue({ list }: { list: Skill[] }) {
  return (
    <List
      items={list}
      label={t("skills.tools")}
      view={{
        text: ({ name, description }) => `${name} ${description}`,
        orders: [
          { value: "name", title: t("sort.name"), compare: (a, b) => a.name.localeCompare(b.name) },
          { value: "price", title: t("skills.by_price"), compare: (a, b) => Number(a.price) - Number(b.price) },
          { value: "installed", title: t("skills.by_installed"), compare: (a, b) => b.installedFor.length - a.installedFor.length },
        ],
        filter: {
          title: t("fleet.state"),
          choices: Object.keys(filters).map((value) => ({ value, title: t(`skills.filter.${value}` as "skills.filter.box") })),
          matches: (skill, value) => filters[value]!(skill),
        },
      }}
    >
      {(found) => (
        <ul class="cards agents">
          {found.map((skill) => (
            <li key={skill.name}>
              <h2>
                <Link to={`/skills/${encodeURIComponent(skill.name)}`} entry>
                  <bdi>{skill.name}</bdi>
                </Link>
              </h2>
              <p class="clamped" dir="auto">
                {skill.description}
              </p>
              <p class="facts">
                <span>{Number(skill.price) > 0 ? t("skills.price", { price: money(skill.price) }) : t("skills.free")}</span>
                <span>{skill.version}</span>
                {skill.runsOnBox && <Badge>{t("skills.runs_on_box")}</Badge>}
                {skill.source === "admin" && <Badge>{t("skills.from_admin")}</Badge>}
              </p>
              {skill.installedFor.length > 0 && (
                <p class="quiet">
                  {t("skills.for")} <bdi>{skill.installedFor.map((id) => nameOf(id) || t("usage.deleted_agent")).join(", ")}</bdi>
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </List>
  );
}
