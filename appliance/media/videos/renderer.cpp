#include "appliance/media/videos/renderer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "appliance/files/root.h"
#include "appliance/media/programs/programs.h"
#include "appliance/media/videos/composition.h"
#include "appliance/media/videos/picture.h"
#include "appliance/media/videos/subtitles.h"

namespace videos {

namespace {

using namespace std::chrono_literals;
using web::Result;
using web::Task;

constexpr std::uint64_t memory_mb = 3'072, file_mb = 200;
constexpr auto processor_time = 600s;
constexpr unsigned after_narration = 10, nearly_done = 99;
constexpr std::size_t wav_head = 44;
constexpr std::string_view words_per_minute = "165";

web::Error cancelled() { return {.kind = web::Kind::abandoned, .message = "The video was cancelled"}; }

// The programs own the folder meanwhile, so an existing file may be a link that one of them made.
void write_new(const std::filesystem::path& file, std::string_view content) {
  files::Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out || !files::write_all(out, content))
    throw std::system_error(errno, std::system_category(), "write " + file.string());
}

// The length of a 16-bit mono WAV file, by its head and its size. Zero if it is something else.
Seconds length_of_wav(const std::filesystem::path& file) {
  files::Descriptor in(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  std::string head(wav_head, '\0');
  const bool is_read = in && ::fstat(in.get(), &info) == 0 && S_ISREG(info.st_mode) &&
                       ::pread(in.get(), head.data(), head.size(), 0) == ssize_t(head.size());
  if (!is_read || !head.starts_with("RIFF") || std::string_view(head).substr(8, 4) != "WAVE") return Seconds(0);
  std::uint32_t bytes_per_second = 0;
  for (std::size_t at = 4; at-- > 0;)
    bytes_per_second = (bytes_per_second << 8) | static_cast<unsigned char>(head[28 + at]);
  if (bytes_per_second == 0) return Seconds(0);
  return Seconds(double(std::size_t(info.st_size) - wav_head) / bytes_per_second);
}

// The microseconds of a line of ffmpeg's progress: out_time_us=1234567.
std::optional<Seconds> reached(std::string_view line) {
  constexpr std::string_view name = "out_time_us=";
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  std::int64_t microseconds = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), microseconds);
  if (error != std::errc()) return std::nullopt;
  return std::chrono::microseconds(microseconds);
}

}  // namespace

Result<void> check_renderer() {
  if (programs::find("ffmpeg")) return {};
  return web::internal("Videos need ffmpeg, which is not installed on this box: install the package ffmpeg");
}

Task<Result<void>> Renderer::run(std::string program, std::vector<std::string> arguments, std::filesystem::path folder,
                                 RenderControl& control, Seconds expected) {
  if (control.is_cancelled()) co_return cancelled();
  const auto path = programs::find(program);
  if (!path) co_return web::internal("Videos need " + program + ", which is not installed on this box");
  programs::Plan plan{.command = std::move(arguments),
                      .folder = std::move(folder),
                      .memory_mb = memory_mb,
                      .file_mb = file_mb,
                      .processor_time = processor_time};
  plan.command.insert(plan.command.begin(), path->string());
  programs::Child child(home_, plan);
  control.set_running(&child);
  for (;;) {
    const auto line = co_await child.next_line();
    if (!line) break;
    if (const auto time = reached(*line); time && expected.count() > 0) {
      const double part = std::clamp(*time / expected, 0.0, 1.0);
      control.report(std::min(nearly_done, after_narration + unsigned(part * (100 - after_narration))));
    }
  }
  const auto end = co_await child.wait();
  control.set_running(nullptr);
  if (control.is_cancelled()) co_return cancelled();
  if (end.is_success()) co_return Result<void>();
  co_return web::internal("The video could not be made.",
                          program + " ended with " + end.text() + ": " + child.last_words());
}

Task<Result<void>> Renderer::prepare_picture(std::string url, std::filesystem::path folder, RenderControl& control) {
  const auto picture = co_await fetch_picture(std::move(url), allow_private_);
  if (!picture) co_return picture.error();
  const auto write = [&] { write_new(folder / picture_file, picture->bytes); };
  co_await web::offload(blocking_, write);
  auto decoded = co_await run("ffmpeg", still_arguments(picture->demuxer), folder, control, Seconds(0));
  if (decoded || decoded.error().kind != web::Kind::internal) co_return decoded;
  auto error = web::invalid("imageUrl is a picture that cannot be decoded");
  error.detail = decoded.error().detail;
  co_return error;
}

Task<Result<void>> Renderer::narrate(std::vector<Scene>& scenes, std::string language, std::filesystem::path folder,
                                     RenderControl& control) {
  const auto write = [&] {
    for (std::size_t at = 0; at < scenes.size(); ++at)
      if (!scenes[at].narration.empty()) write_new(folder / narration_text_file(at), scenes[at].narration + "\n");
  };
  co_await web::offload(blocking_, write);
  for (std::size_t at = 0; at < scenes.size(); ++at) {
    if (scenes[at].narration.empty()) continue;
    std::vector<std::string> arguments{
        "-v", language,          "-s", std::string(words_per_minute), "-b", "1", "-f", narration_text_file(at),
        "-w", narration_file(at)};
    const auto spoken = co_await run("espeak-ng", std::move(arguments), folder, control, Seconds(0));
    if (!spoken && spoken.error().detail.find("voice does not exist") != std::string::npos)
      co_return web::invalid("language is not supported");
    if (!spoken) co_return spoken.error();
    scenes[at].spoken = length_of_wav(folder / narration_file(at));
    control.report(unsigned((at + 1) * after_narration / scenes.size()));
  }
  co_return Result<void>();
}

Task<Result<Seconds>> Renderer::render(Order order, std::filesystem::path folder, RenderControl& control) {
  if (const auto able = check_renderer(); !able) co_return able.error();
  if (order.kind == Kind::screenshot) {
    const auto prepared = co_await prepare_picture(order.image_url, folder, control);
    if (!prepared) co_return prepared.error();
  }
  auto scenes = scenes_of(order);
  if (order.is_narrated && programs::find("espeak-ng")) {
    const auto narrated = co_await narrate(scenes, order.language, folder, control);
    if (!narrated) co_return narrated.error();
  }
  set_lengths(scenes, order);
  const auto write = [&] { write_new(folder / subtitles_file, subtitles_of(scenes)); };
  co_await web::offload(blocking_, write);
  const auto made = co_await run("ffmpeg", video_arguments(scenes), folder, control, total_length(scenes));
  if (!made) co_return made.error();
  co_return total_length(scenes);
}

}  // namespace videos
