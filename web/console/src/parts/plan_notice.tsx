import * as account from "../account";
import { Notice } from "./notice";

// What to do on a box where the administrator gives out the plans.
export function PlanNotice() {
  const settings = account.settings.value;
  if (!settings || account.mayProvision.value) return null;
  return (
    <Notice kind="hint">
      <p>
        <strong>You have no plan yet</strong>, and agents need one. Ask the administrator of this box to run:
      </p>
      <pre class="command">agentbox admin plan {settings.email} solo --data FOLDER</pre>
      <p>FOLDER is the data folder that the box was started with. This page notices by itself when it is done.</p>
    </Notice>
  );
}
