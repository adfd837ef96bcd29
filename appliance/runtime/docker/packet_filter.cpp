#include "appliance/runtime/docker/packet_filter.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "appliance/foundation/descriptor.h"
#include "web/ascii.h"

namespace runtime::docker {

namespace {

constexpr unsigned cap_net_admin = 12;
constexpr std::string_view table = "mangle", hook = "PREROUTING";

// Private, shared, link-local, benchmarking, multicast and reserved addresses (RFC 6890).
constexpr const char* not_public[] = {"0.0.0.0/8",      "10.0.0.0/8",    "100.64.0.0/10",   "127.0.0.0/8",
                                      "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",    "192.0.2.0/24",
                                      "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
                                      "224.0.0.0/4",    "240.0.0.0/4"};

struct Finished {
  int status = -1;     // of the program; -1: it did not run
  std::string output;  // of both streams
};

files::Descriptor in_memory(std::string_view text) {
  files::Descriptor file(::memfd_create("rules", MFD_CLOEXEC));
  for (auto rest = text; file && !rest.empty();) {
    const auto written = ::write(file.get(), rest.data(), rest.size());
    if (written <= 0) return {};
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content(const files::Descriptor& file) {
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return {};
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  const auto size = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

// Where iptables is found, whatever PATH the box was started with.
std::string path_of(const std::string& program) {
  for (const char* folder : {"/usr/sbin/", "/sbin/", "/usr/bin/", "/usr/local/sbin/"})
    if (auto path = folder + program; ::access(path.c_str(), X_OK) == 0) return path;
  return {};
}

Finished run(const std::string& program, std::vector<std::string> arguments, std::string_view input = {}) {
  const auto path = path_of(program);
  const auto from = in_memory(input), to = in_memory({});
  if (path.empty() || !from || !to) return {};
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  for (auto& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  std::string environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"};
  char* variables[] = {environment[0].data(), environment[1].data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, from.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, to.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, to.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, words.data(), variables);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || ::waitpid(pid, &status, 0) != pid) return {};
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), .output = content(to)};
}

bool succeeds(const std::string& program, std::vector<std::string> arguments) {
  return run(program, std::move(arguments)).status == 0;
}

std::vector<std::string> arguments_of(std::string_view command, std::vector<std::string> rest) {
  std::vector<std::string> all{"-w", "10", "-t", std::string(table), std::string(command)};
  std::ranges::move(rest, std::back_inserter(all));
  return all;
}

// All lines with the chain's name, as iptables-save -t writes them: "-A PREROUTING -i br-1 -j AGENTBOX-...".
std::vector<std::string> lines_with(const std::string& text, const std::string& chain) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(chain) != std::string::npos) found.push_back(line);
  return found;
}

web::Error not_set(const std::string& program, const Finished& finished) {
  const std::string reason(finished.status < 0 ? "it could not be run" : web::first_line(finished.output));
  return web::internal(program + " did not take the rules: " + reason);
}

web::Result<void> put_in(const std::string& family, const std::string& chain, const std::string& text,
                         const Openings& openings) {
  // Filled before it is hooked: a chain that is hooked never passes what it should drop.
  const auto filled = run(family + "-restore", {"-w", "10", "--noflush"}, text);
  if (filled.status != 0) return not_set(family + "-restore", filled);
  for (const auto& bridge : {openings.web_bridge, openings.closed_bridge}) {
    const std::vector<std::string> rule{std::string(hook), "-i", bridge, "-j", chain};
    if (succeeds(family, arguments_of("-C", rule))) continue;
    const auto hooked = run(family, arguments_of("-I", rule));
    if (hooked.status != 0) return not_set(family, hooked);
  }
  return {};
}

// Engines that do not manage rules in the way of iptables still have its program: they need it for published ports.
bool has_ipv6() { return ::access("/proc/sys/net/ipv6", F_OK) == 0; }

}  // namespace

