// A bucket at an object store with the API of S3 (Amazon's, MinIO, Garage, Ceph), addressed by path.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"
#include "appliance/media/bucket/signature_v4.h"
#include "web/result.h"
#include "web/task.h"

namespace bucket {

// Callable from every thread. Objects' names hold letters, digits and - . _ only.
class Bucket {
 public:
  // Nothing without VIDEO_S3_ENDPOINT. Throws agentbox::UsageError when its other settings are missing.
  static std::optional<Bucket> configured(const agentbox::Settings&);

  // Errors: bad_gateway or timeout, with the cause.
  web::Task<web::Result<void>> put(std::string name, std::string content, std::string content_type) const;
  // Succeeds also when there is no such object.
  web::Task<web::Result<void>> remove(std::string name) const;
  // An address from which anybody can read the object for this time, at most seven days.
  std::string address_of(std::string_view name, store::Time now, std::chrono::seconds validity) const;

 private:
  Bucket(std::string endpoint, std::string bucket, AccessKey key);

  std::string signed_url(std::string_view method, std::string_view name, store::Time now,
                         std::chrono::seconds validity) const;

  std::string origin_, host_, path_;  // "https://s3.example.org", "s3.example.org", "/bucket"
  AccessKey key_;
};

}  // namespace bucket
