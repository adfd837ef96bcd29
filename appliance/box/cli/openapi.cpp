#include <algorithm>
#include <boost/json.hpp>
#include <iomanip>
#include <iostream>

#include "appliance/box/capability_list.h"
#include "appliance/box/cli/commands.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/foundation/version.h"
#include "summarizer/routes.h"
#include "web/routes/document_title.h"
#include "web/server/server.h"

namespace agentbox::cli {

namespace {

boost::json::object document_of_summarizer(const std::string& url) {
  const ::summarizer::Options options;
  ::summarizer::PageCache cache(0);
  boost::asio::thread_pool parsers(1);
  return web::openapi(::summarizer::web_routes({options, cache, parsers}), web::document_title("summarizer"),
                      ::summarizer::service_version, url);
}

boost::json::object document_of_box(const std::string& listener) {
  const Settings settings;
  const auto guards = documented_guards();
  const auto rows = documented_rows(guards);
  return web::openapi(listener == "web" ? rows.web : rows.backend, web::document_title(listener), version,
                      "http://" + (listener == "web" ? settings.web_listen : settings.backend_listen));
}

}  // namespace

int openapi(const std::string& listener) {
  const auto document = listener == "summarizer" ? document_of_summarizer("http://" + Settings().summarizer_listen)
                                                 : document_of_box(listener);
  std::cout << boost::json::serialize(document) << '\n';
  return 0;
}

int routes(const std::string& listener) {
  const auto guards = documented_guards();
  const auto documented = documented_rows(guards);
  const auto& rows = listener == "web" ? documented.web : documented.backend;
  std::size_t width = 46;  // of paths
  for (const auto& row : rows) width = std::max(width, row.path.size() + 1);
  for (const auto& row : rows) {
    const auto rate = row.rate ? row.rate->group + " " + std::to_string(row.rate->limit) + "/" +
                                     std::to_string(row.rate->window.count()) + "s"
                               : std::string("-");
    std::cout << std::left << std::setw(7) << web::to_string(row.method) << std::setw(int(width)) << row.path
              << std::setw(28) << row.guard.name << std::setw(22) << rate << row.summary << '\n';
  }
  return 0;
}

}  // namespace agentbox::cli
