// Writes spans with all that follows from them: their traces, the activity of their agents, and the bound on their
// number. The only writer of these tables, except that activities are deleted with their agents.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "appliance/billing/spans/recorder.h"

namespace spans {

// Used by one coroutine.
class Writer {
 public:
  Writer(store::System system, Limits limits) : system_(std::move(system)), limits_(limits) {}

  // Spans that are stored already are left out. Throws store::Unavailable.
  web::Task<> write(std::vector<Span>);

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
    std::map<store::UserId, std::int64_t> counts, foreign;
  };

  Edits edits_of(const std::vector<Span>&) const;
  void add_to_trace(Edits&, const Span&) const;
  void add_to_activity(Edits&, const Span&) const;
  web::Task<bool> commit(const Edits&) const;
  // Deletes the oldest spans beyond the limit, and the traces that have none left.
  web::Task<> trim(store::UserId);

  store::System system_;
  const Limits limits_;
  std::map<store::UserId, std::string> trimmed_to_;  // ids up to which spans were deleted: where the next search begins
};

}  // namespace spans
