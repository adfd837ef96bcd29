// The points that the owner can go back to: for each of the owner's turns, the state of files, memory and conversation
// before it. turns.jsonl in the state folder, one {"message", "conversation", "commit", "position"} per line; memory is
// in the commit.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_process {

struct TurnPoint {
  std::string message;        // the box's id of the message that began the turn
  std::string conversation;   // its name; empty: the owner's first one
  std::string commit;         // the head before the turn; empty: there was none
  std::int64_t position = 0;  // Conversation::position() before it
};
BOOST_DESCRIBE_STRUCT(TurnPoint, (), (message, conversation, commit, position))

// Blocks; not thread-safe. Keeps the newest 1,000 points. Throws std::runtime_error with a sentence when the file
// cannot be written.
class TurnJournal {
 public:
  static constexpr std::size_t max_points = 1'000;

  explicit TurnJournal(std::filesystem::path file);

  void add(TurnPoint);
  std::optional<TurnPoint> find(std::string_view message) const;
  // This point and those after it, oldest first.
  std::vector<TurnPoint> since(std::string_view message) const;
  // Removes this point and those after it.
  void cut(std::string_view message);

 private:
  void save() const;

  const std::filesystem::path file_;
  std::vector<TurnPoint> points_;  // oldest first
};

}  // namespace agent_process
