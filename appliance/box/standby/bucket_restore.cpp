#include "appliance/box/standby/bucket_restore.h"

#include <algorithm>
#include <memory>

#include "appliance/box/standby/base_folder.h"
#include "appliance/box/standby/folders.h"
#include "appliance/foundation/settings/settings.h"
#include "store/replica.h"
#include "web/routes/reply.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
using agentbox::DataFolder;
using agentbox::UsageError;

class Restoring {
 public:
  Restoring(bucket::Objects& objects, const BucketSealer& sealer, const DataFolder& to, const BucketWanted& wanted)
      : objects_(objects), sealer_(sealer), to_(to), wanted_(wanted) {
    if (wanted.until) until_ = milliseconds_of(*wanted.until);
  }

  RestoredBucket run() {
    const auto base = find_base();
    const auto note = read_note(content(base.name));
    base_at_ = base.at;
    if (note.bytes > 0 && fs::space(to_.path()).available < static_cast<std::uintmax_t>(note.bytes))
      throw UsageError("there is no room for the box in " + to_.path().string() + ": it takes " +
                       std::to_string(note.bytes >> 20) + " MB");
    RestoredBucket restored{.generation = std::string(bucket_names::generation_in(base.name)), .at = {}, .position = 0};
    const auto draft = fs::path(to_.store()).concat(".restoring");
    struct Remover {
      const fs::path& path;
      ~Remover() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
      }
    } const remover{draft};
    receive(base, note, draft);
    if (!wanted_.only_store) apply_trees(restored.generation);
    apply_segments(restored, note.position, draft);
    fs::rename(draft, to_.store());  // last: a folder with a store is complete
    return restored;
  }

 private:
  struct Base {
    std::string name;
    std::int64_t at = 0;
  };

  std::string content(const std::string& name) {
    const auto sealed = objects_.get(name);
    if (!sealed) throw UsageError("the bucket " + objects_.shown() + ": " + name + ": " + sealed.error().message);
    return sealer_.open(name, *sealed);
  }
  std::vector<std::string> names(const std::string& prefix, const std::string& after = {}) {
    auto found = objects_.list(prefix, after);
    if (!found) throw UsageError("the bucket " + objects_.shown() + ": " + found.error().message);
    return std::move(*found);
  }

  // The newest that is not too new.
  Base find_base() {
    Base best, oldest;
    for (const auto& name : names(bucket_names::bases)) {
      const auto at = bucket_names::read_end(name, 'b');
      if (!at) continue;
      if (oldest.name.empty() || *at < oldest.at) oldest = {name, *at};
      if (*at > best.at && (!until_ || *at <= *until_)) best = {name, *at};
    }
    if (!best.name.empty()) return best;
    if (oldest.name.empty()) throw UsageError("there is no whole copy of a box in the bucket " + objects_.shown());
    content(oldest.name);  // says whether the key is the right one
    throw UsageError("the bucket " + objects_.shown() + " restores to " +
                     web::iso8601(time_of_milliseconds(oldest.at)) + " and later");
  }

  void receive(const Base& base, const BaseNote& note, const fs::path& draft) {
    BaseFolder store(draft);
    FrameReader frames;
    std::unique_ptr<TreeReceiver> tree;
    const auto generation = bucket_names::generation_in(base.name);
    for (std::int64_t part = 0; part < note.parts; ++part) {
      frames.add(content(bucket_names::part(bucket_names::bases, generation, 'b', base.at, part)));
      while (const auto frame = frames.next()) {
        if (tree) {
          tree->apply(*frame);
        } else if (frame->kind == Kind::base_file) {
          store.begin_file(frame->content);
        } else if (frame->kind == Kind::piece) {
          store.add_piece(frame->content);
        } else {
          sync_folder(store.path());
          if (wanted_.only_store) return;
          tree = std::make_unique<TreeReceiver>(to_);
        }
      }
    }
    if (!tree || !frames.is_empty()) throw UsageError("the copy " + base.name + " of the bucket is not whole");
  }

  void apply_trees(const std::string& generation) {
    const auto all = names(std::string(bucket_names::trees) + generation + "/");
    TreeReceiver tree(to_);
    for (const auto& name : all) {
      const auto at = bucket_names::read_end(name, 't');
      if (!at || *at <= base_at_ || (until_ && *at > *until_)) continue;
      const auto note = read_note(content(name));
      FrameReader frames;
      for (std::int64_t part = 0; part < note.parts; ++part) {
        frames.add(content(bucket_names::part(bucket_names::trees, generation, 't', *at, part)));
        while (const auto frame = frames.next()) tree.apply(*frame);
      }
    }
  }

  void apply_segments(RestoredBucket& restored, store::Position from, const fs::path& draft) {
    const auto replica = store::Replica::open(draft);
    restored.position = replica->newest();
    restored.at = time_of_milliseconds(base_at_);
    bool is_later = false;
    std::string later;  // the first segment behind a gap
    for (const auto& name : names(std::string(bucket_names::segments) + restored.generation + "/",
                                  bucket_names::segments_around(restored.generation, from))) {
      const auto segment = bucket_names::read_segment(name);
      if (!segment || segment->last <= restored.position) continue;
      if (segment->first > restored.position + 1) {
        is_later = until_ && milliseconds_of(restored.at) >= *until_;
        later = name;
        break;
      }
      is_later = !apply_segment(restored, name, *replica);
      if (is_later) break;
    }
    if (!later.empty() && !is_later)
      throw UsageError("the bucket " + objects_.shown() + " lacks the changes before " + later + ": it restores to " +
                       web::iso8601(restored.at) + " with --at");
    replica->sync();
  }

  // False when a write is too late.
  bool apply_segment(RestoredBucket& restored, const std::string& name, store::Replica& replica) {
    for (const auto& write : read_segment_content(content(name))) {
      if (write.last <= restored.position) continue;
      if (until_ && write.at > *until_) return false;
      replica.apply(write.first, write.bytes);
      restored.position = write.last;
      restored.at = std::max(restored.at, time_of_milliseconds(write.at));
    }
    return true;
  }

  bucket::Objects& objects_;
  const BucketSealer& sealer_;
  const DataFolder& to_;
  const BucketWanted wanted_;
  std::optional<std::int64_t> until_;
  std::int64_t base_at_ = 0;
};

}  // namespace

RestoredBucket restore_bucket(bucket::Objects& objects, const BucketSealer& sealer, const DataFolder& to,
                              const BucketWanted& wanted) {
  try {
    return Restoring(objects, sealer, to, wanted).run();
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the restore failed: ") + error.what());
  }
}

}  // namespace standby
