#include <boost/json.hpp>
#include <iostream>

#include "appliance/box/box.h"
#include "appliance/box/cli/commands.h"
#include "appliance/foundation/version.h"
#include "summarizer/routes.h"
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

boost::json::object document_of_summarizer(const std::string& url) {
  const ::summarizer::Options options;
  ::summarizer::PageCache cache(0);
  boost::asio::thread_pool parsers(1);
  return web::openapi(::summarizer::routes(options, cache, parsers), "agentbox summarizer API",
                      ::summarizer::service_version, url);
}

boost::json::object document_of_box(const std::string& listener) {
  const ScratchFolder folder;
  Settings settings;
  settings.data = folder.path();
  settings.agent_runtime = "process";  // asks no Docker Engine
  const Box box(settings);
  const bool is_web = listener == "web";
  return web::openapi(is_web ? box.web_routes() : box.backend_routes(), "agentbox " + listener + " API", version,
                      "http://" + (is_web ? settings.web_listen : settings.backend_listen));
}

}  // namespace

int openapi(const std::string& listener) {
  const auto document = listener == "summarizer" ? document_of_summarizer("http://" + Settings().summarizer_listen)
                                                 : document_of_box(listener);
  std::cout << boost::json::serialize(document) << '\n';
  return 0;
}

}  // namespace agentbox::cli
