#include "appliance/media/videos/videos.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fstream>
#include <set>
#include <system_error>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/descriptor.h"
#include "appliance/media/videos/composition.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/log.h"
#include "web/run_on.h"

namespace videos {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
using web::Result;
using web::Task;

const store::CounterName stored_bytes{"video_bytes"};
constexpr std::size_t max_listed = 1'000;

web::Error too_many(std::string message, std::int64_t current, std::int64_t limit) {
  web::Error error{.kind = web::Kind::too_many, .message = std::move(message)};
  error.extra["current"] = current;
  error.extra["limit"] = limit;
  return error;
}

web::Error storage_full(std::int64_t current, std::int64_t limit) {
  return too_many("Your storage for videos is full: delete some first.", current, limit);
}

// Makes what a confined program wrote the box's own, and gives it its name. Returns its size.
std::int64_t take_over(const fs::path& from, const fs::path& to) {
  const auto must = [&](bool is_good) {
    if (!is_good) throw std::system_error(errno, std::system_category(), "keep " + from.string());
  };
  files::Descriptor file(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  must(bool(file));
  struct stat info {};
  must(::fstat(file.get(), &info) == 0);
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1 || info.st_size == 0)
    throw std::runtime_error("the program made no regular file");
  must(::fchown(file.get(), ::geteuid(), ::getegid()) == 0);
  must(::fchmod(file.get(), 0600) == 0);
  must(::fsync(file.get()) == 0);
  fs::rename(from, to);
  files::Descriptor folder(::open(to.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  must(folder && ::fsync(folder.get()) == 0);
  return info.st_size;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::badbit | std::ios::failbit);
  std::string content(fs::file_size(path), '\0');
  file.read(content.data(), std::streamsize(content.size()));
  return content;
}

void make_private(const fs::path& folder) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
}

std::string file_name_of(std::string_view id) { return std::string(id) + ".mp4"; }

}  // namespace

struct Videos::Job {
  Job(Video given, Order given_order, JobBoard& board)
      : video(std::move(given)),
        order(std::move(given_order)),
        control([id = video.id, &board](unsigned percent) { board.set(id, percent, true); }) {}
  Video video;
  Order order;
  RenderControl control;
};

Videos::Videos(store::System system, boost::asio::io_context& home, boost::asio::thread_pool& blocking,
               VideoOptions options)
    : system_(std::move(system)),
      home_(home),
      blocking_(blocking),
      options_(std::move(options)),
      disk_(options_.folder.parent_path(), options_.disk_reserve),
      renderer_(home, blocking, options_.allow_private) {}

fs::path Videos::file_of(std::string_view id) const { return options_.folder / "videos" / file_name_of(id); }

std::string Videos::bucket_address_of(std::string_view id, store::Time now, std::chrono::seconds validity) const {
  return options_.bucket ? options_.bucket->address_of(file_name_of(id), now, validity) : std::string();
}

