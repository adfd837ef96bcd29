// Writes spans with all that follows from them: their traces, the activity of their agents, and the bound on their
// number. The only writer of these tables, except that activities are deleted with their agents.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "appliance/billing/spans/recorder.h"

namespace spans {

// A message between two agents of a user.
struct Sent {
  store::UserId owner = 0;
  std::string from, to;
  auto operator<=>(const Sent&) const = default;
};

struct Batch {
  std::vector<Span> spans;
  std::map<Sent, std::size_t> sent;  // and how many of them

  std::size_t size() const {
    std::size_t messages = 0;
    for (const auto& [message, number] : sent) messages += number;
    return spans.size() + messages;
  }
};

// Used by one coroutine.
class Writer {
 public:
  Writer(store::System system, Limits limits) : system_(std::move(system)), limits_(limits) {}

  // Spans that are stored already are left out. Throws store::Unavailable.
  web::Task<> write(Batch);

 private:
  template <class R>
  struct Edited {
    store::Row<R> row;
    bool is_new = false;
  };
  using Key = std::pair<store::UserId, std::string>;
  // What one commit changes.
  struct Edits {
    std::vector<const Span*> fresh;
    std::map<Key, Edited<Trace>> traces;         // by trace id
    std::map<Key, Edited<Activity>> activities;  // by agent
    std::vector<Edited<Link>> links;
    std::map<store::UserId, std::int64_t> counts, foreign;
  };

  Edits edits_of(const Batch&) const;
  void add_to_trace(Edits&, const Span&) const;
  void add_to_activity(Edits&, const Span&) const;
  void add_to_link(Edits&, const Sent&, std::size_t number) const;
  web::Task<bool> commit(const Edits&) const;
  // Deletes the oldest spans beyond the limit, and the traces that have none left.
  web::Task<> trim(store::UserId);

  store::System system_;
  const Limits limits_;
  std::map<store::UserId, std::string> trimmed_to_;  // ids up to which spans were deleted: where the next search begins
};

}  // namespace spans
