// Images of other makers that agents can be made of.
import { useSignal } from "@preact/signals";
import { refresh } from "../agents";
import { call, patience } from "../api/client";
import type { CatalogueImage } from "../api/types";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { go } from "../app/router";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { EmptyState } from "../components/empty_state";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";

export default function ImagesPage() {
  const images = useLoad(() => call("GET /api/images"));
  const chosen = useSignal<CatalogueImage | undefined>(undefined);
  return (
    <div class="column">
      <h1>{t("page.images")}</h1>
      <p class="quiet">{t("images.about")}</p>
      <Loaded of={images}>
        {({ images: list, available }) => (
          <>
            {!available && <Notice kind="hint">{t("images.no_containers")}</Notice>}
            {list.length === 0 ? (
              <EmptyState title={t("images.empty")} text={t("images.empty_text")} />
            ) : (
              <ul class="cards agents">
                {list.map((image) => (
                  <li key={image.name}>
                    <h2>
                      <bdi>{image.title}</bdi>
                    </h2>
                    <p class="clamped" dir="auto">
                      {image.description}
                    </p>
                    <ImageFacts image={image} />
                    {available && image.problem && <p class="problem">{image.problem}</p>}
                    <div class="actions">
                      <Button
                        kind="primary"
                        label={t("images.create_this", { name: image.title })}
                        disabled={!image.usable}
                        onClick={() => (chosen.value = image)}
                      >
                        {t("images.create")}
                      </Button>
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {chosen.value && <CreateDialog image={chosen.value} onClose={() => (chosen.value = undefined)} />}
    </div>
  );
}

export function ImageFacts({ image }: { image: CatalogueImage }) {
  return (
    <p class="facts">
      <code>{image.image}</code>
      {image.memoryMin && <span>{t("images.memory", { size: image.memoryMin })}</span>}
      {image.homepage && (
        <a href={image.homepage} target="_blank" rel="noopener noreferrer nofollow">
          {t("images.homepage")}
        </a>
      )}
      {!image.usable && <Badge tone="bad">{t("images.not_usable")}</Badge>}
    </p>
  );
}

function CreateDialog({ image, onClose }: { image: CatalogueImage; onClose: () => void }) {
  const create = async (values: FormData) => {
    const { agentId } = await call("POST /api/images/{image}/agents", {
      path: { image: image.name },
      body: { name: textOf(values, "name").trim() },
      timeout: 3 * patience,
    });
    await refresh();
    onClose();
    go(agentPath(agentId));
  };
  return (
    <Dialog title={t("images.create_this", { name: image.title })} onClose={onClose}>
      <Form submit={t("images.create")} onCancel={onClose} onSubmit={create}>
        <p class="quiet">{t("images.what_it_gets")}</p>
        <Field
          label={t("new_agent.name")}
          name="name"
          required
          maxLength={100}
          autoFocus
          autocomplete="off"
          dir="auto"
          defaultValue={image.title}
        />
      </Form>
    </Dialog>
  );
}
