#include "store/rocks/store_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "store/engine.h"
#include "store/rocks/log_check.h"

namespace store {
namespace {

namespace fs = std::filesystem;

constexpr auto lock_file = "agentbox.lock", creating_file = "agentbox.making", restored_file = "agentbox.restored";

[[noreturn]] void cannot(const fs::path& path, int error) {
  throw Unavailable(path.string() + " cannot be written: " + std::strerror(error));
}

void make_empty(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) cannot(file, errno);
  close(descriptor);
  sync_path(file.parent_path());
}

// Oldest first: RocksDB numbers them.
std::vector<fs::path> logs_of(const fs::path& folder) {
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(folder))
    if (std::error_code gone; entry.path().extension() == ".log" && entry.file_size(gone) > 0 && !gone)
      logs.push_back(entry.path());
  std::sort(logs.begin(), logs.end(), [](const fs::path& a, const fs::path& b) {
    const auto x = a.stem().string(), y = b.stem().string();
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return logs;
}

std::string sentence(const fs::path& log, const LogState& state) {
  return "the write-ahead log " + log.string() + " is damaged at byte " + std::to_string(state.at) + ": " + state.what;
}

std::string torn_sentence(const fs::path& log, std::uint64_t at, std::uint64_t end) {
  return "the write-ahead log " + log.string() + " is not whole from byte " + std::to_string(at) +
         " on: " + std::to_string(end - at) + " bytes are cut off there when the store is opened for writing. " +
         "A crash of the machine leaves that, and these writes were not reported as durable; should more be " +
         "missing, the disk has lost it: restore the newest backup";
}

[[noreturn]] void refuse_damaged(const fs::path& log, const LogState& state) {
  throw Unavailable(sentence(log, state) + ". Opening the store would lose acknowledged changes, so nothing was " +
                    "touched: keep a copy of " + log.parent_path().string() +
                    ", then restore the newest backup with `agentbox restore`");
}

LogState lacking(std::uint64_t end) {
  return {.kind = LogState::Kind::damaged, .at = end, .what = "what was written behind it is missing"};
}

// Where the uninterrupted sequence of writes ends: in which log, and where in it.
struct End {
  std::size_t log = 0;
  std::uint64_t at = 0;
  bool is_followed = false;  // by writes that were made after the missing ones
};

// Throws Unavailable when a log is damaged.
std::vector<LogState> states_of(const std::vector<fs::path>& logs) {
  std::vector<LogState> states;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    states.push_back(check_log(logs[i], i == 0 ? std::nullopt : states[i - 1].next));
    if (states[i].kind == LogState::Kind::damaged) refuse_damaged(logs[i], states[i]);
  }
  return states;
}

// Nothing when no write is missing. Throws Unavailable when a missing one was on disk.
std::optional<End> end_of(const std::vector<fs::path>& logs, const std::vector<LogState>& states) {
  std::optional<Sequence> on_disk;  // by the marks of newer logs; none while they have no writes
  std::optional<End> end;
  for (auto i = logs.size(); i-- > 0; on_disk = std::max(on_disk, states[i].on_disk)) {
    const auto& state = states[i];
    const bool was_on_disk = on_disk && (!state.next || *on_disk >= *state.next);
    if (state.kind == LogState::Kind::torn) {
      if (was_on_disk)
        refuse_damaged(logs[i],
                       {.kind = LogState::Kind::damaged, .at = state.at, .what = "newer logs say it was whole"});
      end = {i, state.at, state.is_followed || on_disk};
    } else if (i + 1 < logs.size() && state.next && states[i + 1].first > state.next) {
      // It ends between two writes, and later ones are missing: logs are deleted oldest first.
      if (was_on_disk) refuse_damaged(logs[i], lacking(state.end));
      end = {i, state.end, true};
    }
  }
  return end;
}

void truncate_log(const fs::path& log, std::uint64_t at) {
  if (fs::file_size(log) == at) return;
  fs::resize_file(log, at);
  sync_path(log);
}

// A sentence for each log that is cut. What is left is synced, since new writes will follow it.
std::vector<std::string> repair_logs(const fs::path& folder, StoreFolder::Access access) {
  const auto logs = logs_of(folder);
  const auto states = states_of(logs);
  const auto end = end_of(logs, states);
  std::vector<std::string> sentences;
  if (end) sentences.push_back(torn_sentence(logs[end->log], end->at, states[end->log].end));
  for (auto i = end ? end->log + 1 : logs.size(); i < logs.size(); ++i)
    if (states[i].end > 0) sentences.push_back(torn_sentence(logs[i], 0, states[i].end));
  if (access == StoreFolder::Access::read_only) {
    if (end && end->is_followed)
      throw Unavailable(sentences.front() + ". It cannot be read before that: start agentbox once");
    return sentences;
  }
  for (auto i = logs.size(); i-- > 0;)  // the newest first: no write may ever follow a missing one
    truncate_log(logs[i], !end || i < end->log ? states[i].end : i == end->log ? end->at : 0);
  for (const auto& log : logs) sync_path(log);
  return sentences;
}

const fs::path& prepared(const fs::path& path, StoreFolder::Access access) {
  if (access == StoreFolder::Access::read_only) {
    if (!fs::exists(path / "CURRENT")) throw Unavailable("there is no store in " + path.string());
    return path;
  }
  std::error_code error;
  if (fs::create_directories(path, error); error)
    throw Unavailable("the folder " + path.string() + " cannot be made: " + error.message());
  return path;
}

}  // namespace

