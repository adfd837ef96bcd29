#include "appliance/media/bucket/objects.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <optional>

namespace bucket {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds object_time = 60s, stop_look_interval = 100ms;
constexpr std::chrono::seconds object_validity = 10min;
constexpr std::size_t max_object_bytes = 64u << 20;

// The text between <name> and </name> behind `at`, which is moved behind it; nothing at the end.
std::optional<std::string> next_element(const std::string& xml, const std::string& name, std::size_t& at) {
  const auto open = "<" + name + ">", close = "</" + name + ">";
  const auto begin = xml.find(open, at);
  if (begin == std::string::npos) return std::nullopt;
  const auto end = xml.find(close, begin);
  if (end == std::string::npos) return std::nullopt;
  at = end + close.size();
  return xml.substr(begin + open.size(), end - begin - open.size());
}

web::Error refusal_of(const char* method, const web::FetchResponse& answer) {
  std::size_t at = 0;
  const auto code = next_element(answer.body, "Code", at);
  auto reason = "status " + std::to_string(answer.status);
  if (code && code->size() < 100) reason += ", " + *code;
  return {.kind = answer.status == 404 && code.value_or("NoSuchKey") == "NoSuchKey" ? web::Kind::not_found
                                                                                    : web::Kind::bad_gateway,
          .message = "The object store refused " + std::string(method) + " (" + reason + ")."};
}

}  // namespace

bool has_standby_bucket(const agentbox::Settings& settings) { return !settings.standby_s3_endpoint.empty(); }

StandbyBucket standby_bucket(const agentbox::Settings& settings) {
  return {.place = {.endpoint = settings.standby_s3_endpoint,
                    .bucket = settings.standby_s3_bucket,
                    .folder = settings.standby_s3_folder,
                    .key = {.id = settings.standby_s3_access_key_id,
                            .secret = settings.standby_s3_secret_access_key,
                            .region = settings.standby_s3_region}},
          .keep = settings.standby_s3_keep,
          .base_interval = settings.standby_s3_base_interval};
}

Objects::Objects(Place place, std::function<bool()> is_stopping)
    : place_(std::move(place)),
      is_stopping_(std::move(is_stopping)),
      io_(std::make_unique<boost::asio::io_context>(1)) {
  auto endpoint = place_.endpoint;
  endpoint.resize(endpoint.find_last_not_of('/') + 1);
  const auto host_at = endpoint.find("://") + 3;
  const auto path_at = std::min(endpoint.find('/', host_at), endpoint.size());
  origin_ = endpoint.substr(0, path_at);
  host_ = endpoint.substr(host_at, path_at - host_at);
  path_ = endpoint.substr(path_at) + "/" + place_.bucket;
}

Objects::~Objects() = default;

std::string Objects::shown() const { return "s3://" + place_.bucket + "/" + place_.folder; }

web::Result<web::FetchResponse> Objects::ask(const char* method, std::string_view path, std::string_view query,
                                             std::string content) {
  const UnsignedRequest unsigned_request{.method = method, .host = host_, .path = path, .query = query};
  web::FetchRequest request;
  request.url =
      origin_ + std::string(path) + "?" + presigned_query(place_.key, unsigned_request, store::now(), object_validity);
  request.method = method;
  if (!content.empty()) request.headers.emplace_back("Content-Type", "application/octet-stream");
  request.body = std::move(content);
  request.origin.part = "bucket";
  request.timeout = object_time;
  request.max_bytes = max_object_bytes;
  std::optional<web::Result<web::FetchResponse>> answer;
  boost::asio::cancellation_signal stop;
  const auto done = [&answer](std::exception_ptr failed, web::Result<web::FetchResponse> result) {
    if (failed)
      answer.emplace(web::Error{.kind = web::Kind::unavailable, .message = "The request was ended."});
    else
      answer.emplace(std::move(result));
  };
  boost::asio::co_spawn(*io_, web::fetch(std::move(request)), boost::asio::bind_cancellation_slot(stop.slot(), done));
  io_->restart();
  while (!answer) {
    io_->run_one_for(stop_look_interval);
    if (!answer && is_stopping_ && is_stopping_()) stop.emit(boost::asio::cancellation_type::terminal);
  }
  return std::move(*answer);
}

web::Result<void> Objects::put(const std::string& name, std::string content) {
  const auto answer = ask("PUT", path_of(name), {}, std::move(content));
  if (!answer) return answer.error();
  if (answer->status / 100 != 2) return refusal_of("to store an object", *answer);
  return {};
}

web::Result<std::string> Objects::get(const std::string& name) {
  auto answer = ask("GET", path_of(name), {});
  if (!answer) return answer.error();
  if (answer->status / 100 != 2) return refusal_of("to return an object", *answer);
  return std::move(answer->body);
}

web::Result<std::vector<std::string>> Objects::list(const std::string& prefix, const std::string& after) {
  const auto folder = place_.folder + "/";
  std::vector<std::string> names;
  for (std::string last = after;;) {
    std::string query = "list-type=2&prefix=" + percent_encoded(folder + prefix);
    if (!last.empty()) query += "&start-after=" + percent_encoded(folder + last);
    const auto answer = ask("GET", path_, query);
    if (!answer) return answer.error();
    if (answer->status / 100 != 2) return refusal_of("to list its objects", *answer);
    std::size_t at = 0;
    const auto before = names.size();
    while (auto key = next_element(answer->body, "Key", at))
      if (key->starts_with(folder)) names.push_back(key->substr(folder.size()));
    std::size_t from_start = 0;
    const auto is_cut = next_element(answer->body, "IsTruncated", from_start);
    if (is_cut != "true" || names.size() == before) return names;
    last = names.back();
  }
}

web::Result<void> Objects::remove(const std::string& name) {
  const auto answer = ask("DELETE", path_of(name), {});
  if (!answer) return answer.error();
  if (answer->status / 100 != 2 && answer->status != 404) return refusal_of("to delete an object", *answer);
  return {};
}

}  // namespace bucket
