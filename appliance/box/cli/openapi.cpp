#include <boost/json.hpp>
#include <functional>
#include <iomanip>
#include <iostream>

#include "appliance/box/box.h"
#include "appliance/box/cli/commands.h"
#include "appliance/foundation/version.h"
#include "summarizer/routes.h"
#include "web/document_title.h"
#include "web/server.h"

namespace agentbox::cli {

namespace {

// The tables come from a Box, so one is built in a temporary folder; it never serves.
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
  return web::openapi(::summarizer::web_routes({options, cache, parsers}), web::document_title("summarizer"),
                      ::summarizer::service_version, url);
}

// Calls `use` with the rows of a listener of the box.
void with_rows(const std::string& listener, const std::function<void(const std::vector<web::Route>&)>& use) {
  const ScratchFolder folder;
  Settings settings;
  settings.data = folder.path();
  settings.agent_runtime = "process";  // needs no Docker Engine
  const Box box(settings);
  use(listener == "web" ? box.web_routes() : box.backend_routes());
}

boost::json::object document_of_box(const std::string& listener) {
  const Settings settings;
  boost::json::object document;
  with_rows(listener, [&](const std::vector<web::Route>& rows) {
    document = web::openapi(rows, web::document_title(listener), version,
                            "http://" + (listener == "web" ? settings.web_listen : settings.backend_listen));
  });
  return document;
}

}  // namespace

int openapi(const std::string& listener) {
  const auto document = listener == "summarizer" ? document_of_summarizer("http://" + Settings().summarizer_listen)
                                                 : document_of_box(listener);
  std::cout << boost::json::serialize(document) << '\n';
  return 0;
}

int routes(const std::string& listener) {
  with_rows(listener, [](const std::vector<web::Route>& rows) {
    for (const auto& row : rows) {
      const auto rate = row.rate ? row.rate->group + " " + std::to_string(row.rate->limit) + "/" +
                                       std::to_string(row.rate->window.count()) + "s"
                                 : std::string("-");
      std::cout << std::left << std::setw(7) << web::to_string(row.method) << std::setw(46) << row.path << std::setw(28)
                << row.guard.name << std::setw(22) << rate << row.summary << '\n';
    }
  });
  return 0;
}

}  // namespace agentbox::cli
