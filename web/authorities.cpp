#include "web/authorities.h"

#include <cstdlib>

namespace web {

const char* extra_authorities() {
  const char* file = std::getenv("SSL_CERT_FILE");
  return file != nullptr && *file != '\0' ? file : nullptr;
}

}  // namespace web