std::string filter_text(const std::string& chain, const Openings& openings) {
  std::ostringstream text;
  const auto rule = [&](std::string_view match, std::string_view target) {
    text << "-A " << chain << ' ' << match << " -j " << target << '\n';
  };
  text << '*' << table << "\n:" << chain << " - [0:0]\n";
  rule("-m conntrack --ctstate ESTABLISHED,RELATED", "RETURN");
  for (const auto port : openings.ports)
    rule("-d " + openings.gateway + "/32 -p tcp -m tcp --dport " + std::to_string(port), "RETURN");
  rule("-i " + openings.closed_bridge, "DROP");
  if (!openings.lan_is_open) {
    for (const auto& server : openings.name_servers)
      for (const char* protocol : {"udp", "tcp"})
        rule("-d " + server + "/32 -p " + protocol + " -m " + protocol + " --dport 53", "RETURN");
    rule("-m addrtype --dst-type LOCAL", "DROP");
    for (const char* network : not_public) rule(std::string("-d ") + network, "DROP");
  }
  text << "COMMIT\n";
  return text.str();
}

std::string filter_text_of_ipv6(const std::string& chain, const Openings& openings) {
  std::string text = "*" + std::string(table) + "\n:" + chain + " - [0:0]\n";
  text += "-A " + chain + " -i " + openings.closed_bridge + " -j DROP\n";
  if (!openings.lan_is_open) text += "-A " + chain + " -j DROP\n";
  return text + "COMMIT\n";
}

std::vector<std::string> name_servers_in(std::string_view resolv_conf) {
  std::vector<std::string> found;
  std::istringstream lines{std::string(resolv_conf)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string keyword, server;
    if (!(words >> keyword >> server) || keyword != "nameserver") continue;
    boost::system::error_code malformed;
    const auto address = boost::asio::ip::make_address_v4(server, malformed);
    if (!malformed && !address.is_loopback() && !address.is_unspecified()) found.push_back(address.to_string());
  }
  return found;
}

std::vector<std::string> name_servers_here() {
  // The second is what the engine reads where the first names systemd's resolver alone.
  for (const char* path : {"/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"}) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (auto found = name_servers_in(text); !found.empty()) return found;
  }
  return {};
}

std::string PacketFilter::why_not() {
  std::ifstream status("/proc/self/status");
  bool may_filter = false;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapEff:")) may_filter = (std::stoull(line.substr(7), nullptr, 16) >> cap_net_admin) & 1;
  if (!may_filter) return "the box may not set packet filter rules: it does not run as root";
  if (path_of("iptables-restore").empty() || path_of("iptables").empty()) return "there is no iptables";
  return {};
}

web::Result<void> PacketFilter::apply(const Openings& openings) {
  const std::lock_guard lock(mutex_);
  auto ipv4 = put_in("iptables", chain_, filter_text(chain_, openings), openings);
  if (!ipv4 || !has_ipv6()) return ipv4;
  return put_in("ip6tables", chain_, filter_text_of_ipv6(chain_, openings), openings);
}

void PacketFilter::remove() {
  const std::lock_guard lock(mutex_);
  unhook("iptables");
  unhook("ip6tables");
}

void PacketFilter::unhook(const std::string& program) {
  const auto saved = run(program + "-save", {"-t", std::string(table)});
  bool is_there = false;
  for (const auto& line : lines_with(saved.output, chain_)) {
    is_there = true;
    const auto start = "-A " + std::string(hook) + " ";
    if (!line.starts_with(start)) continue;
    std::istringstream words(line.substr(3));
    const std::vector<std::string> rule{std::istream_iterator<std::string>(words), {}};
    run(program, arguments_of("-D", rule));
  }
  if (!is_there) return;
  run(program, arguments_of("-F", {chain_}));
  run(program, arguments_of("-X", {chain_}));
}

}  // namespace runtime::docker
