// The skills that agents have from elsewhere, with their updates.
import { type Signal, useSignal } from "@preact/signals";
import { nameOf } from "../agents";
import { call, patience } from "../api/client";
import type { SkillPackage } from "../api/types";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Badge } from "../components/badge";
import { Confirm } from "../components/confirm";
import { Link } from "../components/link";
import { useLoad, useRefreshOnReturn } from "../components/loaded";
import { Time } from "../components/time";
import { type RowAction, RowActions } from "./row_actions";
import { SkillImport } from "./skill_import";

// `adding`: the dialog for another one is open.
export function SkillPackages({ adding, onChanged }: { adding: Signal<boolean>; onChanged: () => Promise<unknown> }) {
  const packages = useLoad(async () => (await call("GET /api/skill-packages")).packages);
  useRefreshOnReturn(packages);
  const updating = useSignal<SkillPackage | undefined>(undefined);
  const removing = useSignal<SkillPackage | undefined>(undefined);
  const list = packages.data.value ?? [];
  const changed = async () => {
    await packages.reload();
    await onChanged();
  };
  return (
    <>
      {list.length > 0 && (
        <section class="card" aria-labelledby="packages-title">
          <h2 id="packages-title">{t("packages.title")}</h2>
          <p class="quiet">{t("packages.about")}</p>
          <ul class="rows">
            {list.map((one) => (
              <li key={`${one.agentId} ${one.skill}`}>
                <Package one={one} />
                <PackageActions
                  one={one}
                  onChecked={packages.reload}
                  onReview={() => (updating.value = one)}
                  onRemove={() => (removing.value = one)}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      {adding.value && <SkillImport onClose={() => (adding.value = false)} onInstalled={changed} />}
      {updating.value && (
        <SkillImport
          source={{ agentId: updating.value.agentId, url: updating.value.url ?? "" }}
          onClose={() => (updating.value = undefined)}
          onInstalled={changed}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("skills.uninstall_title", { name: nameOf(removing.value.agentId) })}
          confirm={t("skills.uninstall")}
          danger
          onClose={() => (removing.value = undefined)}
          action={async () => {
            const { skill, agentId } = removing.value!;
            await call("DELETE /api/skills/{name}", { path: { name: skill }, body: { agentId } });
            await changed();
          }}
        >
          <p>{t("skills.uninstall_text")}</p>
        </Confirm>
      )}
    </>
  );
}

function Package({ one }: { one: SkillPackage }) {
  return (
    <div>
      <strong>
        <bdi>{one.skill}</bdi>
      </strong>{" "}
      {one.version && <Badge>{t("skills.version", { version: one.version })}</Badge>}{" "}
      {one.updateAvailable && <Badge tone="busy">{t("packages.update")}</Badge>}
      {!one.isComplete && <Badge tone="bad">{t("packages.incomplete")}</Badge>}
      <p class="quiet">
        {t("skills.for")}{" "}
        <Link to={agentPath(one.agentId)}>
          <bdi>{nameOf(one.agentId) || t("usage.deleted_agent")}</bdi>
        </Link>
        {", "}
        <bdi>{one.url ?? t("packages.from_file")}</bdi>
        {one.checkedAt && (
          <>
            {", "}
            {t("packages.checked")} <Time at={one.checkedAt} />
          </>
        )}
      </p>
      {one.problem && (
        <p class="problem">
          <bdi>{one.problem}</bdi>
        </p>
      )}
    </div>
  );
}

interface PackageActionsProps {
  one: SkillPackage;
  onChecked: () => Promise<unknown>;
  onReview: () => void;
  onRemove: () => void;
}

// A package that has an update, or is incomplete, is reviewed; others can be checked for one.
function PackageActions({ one, onChecked, onReview, onRemove }: PackageActionsProps) {
  const check: RowAction = {
    title: t("packages.check"),
    label: t("packages.check_this", { name: one.skill }),
    icon: "reload",
    run: async () => {
      await call("POST /api/skill-packages/check", { body: { agentId: one.agentId, skill: one.skill }, timeout: 3 * patience });
      await onChecked();
    },
  };
  const review = { title: t("packages.review"), label: t("packages.review_this", { name: one.skill }), run: onReview };
  const uninstall: RowAction = {
    title: t("skills.uninstall"),
    label: t("packages.uninstall_this", { name: one.skill }),
    icon: "trash",
    run: onRemove,
  };
  if (!one.url) return <RowActions of={one.skill} more={[uninstall]} />;
  const isDue = one.updateAvailable || !one.isComplete;
  return <RowActions of={one.skill} first={isDue ? review : check} more={[isDue && check, uninstall]} />;
}
