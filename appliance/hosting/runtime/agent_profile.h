// How an agent answers: the part of its config that the agent itself reads, and its specialization if it was cloned.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "web/routes/fields.h"

namespace runtime {

using Instructions = web::Prose<0, 16'000>;

// Empty members are left to the agent or the model.
struct AgentProfile {
  Instructions instructions;  // appended to the system prompt
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_tokens;         // per answer of the model
  std::optional<std::vector<std::string>> tools;  // names of allowed tools; nullopt: all
  std::optional<std::string> specialization;      // a word: booking, support
};
BOOST_DESCRIBE_STRUCT(AgentProfile, (), (instructions, temperature, top_p, max_tokens, tools, specialization))

}  // namespace runtime
