// The run files of one agent, <folder>/<id>/run/: see process_engine.h for what they hold. All calls block; failures to
// write throw std::system_error.
#pragma once

#include <sys/types.h>

#include <boost/describe.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/descriptor.h"
#include "appliance/runtime/log_file.h"

namespace runtime {

// The content of agent.pid.
struct PidFile {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::string boot_id;
  std::int64_t started_at = 0;              // milliseconds since the epoch
  std::string backend_url, summarizer_url;  // as given to the agent; empty if unknown
};
BOOST_DESCRIBE_STRUCT(PidFile, (), (pid, start_ticks, boot_id, started_at, backend_url, summarizer_url))

class RunFolder {
 public:
  explicit RunFolder(const std::filesystem::path& agent_folder) : folder_(agent_folder / "run") {}

  void create() const;
  void remove() const;

  std::filesystem::path boot_path() const { return folder_ / "boot.json"; }
  // Mode 0600, owned by `reader` if given.
  void write_boot(std::string_view json, std::optional<uid_t> reader) const;
  void drop_boot() const;

  // Files of proxy_path(), which everybody may read: the authority of the box's proxy, and with it all that the box
  // trusts.
  static constexpr auto proxy_authority = "box.crt", all_authorities = "authorities.crt";
  std::filesystem::path proxy_path() const { return folder_ / "proxy"; }
  void write_proxy(std::string_view authority) const;

  std::optional<PidFile> read_pid() const;  // nullopt if it is missing or invalid
  void write_pid(const PidFile&) const;
  void drop_pid() const;

  // For appending.
  files::Descriptor open_log() const;
  LogFile log() const { return LogFile(folder_); }
  const std::filesystem::path& path() const { return folder_; }
  // The last lines, without line ends, oldest first. Reads no more than the last 256 KB.
  std::vector<std::string> last_lines(std::size_t count) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace runtime
