// What a skill from elsewhere would bring, before it is installed.
import { type ComponentChildren, Fragment } from "preact";
import type { SkillReview } from "../api/types";
import { bytes } from "../app/format";
import { t, tn } from "../app/i18n";
import { Badge } from "../components/badge";
import { Markdown } from "../components/markdown";
import { Notice } from "../components/notice";
import { Patch } from "../components/patch";

type ReviewedFile = SkillReview["files"][number];

export function SkillReviewed({ review }: { review: SkillReview }) {
  const scripts = review.files.filter(({ kind, change }) => kind === "script" && change !== "removed");
  const binaries = review.files.filter(({ kind, change }) => kind === "binary" && change !== "removed");
  const isUnchanged = review.files.every(({ change }) => change === "unchanged");
  return (
    <div class="stack" data-review={review.name}>
      <h3>
        <bdi>{review.name}</bdi> <Badge>{t("skills.version", { version: review.version })}</Badge>{" "}
        {review.isUpdate && <Badge tone="busy">{t("import.replaces")}</Badge>}
      </h3>
      <p class="words" dir="auto">
        {review.description}
      </p>
      {review.hasHiddenText && <Notice kind="error">{t("import.hidden_text")}</Notice>}
      {isUnchanged && <Notice kind="hint">{t("import.unchanged")}</Notice>}
      <dl class="pairs">
        <Row title={t("import.size")}>
          {tn("skills.files", review.files.length)}, {bytes(review.size)}
        </Row>
        <Row title={t("import.scripts")}>{scripts.length ? <Names names={scripts.map(({ path }) => path)} /> : t("import.none")}</Row>
        {binaries.length > 0 && (
          <Row title={t("import.binaries")}>
            <Names names={binaries.map(({ path }) => path)} />
          </Row>
        )}
        <Row title={t("import.tools")}>{review.allowedTools.length ? <Names names={review.allowedTools} /> : t("import.none")}</Row>
        <Row title={t("import.hosts")}>{review.hosts.length ? <Names names={review.hosts} /> : t("import.none")}</Row>
        {review.compatibility && (
          <Row title={t("import.needs")}>
            <bdi>{review.compatibility}</bdi>
          </Row>
        )}
        {review.license && (
          <Row title={t("import.license")}>
            <bdi>{review.license}</bdi>
          </Row>
        )}
      </dl>
      <p class="quiet">{t("import.no_rights")}</p>
      <details>
        <summary>{tn("skills.files", review.files.length)}</summary>
        <ul class="plain">
          {review.files.map((file) => (
            <File key={file.path} file={file} />
          ))}
        </ul>
      </details>
      <details>
        <summary>{t("skills.instructions")}</summary>
        <div class="card">
          <Markdown text={review.instructions} />
        </div>
      </details>
      {review.patch && (
        <details open={review.isUpdate}>
          <summary>{review.isUpdate ? t("import.changes") : t("import.contents")}</summary>
          <Patch text={review.patch} />
          {!review.isPatchWhole && <p class="quiet">{t("import.cut")}</p>}
        </details>
      )}
    </div>
  );
}

function Row({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const Names = ({ names }: { names: string[] }) => (
  <>
    {names.map((name) => (
      <Fragment key={name}>
        <code>{name}</code>{" "}
      </Fragment>
    ))}
  </>
);

const tones = { added: "good", changed: "busy", removed: "bad", unchanged: "" } as const;

function File({ file }: { file: ReviewedFile }) {
  return (
    <li>
      <code>{file.path}</code> <span class="quiet">{bytes(file.size)}</span> <Badge>{t(`import.kind.${file.kind}`)}</Badge>{" "}
      <Badge tone={tones[file.change]}>{t(`import.change.${file.change}`)}</Badge>
    </li>
  );
}
