// A Docker Engine of the test's own: dockerd in a folder of its own, ended and cleared away with it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdio>

#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/docker/packet_filter.h"
#include "tests/hosting/agent_fixture.h"
#include "tests/support/paths.h"

namespace agent_tests {

namespace json = boost::json;

inline constexpr auto image = "agentbox/stand-in:test";

class DockerDaemon {
 public:
  // Why there can be none here; empty when there can.
  static std::string missing() {
    if (::geteuid() != 0) return "dockerd needs root";
    std::ifstream status("/proc/self/status");
    constexpr std::uint64_t needed = 1ull << 21 | 1ull << 12;  // CAP_SYS_ADMIN, CAP_NET_ADMIN
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("CapEff:") && (std::stoull(line.substr(7), nullptr, 16) & needed) != needed)
        return "dockerd needs the capabilities to mount and to make networks";
    for (const auto* path : {"/usr/sbin/dockerd", "/usr/bin/dockerd"})
      if (std::filesystem::exists(path)) return {};
    return "there is no dockerd (Debian's docker.io)";
  }

  explicit DockerDaemon(std::filesystem::path folder) : folder_(std::move(folder)) { start(); }
  DockerDaemon(const DockerDaemon&) = delete;
  DockerDaemon& operator=(const DockerDaemon&) = delete;
  ~DockerDaemon() {
    if (pid_ == 0) start();
    for (const auto& container : list("/containers/json?all=1"))
      static_cast<void>(ask("DELETE", "/containers/" + text(container, "Id") + "?force=1&v=1"));
    for (const auto& network : list("/networks"))  // of boxes that ended as in a crash
      if (const auto name = text(network, "Name"); name.starts_with("agentbox-") && name.size() == 21)
        runtime::docker::PacketFilter(name.substr(9)).remove();
    static_cast<void>(ask("POST", "/networks/prune"));
    end(SIGTERM);
  }

  void start() {
    const auto path = [this](const char* name) { return (folder_ / name).string(); };
    std::vector<std::string> arguments{"dockerd",     "--storage-driver", "vfs", "--data-root", path("data"),
                                       "--exec-root", path("exec"),       "-H",  host(),        "--pidfile",
                                       path("pid"),   "--bridge",         "none"};
    std::vector<char*> words;
    for (auto& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    std::filesystem::remove(folder_ / "pid");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const auto log = path("log");
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
      ::posix_spawn_file_actions_addopen(&actions, descriptor, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int failed = ::posix_spawnp(&pid_, "dockerd", &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("dockerd cannot be started");
    bool answers = false;
    const auto settled = [&] {
      answers = ask("GET", "/version").has_value();
      return answers || ::waitpid(pid_, nullptr, WNOHANG) != 0;
    };
    for (int tries = 0; tries < 3; ++tries)
      if (eventually(settled)) break;
    if (answers) return;
    end(SIGKILL);
    throw std::runtime_error("dockerd does not answer: " + contents(log));
  }
  void end(int signal) {
    ::kill(pid_, signal);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

  std::string host() const { return "unix://" + (folder_ / "docker.sock").string(); }

  web::Result<runtime::docker::Answer> ask(std::string method, std::string path, json::value body = {}) {
    runtime::docker::Api api(host());
    return loop_.run(api.call(std::move(method), std::move(path), std::move(body)));
  }
  json::array list(std::string path) {
    const auto answer = ask("GET", std::move(path));
    return answer && answer->body.is_array() ? answer->body.get_array() : json::array();
  }
  json::value inspect(const std::string& container) { return ask("GET", "/containers/" + container + "/json")->body; }
  static std::string text(const json::value& object, const char* name) {
    return std::string(object.at(name).as_string());
  }

  // The stand-in agent as an image that reads its boot file.
  void load_image() {
    std::string tar;
    const std::string command =
        (paths::tests() / "docker/image_of.sh").string() + " " + paths::program("stand_in_agent").string();
    auto* pipe = ::popen(command.c_str(), "r");
    char buffer[65536];
    while (const auto size = std::fread(buffer, 1, sizeof buffer, pipe)) tar.append(buffer, size);
    if (::pclose(pipe) != 0) throw std::runtime_error("the image cannot be made");
    std::string path = "/images/create?fromSrc=-&repo=agentbox/stand-in&tag=test";
    for (const auto* change : {R"(ENTRYPOINT ["/usr/bin/agentbox","agent","--boot","/run/agentbox/boot.json"])",
                               "LABEL agentbox.boot=file", "ENV ASAN_OPTIONS=detect_leaks=0"})
      path += "&changes=" + runtime::docker::escape(change);
    runtime::docker::Api api(host());
    const auto loaded = loop_.run(api.upload(path, std::move(tar)));
    if (!loaded || loaded->status != 200) throw std::runtime_error("the image cannot be loaded");
  }

 private:
  std::filesystem::path folder_;
  pid_t pid_ = 0;
  Loop loop_;
};

}  // namespace agent_tests
