// Points before the owner's turns: noted, gone back to, and written down for clones.
#include <system_error>

#include "appliance/agent/loop.h"
#include "appliance/agent/workspace_path.h"
#include "web/log.h"

namespace agent_process {

namespace {

constexpr std::size_t max_rewound_files = 1'000;
constexpr std::chrono::seconds rewind_wait{60};  // for a turn that runs

// The box fetches them at once, or never.
void remove_old_forks(const std::filesystem::path& folder) {
  const auto limit = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(10);
  std::error_code failed;
  std::vector<std::filesystem::path> old;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->last_write_time(failed) < limit) old.push_back(at->path());
  for (const auto& path : old) std::filesystem::remove_all(path, failed);
}

web::Error no_point() {
  return web::not_found("The agent keeps no point for this message: it is too old, or not the owner's.");
}

web::Error other_file() { return web::conflict("The conversation of this message has begun a new file since."); }

}  // namespace

// A turn without a point is better than none: a repository may refuse commits.
void Loop::note_point(const Turn& turn) const {
  if (!journal_ || turn.prompt.message.empty()) return;
  try {
    repository_.commit_all("Files before a turn");
    journal_->add({.message = turn.prompt.message,
                   .conversation = turn.prompt.conversation,
                   .commit = repository_.head(),
                   .position = turn.conversation->position()});
  } catch (const std::exception& error) {
    web::log::warning("turn_without_point", {{"reason", std::string(error.what())}});
  }
}

// The journal is cut last, so that going back can be repeated after a crash.
web::Result<Rewound> Loop::go_back(const std::string& message, bool preview) {
  const auto point = journal_ ? journal_->find(message) : std::nullopt;
  if (!point) return no_point();
  const auto conversation = conversations_.open(point->conversation);
  if (conversation->position() < point->position) return other_file();
  if (!preview) repository_.commit_all("Files before going back");
  Rewound rewound{.files = repository_.changed_since(point->commit, max_rewound_files),
                  .turns = journal_->since(message).size()};
  std::erase_if(rewound.files, [](const std::string& path) { return path.starts_with(state_folder); });
  if (preview) return rewound;
  repository_.restore(point->commit);
  repository_.commit_all("Go back to before a turn");
  memory_.reload();
  conversation->cut(point->position);
  journal_->cut(message);
  return rewound;
}

web::Task<web::Result<Rewound>> Loop::rewind(std::string message, bool preview) {
  const auto lock = co_await turns_.lock(std::chrono::steady_clock::now() + rewind_wait);
  if (!lock) co_return lock.error();
  const auto work = [&] { return go_back(message, preview); };
  std::string failure;
  try {
    co_return co_await web::offload(files_, work);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  co_return web::conflict("The agent could not go back: " + failure + ".");
}

web::Result<void> Loop::write_fork(const std::string& message, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const auto point = journal_ ? journal_->find(message) : std::nullopt;
  if (!point) return no_point();
  const auto conversation = conversations_.open(point->conversation);
  if (conversation->position() < point->position) return other_file();
  remove_old_forks(options_.forks_folder);
  fs::create_directories(folder);
  repository_.write_files(point->commit, folder);
  // Of the state, memory alone: earlier versions committed more of it.
  const auto state = folder / state_folder;
  if (!fs::is_directory(fs::symlink_status(state))) fs::remove(state);
  fs::create_directories(state);
  for (const auto& entry : fs::directory_iterator(state))
    if (entry.path().filename() != memory_file || !fs::is_regular_file(entry.symlink_status())) fs::remove_all(entry);
  conversation->copy_to(state / conversation_file, point->position);
  return {};
}

web::Task<web::Result<void>> Loop::fork(std::string message, std::string name) {
  if (options_.forks_folder.empty()) co_return web::conflict("This agent makes no forks.");
  if (!is_conversation_name(name)) co_return web::invalid("name is not valid");
  const auto lock = co_await turns_.lock(std::chrono::steady_clock::now() + rewind_wait);
  if (!lock) co_return lock.error();
  const auto work = [&] { return write_fork(message, options_.forks_folder / name); };
  std::string failure;
  try {
    co_return co_await web::offload(files_, work);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  co_return web::conflict("The agent could not write the point down: " + failure + ".");
}

}  // namespace agent_process
