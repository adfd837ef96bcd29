// What a box and its standby know about the history of their store, so that a standby never continues from writes that
// its box does not have. In standby/timeline.json of the data folder.
//
// Each start of a box that has a standby is a run, which begins behind the last write that its store had then. A
// standby has everything of its run up to its position: it may continue in a later run only if that one began no
// earlier.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/data_folder.h"
#include "store/replication.h"

namespace standby {

struct Run {
  std::string id;           // random
  std::uint64_t after = 0;  // position of the last write before it
};
BOOST_DESCRIBE_STRUCT(Run, (), (id, after))

struct Timeline {
  std::string role = "box";     // or standby
  std::uint64_t epoch = 1;      // counts promotions
  std::vector<Run> runs;        // the oldest first
  std::string of;               // URL of the box that it follows, or did before it was promoted
  bool has_fenced = true;       // whether that box knows that it was replaced
  bool had_standby = false;     // whether a standby has followed this box
  std::uint64_t fenced_by = 0;  // the epoch of the box that has replaced this one; 0: none has
};
BOOST_DESCRIBE_STRUCT(Timeline, (), (role, epoch, runs, of, has_fenced, had_standby, fenced_by))

// Of logs that are kept for a standby that was away: what it misses beyond that, it gets as a new copy.
inline constexpr std::uint64_t kept_log_bytes = 1u << 30;

// Where a standby stands.
struct Standing {
  std::string run;
  store::Position position = 0;
};

std::filesystem::path folder_of(const agentbox::DataFolder&);
// Nothing if there is none. Both throw agentbox::UsageError.
std::optional<Timeline> read_timeline(const agentbox::DataFolder&);
void write_timeline(const agentbox::DataFolder&, const Timeline&);

// Adds a run that begins behind `newest`, and forgets all but the last 64.
void begin_run(Timeline&, store::Position newest);
// Whether a standby there has nothing but what the box has, whose newest write is `newest`.
bool may_continue(const Timeline&, const Standing&, store::Position newest);

// Throws agentbox::UsageError, with what to do, if this data folder is a standby's, or was replaced by another box.
void refuse_unless_box(const agentbox::DataFolder&);

}  // namespace standby
