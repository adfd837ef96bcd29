#include "web/client/authorities.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
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

std::string trusted_authorities() {
  std::string all;
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", extra_authorities()}) {
    std::ifstream file(path != nullptr ? path : "");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    all += text;
    if (!text.empty() && text.back() != '\n') all += '\n';
  }
  return all;
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
