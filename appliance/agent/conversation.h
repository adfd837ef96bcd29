// The conversation, stored in the workspace: one JSON object per line, {"at", "role", "content", "tool_calls"?,
// "tool_call_id"?, "reasoning"?, "refusal"?, "annotations"?}, appended and synced, so that it survives kill -9. An
// incomplete last line is removed when the file is opened. A line {"at", "role": "summary", "content", "kept"} stands
// for all messages before it but the last `kept`.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/agent/workspace.h"
#include "appliance/models/chat.h"
#include "store/clock.h"

namespace agent_process {

struct HistoryMatch {
  std::string at;  // ISO 8601
  models::Role role = models::Role::user;
  std::string text;  // of the message, some hundred bytes around the first word that was found
};

// Messages of users and the agent in a conversation's file with all of these words, ignoring case, newest first: of
// everything that the file has, also what a summary stands for. Blocks.
std::vector<HistoryMatch> search_history(const std::filesystem::path& file, std::string_view words, std::size_t limit);

// Blocks; not thread-safe. Only the newest turns are in memory, at most about `window_bytes` of text: as many tokens as
// a quarter of that.
class Conversation {
 public:
  // Closes an interrupted turn with a note, so that roles alternate as models expect. Renames a file over 16 MB to
  // <name>.old first. Throws std::runtime_error with a sentence.
  Conversation(std::filesystem::path file, std::size_t window_bytes);

  // Returns once the messages are durable. Throws std::runtime_error when they cannot be written; none is stored then.
  void append(const std::vector<models::Message>&);

  // Of what it holds in memory: its tokens (context_tokens) with those of the summary, and the messages before the
  // newest whole turns that fit in `tokens`.
  std::int64_t tokens() const;
  std::vector<models::Message> before_newest(std::int64_t tokens) const;
  // Replaces its oldest `count` messages by the summary, which also covers the one before. Durable, like append().
  void compact(std::size_t count, std::string summary);
  const std::string& summary() const { return summary_; }

  // The size of the file, and back to an earlier one: what came after it is removed durably. Throws std::runtime_error
  // when the file is shorter.
  std::int64_t position() const;
  void cut(std::int64_t position);
  // Writes what it had at a position to a new file. Throws std::runtime_error.
  void copy_to(const std::filesystem::path& file, std::int64_t position) const;

  std::vector<HistoryMatch> search(std::string_view words, std::size_t limit) const {
    return search_history(path_, words, limit);
  }

  // The newest whole turns that fit in `tokens`, oldest first: it starts with a user's message. The newest turn is
  // always included; if it is too long, the middle of its older tool results is left out.
  // Earlier messages of the user begin with their time, "[2026-12-01 09:00 UTC] ", if ten minutes passed before them.
  std::vector<models::Message> window(std::int64_t tokens) const;

 private:
  void load();
  void write(std::string_view lines);
  void close_interrupted_turn();
  void forget_old_turns();
  // Index of the first message of the newest whole turns that fit in `tokens`, one turn at least.
  std::ptrdiff_t newest_turns(std::int64_t tokens) const;

  const std::filesystem::path path_;
  const std::size_t window_bytes_;
  files::Descriptor file_;
  struct Stored : models::Message {
    store::Time at{};
    std::int64_t tokens = 0;
  };
  static Stored stored(models::Message, store::Time);
  std::deque<Stored> messages_;
  std::string summary_;  // of the messages before them
};

}  // namespace agent_process
