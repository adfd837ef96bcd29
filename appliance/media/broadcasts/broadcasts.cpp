#include "appliance/media/broadcasts/broadcasts.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/url/parse.hpp>
#include <system_error>

#include "appliance/files/explorer/raw.h"
#include "appliance/files/root.h"
#include "appliance/media/programs/programs.h"
#include "appliance/media/videos/screenplay.h"
#include "appliance/media/videos/subtitles.h"
#include "web/client/outbound.h"
#include "web/log.h"
#include "web/run_on.h"
#include "web/uri.h"

namespace broadcasts {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
using web::Result;
using web::Task;

constexpr std::uint64_t max_file_bytes = 64u << 20;
constexpr std::string_view longest_broadcast = "3600";  // seconds
constexpr std::uint64_t memory_mb = 1'024, file_mb = 128;
constexpr std::size_t max_remembered = 1'000;

constexpr std::string_view text_file = "text.txt", spoken_file = "spoken.wav", given_file = "given",
                           sound_file = "sound.aac", title_file = "title.ass", key_file = "key.ffpreset";

void write_new(const fs::path& file, std::string_view content) {
  files::Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out || !files::write_all(out, content))
    throw std::system_error(errno, std::system_category(), "write " + file.string());
}

Result<void> check_programs(const Program& program) {
  if (!programs::find("ffmpeg"))
    return web::internal("Broadcasts need ffmpeg, which is not installed on this box: install the package ffmpeg");
  if (!program.text.empty() && !programs::find("espeak-ng"))
    return web::internal("Speaking needs espeak-ng, which is not installed on this box: install the package espeak-ng");
  return {};
}

// The sound alone, in one form: what an agent has written is decoded without a network.
std::vector<std::string> decoding(std::string_view file) {
  return {"-nostdin",
          "-hide_banner",
          "-loglevel",
          "error",
          "-protocol_whitelist",
          "file",
          "-i",
          std::string(file),
          "-map",
          "0:a:0",
          "-vn",
          "-t",
          std::string(longest_broadcast),
          "-c:a",
          "aac",
          "-b:a",
          "160k",
          "-ar",
          "48000",
          "-ac",
          "2",
          "-f",
          "adts",
          "-y",
          std::string(sound_file)};
}

// The key is in a file, since other processes can see arguments.
std::vector<std::string> sending(const std::string& server) {
  return {"-nostdin",
          "-hide_banner",
          "-loglevel",
          "error",
          "-re",
          "-f",
          "aac",
          "-i",
          std::string(sound_file),
          "-f",
          "lavfi",
          "-i",
          "color=c=0x0d1526:s=1280x720:r=10",
          "-filter_complex",
          "[1:v]ass=" + std::string(title_file) + ",format=yuv420p[v]",
          "-map",
          "[v]",
          "-map",
          "0:a",
          "-c:v",
          "libx264",
          "-preset",
          "ultrafast",
          "-tune",
          "stillimage",
          "-g",
          "20",
          "-b:v",
          "400k",
          "-threads",
          "1",
          "-c:a",
          "copy",
          "-shortest",
          "-fpre",
          std::string(key_file),
          "-f",
          "flv",
          server};
}

std::string title_script(const std::string& title) {
  std::vector<videos::Scene> scenes{{.label = "On air", .title = title, .text = {}, .narration = {}}};
  scenes.front().length = videos::Seconds(4'000);
  return videos::subtitles_of(scenes);
}

// ffmpeg connects by itself: the policy is asked here, the call is counted, its bytes are not.
Result<web::Outbound::Passage> passage_to(const std::string& server, const std::string& agent) {
  constexpr std::uint16_t rtmp = 1935, rtmps = 443;
  const auto url = web::parse_uri(server);
  if (!url || url->host().empty()) return web::internal("The stream server's address is not known", server);
  const web::CallOrigin origin{.part = "broadcasts", .agent = agent};
  const auto usual = url->scheme() == "rtmps" ? rtmps : rtmp;
  return web::outbound().admit(origin, std::string(url->host()), url->has_port() ? url->port_number() : usual);
}

}  // namespace

