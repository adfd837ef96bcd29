#include "appliance/media/local/stream_server.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <charconv>
#include <fstream>

#include "appliance/foundation/crypto/random.h"
#include "appliance/media/local/segments.h"
#include "appliance/media/local/server_config.h"
#include "appliance/media/programs/programs.h"
#include "web/log.h"
#include "web/run_on.h"

namespace local {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using web::Result;
using web::Task;

constexpr auto first_pause = 100ms, longest_pause = 5'000ms, well_behaved = 5'000ms;
constexpr auto as_tuple = boost::asio::as_tuple(web::use_task);
constexpr std::uint64_t memory_mb = 512, largest_file_mb = 4'096;

template <class Number>
std::optional<Number> value_of(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  Number value{};
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

StreamServer::StreamServer(boost::asio::io_context& home, boost::asio::thread_pool& blocking, Local& local,
                           streams::Streams& streams, stream_webhooks::Assets& assets, ServerOptions options)
    : home_(home),
      blocking_(blocking),
      local_(local),
      streams_(streams),
      assets_(assets),
      options_(std::move(options)),
      disk_(options_.folder.parent_path().parent_path(), options_.disk_reserve),
      secret_(crypto::random_token()),
      pause_(home.get_executor()),
      ended_(home.get_executor(), steady_clock::time_point::max()) {}

StreamServer::~StreamServer() = default;

fs::path StreamServer::segments() const { return options_.folder / hls_folder; }

void StreamServer::prepare_folder(const std::string& callback_base) const {
  fs::create_directories(options_.folder);
  fs::permissions(options_.folder, fs::perms::owner_all);
  fs::remove_all(segments());
  fs::create_directories(segments());
  fs::create_directories(options_.folder / recordings_folder);
  const auto file = options_.folder / "nginx.conf";
  fs::remove(file);
  std::ofstream(file) << write_server_config({.module = programs::find_rtmp_module()->string(),
                                              .listen = options_.listen,
                                              .callback_url = callback_base + "/api/stream-callbacks/" + secret_,
                                              .records = options_.records});
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

Task<> StreamServer::start(std::string callback_base) {
  if (const auto able = check_server(); !able) {
    web::log::warning("stream_server_missing", {{"reason", able.error().message}});
    co_return;
  }
  is_supervising_ = true;
  boost::asio::co_spawn(home_, supervise(std::move(callback_base)), boost::asio::detached);
}

Task<> StreamServer::supervise(std::string callback_base) {
  std::chrono::milliseconds wait = first_pause;
  while (!is_stopping_) {
    const auto started = steady_clock::now();
    try {
      co_await run_once(callback_base);
    } catch (const std::exception& error) {
      web::log::error("stream_server_failed", {{"reason", std::string(error.what())}});
    }
    if (is_stopping_) break;
    if (steady_clock::now() - started >= well_behaved) wait = first_pause;
    pause_.expires_after(wait);
    co_await pause_.async_wait(as_tuple);
    wait = std::min<std::chrono::milliseconds>(wait * 2, longest_pause);
  }
  is_supervising_ = false;
  ended_.cancel();
}

Task<> StreamServer::run_once(std::string callback_base) {
  const auto prepare = [&] { prepare_folder(callback_base); };
  co_await web::offload(blocking_, prepare);
  if (is_stopping_) co_return;
  const auto path = programs::find("nginx");
  if (!path) throw std::runtime_error("nginx is not installed any more");
  child_ = std::make_unique<programs::Child>(
      home_, programs::Plan{
                 .command = {path->string(), "-p", ".", "-c", "nginx.conf", "-e", "stderr"},
                 .folder = options_.folder,
                 .user = programs::User::stream_server,
                 .has_network = true,
                 .memory_mb = memory_mb,
                 .file_mb = largest_file_mb,
             });
  web::log::info("stream_server_started", {{"listen", options_.listen}});
  const auto end = co_await child_->wait();
  const std::string words = child_->last_words();
  child_.reset();
  co_await all_off_air();
  if (!is_stopping_) web::log::warning("stream_server_ended", {{"how", end.text()}, {"said", words}});
}

Task<> StreamServer::set_live(std::string stream, bool is_live) {
  streams::Report report{.stream = std::move(stream), .is_live = is_live, .at = store::now(), .event = {}};
  co_await streams_.report(std::move(report));
}

Task<> StreamServer::all_off_air() {
  for (auto& stream : local_.live.clear()) co_await set_live(std::move(stream), false);
}

Task<> StreamServer::stop() {
  is_stopping_ = true;
  pause_.cancel();
  if (child_) child_->kill();
  while (is_supervising_) co_await ended_.async_wait(as_tuple);
}

Task<Result<void>> StreamServer::begin(std::string playback_id, std::string key) {
  const auto stream = streams_.with_playback_id(playback_id);
  if (!stream || stream->provider != local_.name() || !crypto::constant_time_equal(stream->key.clear, key))
    co_return web::forbidden("The stream has another key");
  if (auto room = disk_.admit(); !room) co_return room;
  if (!local_.live.add(stream->id, std::move(key))) co_return web::forbidden("The stream is on air already");
  co_await set_live(stream->id, true);
  co_return Result<void>();
}

bool StreamServer::may_go_on(std::string_view playback_id) const {
  const auto stream = streams_.with_playback_id(playback_id);
  return stream && local_.live.contains(stream->id) && disk_.admit();
}

Task<> StreamServer::end(std::string playback_id, std::string key) {
  const auto stream = streams_.with_playback_id(playback_id);
  if (!stream || !local_.live.remove(stream->id, key)) co_return;
  co_await set_live(stream->id, false);
}

Task<stream_webhooks::AssetFacts> StreamServer::facts_of(std::string file) {
  stream_webhooks::AssetFacts facts;
  const auto path = programs::find("ffprobe");
  if (!path) co_return facts;
  programs::Child child(home_, programs::Plan{.command = {path->string(), "-v", "error", "-f", "flv", "-show_entries",
                                                          "format=duration:stream=codec_type,height,width", "-of",
                                                          "default=nw=1", std::string(recordings_folder) + "/" + file},
                                              .folder = options_.folder,
                                              .log = "ffprobe.log",
                                              .user = programs::User::stream_server,
                                              .memory_mb = 1'024,
                                              .processor_time = 60s});
  std::optional<int> width, height;
  while (const auto line = co_await child.next_line()) {
    if (const auto seconds = value_of<double>(*line, "duration=")) facts.duration = seconds;
    if (const auto lines = value_of<int>(*line, "height=")) height = lines;
    if (const auto columns = value_of<int>(*line, "width=")) width = columns;
  }
  const auto end = co_await child.wait();
  if (!end.is_success()) web::log::warning("recording_not_probed", {{"file", file}, {"said", child.last_words()}});
  // A recording without a picture has no lines.
  if (end.is_success()) facts.height = height && width ? std::min(*height, *width) : height.value_or(0);
  co_return facts;
}

Task<> StreamServer::recorded(std::string playback_id, std::string file) {
  const auto stream = streams_.with_playback_id(playback_id);
  file.erase(0, file.rfind('/') + 1);
  if (!stream || file.empty() || file.front() == '.') co_return;
  const auto facts = co_await web::run_on(home_, facts_of(file));
  const bool is_new = co_await assets_.ready(file, stream->id, facts, std::nullopt);
  if (!is_new) web::log::info("recording_known", {{"file", file}});
}

Task<> StreamServer::tidy() {
  const auto tidy = [&] { tidy_segments(segments(), options_.segment_bytes); };
  co_await web::offload(blocking_, tidy);
}

}  // namespace local
