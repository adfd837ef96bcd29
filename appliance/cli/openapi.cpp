#include <boost/json.hpp>
#include <iostream>

#include "appliance/box.h"
#include "appliance/cli/commands.h"
#include "appliance/version.h"
#include "web/server.h"

namespace agentbox::cli {

namespace {

// A box must exist for its tables to exist; this one lives in a folder of its own and never serves.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "agentbox-openapi-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw UsageError("cannot make a temporary folder: check TMPDIR");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

int openapi(const std::string& listener) {
  const ScratchFolder folder;
  Settings settings;
  settings.data = folder.path();
  settings.agent_runtime = "process";  // asks no Docker Engine
  const Box box(settings);
  const bool is_web = listener == "web";
  const auto document = web::openapi(is_web ? box.web_routes() : box.backend_routes(), "agentbox " + listener + " API",
                                     version, "http://" + (is_web ? settings.web_listen : settings.backend_listen));
  std::cout << boost::json::serialize(document) << '\n';
  return 0;
}

}  // namespace agentbox::cli
