// Follows a stream of events of the box while a part of a page is shown. The browser connects again by itself, behind the
// last event that it got.
import { useEffect } from "preact/hooks";

// An empty address follows nothing. `onEvent` gets the event's name and its data as it was sent. A stream that has told its
// last event is closed by returning true.
export function useEvents(url: string, names: readonly string[], onEvent: (name: string, data: string) => boolean | void) {
  useEffect(() => {
    if (!url) return;
    const source = new EventSource(url);
    for (const name of names)
      source.addEventListener(name, (event) => {
        if (onEvent(name, (event as MessageEvent<string>).data)) source.close();
      });
    return () => source.close();
  }, [url]);
}
