#include "web/client/authorities.h"

#include <cstdlib>
#include <map>
#include <mutex>

namespace web {

namespace {

struct Exceptions {
  std::mutex mutex;  // protects what follows
  std::map<std::string, std::string> file_of_destination;
};

Exceptions& exceptions() {
  static Exceptions all;
  return all;
}

}  // namespace

const char* extra_authorities() {
  const char* file = std::getenv("SSL_CERT_FILE");
  return file != nullptr && *file != '\0' ? file : nullptr;
}

void trust_only(const std::string& destination, const std::string& file) {
  auto& all = exceptions();
  const std::scoped_lock lock(all.mutex);
  all.file_of_destination[destination] = file;
}

std::optional<std::string> only_authorities_of(const std::string& destination) {
  auto& all = exceptions();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.file_of_destination.find(destination);
  return found == all.file_of_destination.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace web
