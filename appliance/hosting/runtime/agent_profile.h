// How an agent's owner wants it to answer: the part of its config that the agent itself reads, and what it was cloned
// for.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "web/fields.h"

namespace runtime {

using Instructions = web::Prose<0, 16'000>;

// What is empty is left to the agent, or to the model.
struct AgentProfile {
  Instructions instructions;  // follow what the agent says of itself in its system prompt
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_tokens;         // of one answer of the model
  std::optional<std::vector<std::string>> tools;  // by name, those it may use; nothing: all it has
  std::optional<std::string> specialization;      // a word: booking, support
};
BOOST_DESCRIBE_STRUCT(AgentProfile, (), (instructions, temperature, top_p, max_tokens, tools, specialization))

}  // namespace runtime
