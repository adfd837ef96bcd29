// What the agent was asked to remember: memory.jsonl in its state folder, one {"id", "text", "at"} a line, committed
// with the workspace.
#pragma once

#include <boost/describe.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/descriptor.h"
#include "web/result.h"

namespace agent_process {

struct Fact {
  std::string id;  // m and six random characters
  std::string text;
  std::string at;  // ISO 8601
};
BOOST_DESCRIBE_STRUCT(Fact, (), (id, text, at))

// Blocks; one thread at a time. Lines that do not parse are passed over. Changes are durable when a call returns; the
// file is replaced whole, so that it is never half written.
class Memory {
 public:
  static constexpr std::size_t most_facts = 1'000;

  // In this folder, which is the agent's state folder (workspace_path.h). Through no link that stands there.
  explicit Memory(files::Descriptor folder);
  explicit Memory(const std::filesystem::path& folder);

  // A fact that is there already is not added again. Kind::conflict when there are most_facts.
  web::Result<Fact> remember(std::string text);
  // Facts that share a word with the query, the best match first; all of them, oldest first, for an empty query.
  std::vector<Fact> recall(std::string_view query, std::size_t limit) const;
  // Removes the fact of that id, or every fact that holds the query's text in any case. What was removed.
  web::Result<std::vector<Fact>> forget(std::string_view query);
  // Removes the fact of that id. Nothing: there is none.
  web::Result<std::optional<Fact>> remove(std::string_view id);
  // The newest facts as lines of at most `bytes` bytes in all, oldest first, for the system prompt.
  std::string digest(std::size_t bytes) const;

 private:
  web::Result<void> save(std::vector<Fact> facts);

  files::Descriptor folder_;
  std::vector<Fact> facts_;
};

}  // namespace agent_process
