#include "appliance/box/standby/bucket_copy.h"

#include <pthread.h>

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/data_folder.h"
#include "store/clock.h"
#include "web/log.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t max_waiting_bytes = 16u << 20;  // beyond, writes are read from the log again
constexpr std::size_t segment_bytes = 1u << 20;
constexpr std::chrono::milliseconds segment_interval = 1s, first_segment_retry = 500ms, last_segment_retry = 10s;
constexpr std::chrono::seconds last_segments_limit = 5s, bucket_alarm_after = 30s, bucket_proof_wait = 2min;
constexpr std::size_t max_marks = 1u << 17;  // a day and a half

fs::path bucket_state_file(const agentbox::DataFolder& folder) { return folder_of(folder) / "bucket.json"; }

void require_stored(const web::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

}  // namespace

BucketCopy::BucketCopy(const agentbox::Platform& platform, store::Store& store, Hooks hooks)
    : platform_(platform),
      store_(store),
      source_(*store.replication()),
      hooks_(std::move(hooks)),
      sealer_(platform.master_key),
      newest_at_start_(source_.newest()),
      started_at_(milliseconds_of(store::now())),
      newest_(newest_at_start_),
      bucket_(bucket::standby_bucket(platform.settings)),
      fast_(bucket_.place, [this] { return is_past_goodbye(); }),
      slow_(bucket_.place, [this] { return ends(); }) {
  remove_scratch();
  source_.observe(*this);
  writes_ = std::thread([this] { send_writes(); });
  pthread_setname_np(writes_.native_handle(), "bucket");
  copies_ = std::thread([this] { send_copies(); });
  pthread_setname_np(copies_.native_handle(), "bucket copies");
}

BucketCopy::~BucketCopy() {
  {
    const std::lock_guard lock(mutex_);
    ends_by_ = Clock::now() + last_segments_limit;
  }
  changed_.notify_all();
  copies_.join();
  writes_.join();
  source_.forget(*this);
}

bool BucketCopy::ends() const {
  const std::lock_guard lock(mutex_);
  return ends_by_.has_value();
}

bool BucketCopy::is_past_goodbye() const {
  const std::lock_guard lock(mutex_);
  return ends_by_ && Clock::now() > *ends_by_;
}

// False if this is to stop.
bool BucketCopy::sleep(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return ends_by_.has_value(); });
}

