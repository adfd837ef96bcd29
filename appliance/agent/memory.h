// What the agent remembers: facts, and named blocks of text that it keeps up to date, such as "about the user".
// memory.jsonl in its state folder, one {"id", "text", "at", "block"} per line, committed with the workspace.
#pragma once

#include <boost/describe.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/descriptor.h"
#include "web/result.h"

namespace agent_process {

struct Fact {
  std::string id;  // m and six random characters
  std::string text;
  std::string at;     // ISO 8601
  std::string block;  // its name, if it is a block; empty for a fact
};
BOOST_DESCRIBE_STRUCT(Fact, (), (id, text, at, block))

// Blocks; not thread-safe. Skips invalid lines. Changes are durable when a call returns; the file is replaced
// atomically.
class Memory {
 public:
  static constexpr std::size_t max_facts = 1'000, max_blocks = 8;

  // `folder` is the agent's state folder (workspace_path.h). Links in it are not followed.
  explicit Memory(files::Descriptor folder);
  explicit Memory(const std::filesystem::path& folder);

  // Reads the file again, which something else has replaced.
  void reload();
  // Returns the existing fact if it is already stored. Kind::conflict when there are max_facts.
  web::Result<Fact> remember(std::string text);
  // Replaces the text of the block, which is made if it does not exist. Kind::conflict when there are max_blocks.
  web::Result<Fact> write_block(std::string name, std::string text);
  // Facts and blocks that share a word with the query, best match first; all, oldest first, for an empty query.
  std::vector<Fact> recall(std::string_view query, std::size_t limit) const;
  // Removes the fact or block with this id, or all facts that contain the text, ignoring case. Returns the removed
  // ones.
  web::Result<std::vector<Fact>> forget(std::string_view query);
  // Removes and returns the fact with this id; nullopt if there is none.
  web::Result<std::optional<Fact>> remove(std::string_view id);
  // The newest facts as lines of at most `bytes` bytes in total, oldest first, for the system prompt.
  std::string digest(std::size_t bytes) const;
  // All blocks with their names, for the system prompt.
  std::string blocks() const;

 private:
  web::Result<void> save(std::vector<Fact> facts);

  files::Descriptor folder_;
  std::vector<Fact> facts_;
};

}  // namespace agent_process
