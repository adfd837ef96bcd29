// The thread that sends whole copies and folders to the bucket, and removes what is too old.
#include <algorithm>
#include <fstream>

#include "appliance/box/standby/bucket_copy.h"
#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "store/clock.h"
#include "web/log.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t part_bytes = 8u << 20;
constexpr std::chrono::milliseconds bucket_folders_interval = 10min;  // a file that changes is sent whole each time
constexpr std::chrono::milliseconds copy_look_interval = 1s, first_copy_retry = 1s, last_copy_retry = 5min;
constexpr auto bucket_scratch_prefix = "bucket-";

fs::path bucket_tree_file(const agentbox::DataFolder& folder) { return folder_of(folder) / "bucket.tree"; }

void must_store(const web::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

// Frames as numbered objects.
class PartSender {
 public:
  PartSender(bucket::Objects& objects, const BucketSealer& sealer, std::string_view folder, std::string_view generation,
             char kind, std::int64_t at)
      : objects_(objects), sealer_(sealer), folder_(folder), generation_(generation), kind_(kind), at_(at) {}

  void add(Kind kind, std::string_view first, std::string_view second = {}) {
    append_frame(content_, kind, first, second);
    if (content_.size() >= part_bytes) send();
  }
  void add(TreeSender& sender) {
    while (const auto frame = sender.next()) add(frame->kind, frame->content);
  }
  // The object that makes the others count.
  void finish(store::Position position) {
    if (!content_.empty()) send();
    const auto name = bucket_names::end(folder_, generation_, kind_, at_);
    const auto text = write_note({.parts = sent_, .bytes = bytes_, .position = position});
    must_store(objects_.put(name, sealer_.seal(name, text)));
  }

 private:
  void send() {
    const auto name = bucket_names::part(folder_, generation_, kind_, at_, sent_);
    must_store(objects_.put(name, sealer_.seal(name, content_)));
    bytes_ += static_cast<std::int64_t>(content_.size());
    ++sent_;
    content_.clear();
  }

  bucket::Objects& objects_;
  const BucketSealer& sealer_;
  const std::string_view folder_, generation_;
  const char kind_;
  const std::int64_t at_;
  std::int64_t sent_ = 0, bytes_ = 0;
  std::string content_;
};

void add_store_files(PartSender& parts, const fs::path& folder) {
  std::string piece(piece_size, '\0');
  for (const auto& entry : fs::directory_iterator(folder)) {
    parts.add(Kind::base_file, entry.path().filename().string());
    std::ifstream input(entry.path(), std::ios::binary);
    for (std::uint64_t at = 0; input; at += static_cast<std::uint64_t>(input.gcount())) {
      input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      const auto count = static_cast<std::size_t>(input.gcount());
      if (count > 0) parts.add(Kind::piece, number(at), std::string_view(piece).substr(0, count));
    }
    if (input.bad()) throw std::runtime_error("the copy of the store cannot be read");
    parts.add(Kind::piece, number(0));
  }
  parts.add(Kind::base_end, "");
}

}  // namespace

// Of a process that was killed.
void BucketCopy::remove_scratch() const {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder_of(platform_.folder), ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    if (entry->path().filename().string().starts_with(bucket_scratch_prefix)) fs::remove_all(entry->path(), ignored);
}

void BucketCopy::send_copies() {
  std::chrono::milliseconds pause = copy_look_interval;
  while (sleep(pause)) {
    std::string generation;
    {
      const std::lock_guard lock(mutex_);
      generation = needs_generation_ ? std::string() : generation_;
    }
    if (generation.empty()) continue;
    const auto is_older = [this](const std::optional<std::int64_t>& at, std::chrono::milliseconds age) {
      const std::lock_guard lock(mutex_);
      return !at || milliseconds_of(store::now()) - *at >= age.count();
    };
    try {
      if (generation != copied_generation_) {
        copied_generation_ = generation;
        read_state();
      }
      if (is_older(base_at_, bucket_.base_interval)) {
        send_base();
        hooks_.prove(*this);
        remove_old();
      } else if (is_older(tree_at_, bucket_folders_interval)) {
        send_tree();
      }
      pause = copy_look_interval;
      const std::lock_guard lock(mutex_);
      copy_problem_.clear();
    } catch (const std::exception& error) {
      pause = pause == copy_look_interval ? first_copy_retry : std::min(2 * pause, last_copy_retry);
      const std::lock_guard lock(mutex_);
      if (copy_problem_ != error.what() && !ends_by_)
        web::log::warning("bucket_copy_failed", {{"bucket", slow_.shown()}, {"reason", error.what()}});
      copy_problem_ = error.what();
    }
  }
}

