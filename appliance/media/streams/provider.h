// Where live streams run: the one interface to the hosted provider and to the box's own server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"
#include "web/task.h"

namespace streams {

struct ProviderStream {
  std::string id, key, playback_id;
};

// Callable from every thread. Errors are Kind::internal, as the contract has it: the message is for the client, what
// the provider said is in the detail.
class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::string_view name() const = 0;

  virtual web::Task<web::Result<ProviderStream>> create(std::string name) = 0;
  // The new key; the old one is invalid from now on.
  virtual web::Task<web::Result<std::string>> reset_key(std::string id, std::string playback_id) = 0;
  // Succeeds for unknown streams, too.
  virtual web::Task<web::Result<void>> remove(std::string id) = 0;
  // The ids of all streams that are live now; those of others may be among them.
  virtual web::Task<web::Result<std::vector<std::string>>> active() = 0;
  // Deletes a recording. Succeeds for unknown ones, too.
  virtual web::Task<web::Result<void>> remove_asset(std::string id) = 0;

  // The address that broadcasters send to, without the key.
  virtual std::string rtmp_url() const = 0;
  virtual std::string hls_url(std::string_view playback_id) const = 0;
  // A page that plays the stream.
  virtual std::string embed_url(std::string_view playback_id) const = 0;
  // How many are listening; nothing if the provider does not say.
  virtual std::optional<std::int64_t> listeners(std::string_view playback_id) const = 0;
};

}  // namespace streams
