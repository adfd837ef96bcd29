// The last twelve calendar months in UTC, the current one first: 2026-11.
export function lastMonths(): string[] {
  const now = new Date();
  return Array.from({ length: 12 }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}
