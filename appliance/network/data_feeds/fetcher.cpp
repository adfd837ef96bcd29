#include "appliance/network/data_feeds/fetcher.h"

#include <algorithm>

#include "appliance/foundation/version.h"
#include "appliance/network/data_feeds/feed_document.h"
#include "web/routes/fields.h"
#include "web/routes/reply.h"

namespace data_feeds {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t workers = 4;
constexpr auto pause = 1s, fetch_time = 10s;
constexpr std::size_t max_bytes = 1u << 20;
constexpr int not_modified = 304;

constexpr const char* accepted(Format format) {
  return format == Format::json ? "application/json"
                                : "application/rss+xml, application/atom+xml, application/feed+json, "
                                  "application/xml;q=0.9, text/xml;q=0.8";
}

web::FetchRequest request_for(const Source& source, web::Reach reach) {
  web::FetchRequest request{.url = source.feed.url.clear};
  request.headers = {{"Accept", accepted(source.feed.format)},
                     {"User-Agent", std::string("agentbox/") + agentbox::version}};
  if (source.answer && !source.answer->content.empty()) {
    if (!source.answer->etag.empty()) request.headers.emplace_back("If-None-Match", source.answer->etag);
    if (!source.answer->last_modified.empty())
      request.headers.emplace_back("If-Modified-Since", source.answer->last_modified);
  }
  request.origin.part = "data feeds";
  request.reach = reach;
  request.max_redirects = 5;
  request.timeout = fetch_time;
  request.max_bytes = max_bytes;
  return request;
}

// The content as JSON text.
web::Result<std::string> read_content(Format format, const web::FetchResponse& response) {
  std::string text;
  if (format == Format::json) {
    const auto json = web::parse_json(response.body, "The source's answer");
    if (!json) return json.error();
    web::write_json(text, *json);
  } else {
    const auto document = read_feed_document(response.body, response.final_url, response.header("content-type"));
    if (!document) return document.error();
    web::write_json(text, *document);
  }
  return text;
}

}  // namespace

Fetcher::Fetcher(DataFeeds& configured, boost::asio::io_context& home, web::Reach reach)
    : feeds_(configured), reach_(reach) {
  for (std::size_t made = 0; made < workers; ++made)
    workers_.emplace_back(home, "data feeds", pause, [this] { return fetch_due(); });
}

void Fetcher::start() {
  for (auto& worker : workers_) worker.start();
}

web::Task<> Fetcher::stop() {
  stopping_ = true;
  for (auto& worker : workers_) co_await worker.stop();
}

web::Task<> Fetcher::fetch_due() {
  while (!stopping_) {
    const auto now = store::now();
    const auto sources = feeds_.list();
    const auto due = std::ranges::find_if(sources, [&](const Source& source) {
      return (!source.answer || source.answer->next_at <= now) && !taken_.contains(source.feed.name);
    });
    if (due == sources.end()) break;
    const auto place = taken_.insert(due->feed.name).first;
    std::exception_ptr failure;
    try {
      auto fetched = co_await fetch(*due);
      co_await feeds_.keep(due->feed, std::move(fetched), store::now());
    } catch (...) {
      failure = std::current_exception();
    }
    taken_.erase(place);
    if (failure) std::rethrow_exception(failure);
  }
}

web::Task<Fetched> Fetcher::fetch(const Source& source) const {
  auto request = request_for(source, reach_);
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return Fetched{.error = response.error().message};
  if (response->status == not_modified && source.answer) co_return Fetched();
  if (response->status != 200)
    co_return Fetched{.error = "The source answered with status " + std::to_string(response->status)};
  auto content = read_content(source.feed.format, *response);
  if (!content) co_return Fetched{.error = content.error().message};
  co_return Fetched{.content = std::move(*content),
                    .etag = response->header("etag"),
                    .last_modified = response->header("last-modified")};
}

}  // namespace data_feeds
