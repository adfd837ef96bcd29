// The objects of a folder in a bucket, for threads that block.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "appliance/media/bucket/signature_v4.h"
#include "web/client/fetch.h"
#include "web/result.h"

namespace bucket {

// Used by one thread at a time. Names hold letters, digits and - . _ / only. Errors: bad_gateway or timeout, with the
// cause; not_found; unavailable once it was told to stop.
class Objects {
 public:
  struct Place {
    std::string endpoint, bucket, folder;
    AccessKey key;
  };
  // `is_stopping` is asked ten times a second while a request is in progress, which then ends.
  explicit Objects(Place, std::function<bool()> is_stopping = {});
  ~Objects();

  web::Result<void> put(const std::string& name, std::string content);
  web::Result<std::string> get(const std::string& name);
  // All names that begin with `prefix` and come after `after`, in order.
  web::Result<std::vector<std::string>> list(const std::string& prefix, const std::string& after = {});
  // Succeeds also when there is no such object.
  web::Result<void> remove(const std::string& name);

  // "s3://bucket/folder", for messages.
  std::string shown() const;

 private:
  web::Result<web::FetchResponse> ask(const char* method, std::string_view path, std::string_view query,
                                      std::string content = {});
  std::string path_of(const std::string& name) const { return path_ + "/" + place_.folder + "/" + name; }

  const Place place_;
  const std::function<bool()> is_stopping_;
  std::string origin_, host_, path_;
  std::unique_ptr<boost::asio::io_context> io_;  // keeps connections
};

// The bucket of STANDBY_S3_*.
struct StandbyBucket {
  Objects::Place place;
  std::chrono::milliseconds keep, base_interval;
};
// Without STANDBY_S3_ENDPOINT its endpoint is empty.
StandbyBucket standby_bucket(const agentbox::Settings&);
bool has_standby_bucket(const agentbox::Settings&);

}  // namespace bucket
