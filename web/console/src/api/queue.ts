// The queue before a model that works on a few requests at once.
export interface QueuePlace {
  place: number; // 1: the next
  expectedSeconds: number; // until its turn
}

// Of a `queued` event. Nothing: the request does not wait any more.
export function placeOf(data: string): QueuePlace | undefined {
  const found = JSON.parse(data) as QueuePlace;
  return found.place > 0 ? found : undefined;
}
