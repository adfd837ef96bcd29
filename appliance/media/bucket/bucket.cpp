#include "appliance/media/bucket/bucket.h"

#include "web/client/fetch.h"

namespace bucket {

namespace {

using namespace std::chrono_literals;

// One large upload over a slow line.
constexpr auto upload_time = 120s;
constexpr auto request_validity = 10min;

web::Error refused(std::string_view what, const web::FetchResponse& answer) {
  // The store's code, such as AccessDenied or NoSuchBucket, says why.
  const auto begin = answer.body.find("<Code>");
  const auto end = answer.body.find("</Code>");
  std::string reason = "status " + std::to_string(answer.status);
  if (begin != std::string::npos && end != std::string::npos && end > begin + 6 && end - begin < 100)
    reason += ", " + answer.body.substr(begin + 6, end - begin - 6);
  return {.kind = web::Kind::bad_gateway, .message = std::string(what) + " (" + reason + ")."};
}

}  // namespace

std::optional<Bucket> Bucket::configured(const agentbox::Settings& settings) {
  if (settings.video_s3_endpoint.empty()) return std::nullopt;
  const auto need = [](const std::string& value, const char* name) {
    if (value.empty()) throw agentbox::UsageError("VIDEO_S3_ENDPOINT is set: " + std::string(name) + " is needed, too");
  };
  need(settings.video_s3_bucket, "VIDEO_S3_BUCKET");
  need(settings.video_s3_access_key_id, "VIDEO_S3_ACCESS_KEY_ID");
  need(settings.video_s3_secret_access_key, "VIDEO_S3_SECRET_ACCESS_KEY");
  return Bucket(settings.video_s3_endpoint, settings.video_s3_bucket,
                {.id = settings.video_s3_access_key_id,
                 .secret = settings.video_s3_secret_access_key,
                 .region = settings.video_s3_region});
}

Bucket::Bucket(std::string endpoint, std::string bucket, AccessKey key) : key_(std::move(key)) {
  endpoint.resize(endpoint.find_last_not_of('/') + 1);
  const auto host_at = endpoint.find("://") + 3;
  const auto path_at = std::min(endpoint.find('/', host_at), endpoint.size());
  origin_ = endpoint.substr(0, path_at);
  host_ = endpoint.substr(host_at, path_at - host_at);
  path_ = endpoint.substr(path_at) + "/" + bucket;
}

std::string Bucket::signed_url(std::string_view method, std::string_view name, store::Time now,
                               std::chrono::seconds validity) const {
  const std::string path = path_ + "/" + std::string(name);
  return origin_ + path + "?" + presigned_query(key_, {.method = method, .host = host_, .path = path}, now, validity);
}

std::string Bucket::address_of(std::string_view name, store::Time now, std::chrono::seconds validity) const {
  return signed_url("GET", name, now, validity);
}

web::Task<web::Result<void>> Bucket::put(std::string name, std::string content, std::string content_type) const {
  web::FetchRequest request{.url = signed_url("PUT", name, store::now(), request_validity), .method = "PUT"};
  request.headers.emplace_back("Content-Type", std::move(content_type));
  request.body = std::move(content);
  request.origin.part = "bucket";
  request.timeout = upload_time;
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status / 100 != 2) co_return refused("The object store refused the video", *answer);
  co_return web::Result<void>();
}

web::Task<web::Result<void>> Bucket::remove(std::string name) const {
  web::FetchRequest request{.url = signed_url("DELETE", name, store::now(), request_validity), .method = "DELETE"};
  request.origin.part = "bucket";
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status / 100 != 2 && answer->status != 404)
    co_return refused("The object store refused to delete the video", *answer);
  co_return web::Result<void>();
}

}  // namespace bucket
