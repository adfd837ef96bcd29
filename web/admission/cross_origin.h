// Pages of other sites that may call some paths of a listener (CORS). They call without cookies.
#pragma once

#include <string>
#include <vector>

#include "web/protocol/http.h"

namespace web {

struct CrossOrigin {
  std::vector<std::string> origins;  // lower case, "https://app.example.org"
  std::vector<std::string> paths;    // exactly these
};

// Whether the request names one of the origins and is for one of the paths.
bool admits(const CrossOrigin&, const Request&);

// Lets the page read the answer; to the answer of a preflight (OPTIONS with Allow) adds what the page may send. Answers
// at other paths are not changed.
void add_cross_origin(const CrossOrigin&, const Request&, Response&);

}  // namespace web
