import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { AdminImage } from "../../api/types";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { Dialog } from "../../components/dialog";
import { Checkbox, Field, Select, TextArea } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { AdminFrame } from "../../parts/admin_frame";
import { RowActions } from "../../parts/row_actions";
import { confirmed } from "../../step_up";
import { ImageFacts } from "../images";

export default function AdminImagesPage() {
  const images = useLoad(() => call("GET /api/admin/images"));
  const editing = useSignal<AdminImage | "new" | null>(null);
  const removing = useSignal<AdminImage | undefined>(undefined);
  return (
    <AdminFrame>
      <div class="page-head">
        <h1>{t("page.image_catalogue")}</h1>
        <Button kind="primary" onClick={() => (editing.value = "new")}>
          {t("images.add")}
        </Button>
      </div>
      <p class="quiet">{t("images.admin_about")}</p>
      <Loaded of={images}>
        {({ images: list, available }) => (
          <>
            {!available && <Notice kind="hint">{t("images.no_containers")}</Notice>}
            <ul class="rows">
              {list.map((image) => (
                <li key={image.name}>
                  <div>
                    <strong>
                      <bdi>{image.title}</bdi>
                    </strong>{" "}
                    {image.shipped && <Badge>{t("images.shipped")}</Badge>} {!image.enabled && <Badge>{t("images.disabled")}</Badge>}
                    <ImageFacts image={image} />
                    {available && image.problem && <p class="problem">{image.problem}</p>}
                  </div>
                  <RowActions
                    of={image.title}
                    first={{
                      title: t("action.edit"),
                      label: t("schedule.edit_this", { name: image.title }),
                      run: () => void (editing.value = image),
                    }}
                    more={[
                      !image.shipped && {
                        title: t("action.remove"),
                        label: t("passkeys.remove_this", { name: image.title }),
                        icon: "trash",
                        run: () => void (removing.value = image),
                      },
                    ]}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {editing.value && (
        <ImageDialog
          image={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = null)}
          onSaved={images.reload}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("passkeys.remove_title", { name: removing.value.title })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = undefined)}
          action={async () => {
            const path = { image: removing.value!.name };
            await confirmed(() => call("DELETE /api/admin/images/{image}", { path }));
            await images.reload();
          }}
        >
          <p>{t("images.remove_text")}</p>
        </Confirm>
      )}
    </AdminFrame>
  );
}

// One a line: NAME=value.
const linesOf = (texts: Record<string, unknown>) =>
  Object.entries(texts)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join("\n");
const variablesOf = (lines: string) =>
  Object.fromEntries(
    lines
      .split("\n")
      .filter((line) => line.trim())
      .map((line) => {
        const at = line.indexOf("=");
        return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
const flagOf = (text: string) => (text === "" ? undefined : text === "on");
const textOfFlag = (flag: boolean | null | undefined) => (flag == null ? "" : flag ? "on" : "off");

function ImageDialog({ image, onClose, onSaved }: { image: AdminImage | undefined; onClose: () => void; onSaved: () => Promise<void> }) {
  const save = async (values: FormData) => {
    const given = (name: string) => textOf(values, name).trim() || undefined;
    const body = {
      title: textOf(values, "title").trim(),
      image: textOf(values, "image").trim(),
      description: given("description"),
      homepage: given("homepage"),
      port: given("port") ? Number(given("port")) : undefined,
      probe: given("probe"),
      memoryMin: given("memoryMin"),
      forwarded: flagOf(textOf(values, "forwarded")),
      history: flagOf(textOf(values, "history")),
      environment: variablesOf(textOf(values, "environment")),
      volumes: variablesOf(textOf(values, "volumes")),
      enabled: values.has("enabled"),
    };
    const path = { image: image?.name ?? textOf(values, "name").trim() };
    await confirmed(() => call("PUT /api/admin/images/{image}", { path, body }));
    onClose();
    await onSaved();
  };
  return (
    <Dialog title={image ? image.title : t("images.add")} class="roomy" onClose={onClose}>
      <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
        {!image && (
          <Field
            label={t("images.name")}
            name="name"
            required
            autoFocus
            maxLength={40}
            pattern="[a-z0-9\-]+"
            autocomplete="off"
            hint={t("images.name_hint")}
          />
        )}
        <Field label={t("images.title")} name="title" required maxLength={100} autocomplete="off" defaultValue={image?.title} dir="auto" />
        <Field
          label={t("images.image")}
          name="image"
          required
          maxLength={255}
          autocomplete="off"
          defaultValue={image?.image}
          hint={t("images.image_hint")}
        />
        <TextArea
          label={t("images.description")}
          name="description"
          rows={2}
          maxLength={2_000}
          dir="auto"
          defaultValue={image?.description}
        />
        <Field
          label={t("images.homepage")}
          name="homepage"
          type="url"
          maxLength={500}
          autocomplete="off"
          defaultValue={image?.homepage ?? ""}
        />
        <Field
          label={t("images.port")}
          name="port"
          type="number"
          min={1}
          max={65535}
          defaultValue={image?.port ? String(image.port) : ""}
          hint={t("images.port_hint")}
        />
        <Field
          label={t("images.probe")}
          name="probe"
          maxLength={200}
          autocomplete="off"
          defaultValue={image?.probe ?? ""}
          hint={t("images.probe_hint")}
        />
        <Field
          label={t("images.memory_min")}
          name="memoryMin"
          maxLength={20}
          autocomplete="off"
          defaultValue={image?.memoryMin ?? ""}
          hint={t("images.memory_hint")}
        />
        <Flag label={t("images.forwarded")} name="forwarded" value={image?.forwarded} />
        <Flag label={t("images.history")} name="history" value={image?.history} />
        <TextArea
          label={t("images.environment")}
          name="environment"
          rows={4}
          spellcheck={false}
          defaultValue={linesOf(image?.environment ?? {})}
          hint={t("images.environment_hint")}
        />
        <TextArea
          label={t("images.volumes")}
          name="volumes"
          rows={2}
          spellcheck={false}
          defaultValue={linesOf(image?.volumes ?? {})}
          hint={t("images.volumes_hint")}
        />
        <Checkbox label={t("images.enabled")} name="enabled" defaultChecked={image?.enabled ?? true} />
      </Form>
    </Dialog>
  );
}

function Flag({ label, name, value }: { label: string; name: string; value: boolean | null | undefined }) {
  return (
    <Select label={label} name={name} defaultValue={textOfFlag(value)}>
      <option value="">{t("images.as_labels")}</option>
      <option value="on">{t("images.on")}</option>
      <option value="off">{t("images.off")}</option>
    </Select>
  );
}
