// Compaction of a conversation that no longer fits the model's context: a model writes a summary of its older part, and
// names the facts in it that are worth keeping in memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"

namespace agent_process {

// Asks for the summary of these messages and of what came before them. Tool results are shortened.
models::ChatRequest compaction_request(std::string_view earlier_summary, const std::vector<models::Message>&);

struct Compacted {
  std::string summary;
  std::vector<std::string> facts;  // at most 10, each at most 500 bytes
};
// nullopt for an answer without a summary. A longer summary than `max_bytes` is cut.
std::optional<Compacted> parse_compaction(std::string_view answer, std::size_t max_bytes);

}  // namespace agent_process
