// The facts that the agent remembers: memory.jsonl in its state folder, one {"id", "text", "at"} per line, committed
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

// Blocks; not thread-safe. Skips invalid lines. Changes are durable when a call returns; the file is replaced
// atomically.
class Memory {
 public:
  static constexpr std::size_t most_facts = 1'000;

  // `folder` is the agent's state folder (workspace_path.h). Links in it are not followed.
  explicit Memory(files::Descriptor folder);
  explicit Memory(const std::filesystem::path& folder);

  // Returns the existing fact if it is already stored. Kind::conflict when there are most_facts.
  web::Result<Fact> remember(std::string text);
  // Facts that share a word with the query, best match first; all facts, oldest first, for an empty query.
  std::vector<Fact> recall(std::string_view query, std::size_t limit) const;
  // Removes the fact with this id, or all facts that contain the text, ignoring case. Returns the removed facts.
  web::Result<std::vector<Fact>> forget(std::string_view query);
  // Removes and returns the fact with this id; nullopt if there is none.
  web::Result<std::optional<Fact>> remove(std::string_view id);
  // The newest facts as lines of at most `bytes` bytes in total, oldest first, for the system prompt.
  std::string digest(std::size_t bytes) const;

 private:
  web::Result<void> save(std::vector<Fact> facts);

  files::Descriptor folder_;
  std::vector<Fact> facts_;
};

}  // namespace agent_process
