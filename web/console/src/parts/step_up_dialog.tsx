import { useEffect } from "preact/hooks";
import { call } from "../api/client";
import { t } from "../app/i18n";
import { useLoad } from "../components/loaded";
import { asked } from "../step_up";
import { passwordOf, ProveDialog } from "./prove";

// Asks an administrator for password and second factor, when the box wants them.
export function StepUp() {
  useEffect(
    () => () => {
      asked.peek()?.givenUp();
      asked.value = undefined;
    },
    [],
  );
  return asked.value ? <StepUpDialog /> : null;
}

function StepUpDialog() {
  const factor = useLoad(() => call("GET /api/settings/second-factor"));
  const end = () => {
    const one = asked.peek();
    asked.value = undefined;
    return one;
  };
  const found = factor.data.value;
  if (!found && !factor.error.value) return null;
  return (
    <ProveDialog
      title={t("step_up.title")}
      confirm={t("action.continue")}
      withPassword={found?.hasPassword ?? true}
      onClose={() => end()?.givenUp()}
      action={async (values, proof) => {
        const currentPassword = passwordOf(values);
        await call("POST /api/auth/step-up", { body: { ...(currentPassword && { currentPassword }), ...proof } });
        end()?.proved();
      }}
    >
      <p>{t("step_up.text")}</p>
    </ProveDialog>
  );
}
