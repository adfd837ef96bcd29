#include "appliance/runtime/agent_confinement.h"

#include <unistd.h>

#include <algorithm>
#include <boost/url.hpp>

#include "sandbox/landlock.h"
#include "web/uri.h"

namespace runtime {

namespace {

constexpr int nice_increment = 10;  // a tenth of the box's weight on a contended core, a third of password hashing's
constexpr int oom_score = 500;      // if memory runs out, agents are killed before the box
constexpr std::uint64_t untouched_address_space = 1ull << 30;  // thread stacks, allocator arenas

bool has_file_rules() { return sandbox::landlock_version() >= sandbox::landlock_renames; }
bool has_port_rules() { return sandbox::landlock_version() >= sandbox::landlock_tcp; }

std::string why_no_users(const AgentUsers& users) {
  if (users.of(0)) return {};
  const auto& [helper, why_not] = sandbox::helper_of_this_process();
  if (helper) return helper->has_ended() ? "the helper that starts agents has ended: restart the box" : "";
  if (!why_not.empty()) return why_not;
  return ::geteuid() == 0 ? users.shared_because() : "the box does not run as root";
}

sandbox::Limits limits_of(const ResourceLimits& limits) {
  return {.memory_bytes = limits.memory_bytes + untouched_address_space,
          .file_bytes = limits.file_bytes,
          .open_files = limits.open_files,
          .processes = limits.processes,
          .niceness = nice_increment,
          .oom_score = oom_score};
}

std::vector<std::uint16_t> ports_of(std::initializer_list<std::string_view> urls) {
  std::vector<std::uint16_t> ports;
  for (const auto text : urls) {
    const auto url = web::parse_uri(text);
    if (!url) continue;
    const auto given = url->port_number();
    ports.push_back(given != 0 ? given : url->scheme_id() == boost::urls::scheme::https ? 443 : 80);
  }
  return ports;
}

}  // namespace

Isolation isolation_here(const std::string& why_no_users, bool has_control_groups, bool has_helper) {
  Isolation found;
  const auto note = [&found](bool holds, const std::string& what, const std::string& because) {
    if (holds)
      found.by.push_back(what);
    else
      found.lacks.push_back(what + " (" + because + ")");
  };
  const bool has_view = has_helper || sandbox::kernel().namespaces, has_users = why_no_users.empty();
  note(has_users, "own user", why_no_users);
  note(has_view, "own view of files and processes", "namespaces are not permitted");
  note(has_file_rules(), "file rules", "the kernel has no Landlock 2");
  note(has_port_rules(), "port rules", "the kernel has no Landlock 4");
  note(true, "system call filter", {});
  note(has_control_groups, "control groups", "none is delegated to the box (Memory, in the documentation on security)");
  // An agent is one process, so that its address space bounds what it takes; but files in /dev/shm are memory, too.
  note(has_control_groups || has_file_rules(), "bounded memory", "neither control groups nor file rules");
  if (has_view && has_port_rules())
    found.level = IsolationLevel::strong;
  else if (has_users || has_view || has_file_rules())
    found.level = IsolationLevel::basic;
  return found;
}

AgentConfinement::AgentConfinement(std::filesystem::path binary, std::filesystem::path folder)
    : binary_(std::move(binary)), folder_(std::move(folder)), users_(binary_, folder_) {}

Isolation AgentConfinement::isolation() const {
  const auto& helper = sandbox::helper_of_this_process().helper;
  const bool has_groups = helper ? helper->has_control_groups() : groups_.has_value();
  return isolation_here(why_no_users(users_), has_groups, helper != nullptr);
}

sandbox::AgentStart AgentConfinement::order(const AgentSpec& spec) const {
  sandbox::AgentStart wanted{
      .agent = spec.id, .port = spec.port, .limits = limits_of(spec.limits), .group = group_limits(spec.limits)};
  const auto ports = ports_of({spec.backend_url, spec.summarizer_url});
  std::copy_n(ports.begin(), std::min(ports.size(), wanted.connects.size()), wanted.connects.begin());
  return wanted;
}

sandbox::Confinement AgentConfinement::of(const AgentSpec& spec, const std::filesystem::path& boot_file) const {
  const auto user = users_.of(spec.port);
  const bool is_alone = user || sandbox::kernel().namespaces;  // it reaches no other process by a signal
  sandbox::Confinement place{
      .user = user,
      .namespaces = {},
      .files = sandbox::Files{.readable = {boot_file}, .changeable = {std::filesystem::absolute(spec.workspace)}},
      .tcp = sandbox::TcpPorts{.connect = ports_of({spec.backend_url, spec.summarizer_url}), .bind = {}},
      .calls =
          sandbox::SystemCalls{.starts_processes = false, .signals_others = is_alone, .sockets = sandbox::Sockets::tcp},
      .limits = limits_of(spec.limits)};
  if (sandbox::kernel().namespaces) {
    const auto hidden = users_.hidden().empty() ? folder_.parent_path() : users_.hidden();
    place.namespaces = sandbox::Namespaces{.hidden = hidden, .visible = {folder_ / spec.id, binary_}};
  }
  return place;
}

sandbox::GroupLimits AgentConfinement::group_limits(const ResourceLimits& limits) {
  return {.memory_bytes = limits.memory_bytes, .processes = limits.processes, .cores = limits.cpus};
}

files::Descriptor AgentConfinement::join_group(const std::string& name, const ResourceLimits& limits) const {
  if (!groups_) return {};
  return files::Descriptor(groups_->prepare(name, group_limits(limits)));
}

void AgentConfinement::remove_group(const std::string& name) const {
  if (groups_) groups_->remove(name);
}

}  // namespace runtime
