#include "appliance/media/mux/mux.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "web/ascii.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace mux {

namespace json = boost::json;

namespace {

using web::Error;
using web::Result;
using web::Task;

constexpr std::string_view api_path = "/video/v1";
constexpr std::chrono::seconds call_time{10};
constexpr std::size_t page_size = 100, max_pages = 100;
constexpr std::size_t max_quoted = 300;

std::string basic(const std::string& pair) { return "Basic " + crypto::to_base64(pair); }

Error failed(std::string detail) {
  return web::internal("The stream provider rejected the request. Please try again later.", std::move(detail));
}

Error refused(int status, std::string_view body) {
  auto error = failed("status " + std::to_string(status) + ": " + std::string(body.substr(0, max_quoted)));
  if (status == 401 || status == 403)
    error.message =
        "The stream provider does not accept this box's token: check STREAM_TOKEN_ID and STREAM_TOKEN_SECRET";
  return error;
}

// The public playback id of a stream, else its first one.
std::string playback_id_of(const json::value& stream) {
  const auto* object = stream.if_object();
  const auto* ids = object ? object->if_contains("playback_ids") : nullptr;
  if (!ids || !ids->is_array()) return {};
  std::string found;
  for (const auto& one : ids->get_array())
    if (found.empty() || web::string_member(one, "policy") == "public") found = web::string_member(one, "id");
  return found;
}

// Ids are put into paths.
bool is_id(std::string_view text) {
  const auto is_allowed = [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '_'; };
  return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, is_allowed);
}

std::string with_api_path(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  if (!url.ends_with(api_path)) url += api_path;
  return url;
}

}  // namespace

Mux::Mux(Options options)
    : base_(with_api_path(std::move(options.api_url))),
      authorization_(basic(options.token_id + ":" + options.token_secret)),
      rtmp_url_(std::move(options.rtmp_url)) {}

Task<Result<json::value>> Mux::call(std::string method, std::string path, std::string body, bool may_be_unknown) const {
  web::FetchRequest request{.url = base_ + path, .method = std::move(method)};
  request.headers = {{"Authorization", authorization_}, {"Accept", "application/json"}};
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  request.origin.part = "streams";
  request.timeout = call_time;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return failed(response.error().message);
  if (response->status == 404 && may_be_unknown) co_return json::value();
  if (response->status < 200 || response->status >= 300) co_return refused(response->status, response->body);
  if (response->body.empty()) co_return json::value();
  auto answer = web::parse_json(response->body, "answer");
  if (!answer) co_return failed(answer.error().message);
  auto* object = answer->if_object();
  auto* data = object ? object->if_contains("data") : nullptr;
  if (!data) co_return failed("an answer without data");
  co_return std::move(*data);
}

Task<Result<streams::ProviderStream>> Mux::create(std::string name) {
  const json::object request{{"playback_policy", json::array{"public"}},
                             {"new_asset_settings", json::object{{"playback_policy", json::array{"public"}}}},
                             {"passthrough", name}};
  const auto data = co_await call("POST", "/live-streams", json::serialize(request));
  if (!data) co_return data.error();
  streams::ProviderStream stream{.id = web::string_member(*data, "id"),
                                 .key = web::string_member(*data, "stream_key"),
                                 .playback_id = playback_id_of(*data)};
  if (!is_id(stream.id) || stream.key.empty()) co_return failed("a live stream without an id or a key");
  co_return stream;
}

Task<Result<std::string>> Mux::reset_key(std::string id, std::string) {
  const auto data = co_await call("POST", "/live-streams/" + id + "/reset-stream-key");
  if (!data) co_return data.error();
  auto key = web::string_member(*data, "stream_key");
  if (key.empty()) co_return failed("a live stream without a key");
  co_return key;
}

Task<Result<void>> Mux::remove(std::string id) {
  const auto data = co_await call("DELETE", "/live-streams/" + id, "", true);
  if (!data) co_return data.error();
  co_return Result<void>();
}

Task<Result<std::vector<std::string>>> Mux::active() {
  std::vector<std::string> found;
  for (std::size_t page = 1; page <= max_pages; ++page) {
    const auto data = co_await call(
        "GET", "/live-streams?status=active&limit=" + std::to_string(page_size) + "&page=" + std::to_string(page));
    if (!data) co_return data.error();
    const auto* list = data->if_array();
    if (!list) co_return failed("a list of live streams that is none");
    for (const auto& stream : *list)
      if (web::string_member(stream, "status") == "active") found.push_back(web::string_member(stream, "id"));
    if (list->size() < page_size) break;
  }
  co_return found;
}

Task<Result<void>> Mux::remove_asset(std::string id) {
  if (!is_id(id)) co_return Result<void>();
  const auto data = co_await call("DELETE", "/assets/" + id, "", true);
  if (!data) co_return data.error();
  co_return Result<void>();
}

std::string Mux::rtmp_url() const { return rtmp_url_.empty() ? "rtmp://global-live.mux.com:5222/app" : rtmp_url_; }

std::string Mux::hls_url(std::string_view playback_id) const {
  return "https://stream.mux.com/" + std::string(playback_id) + ".m3u8";
}

std::string Mux::embed_url(std::string_view playback_id) const {
  return "https://player.mux.com/" + std::string(playback_id);
}

}  // namespace mux
