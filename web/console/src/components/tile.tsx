import type { ComponentChildren } from "preact";
import { Link } from "./link";

interface Props {
  title: string;
  to?: string;
  value: ComponentChildren;
  children?: ComponentChildren; // what it is compared with
  aside?: ComponentChildren;
}

// One figure with its name.
export function Tile({ title, to, value, children, aside }: Props) {
  return (
    <li class="tile">
      <p class="tile-title">{to ? <Link to={to}>{title}</Link> : title}</p>
      <p class="tile-value">{value}</p>
      <p class="tile-note">{children ?? "\u00a0"}</p>
      {aside && <div class="tile-aside">{aside}</div>}
    </li>
  );
}