struct Broadcasts::OnAir {
  std::string agent, title, text, language, key, server;
  std::string sound;  // the bytes of a file of the workspace
  fs::path folder;
  Broadcast broadcast;
  programs::Child* running = nullptr;
  bool is_cancelled = false;

  bool has_ended() const { return broadcast.state == State::ended || broadcast.state == State::failed; }
};

Broadcasts::Broadcasts(boost::asio::io_context& home, boost::asio::thread_pool& blocking, streams::Streams& streams,
                       WorkspaceOf workspace_of, fs::path folder)
    : home_(home),
      blocking_(blocking),
      streams_(streams),
      workspace_of_(std::move(workspace_of)),
      folder_(std::move(folder)) {}

Broadcasts::~Broadcasts() = default;

std::size_t Broadcasts::count_running() const {
  return std::size_t(std::ranges::count_if(on_air_, [](const auto& one) { return !one.second->has_ended(); }));
}

Task<Result<std::string>> Broadcasts::sound_of(std::string agent, std::string file) {
  const auto workspace = workspace_of_(agent);
  if (!workspace) co_return web::not_found("No such agent");
  const explorer::Place place{.folder = *workspace, .is_workspace = true};
  const auto read = [&]() -> Result<std::string> {
    const auto raw = explorer::open_raw(place, file);
    if (!raw) return web::invalid("file is not in the workspace");
    if (raw->size > max_file_bytes) return web::invalid("file must not be larger than 64 MB");
    return explorer::read_piece(raw->file, 0, raw->size);
  };
  co_return co_await web::offload(blocking_, read);
}

Task<Result<streams::Stream>> Broadcasts::start(agents::Agent agent, Program program) {
  if (const auto able = check_programs(program); !able) co_return able.error();
  const auto provider = streams_.provider();
  if (!provider) co_return provider.error();
  std::string sound;
  if (program.text.empty()) {
    auto read = co_await sound_of(agent.id, program.file);
    if (!read) co_return read.error();
    sound = std::move(*read);
  }
  const auto stream = co_await streams_.provide(agent.owner, agent.id, agent.name, agent.plan);
  if (!stream)
    co_return web::Error{.kind = web::Kind::payment_required, .message = "The agent's plan has no live streams"};
  if (program.title.empty()) program.title = agent.name;
  const auto begun = co_await web::run_on(home_, begin(agent.id, std::move(program), *stream, std::move(sound)));
  if (!begun) co_return begun.error();
  co_return *stream;
}

Task<Result<void>> Broadcasts::begin(std::string agent, Program program, streams::Stream stream, std::string sound) {
  if (is_stopping_) co_return web::unavailable("The box is shutting down");
  const auto known = on_air_.find(agent);
  if (known != on_air_.end() && !known->second->has_ended()) co_return web::conflict("The agent is on air already");
  if (count_running() >= broadcasts_at_once)
    co_return web::Error{.kind = web::Kind::too_many,
                         .message = "As many agents are on air as the box can send at once"};
  if (on_air_.size() >= max_remembered) std::erase_if(on_air_, [](const auto& one) { return one.second->has_ended(); });
  const auto provider = streams_.provider();
  if (!provider) co_return provider.error();
  const auto one = std::make_shared<OnAir>();
  one->agent = agent;
  one->title = std::move(program.title);
  one->text = std::move(program.text);
  one->language = std::move(program.language);
  one->sound = std::move(sound);
  one->key = stream.key.clear;
  one->server = (*provider)->rtmp_url();
  one->folder = folder_ / agent;
  one->broadcast.since = store::now();
  on_air_[agent] = one;
  boost::asio::co_spawn(home_, run(one), boost::asio::detached);
  co_return Result<void>();
}

Task<> Broadcasts::run(std::shared_ptr<OnAir> one) {
  Result<void> outcome;
  try {
    outcome = co_await perform(*one);
  } catch (const std::exception& error) {
    outcome = web::internal("The broadcast failed.", error.what());
  }
  const auto tidy = [&] {
    std::error_code ignored;
    fs::remove_all(one->folder, ignored);
  };
  co_await web::offload(blocking_, tidy);
  one->broadcast.state = outcome || one->is_cancelled ? State::ended : State::failed;
  if (outcome || one->is_cancelled) co_return;
  one->broadcast.error = outcome.error().message;
  web::log::warning("broadcast_failed",
                    {{"agent", one->agent}, {"reason", outcome.error().message}, {"detail", outcome.error().detail}});
}