std::optional<Video> Videos::find(store::UserId owner, std::string_view id) const {
  auto row = system_.tenant(owner).get(videos, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::optional<Video> Videos::find(std::string_view id) const {
  auto row = system_.find_unique(videos, "video", id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Video> Videos::list(store::UserId owner) const {
  auto found = system_.tenant(owner).list(videos, store::Page{.limit = max_listed});
  std::ranges::stable_sort(found, std::ranges::greater(), &Video::created_at);
  return found;
}

Task<Result<Video>> Videos::order(NewVideo request) {
  auto order = parse_order(request.order);
  if (!order) co_return order.error();
  if (const auto able = check_renderer(); !able) co_return able.error();
  if (const auto room = disk_.admit(); !room) co_return room.error();
  const auto stored = system_.tenant(request.owner).counter(stored_bytes);
  if (stored >= options_.quota) co_return storage_full(stored, options_.quota);
  Video video{.owner = request.owner,
              .id = "vid_" + crypto::random_id(20),
              .agent = std::move(request.agent),
              .kind = order->kind,
              .title = order->title.empty() ? std::string(web::first_line(order->text)) : order->title,
              .order = std::move(request.order),
              .is_background = request.is_background,
              .error = {},
              .created_at = store::now()};
  co_return co_await web::run_on(home_, enqueue(std::move(video), std::move(*order)));
}

Task<Result<Video>> Videos::enqueue(Video video, Order order) {
  if (is_stopping_) co_return web::unavailable("The box is shutting down");
  const auto own = std::ranges::count_if(waiting_, [&](const auto& job) { return job->video.owner == video.owner; }) +
                   std::int64_t(running_.count(video.owner));
  if (own >= std::int64_t(jobs_per_user))
    co_return too_many("Your other videos have to be made first.", own, jobs_per_user);
  if (waiting_.size() >= jobs_waiting)
    co_return too_many("Too many videos are waiting to be made.", std::int64_t(waiting_.size()), jobs_waiting);
  const auto job = std::make_shared<Job>(video, std::move(order), board_);
  waiting_.push_back(job);  // it has its place while the record is written
  board_.set(video.id, 0, false);
  auto change = system_.change();
  change.insert(videos, video);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a random video id was taken");
  start_next();
  co_return video;
}

void Videos::start_next() {
  if (!is_started_) return;
  for (auto at = waiting_.begin(); at != waiting_.end() && running_.size() < jobs_at_once && !is_stopping_;) {
    if (running_.contains((*at)->video.owner)) {
      ++at;
      continue;
    }
    const auto job = *at;
    at = waiting_.erase(at);
    running_[job->video.owner] = job;
    boost::asio::co_spawn(home_, run(job), boost::asio::detached);
  }
}

Task<> Videos::run(std::shared_ptr<Job> job) {
  Ending ending;
  try {
    ending = co_await make(*job);
  } catch (const std::exception& error) {
    ending.error = web::internal("The video could not be made.", error.what());
  }
  try {
    co_await finish(*job, std::move(ending));
  } catch (const std::exception& error) {
    web::log::error("video_not_recorded", {{"video", job->video.id}, {"reason", std::string(error.what())}});
  }
  running_.erase(job->video.owner);
  board_.remove(job->video.id);
  start_next();
}

Task<Videos::Ending> Videos::make(Job& job) {
  const auto folder = options_.folder / "work" / job.video.id;
  job.control.report(1);
  const auto prepare = [&] { make_private(folder); };
  co_await web::offload(blocking_, prepare);
  web::Timer deadline(co_await boost::asio::this_coro::executor, longest_rendering);
  bool is_late = false;
  deadline.async_wait([&job, &is_late](const boost::system::error_code& error) {
    if (error) return;
    is_late = true;
    job.control.cancel();
  });
  Ending ending;
  auto length = co_await renderer_.render(job.order, folder, job.control);
  // A handler that is queued already still refers to this frame.
  if (deadline.cancel() == 0)
    while (!is_late) co_await boost::asio::post(home_, web::use_task);
  if (length) {
    job.video.bytes = co_await keep_file(job.video.id);
    auto moved = web::Result<void>();
    if (options_.bucket) moved = co_await move_to_bucket(job.video.id);
    job.video.is_in_bucket = options_.bucket && moved;
    ending.length = *length;
    ending.is_done = bool(moved);
    if (!moved) ending.error = moved.error();
  } else {
    ending.error = is_late ? web::internal("The video took longer than five minutes to make.") : length.error();
  }
  const auto tidy = [&] {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  };
  co_await web::offload(blocking_, tidy);
  co_return ending;
}

Task<std::int64_t> Videos::keep_file(std::string id) {
  const auto keep = [&] { return take_over(options_.folder / "work" / id / result_file, file_of(id)); };
  co_return co_await web::offload(blocking_, keep);
}

Task<Result<void>> Videos::move_to_bucket(std::string id) {
  const auto file = file_of(id);
  const auto read = [&] { return content_of(file); };
  auto content = co_await web::offload(blocking_, read);
  auto stored = co_await options_.bucket->put(file_name_of(id), std::move(content), "video/mp4");
  if (!stored) co_return stored.error();
  const auto remove = [&] { fs::remove(file); };
  co_await web::offload(blocking_, remove);
  co_return Result<void>();
}

// Deletes what a video has left; it may be nothing.
Task<Result<void>> Videos::discard(Video video) {
  if (video.is_in_bucket && options_.bucket) {
    const auto removed = co_await options_.bucket->remove(file_name_of(video.id));
    if (!removed) co_return removed.error();
  }
  const auto remove_file = [&] {
    std::error_code ignored;
    fs::remove(file_of(video.id), ignored);
  };
  co_await web::offload(blocking_, remove_file);
  co_return Result<void>();
}

Task<> Videos::finish(Job& job, Ending ending) {
  const auto& id = job.video.id;
  const auto owner = job.video.owner;
  bool is_stored = false;
  for (;;) {
    auto row = system_.get(videos, owner, id);
    if (!row) break;  // removed meanwhile
    if (!ending.is_done && ending.error.kind == web::Kind::abandoned && is_stopping_ && row->value.is_background) break;
    row->value.status = ending.is_done ? Status::done : Status::failed;
    row->value.error = ending.error.message;
    row->value.bytes = ending.is_done ? job.video.bytes : 0;
    row->value.seconds = std::llround(ending.length.count());
    row->value.is_in_bucket = ending.is_done && job.video.is_in_bucket;
    row->value.order.clear();
    row->value.finished_at = store::now();
    auto change = system_.change();
    change.update(videos, *row);
    if (ending.is_done) change.add(owner, stored_bytes, job.video.bytes, options_.quota);
    const auto outcome = co_await change.commit();
    if (outcome.kind == store::Outcome::Kind::over_bound) {
      ending = {.error = storage_full(system_.counter(owner, stored_bytes), options_.quota)};
      continue;
    }
    if (!outcome.ok()) continue;
    is_stored = ending.is_done;
    break;
  }
  if (!is_stored) {
    const auto discarded = co_await discard(job.video);
    if (!discarded) web::log::warning("video_left_in_bucket", {{"video", id}, {"reason", discarded.error().message}});
  }
  if (!ending.is_done) {
    const bool is_awaited = !job.video.is_background && ending.error.kind != web::Kind::abandoned;
    if (is_awaited) failures_[id] = ending.error;
    web::log::info("video_failed", {{"video", id}, {"reason", ending.error.message}, {"detail", ending.error.detail}});
  } else {
    web::log::info("video_made", {{"video", id}, {"bytes", job.video.bytes}});
  }
}

Task<Result<Video>> Videos::wait(Video video) {
  const auto deadline = std::chrono::steady_clock::now() + longest_rendering;
  for (;;) {
    const auto progress = board_.find(video.id);
    if (!progress) break;
    const bool goes_on = co_await board_.wait(video.id, progress->version, deadline);
    if (goes_on) continue;
    co_await web::run_on(home_, cancel(video.id));
    if (std::chrono::steady_clock::now() < deadline)
      co_return web::Error{.kind = web::Kind::abandoned, .message = "The client disconnected"};
    co_return web::internal("The video took longer than five minutes to make.");
  }
  const auto take_failure = [this](std::string id) -> Task<std::optional<web::Error>> {
    const auto found = failures_.find(id);
    if (found == failures_.end()) co_return std::nullopt;
    auto error = std::move(found->second);
    failures_.erase(found);
    co_return error;
  };
  if (auto failure = co_await web::run_on(home_, take_failure(video.id))) co_return std::move(*failure);
  auto made = find(video.owner, video.id);
  if (!made || made->status != Status::done) co_return web::internal("The video could not be made.");
  co_return std::move(*made);
}

Task<> Videos::cancel(std::string id) {
  std::optional<store::UserId> owner;
  const auto queued = std::ranges::find_if(waiting_, [&](const auto& job) { return job->video.id == id; });
  if (queued != waiting_.end()) {
    owner = (*queued)->video.owner;
    waiting_.erase(queued);
    board_.remove(id);
  }
  for (const auto& [user, job] : running_) {
    if (job->video.id != id) continue;
    owner = user;
    job->control.cancel();
  }
  if (!owner) co_return;
  const auto row = system_.get(videos, *owner, id);
  if (!row || row->value.status == Status::done) co_return;
  auto change = system_.change();
  change.erase(videos, *row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) web::log::info("video_ended_meanwhile", {{"video", id}});
}

Task<Result<void>> Videos::remove(store::UserId owner, std::string id) {
  if (!find(owner, id)) co_return web::not_found("No such video");
  co_await web::run_on(home_, cancel(id));
  auto made = find(owner, id);
  if (!made) co_return Result<void>();
  const auto discarded = co_await discard(std::move(*made));
  if (!discarded) co_return discarded.error();
  const auto step = [&](store::Change& change) {
    const auto row = system_.get(videos, owner, id);
    if (!row) return false;
    change.erase(videos, *row);
    if (row->value.status == Status::done) change.add(owner, stored_bytes, -row->value.bytes);
    return true;
  };
  co_await store::transact(system_, step);
  co_return Result<void>();
}

Task<> Videos::clean_up() {
  std::set<std::string> kept;
  std::vector<Video> unfinished;
  const auto is_new = [&](const Video& video) {
    return std::ranges::any_of(waiting_, [&](const auto& job) { return job->video.id == video.id; });
  };
  system_.each(videos, [&](const Video& video) {
    if (is_new(video)) return true;
    if (video.status == Status::done && !video.is_in_bucket) kept.insert(file_name_of(video.id));
    if (video.status == Status::queued) unfinished.push_back(video);
    return true;
  });
  const auto tidy = [&] {
    std::error_code ignored;
    fs::remove_all(options_.folder / "work", ignored);
    make_private(options_.folder / "work");
    make_private(options_.folder / "videos");
    for (const auto& entry : fs::directory_iterator(options_.folder / "videos"))
      if (!kept.contains(entry.path().filename().string())) fs::remove(entry.path(), ignored);
  };
  co_await web::offload(blocking_, tidy);
  std::ranges::stable_sort(unfinished, {}, &Video::created_at);
  for (auto& video : unfinished) {
    const auto order = video.is_background ? parse_order(video.order) : web::internal("");
    if (order) {
      board_.set(video.id, 0, false);
      waiting_.push_back(std::make_shared<Job>(std::move(video), *order, board_));
      continue;
    }
    co_await system_.modify(videos, video.owner, video.id, [](Video& one) {
      one.status = Status::failed;
      one.error = "The box was restarted meanwhile.";
      one.order.clear();
      one.finished_at = store::now();
    });
  }
}

Task<> Videos::start() {
  co_await clean_up();
  is_started_ = true;
  start_next();
}

Task<> Videos::stop() {
  is_stopping_ = true;
  waiting_.clear();
  for (const auto& [user, job] : running_) job->control.cancel();
  while (!running_.empty()) co_await web::sleep_for(20ms);
}

}  // namespace videos
