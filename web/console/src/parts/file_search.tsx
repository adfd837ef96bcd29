import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { t, tn } from "../app/i18n";
import { EmptyState, Loading } from "../components/empty_state";
import { Found } from "../components/found";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { filesPath, find, type Workspace } from "../workspace";

// Milliseconds after the last key before the box is asked.
const pause = 300;

// Lines of all files that contain a text.
export function FileSearch({ of, text }: { of: Workspace; text: string }) {
  const ready = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (ready.value = true), pause);
    return () => clearTimeout(timer);
  }, []);
  return ready.value ? <Matches of={of} text={text} /> : <Loading />;
}

function Matches({ of, text }: { of: Workspace; text: string }) {
  const found = useLoad(() => find(of, text));
  return (
    <Loaded of={found}>
      {({ matches, truncated }) =>
        matches.length === 0 ? (
          <EmptyState title={t("list.nothing")} text={t("files.search_hint")} />
        ) : (
          <>
            <p class="quiet" role="status">
              {tn("list.found", matches.length)} {truncated && t("files.more_matches")}
            </p>
            <ul class="matches">
              {matches.map(({ path, line, column, text: found_line }) => (
                <li key={`${path}:${line}:${column}`}>
                  <Link to={filesPath(of, path)}>
                    <bdi>{path}</bdi>:{line}
                  </Link>
                  <code dir="auto">
                    <Found text={found_line} words={text} />
                  </code>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}