Task<Result<void>> Broadcasts::perform(OnAir& one) {
  const auto prepare = [&] {
    fs::remove_all(one.folder);
    fs::create_directories(one.folder);
    fs::permissions(one.folder, fs::perms::owner_all);
    write_new(one.folder / title_file, title_script(one.title));
    write_new(one.folder / key_file, "rtmp_playpath=" + one.key + "\n");
    if (one.text.empty()) {
      write_new(one.folder / given_file, one.sound);
    } else {
      write_new(one.folder / text_file, one.text + "\n");
    }
    one.sound.clear();
  };
  co_await web::offload(blocking_, prepare);
  if (!one.text.empty()) {
    std::vector<std::string> speaking{
        "-v", one.language, "-s", "160", "-b", "1", "-f", std::string(text_file), "-w", std::string(spoken_file)};
    auto spoken = co_await run_program(one, "espeak-ng", std::move(speaking), false);
    if (!spoken) co_return spoken;
  }
  const auto sound_file = one.text.empty() ? given_file : spoken_file;
  auto decoded = co_await run_program(one, "ffmpeg", decoding(sound_file), false);
  if (!decoded) co_return decoded;
  one.broadcast.state = State::on_air;
  one.broadcast.since = store::now();
  const auto passage = passage_to(one.server, one.agent);
  if (!passage) co_return passage.error();
  co_return co_await run_program(one, "ffmpeg", sending(one.server), true);
}

Task<Result<void>> Broadcasts::run_program(OnAir& one, std::string name, std::vector<std::string> arguments,
                                           bool has_network) {
  if (one.is_cancelled) co_return web::conflict("The broadcast was ended");
  const auto path = programs::find(name);
  if (!path) co_return web::internal(name + " is not installed on this box");
  arguments.insert(arguments.begin(), path->string());
  programs::Child child(home_, programs::Plan{.command = std::move(arguments),
                                              .folder = one.folder,
                                              .user = programs::User::broadcaster,
                                              .has_network = has_network,
                                              .memory_mb = memory_mb,
                                              .file_mb = file_mb,
                                              .processor_time = 3'600s});
  one.running = &child;
  const auto end = co_await child.wait();
  one.running = nullptr;
  if (end.is_success()) co_return Result<void>();
  const std::string said = child.last_words();
  if (said.find("voice does not exist") != std::string::npos) co_return web::invalid("language is not supported");
  co_return web::internal(
      has_network ? "The stream server refused the broadcast or broke off." : "The sound could not be decoded.",
      name + " ended with " + end.text() + ": " + said);
}

Task<bool> Broadcasts::cancel(std::string agent) {
  const auto found = on_air_.find(agent);
  if (found == on_air_.end() || found->second->has_ended()) co_return false;
  found->second->is_cancelled = true;
  if (found->second->running) found->second->running->kill();
  co_return true;
}

Task<std::optional<Broadcast>> Broadcasts::look_up(std::string agent) {
  const auto found = on_air_.find(agent);
  co_return found == on_air_.end() ? std::nullopt : std::optional(found->second->broadcast);
}

Task<bool> Broadcasts::end(std::string agent) { return web::run_on(home_, cancel(std::move(agent))); }

Task<std::optional<Broadcast>> Broadcasts::find(std::string agent) {
  return web::run_on(home_, look_up(std::move(agent)));
}

Task<> Broadcasts::start() {
  const auto tidy = [this] {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  };
  co_await web::offload(blocking_, tidy);
}

Task<> Broadcasts::stop() {
  is_stopping_ = true;
  for (const auto& [agent, one] : on_air_) co_await cancel(agent);
  while (count_running() > 0) co_await web::sleep_for(20ms);
}

}  // namespace broadcasts
