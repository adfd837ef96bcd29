// Handlers of the memory rows, with the structs of their requests and answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/memory/routes.h"
#include "web/routes/endpoint.h"

namespace memory {

using AgentId = web::Text<1, 128>;

struct SearchQuery {
  AgentId agentId;
  std::optional<web::Text<0, 500>> query;
  std::optional<web::Integer<1, 1'000>> limit;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (agentId, query, limit))

struct AddRequest {
  AgentId agentId;
  web::Prose<1, 2'000> text;
};
BOOST_DESCRIBE_STRUCT(AddRequest, (), (agentId, text))

struct RemoveRequest {
  AgentId agentId;
  web::Text<1, 32> memoryId;
};
BOOST_DESCRIBE_STRUCT(RemoveRequest, (), (agentId, memoryId))

struct FactItem {
  std::string id, text, createdAt;
};
BOOST_DESCRIBE_STRUCT(FactItem, (), (id, text, createdAt))

struct FactList {
  std::vector<FactItem> memories;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(FactList, (), (memories, count))

struct FactAnswer {
  bool success = true;
  FactItem memory;
};
BOOST_DESCRIBE_STRUCT(FactAnswer, (), (success, memory))

web::Answer search_memory(const Services&, const web::Request&, SearchQuery);
web::Answer add_fact(const Services&, const web::Request&, AddRequest);
web::Answer remove_fact(const Services&, const web::Request&, RemoveRequest);

}  // namespace memory
