#include "appliance/files/explorer/explorer.h"

namespace explorer {

namespace {

// A push may occupy a thread for the whole remote time.
constexpr std::size_t threads = 4, max_in_progress = 64, max_watches = 32;

struct InProgress {
  std::shared_ptr<std::atomic<std::size_t>> count;
  ~InProgress() { count->fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace

Explorer::Explorer(Options options, FindWorkspace find_workspace)
    : root_(std::filesystem::absolute(options.root).lexically_normal()),
      hides_(options.hides),
      makes_workspaces_(options.makes_workspaces),
      find_workspace_(std::move(find_workspace)),
      repositories_(std::move(options.author), std::move(options.find_credential), options.remote_time),
      threads_(threads) {}

Explorer::~Explorer() {
  repositories_.cancel_remotes();
  threads_.stop();
  threads_.join();
}

web::Result<Place> Explorer::place_of(const Agent& agent) const {
  if (!agent) return Place{.folder = root_};
  auto folder = find_workspace_(*agent);
  if (!folder) return web::not_found("Agent not found");
  return Place{.folder = std::move(*folder), .is_workspace = true, .hides = hides_};
}

template <class Work>
web::Task<std::invoke_result_t<Work, const Place&>> Explorer::at(const Agent& agent, Work work) {
  const bool is_full = in_progress_->fetch_add(1, std::memory_order_relaxed) >= max_in_progress;
  const InProgress counted{in_progress_};
  if (is_full) {
    co_return web::Error{.kind = web::Kind::too_many,
                         .message = "The file explorer is busy, please try again in a moment."};
  }
  const auto place = place_of(agent);
  if (!place) co_return place.error();
  const auto visit = [&]() -> std::invoke_result_t<Work, const Place&> {
    std::error_code error;
    if (place->is_workspace && !std::filesystem::is_directory(place->folder, error)) {
      if (!makes_workspaces_) return web::not_found("The agent has no workspace yet");
      std::filesystem::create_directories(place->folder);
    }
    return work(*place);
  };
  co_return co_await web::offload(threads_, visit);
}

web::Task<web::Result<Tree>> Explorer::tree(Agent agent, std::string path, int depth) {
  const auto work = [&](const Place& place) { return explorer::tree(place, path, depth); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<File>> Explorer::read(Agent agent, std::string path) {
  const auto work = [&](const Place& place) { return explorer::read(place, path); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<std::string>> Explorer::write(Agent agent, std::string path, std::string content) {
  const auto work = [&](const Place& place) { return explorer::write(place, path, content); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<Moved>> Explorer::move(Agent agent, std::string from, std::string to, bool overwrite) {
  const auto work = [&](const Place& place) { return explorer::move(place, from, to, overwrite); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<std::string>> Explorer::remove(Agent agent, std::string path) {
  const auto work = [&](const Place& place) { return explorer::remove(place, path); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<std::string>> Explorer::make_folder(Agent agent, std::string path) {
  const auto work = [&](const Place& place) { return explorer::make_folder(place, path); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<SearchResult>> Explorer::search(Agent agent, TextQuery query) {
  const auto work = [&](const Place& place) { return explorer::search(place, query); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<Raw>> Explorer::open_raw(Agent agent, std::string path) {
  const auto work = [&](const Place& place) { return explorer::open_raw(place, path); };
  co_return co_await at(agent, work);
}

web::Task<std::string> Explorer::piece(const files::Descriptor& file, std::uint64_t offset, std::size_t size) {
  const auto work = [&] { return read_piece(file, offset, size); };
  co_return co_await web::offload(threads_, work);
}

web::Task<web::Result<std::shared_ptr<Explorer::CountedWatch>>> Explorer::watch(Agent agent, std::string path) {
  const auto work = [&](const Place& place) -> web::Result<std::shared_ptr<CountedWatch>> {
    if (watching_->fetch_add(1, std::memory_order_relaxed) >= max_watches) {
      watching_->fetch_sub(1, std::memory_order_relaxed);
      return web::Error{.kind = web::Kind::too_many, .message = "32 watches are open already, please close one."};
    }
    auto opened = Watch::open(place, path, {});
    if (opened) return std::make_shared<CountedWatch>(std::move(*opened), watching_);
    watching_->fetch_sub(1, std::memory_order_relaxed);
    return opened.error();
  };
  co_return co_await at(agent, work);
}

web::Task<Changes> Explorer::take(Watch& watch) {
  const auto work = [&] { return watch.take(); };
  co_return co_await web::offload(threads_, work);
}

web::Task<web::Result<std::optional<Status>>> Explorer::status(Agent agent) {
  const auto work = [&](const Place& place) { return repositories_.status(place); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<Diffs>> Explorer::diff(Agent agent, std::string path) {
  const auto work = [&](const Place& place) { return repositories_.diff(place, path); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<std::vector<git::Commit>>> Explorer::log(Agent agent, std::size_t limit) {
  const auto work = [&](const Place& place) { return repositories_.log(place, limit); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<git::ShownCommit>> Explorer::show(Agent agent, std::string revision, std::string path) {
  const auto work = [&](const Place& place) { return repositories_.show(place, revision, path); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<SyncResult>> Explorer::sync(Agent agent, std::string message) {
  const auto work = [&](const Place& place) { return repositories_.sync(place, message); };
  co_return co_await at(agent, work);
}

web::Task<web::Result<CommitResult>> Explorer::commit(Agent agent, std::string message, git::Identity author) {
  const auto work = [&](const Place& place) { return repositories_.commit(place, message, author); };
  co_return co_await at(agent, work);
}

}  // namespace explorer
