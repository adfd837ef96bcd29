import type { Swarm } from "../api/types";
import { named } from "../app/i18n";
import { State, type Tone } from "../components/state";

const tones: Record<Swarm["state"], Tone> = {
  planning: "busy",
  working: "busy",
  joining: "busy",
  done: "good",
  failed: "bad",
  stopped: "rest",
};

export const isAtWork = ({ state }: Pick<Swarm, "state">) => tones[state] === "busy";

export function SwarmState({ swarm }: { swarm: Pick<Swarm, "state"> }) {
  return <State tone={tones[swarm.state]}>{named("swarm.state", swarm.state)}</State>;
}
