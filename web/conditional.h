// What RFC 9110 lets a client ask of something whose validators are known: to send it only if it is another one
// (section 13), and to send a part of it (section 14).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "web/http.h"

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
  std::uint64_t begin = 0, length = 0;  // of the bytes to send; for `whole` and `part`
};

// For a GET or HEAD of `size` bytes. The preconditions count in the order of section 13.2.2. A Range that is malformed,
// in another unit, or of several ranges is answered whole, which section 14.2 leaves to the server.
Selection select(const Request&, const Validators&, std::uint64_t size);

// The answer without its body: status, validators, Accept-Ranges and Content-Range. 304, 412 and 416 are complete.
Response selected(const Selection&, const Validators&, std::uint64_t size);

// IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
std::string http_date(std::chrono::sys_seconds);

}  // namespace web
