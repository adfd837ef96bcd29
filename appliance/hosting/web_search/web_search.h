// Web search for agents: a SearXNG server of the operator, or a provider with the box's key. Queries leave the box only
// for agents that may fetch pages (plan_egress), and results of hosts that an agent may not reach are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/egress.h"
#include "store/store.h"
#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace web_search {

struct SearchSettings {
  std::string searxng_url;             // of a server whose search.formats include json
  std::string brave_url, brave_key;    // the key is secret
  std::string tavily_url, tavily_key;  // likewise
  std::chrono::milliseconds timeout{10'000};
};

inline constexpr std::int64_t max_searches_a_day = 500;  // of an agent (UTC)

struct SearchHit {
  std::string title, url, snippet;
};

struct SearchOutcome {
  std::string provider;  // searxng, brave or tavily
  std::vector<SearchHit> hits;
};

// Callable from every thread.
class WebSearch {
 public:
  explicit WebSearch(SearchSettings settings) : settings_(std::move(settings)) {}

  bool is_configured() const;
  // At most `limit` hits. Counts towards the origin's agent: too_many with `limit` and `resetsAt` beyond
  // max_searches_a_day. The first configured provider is asked: SearXNG, Brave, Tavily. conflict without any;
  // forbidden for Egress::none; bad_gateway or timeout with the cause if the provider fails.
  web::Task<web::Result<SearchOutcome>> search(store::System, web::CallOrigin, std::string query, std::size_t limit,
                                               agents::Egress) const;

 private:
  const SearchSettings settings_;
};

}  // namespace web_search