// Of an earlier process: when the generation's last copy was made, and which folders it has.
void BucketCopy::read_state() {
  std::optional<std::int64_t> base, tree;
  const auto names = slow_.list(std::string(bucket_names::bases) + copied_generation_ + "/");
  if (!names) {
    copied_generation_.clear();
    throw std::runtime_error(names.error().message);
  }
  for (const auto& name : *names)
    if (const auto at = bucket_names::read_end(name, 'b')) base = std::max(base.value_or(0), *at);
  known_.clear();
  const auto text = agentbox::read_folder_file(bucket_tree_file(platform_.folder));
  if (base && text) {
    FrameReader reader;
    reader.add(*text);
    bool is_ours = false;
    while (const auto frame = reader.next()) {
      if (frame->kind == Kind::tree_end) {
        is_ours = frame->content.substr(8) == copied_generation_;
        tree = static_cast<std::int64_t>(read_number(frame->content));
      } else {
        known_.insert(decode_entry(frame->content));
      }
    }
    if (!is_ours) base.reset();
  } else {
    base.reset();
  }
  const std::lock_guard lock(mutex_);
  base_at_ = base;
  tree_at_ = tree;
}

void BucketCopy::write_known_tree(std::int64_t at) const {
  std::string text;
  for (const auto& [path, entry] : known_) append_frame(text, Kind::listing, encode(path, entry));
  append_frame(text, Kind::tree_end, number(static_cast<std::uint64_t>(at)), copied_generation_);
  agentbox::write_private_file(bucket_tree_file(platform_.folder), text);
}

void BucketCopy::send_base() {
  const auto position = source_.newest();
  const auto folder = folder_of(platform_.folder) / (bucket_scratch_prefix + crypto::random_hex(8));
  struct Remover {
    const fs::path& folder;
    ~Remover() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  } const remover{folder};
  source_.checkpoint(folder);
  // A restore to an earlier moment than this begins from an earlier copy.
  const auto at = milliseconds_of(store::now()) + 1;
  PartSender parts(slow_, sealer_, bucket_names::bases, copied_generation_, 'b', at);
  add_store_files(parts, folder);
  TreeSender sender(platform_.folder, {}, list_tree(platform_.folder));
  parts.add(sender);
  parts.finish(position);
  known_ = sender.wanted();
  {
    const std::lock_guard lock(mutex_);
    if (generation_ != copied_generation_) throw std::runtime_error("the store has got another history meanwhile");
    base_at_ = tree_at_ = at;
  }
  write_known_tree(at);
  web::log::info("bucket_base", {{"bucket", slow_.shown()}, {"position", static_cast<std::int64_t>(position)}});
}

void BucketCopy::send_tree() {
  auto wanted = list_tree(platform_.folder);
  const auto at = milliseconds_of(store::now());
  if (wanted != known_) {
    PartSender parts(slow_, sealer_, bucket_names::trees, copied_generation_, 't', at);
    TreeSender sender(platform_.folder, known_, std::move(wanted));
    parts.add(sender);
    parts.finish(0);
    known_ = sender.wanted();
  }
  {
    const std::lock_guard lock(mutex_);
    tree_at_ = at;
  }
  write_known_tree(at);
}

// Everything before the newest copy that is old enough for a restore to the beginning of STANDBY_S3_KEEP.
void BucketCopy::remove_old() {
  const auto oldest = milliseconds_of(store::now()) - bucket_.keep.count();
  const auto listed = [this](const char* folder) {
    auto names = slow_.list(folder);
    if (!names) throw std::runtime_error(names.error().message);
    return std::move(*names);
  };
  const auto bases = listed(bucket_names::bases);
  std::int64_t newest = 0, best = 0;
  std::string best_name;
  for (const auto& name : bases) {
    const auto at = bucket_names::read_end(name, 'b');
    if (!at) continue;
    newest = std::max(newest, *at);
    if (*at > oldest || *at <= best) continue;
    best = *at;
    best_name = name;
  }
  if (best_name.empty()) return;
  const auto end = slow_.get(best_name);
  if (!end) throw std::runtime_error(end.error().message);
  const auto position = read_note(sealer_.open(best_name, *end)).position;
  std::int64_t removed = 0;
  const auto remove = [&](const std::string& name) {
    must_store(slow_.remove(name));
    ++removed;
  };
  // A copy's last object goes first: without it the others do not count.
  auto in_order = bases;
  std::ranges::stable_partition(in_order, [](const std::string& name) { return name.ends_with("-end"); });
  for (const auto& name : in_order) {
    const auto at = bucket_names::read_time(name, 'b');
    const bool is_draft =
        at && *at < newest &&
        std::ranges::find(bases, bucket_names::end(bucket_names::bases, bucket_names::generation_in(name), 'b', *at)) ==
            bases.end();
    if (at && (*at < best || is_draft)) remove(name);
  }
  for (const auto* folder : {bucket_names::segments, bucket_names::trees})
    for (const auto& name : listed(folder)) {
      const auto segment = bucket_names::read_segment(name);
      const auto at = segment ? std::optional(segment->at) : bucket_names::read_time(name, 't');
      const bool is_of_best = bucket_names::generation_in(name) == bucket_names::generation_in(best_name);
      const bool is_covered = !segment || !is_of_best || segment->last <= position;
      if (at && *at < best && is_covered) remove(name);
    }
  if (removed > 0) web::log::info("bucket_old_removed", {{"bucket", slow_.shown()}, {"objects", removed}});
}

}  // namespace standby
