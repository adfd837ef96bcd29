// The box's own figures, in the text format of Prometheus as far as the box writes it.
import { send } from "./api/client";

export interface Sample {
  id: string; // with its labels
  name: string;
  labels: string;
  value: number;
  help: string;
}

const family = (name: string) => name.replace(/_(bucket|sum|count)$/, "");

export function samplesOf(text: string): Sample[] {
  const help = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const about = /^# HELP (\S+) (.*)$/.exec(line);
    if (about) help.set(about[1]!, about[2]!);
    const sample = /^([A-Za-z_:][\w:]*)(\{.*\})? (\S+)/.exec(line);
    if (!sample) continue;
    const [, name = "", labels = "", value = ""] = sample;
    samples.push({
      id: name + labels,
      name,
      labels: labels.slice(1, -1),
      value: Number(value),
      help: help.get(name) ?? help.get(family(name)) ?? "",
    });
  }
  return samples;
}

// What charts show of one look at the figures.
export interface Reading {
  at: number; // milliseconds since the epoch
  requests: number;
  errors: number; // answers with a status of 500 and more
  buckets: Map<number, number>; // requests that took at most so many seconds
  memory: number; // bytes
}

export async function readMetrics(): Promise<string> {
  return (await send("GET /api/admin/metrics")).text();
}

export function readingOf(samples: Sample[]): Reading {
  const reading: Reading = { at: Date.now(), requests: 0, errors: 0, buckets: new Map(), memory: 0 };
  for (const { name, labels, value } of samples) {
    if (name === "agentbox_http_requests_total") {
      reading.requests += value;
      if (/status="5/.test(labels) || /code="5/.test(labels)) reading.errors += value;
    }
    if (name === "agentbox_http_request_duration_seconds_bucket") {
      const limit = Number(/le="([^"]+)"/.exec(labels)?.[1]?.replace("+Inf", "Infinity"));
      reading.buckets.set(limit, (reading.buckets.get(limit) ?? 0) + value);
    }
    if (name === "process_resident_memory_bytes" || name === "agentbox_memory_resident_bytes") reading.memory = value;
  }
  return reading;
}

export interface Rates {
  at: number;
  requests: number; // per second
  errors: number;
  p95: number | undefined; // seconds; undefined: there were no requests
  memory: number;
}

// Between two looks.
export function ratesOf(before: Reading, now: Reading): Rates {
  const seconds = Math.max((now.at - before.at) / 1_000, 0.001);
  const inside = (limit: number) => (now.buckets.get(limit) ?? 0) - (before.buckets.get(limit) ?? 0);
  const limits = [...now.buckets.keys()].sort((a, b) => a - b);
  const total = inside(Number.POSITIVE_INFINITY);
  const found = total > 0 ? limits.find((limit) => inside(limit) >= 0.95 * total) : undefined;
  return {
    at: now.at,
    requests: Math.max(0, now.requests - before.requests) / seconds,
    errors: Math.max(0, now.errors - before.errors) / seconds,
    p95: found === Number.POSITIVE_INFINITY ? limits.at(-2) : found,
    memory: now.memory,
  };
}
