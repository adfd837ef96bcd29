// What a bucket holds of a box. A generation is an unbroken history of one store, named by when it began. In the
// folder of the box, with numbers as hex digits and times as milliseconds since the epoch:
//
//   bases/<generation>/b<time>-<part>, b<time>-end     a whole copy of the data folder, as frames (connection.h) in
//                                                      parts; the last object describes it (BaseNote)
//   segments/<generation>/s<first>-<last>-<time>       the writes from `first` to `last`, each with its own time
//   trees/<generation>/t<time>-<part>, t<time>-end     frames that bring workspaces and settings from the copy or the
//                                                      tree before to this one
//
// The content is compressed (Zstandard) and encrypted (AES-256-GCM) under a key that is derived from the master key.
// The name is part of what is authenticated. An object: "B1", nonce (12 bytes), ciphertext, tag (16).
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/box/standby/connection.h"
#include "store/codec.h"
#include "store/replication.h"

namespace standby {

// What an object cannot be opened with.
struct WrongKey : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Callable from every thread.
class BucketSealer {
 public:
  explicit BucketSealer(std::string_view master_key);
  std::string seal(std::string_view name, std::string_view clear) const;
  // Throws WrongKey, also for altered and renamed objects.
  std::string open(std::string_view name, std::string_view sealed) const;

 private:
  const std::string key_;
};

std::int64_t milliseconds_of(store::Time);
store::Time time_of_milliseconds(std::int64_t);

struct BaseNote {
  std::int64_t parts = 0, bytes = 0;
  std::uint64_t position = 0;  // every write up to it is in the copy; later ones may be
};
std::string write_note(const BaseNote&);
// Throws std::exception.
BaseNote read_note(const std::string&);

struct SegmentName {
  store::Position first = 0, last = 0;
  std::int64_t at = 0;
};

namespace bucket_names {

inline constexpr auto bases = "bases/", segments = "segments/", trees = "trees/";

std::string new_generation(store::Time);
std::string part(std::string_view folder, std::string_view generation, char kind, std::int64_t at, std::int64_t number);
std::string end(std::string_view folder, std::string_view generation, char kind, std::int64_t at);
std::string segment(std::string_view generation, const SegmentName&);
// Comes before the name of the segment that has the write at this position, and after those that are far before it.
std::string segments_around(std::string_view generation, store::Position);

// Of a name with `folder`: what is between its slashes.
std::string_view generation_in(std::string_view name);
std::optional<SegmentName> read_segment(std::string_view name);
// The time in the name of an `end` object; nothing for every other.
std::optional<std::int64_t> read_end(std::string_view name, char kind);
// The time in the name of a part or end.
std::optional<std::int64_t> read_time(std::string_view name, char kind);

}  // namespace bucket_names

struct TimedWrite {
  store::Position first = 0, last = 0;
  std::int64_t at = 0;
  std::string bytes;
};
void append_write(std::string& segment, const TimedWrite&);
// Throws std::runtime_error.
std::vector<TimedWrite> read_segment_content(std::string_view);

void append_frame(std::string& to, Kind, std::string_view first, std::string_view second = {});
// Frames in pieces of text that end anywhere.
class FrameReader {
 public:
  void add(std::string_view bytes) { rest_.append(bytes); }
  // Nothing until more is added. Throws std::runtime_error.
  std::optional<Frame> next();
  bool is_empty() const { return at_ == rest_.size(); }

 private:
  std::string rest_;
  std::size_t at_ = 0;
};

}  // namespace standby
