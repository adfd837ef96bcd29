import { useEffect, useRef } from "preact/hooks";
import { Link } from "./link";

interface Props {
  label: string;
  tabs: { to: string; title: string; current: boolean }[];
}

// Pages about one thing, beside each other. On a narrow screen they are pushed sideways, the current one into view.
export function Tabs({ label, tabs }: Props) {
  const bar = useRef<HTMLElement>(null);
  const at = tabs.findIndex(({ current }) => current);
  useEffect(() => {
    const link = bar.current?.children[at] as HTMLElement | undefined;
    if (link) bar.current!.scrollLeft = link.offsetLeft - bar.current!.offsetLeft - link.offsetWidth / 2;
  }, [at]);
  return (
    <nav ref={bar} class="tabs" aria-label={label}>
      {tabs.map(({ to, title, current }) => (
        <Link key={to} to={to} current={current} copy={title}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
