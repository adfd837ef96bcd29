// The fleet as a picture, at the places that the box gives. The table beside it says the same.
import type { Graph, Soul } from "../api/types";
import { t } from "../app/i18n";
import { PanZoom } from "../components/pan_zoom";
import { toneOf } from "./souls";

const width = 160,
  margin = 12;
// A few need less room.
const heightFor = (count: number) => (count <= 4 ? 40 : count <= 12 ? 64 : 100);
const radius: Record<Soul["role"], number> = { orchestrator: 4.5, specialist: 3.2, worker: 2.4 };
const longest = 18; // letters of a name
const mostNamed = 41; // nodes whose names fit without zooming: forty agents and the orchestrator
const circle = (r: number) => 2 * Math.PI * r;

const shortened = (name: string) => {
  const letters = [...name];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : name;
};

interface Props {
  graph: Graph;
  selected: string;
  onSelect: (id: string) => void;
}

export function FleetGraph({ graph: { nodes, edges }, selected, onSelect }: Props) {
  const height = heightFor(nodes.length);
  // The picture is wider than high: a few nodes, which the box puts above each other, stand side by side.
  const place = ({ x, y }: Soul) => {
    const [across, down] = height < 100 ? [y, x] : [x, y];
    return { x: margin + (across / 100) * (width - 2 * margin), y: margin + (down / 100) * (height - 2 * margin) };
  };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (
    <PanZoom label={t("fleet.picture")} width={width} height={height}>
      {(zoom) => (
        <>
          {edges.map(({ id, from, to, strength }) => {
            const a = byId.get(from),
              b = byId.get(to);
            if (!a || !b) return null;
            const start = place(a),
              end = place(b);
            const isNear = selected === from || selected === to;
            return (
              <line
                key={id}
                class={isNear ? "edge near" : "edge"}
                x1={start.x}
                y1={start.y}
                x2={end.x}
                y2={end.y}
                stroke-width={(0.25 + 1.1 * strength) / Math.sqrt(zoom)}
              />
            );
          })}
          {nodes.map((node) => {
            const { x, y } = place(node);
            const size = radius[node.role] / Math.sqrt(zoom);
            const ring = circle(size + 0.9);
            return (
              <g key={node.id} class={`soul ${toneOf(node)}`} transform={`translate(${x} ${y})`} onClick={() => onSelect(node.id)}>
                <circle class="hit" r={size + 2.5} />
                {selected === node.id && <circle class="chosen" r={size + 2} />}
                <circle class="load-track" r={size + 0.9} />
                <circle
                  class="load"
                  r={size + 0.9}
                  stroke-dasharray={`${(Math.min(node.load, 100) / 100) * ring} ${ring}`}
                  transform="rotate(-90)"
                />
                <circle class="body" r={size} />
                {node.role === "orchestrator" && <circle class="core" r={size * 0.4} />}
                {(nodes.length <= mostNamed || zoom > 2 || node.role === "orchestrator") && (
                  <text y={size + 1.6 + 3 / zoom} font-size={3 / Math.sqrt(zoom)}>
                    {shortened(node.name)}
                  </text>
                )}
              </g>
            );
          })}
        </>
      )}
    </PanZoom>
  );
}
