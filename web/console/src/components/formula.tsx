import { useEffect, useRef } from "preact/hooks";

// A formula of TeX as MathML, which browsers draw by themselves. Until it is there, and when it is none, its source.
export function Formula({ source, display }: { source: string; display: boolean }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    let current = true;
    void import("katex")
      .then(({ default: katex }) => {
        const text = katex.renderToString(source, {
          displayMode: display,
          output: "mathml",
          throwOnError: true,
          strict: "ignore",
          trust: false,
          maxExpand: 200,
          maxSize: 20,
        });
        const math = new DOMParser().parseFromString(text, "text/html").querySelector("math");
        if (!current || !math) return;
        // The policy of the page allows no styles in attributes.
        for (const element of [math, ...math.querySelectorAll("[style]")]) element.removeAttribute("style");
        place.current?.replaceChildren(document.importNode(math, true));
      })
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [source, display]);
  return (
    <span ref={place} key={source} class={display ? "formula display" : "formula"} dir="ltr">
      {source}
    </span>
  );
}
