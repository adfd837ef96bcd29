#include "appliance/box/cli/engine_images.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/progress.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/runtime/docker/docker_api.h"
#include "web/json.h"

namespace agentbox::cli {

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view scheme = "unix://";
constexpr auto api_path = "/v1.41";  // the oldest that the box works with
constexpr std::size_t upload_chunk_bytes = 1u << 20, longest_answer = 1u << 20;

std::string socket_of(const Settings& settings) {
  if (!settings.docker_host.starts_with(scheme)) throw UsageError("DOCKER_HOST must be unix:// and a path");
  return settings.docker_host.substr(scheme.size());
}

struct EngineAnswer {
  int status = 0;
  std::string body;
};

// With HTTP/1.0 the engine sends its answer as it is and closes the connection.
EngineAnswer read_answer(asio::local::stream_protocol::socket& engine) {
  std::string text;
  boost::system::error_code ended;
  asio::read(engine, asio::dynamic_buffer(text, longest_answer), ended);
  std::istringstream head(text);
  EngineAnswer answer;
  std::string version;
  head >> version >> answer.status;
  if (const auto end = text.find("\r\n\r\n"); end != std::string::npos) answer.body = text.substr(end + 4);
  return answer;
}

// Piece by piece: an image may be larger than the memory.
EngineAnswer post_file(const Settings& settings, const std::string& path, std::ifstream& file, std::uint64_t size) {
  const auto socket = socket_of(settings);
  asio::io_context io;
  asio::local::stream_protocol::socket engine(io);
  try {
    engine.connect(asio::local::stream_protocol::endpoint(socket));
    asio::write(engine,
                asio::buffer("POST " + path + " HTTP/1.0\r\nHost: docker\r\nContent-Type: application/x-tar\r\n" +
                             "Content-Length: " + std::to_string(size) + "\r\n\r\n"));
    Progress progress("loading");
    std::string piece(upload_chunk_bytes, '\0');
    for (std::uint64_t done = 0; done < size;) {
      file.read(piece.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), size - done)));
      if (file.gcount() == 0) throw UsageError("the file became shorter while it was read");
      asio::write(engine, asio::buffer(piece.data(), static_cast<std::size_t>(file.gcount())));
      done += static_cast<std::uint64_t>(file.gcount());
      progress.report(done, size);
    }
  } catch (const boost::system::system_error& error) {
    // An engine that refuses answers before it has read everything.
    if (!engine.is_open() || error.code() != asio::error::broken_pipe)
      throw UsageError("the Docker Engine at " + socket + " does not answer: " + error.code().message());
  }
  return read_answer(engine);
}

// The engine reports a line of JSON for each step, and failures with the status 200.
int report_of(const EngineAnswer& answer) {
  std::istringstream lines(answer.body);
  for (std::string line; std::getline(lines, line);) {
    boost::system::error_code malformed;
    const auto value = json::parse(line, malformed);
    if (malformed) continue;
    if (auto failure = web::string_member(value, "error"); !failure.empty() || answer.status != 200)
      throw UsageError("the Docker Engine refused the image: " +
                       (failure.empty() ? web::string_member(value, "message") : failure));
    std::cout << web::string_member(value, "stream");
  }
  if (answer.status != 200)
    throw UsageError("the Docker Engine refused the image: status " + std::to_string(answer.status));
  return 0;
}

int load_image(const Settings& settings, const fs::path& path) {
  std::error_code failed;
  const auto size = fs::is_regular_file(path, failed) ? fs::file_size(path, failed) : 0;
  std::ifstream file(path, std::ios::binary);
  if (failed || !file || size == 0) throw UsageError("there is no image in " + path.string());
  return report_of(post_file(settings, std::string(api_path) + "/images/load?quiet=1", file, size));
}

}  // namespace

void save_image(const Settings& settings, const std::string& image, const fs::path& path) {
  std::ofstream file(path, std::ios::binary);
  Progress progress("saving " + image);
  std::uint64_t bytes = 0;
  web::FetchRequest request{
      .url = "http://docker" + std::string(api_path) + "/images/" + runtime::docker::escape(image) + "/get",
      .unix_socket = socket_of(settings),
      .timeout = std::chrono::hours(1),
      .max_bytes = std::size_t(-1) / 2};
  int status = 0;
  request.on_head = [&](int answered, const web::FetchHeaders&) {
    status = answered;
    return status == 200;
  };
  request.sink = [&](std::string_view piece) {
    file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    progress.report(bytes += piece.size(), 0);
    return file.good();
  };
  const auto answer = fetch_blocking(std::move(request));
  if (!answer)
    throw UsageError("the Docker Engine at " + settings.docker_host + " does not answer: " + answer.error().message);
  if (status == 404)
    throw UsageError("the Docker Engine has no image " + image + ": name another one with --agent-image");
  if (status != 200)
    throw UsageError("the Docker Engine refused to save " + image + ": status " + std::to_string(status));
  file.close();
  if (!file) throw UsageError("cannot write " + path.string());
}

void add_images(CLI::App& app, std::function<int()>& run) {
  auto* images = app.add_subcommand("images", "Container images of agents on a machine without a registry");
  images->require_subcommand(1);
  auto* load = images->add_subcommand("load", "Give the Docker Engine an image from a file, as docker load does");
  const auto file = std::make_shared<fs::path>();
  load->add_option("file", *file, "archive that docker save made")->required()->type_name("FILE");
  const SettingFlags flags(*load, {"DOCKER_HOST"});
  load->callback([&run, flags, file] { run = [flags, file] { return load_image(flags.resolve(false), *file); }; });
}

}  // namespace agentbox::cli
