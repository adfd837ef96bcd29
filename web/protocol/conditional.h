// Conditional requests (RFC 9110, section 13) and range requests (section 14) for a representation with known
// validators.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "web/protocol/http.h"

namespace web {

struct Validators {
  std::string etag;  // with its quotes; W/"..." when two versions might share it
  std::chrono::sys_seconds modified;
};

struct Selection {
  enum class Kind {
    whole,                // 200
    part,                 // 206
    not_modified,         // 304
    precondition_failed,  // 412
    unsatisfiable         // 416
  };
  Kind kind = Kind::whole;
  std::uint64_t begin = 0, length = 0;  // of the bytes to send; of whole and part
};

// For a GET or HEAD of `size` bytes. Evaluates the preconditions in the order of section 13.2.2. A Range that is
// malformed, in another unit, or with several ranges is ignored, as section 14.2 allows.
Selection select(const Request&, const Validators&, std::uint64_t size);

// The response without its body: status, validators, Accept-Ranges and Content-Range. 304, 412 and 416 are complete.
Response selected(const Selection&, const Validators&, std::uint64_t size);

// IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
std::string http_date(std::chrono::sys_seconds);

}  // namespace web
