-- wrk script: sends METHOD with BODY (its two arguments) and prints one JSON line when done.
function init(args)
  wrk.method = args[1]
  if args[2] ~= "" then
    wrk.body = args[2]
    wrk.headers["Content-Type"] = "application/json"
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format(
    '{"requests": %d, "rate": %.1f, "p50": %.3f, "p99": %.3f, "max": %.3f, "errors": %d}',
    summary.requests, summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    latency.max / 1000, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
