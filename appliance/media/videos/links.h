// Addresses of videos that are valid for a while, for anybody who has them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "store/codec.h"

namespace videos {

class Links {
 public:
  Links(std::string key, std::chrono::milliseconds lifetime) : key_(std::move(key)), lifetime_(lifetime) {}

  struct Link {
    std::string path;  // with its query
    store::Time expires_at;
  };
  Link link_to(std::string_view video, store::Time now) const;
  // `expires` and `signature` are those of the query.
  bool is_valid(std::string_view video, std::string_view expires, std::string_view signature, store::Time now) const;

  std::chrono::milliseconds lifetime() const { return lifetime_; }

 private:
  std::string signature_of(std::string_view video, std::string_view expires) const;

  const std::string key_;
  const std::chrono::milliseconds lifetime_;
};

}  // namespace videos
