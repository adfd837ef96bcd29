// The ledger's counters in the shapes of the API.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/usage/ledger.h"

namespace usage {

// Costs are exact decimals of US dollars. Cached and reasoning tokens are included in input and output tokens.
struct TotalsView {
  std::int64_t calls = 0, failed = 0, inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0,
               totalTokens = 0;
  std::int64_t unpriced = 0;  // calls whose cost is unknown, and so not in `cost`
  std::string cost;
};
BOOST_DESCRIBE_STRUCT(TotalsView, (),
                      (calls, failed, inputTokens, outputTokens, cachedTokens, reasoningTokens, totalTokens, unpriced,
                       cost))
TotalsView totals_view(const Totals&);

struct Row {
  std::string id;
  TotalsView usage;
};
BOOST_DESCRIBE_STRUCT(Row, (), (id, usage))

// One row per id of a kind (Ledger::totals_by), highest cost first. The rows of agents and keys include calls with the
// user's own provider keys.
std::vector<Row> rows(const Ledger&, store::UserId, std::string_view kind, const Period&);

struct DayRow {
  std::string date;
  TotalsView usage;
};
BOOST_DESCRIBE_STRUCT(DayRow, (), (date, usage))

// The last `days` days including today, oldest first, including days without calls.
std::vector<DayRow> daily(const Ledger&, store::UserId, int days);

struct CallRow {
  std::string id;
  store::Time at;
  std::optional<std::string> agentId, keyId;
  std::string provider, model, outcome;
  // Earlier attempts of the same request: "provider/model: fault". Each has a row of its own if a request was sent.
  std::vector<std::string> tried;
  std::vector<std::string> tools;
  std::int64_t inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0;
  bool estimated = false;
  std::optional<std::string> cost;  // null: the model has no price in the catalogue
  bool ownKey = false;
  std::optional<std::string> credits;  // paid from credits, in US dollars; null: none
  std::int64_t latencyMs = 0;
  std::optional<std::int64_t> timeToFirstTokenMs;  // of streamed answers
};
BOOST_DESCRIBE_STRUCT(CallRow, (),
                      (id, at, agentId, keyId, provider, model, outcome, tried, tools, inputTokens, outputTokens,
                       cachedTokens, reasoningTokens, estimated, cost, ownKey, credits, latencyMs, timeToFirstTokenMs))
CallRow call_row(const Call&);

}  // namespace usage
