#include "appliance/billing/usage/report.h"

#include <algorithm>

namespace usage {

TotalsView totals_view(const Totals& totals) {
  return {.calls = totals.calls,
          .failed = totals.failed,
          .inputTokens = totals.input_tokens,
          .outputTokens = totals.output_tokens,
          .cachedTokens = totals.cached_tokens,
          .reasoningTokens = totals.reasoning_tokens,
          .totalTokens = totals.total_tokens(),
          .unpriced = totals.unpriced,
          .cost = totals.cost.to_string()};
}

std::vector<Row> rows(const Ledger& ledger, store::UserId user, std::string_view kind, const Period& period) {
  std::vector<std::pair<std::string, Totals>> found;
  for (auto& [id, totals] : ledger.totals_by(user, kind, period)) found.emplace_back(id, totals);
  std::ranges::stable_sort(found, [](const auto& one, const auto& other) {
    return std::pair(one.second.cost, one.second.total_tokens()) >
           std::pair(other.second.cost, other.second.total_tokens());
  });
  std::vector<Row> sorted;
  for (auto& [id, totals] : found) sorted.push_back({.id = std::move(id), .usage = totals_view(totals)});
  return sorted;
}

std::vector<DayRow> daily(const Ledger& ledger, store::UserId user, int days) {
  const auto now = store::now();
  std::vector<DayRow> rows;
  for (int ago = days - 1; ago >= 0; --ago) {
    const auto day = Period::day(now - std::chrono::days(ago));
    rows.push_back({.date = day.name(), .usage = totals_view(ledger.totals(user, day))});
  }
  return rows;
}

CallRow call_row(const Call& call) {
  const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  return {.id = call.id,
          .at = call.at,
          .agentId = given(call.agent),
          .keyId = given(call.key),
          .provider = call.provider,
          .model = call.model,
          .outcome = call.outcome,
          .tried = call.tried,
          .tools = call.tools,
          .inputTokens = call.input_tokens,
          .outputTokens = call.output_tokens,
          .cachedTokens = call.cached_tokens,
          .reasoningTokens = call.reasoning_tokens,
          .estimated = call.estimated,
          .cost = call.priced ? std::optional(Money::of_units(call.cost).to_string()) : std::nullopt,
          .ownKey = call.own_key,
          .credits = call.credits > 0 ? std::optional(Money::of_units(call.credits).to_string()) : std::nullopt,
          .latencyMs = call.latency_ms,
          .timeToFirstTokenMs = call.first_token_ms > 0 ? std::optional(call.first_token_ms) : std::nullopt};
}

}  // namespace usage
