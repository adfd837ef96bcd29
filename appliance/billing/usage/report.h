// What the ledger's counters say, in the shapes of the routes.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/usage/ledger.h"

namespace usage {

// Of calls on the box's provider keys unless it says otherwise. Costs are exact decimals of US dollars.
struct UsageTotals {
  std::int64_t calls = 0, failed = 0, inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0,
               totalTokens = 0;
  std::string cost;
};
BOOST_DESCRIBE_STRUCT(UsageTotals, (),
                      (calls, failed, inputTokens, outputTokens, cachedTokens, reasoningTokens, totalTokens, cost))
UsageTotals usage_totals(const Totals&);

struct Row {
  std::string id;
  UsageTotals usage;
};
BOOST_DESCRIBE_STRUCT(Row, (), (id, usage))

// By a kind of Ledger::totals_by, the costliest first. What agents and keys used on the user's own provider keys is
// theirs, too.
std::vector<Row> rows(const Ledger&, store::UserId, std::string_view kind, const Period&);

struct DayRow {
  std::string date;
  UsageTotals usage;
};
BOOST_DESCRIBE_STRUCT(DayRow, (), (date, usage))

// The last `days` days up to today, oldest first, those without calls as well.
std::vector<DayRow> daily(const Ledger&, store::UserId, int days);

// One call as the ledger has it.
struct CallRow {
  std::string id;
  store::Time at;
  std::optional<std::string> agentId, keyId;
  std::string provider, model, outcome;
  // Who was asked before for the same request, and what came of it: "provider/model: fault". Each has a row of its own
  // where anything was sent.
  std::vector<std::string> tried;
  std::vector<std::string> tools;
  std::int64_t inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0;
  bool estimated = false;
  std::optional<std::string> cost;  // null: the catalogue has no price for the model
  bool ownKey = false;
  std::int64_t latencyMs = 0;
  std::optional<std::int64_t> timeToFirstTokenMs;  // of streamed answers
};
BOOST_DESCRIBE_STRUCT(CallRow, (),
                      (id, at, agentId, keyId, provider, model, outcome, tried, tools, inputTokens, outputTokens,
                       cachedTokens, reasoningTokens, estimated, cost, ownKey, latencyMs, timeToFirstTokenMs))
CallRow call_row(const Call&);

}  // namespace usage
