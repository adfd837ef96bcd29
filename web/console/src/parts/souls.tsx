// Names and states of the souls of the fleet.
import type { Soul } from "../api/types";
import { named } from "../app/i18n";
import { State, type Tone } from "../components/state";

const tones: Record<Soul["status"], Tone> = { active: "good", idle: "rest", stale: "bad", offline: "bad" };
export const toneOf = ({ status }: Soul) => tones[status];

export const roleName = ({ role }: Soul) => named("fleet.role", role);

export function SoulState({ soul }: { soul: Soul }) {
  return <State tone={toneOf(soul)}>{named("fleet.status", soul.status)}</State>;
}
