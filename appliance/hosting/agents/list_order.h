// Lists of agents in a stable order, page by page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "web/result.h"

namespace agents {

struct AgentOrder {
  bool by_name = false;  // ignoring case of ASCII letters; else by creation. Equal ones by id
  bool is_descending = false;
};

struct AgentPage {
  std::vector<AgentSummary> agents;
  std::optional<std::string> next;  // the cursor of the next page; none on the last one
};

// `cursor`: of the page before in the same order; empty: from the start. It names a place and not an agent, which may
// be gone by now. invalid for any other text.
web::Result<AgentPage> page_of(std::vector<AgentSummary>, const AgentOrder&, std::size_t limit,
                               std::string_view cursor);

}  // namespace agents