// By the writer.
void BucketCopy::written(store::Position first, store::Position last, std::string_view bytes, bool) noexcept {
  const auto at = milliseconds_of(store::now());
  const std::lock_guard lock(mutex_);
  if (first <= newest_) {  // the store was reopened, and has lost writes that the bucket may have
    needs_generation_ = true;
    recent_.clear();
    recent_bytes_ = 0;
    marks_.clear();
  }
  newest_ = last;
  if (!behind_since_) behind_since_ = Clock::now();
  try {
    if (marks_.empty() || at - marks_.back().second >= 1'000)
      marks_.emplace_back(last, at);
    else
      marks_.back().first = last;
    if (marks_.size() > max_marks) marks_.pop_front();
    recent_.push_back({first, last, at, std::string(bytes)});
    recent_bytes_ += bytes.size();
  } catch (const std::bad_alloc&) {
    recent_.clear();
    recent_bytes_ = 0;
  }
  while (recent_bytes_ > max_waiting_bytes) {
    recent_bytes_ -= recent_.front().bytes.size();
    recent_.pop_front();
  }
  if (recent_bytes_ >= segment_bytes) changed_.notify_all();
}

void BucketCopy::send_writes() {
  std::chrono::milliseconds pause = segment_interval;
  for (;;) {
    bool ends = false;
    {
      std::unique_lock lock(mutex_);
      const auto is_due = [&] { return ends_by_ || (pause == segment_interval && recent_bytes_ >= segment_bytes); };
      changed_.wait_for(lock, pause, is_due);
      ends = ends_by_.has_value();
    }
    try {
      begin();
      send_segments();
      pause = segment_interval;
      note_problem({});
    } catch (const std::exception& error) {
      note_problem(error.what());
      pause = pause == segment_interval ? first_segment_retry : std::min(2 * pause, last_segment_retry);
    }
    check_lag();
    if (ends) return;
  }
}

void BucketCopy::note_problem(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  if (problem != problem_) {
    if (problem.empty())
      web::log::info("bucket_reached", {{"bucket", fast_.shown()}});
    else
      web::log::warning("bucket_not_reached", {{"bucket", fast_.shown()}, {"reason", problem}});
  }
  problem_ = problem;
}

void BucketCopy::check_lag() {
  bool is_behind = false, has_changed = false;
  std::string problem;
  {
    const std::lock_guard lock(mutex_);
    is_behind = behind_since_ && Clock::now() - *behind_since_ > bucket_alarm_after;
    has_changed = std::exchange(is_behind_, is_behind) != is_behind;
    problem = problem_;
  }
  if (!has_changed) return;
  hooks_.alarm(is_behind, is_behind ? "The bucket " + fast_.shown() +
                                          " does not get the changes of the box, which wait for it on the box's own "
                                          "disk. " +
                                          problem
                                    : "The bucket " + fast_.shown() + " has every change of the box again.");
}

// Which generation this store continues, and where: unless the bucket has writes of it that the store does not have.
void BucketCopy::begin() {
  std::string known;
  {
    const std::lock_guard lock(mutex_);
    if (needs_generation_) generation_.clear();
    if (!generation_.empty()) return;
    if (!needs_generation_) {
      if (const auto text = agentbox::read_folder_file(bucket_state_file(platform_.folder))) {
        const auto state = json::parse(*text).as_object();
        const bool is_same = state.at("bucket").as_string() == fast_.shown() &&
                             state.at("key").as_string() == agentbox::key_fingerprint(platform_.master_key);
        if (is_same) known = state.at("generation").as_string();
      }
    }
  }
  if (known.empty()) return begin_generation();
  const auto names = fast_.list(std::string(bucket_names::segments) + known + "/",
                                bucket_names::segments_around(known, newest_at_start_));
  if (!names) throw std::runtime_error(names.error().message);
  store::Position stored = 0;
  for (const auto& name : *names)
    if (const auto segment = bucket_names::read_segment(name)) stored = std::max(stored, segment->last);
  if (stored == 0) stored = position_of_copy(known);
  if (stored == 0 || stored > newest_at_start_) return begin_generation();
  const std::lock_guard lock(mutex_);
  generation_ = known;
  stored_ = stored;
  if (stored_ < newest_ && !behind_since_) behind_since_ = Clock::now();
}

// Of the generation's newest whole copy; 0 if there is none.
store::Position BucketCopy::position_of_copy(const std::string& generation) {
  const auto names = fast_.list(std::string(bucket_names::bases) + generation + "/");
  if (!names) throw std::runtime_error(names.error().message);
  std::string newest;
  for (const auto& name : *names)
    if (bucket_names::read_end(name, 'b')) newest = name;
  if (newest.empty()) return 0;
  const auto sealed = fast_.get(newest);
  if (!sealed) throw std::runtime_error(sealed.error().message);
  return read_note(sealer_.open(newest, *sealed)).position;
}

// Its first copy begins no earlier than its segments.
void BucketCopy::begin_generation() {
  const auto generation = bucket_names::new_generation(store::now());
  const auto position = source_.newest();
  const auto state = json::serialize(json::object{
      {"bucket", fast_.shown()}, {"key", agentbox::key_fingerprint(platform_.master_key)}, {"generation", generation}});
  fs::create_directories(folder_of(platform_.folder));
  agentbox::write_private_file(bucket_state_file(platform_.folder), state + "\n");
  web::log::info("bucket_generation", {{"generation", generation}});
  const std::lock_guard lock(mutex_);
  needs_generation_ = false;
  generation_ = generation;
  stored_ = position;
  base_at_.reset();
  if (stored_ >= newest_) behind_since_.reset();
  changed_.notify_all();
}

void BucketCopy::send_segments() {
  for (;;) {
    std::string content;
    SegmentName name;
    std::string generation;
    {
      const std::lock_guard lock(mutex_);
      if (needs_generation_) return;
      generation = generation_;
    }
    if (!gather(content, name)) return;
    const auto object = bucket_names::segment(generation, name);
    require_stored(fast_.put(object, sealer_.seal(object, content)));
    const std::lock_guard lock(mutex_);
    stored_ = name.last;
    while (!recent_.empty() && recent_.front().last <= stored_) {
      recent_bytes_ -= recent_.front().bytes.size();
      recent_.pop_front();
    }
    while (!marks_.empty() && marks_.front().first <= stored_) marks_.pop_front();
    if (stored_ >= newest_)
      behind_since_.reset();
    else if (!recent_.empty() && recent_.front().first == stored_ + 1)
      behind_since_ = Clock::now() - std::chrono::milliseconds(
                                         std::max<std::int64_t>(milliseconds_of(store::now()) - recent_.front().at, 0));
    changed_.notify_all();
  }
}

// The writes that follow, up to a megabyte. False if there are none.
bool BucketCopy::gather(std::string& segment, SegmentName& name) {
  {
    const std::lock_guard lock(mutex_);
    if (stored_ >= newest_) return false;
    const auto found =
        std::ranges::find_if(recent_, [this](const TimedWrite& write) { return write.first == stored_ + 1; });
    if (found != recent_.end()) {
      name.first = found->first;
      for (auto at = found; at != recent_.end() && segment.size() < segment_bytes; ++at) {
        append_write(segment, *at);
        name.last = at->last;
        name.at = at->at;
      }
      return true;
    }
  }
  return gather_from_log(segment, name);
}

bool BucketCopy::gather_from_log(std::string& segment, SegmentName& name) {
  store::Position after = 0;
  decltype(marks_) marks;
  {
    const std::lock_guard lock(mutex_);
    after = stored_;
    marks = marks_;
  }
  // What an earlier process has written, and did not send, has no time: it gets that of this process's start.
  const auto time_of = [&](store::Position last) {
    if (last <= newest_at_start_) return started_at_;
    while (!marks.empty() && marks.front().first < last) marks.pop_front();
    return marks.empty() ? milliseconds_of(store::now()) : marks.front().second;
  };
  const bool has_next = source_.read_log(after, [&](auto first, auto last, std::string_view bytes) {
    const auto at = time_of(last);
    append_write(segment, {first, last, at, std::string(bytes)});
    if (name.first == 0) name.first = first;
    name.last = last;
    name.at = at;
    return segment.size() < segment_bytes;
  });
  if (name.first == after + 1) return true;
  if (has_next && name.first == 0) return false;
  web::log::warning("bucket_gap", {{"reason", "the log no longer has what the bucket lacks: it gets a whole copy"}});
  const std::lock_guard lock(mutex_);
  needs_generation_ = true;
  return false;
}

BucketStatus BucketCopy::status() const {
  const std::lock_guard lock(mutex_);
  BucketStatus now{.place = fast_.shown(),
                   .problem = problem_.empty() ? copy_problem_ : problem_,
                   .is_behind = is_behind_,
                   .newest = newest_,
                   .stored = stored_,
                   .base_at = {},
                   .folders_at = {}};
  if (behind_since_) now.lag = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - *behind_since_);
  if (base_at_) now.base_at = time_of_milliseconds(*base_at_);
  if (tree_at_) now.folders_at = time_of_milliseconds(*tree_at_);
  return now;
}

bool BucketCopy::wait_until_stored() {
  const auto wanted = source_.newest();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, bucket_proof_wait, [&] { return stored_ >= wanted || ends_by_ || needs_generation_; });
  return stored_ >= wanted && !ends_by_;
}

}  // namespace standby