StoreFolder::StoreFolder(const fs::path& path, Access access)
    : path_(prepared(path, access)),
      lock_(path_, access == Access::write ? FolderLock::Kind::exclusive : FolderLock::Kind::shared) {
  try {
    if (access == Access::write) remove_incomplete();
    is_new_ = !fs::exists(path_ / "CURRENT");
    if (is_new_)
      refuse_incomplete();
    else
      refuse_without_log();
    torn_ = repair_logs(path_, access);
  } catch (const fs::filesystem_error& error) {
    throw Unavailable("the store in " + path_.string() + " cannot be read: " + error.code().message());
  }
}

void StoreFolder::remove_incomplete() const {
  if (!fs::exists(path_ / creating_file)) return;
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path().filename() != lock_file && entry.path().filename() != creating_file) fs::remove_all(entry.path());
}

// Without CURRENT, RocksDB would take the folder for empty and delete its files.
void StoreFolder::refuse_incomplete() const {
  for (const auto& entry : fs::directory_iterator(path_)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("MANIFEST-") || name.ends_with(".sst") || name.ends_with(".log"))
      throw Unavailable("the store in " + path_.string() + " is damaged: its file CURRENT is missing beside " + name +
                        ". Put it back, or restore the newest backup with `agentbox restore` into an empty folder");
  }
}

// RocksDB always has a log, even if it is empty, and takes a missing one for an empty one. Only a restored backup has
// none.
void StoreFolder::refuse_without_log() const {
  const auto is_log = [](const fs::directory_entry& entry) { return entry.path().extension() == ".log"; };
  if (std::any_of(fs::directory_iterator(path_), fs::directory_iterator(), is_log)) return;
  if (fs::exists(path_ / restored_file)) return;
  throw Unavailable("the store in " + path_.string() + " is damaged: its write-ahead log (a file *.log) is missing, " +
                    "and with it the newest changes. Put it back, or restore the newest backup with " +
                    "`agentbox restore` into an empty folder");
}

void StoreFolder::note_restored(const fs::path& folder) { make_empty(folder / restored_file); }

void StoreFolder::finish_restoring() const {
  std::error_code error;
  if (fs::remove(path_ / restored_file, error)) sync_path(path_);
}

void StoreFolder::begin_creation() { make_empty(path_ / creating_file); }

void StoreFolder::finish_creation() {
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.is_regular_file()) sync_path(entry.path());
  sync_path(path_);
  std::error_code error;
  if (fs::remove(path_ / creating_file, error); error) cannot(path_ / creating_file, error.value());
  sync_path(path_);
  sync_path(fs::absolute(path_).parent_path());
}

void sync_path(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) cannot(path, errno);
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  if (error != 0) cannot(path, error);
}

namespace {

// Of a log that may be appended to meanwhile: damage is still there when checked again, a write in progress is not.
LogState settled_state(const fs::path& log, std::optional<Sequence> next) {
  auto state = check_log(log, next);
  while (state.kind == LogState::Kind::damaged) {
    auto again = check_log(log, next);
    if (again.kind == state.kind && again.at == state.at) break;
    state = std::move(again);
  }
  return state;
}

}  // namespace

std::vector<Damage> damaged_logs(const fs::path& folder) {
  std::vector<Damage> found;
  std::optional<Sequence> next;
  std::uint64_t end = 0;  // of the log before
  fs::path before;
  for (const auto& log : logs_of(folder)) {
    try {
      const auto state = settled_state(log, next);
      if (next && state.first > next) found.push_back({sentence(before, lacking(end)), before.filename().string()});
      next = state.next;
      end = state.end;
      before = log;
      if (state.kind == LogState::Kind::damaged) found.push_back({sentence(log, state), log.filename().string()});
    } catch (const fs::filesystem_error& error) {
      next.reset();
      if (fs::exists(log))
        found.push_back({"a log cannot be read: " + error.code().message(), log.filename().string()});
    }
  }
  return found;
}

}  // namespace store
