// The conversation, stored in the workspace: one JSON object per line, {"at", "role", "content", "tool_calls"?,
// "tool_call_id"?}, appended and synced, so that it survives kill -9. An incomplete last line is removed when the file
// is opened.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/hosting/agent_process/workspace.h"
#include "appliance/models/chat.h"

namespace agent_process {

// Blocks; not thread-safe. Only the newest turns are in memory, about `window_bytes` of text.
class Conversation {
 public:
  // Closes an interrupted turn with a note, so that roles alternate as models expect. Renames a file over 16 MB to
  // <name>.old first. Throws std::runtime_error with a sentence.
  Conversation(std::filesystem::path file, std::size_t window_bytes);

  // Returns once the messages are durable. Throws std::runtime_error when they cannot be written; none is stored then.
  void append(const std::vector<models::Message>&);

  // The newest whole turns whose text fits in `bytes`, oldest first: it starts with a user's message. The newest turn
  // is always included; if it is too long, its older tool results are replaced by a note.
  std::vector<models::Message> window(std::size_t bytes) const;

 private:
  void load();
  void close_interrupted_turn();
  void forget_old_turns();
  // Index of the first message of the newest whole turns that fit in `bytes`, one turn at least.
  std::ptrdiff_t newest_turns(std::size_t bytes) const;

  const std::filesystem::path path_;
  const std::size_t window_bytes_;
  files::Descriptor file_;
  std::deque<models::Message> messages_;
};

}  // namespace agent_process
