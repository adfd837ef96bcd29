// From a checked head to a Request.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "web/head_check.h"
#include "web/http.h"

namespace web {

// Fills in method, target, path, query, headers and host; the views point into `bytes`, which begin with the checked
// `head`. Nothing when all is well, else why not: 400, or 501 for a method nobody here answers. `deep_paths`: those
// beneath which a slash may come encoded (Router::deep_paths).
std::optional<Refusal> parse_request(std::string_view bytes, const RequestHead& head, std::size_t max_fields, Request&,
                                     std::span<const std::string> deep_paths = {});

// Percent-decodes a path once. False when it holds an invalid escape, a control byte, a backslash, an encoded slash
// (but beneath one of `deep_paths`), backslash or control byte, a '..' segment, or is not UTF-8. '.' segments and '//'
// are kept: no route has them.
bool decode_path(std::string_view encoded, std::string& decoded, std::span<const std::string> deep_paths = {});

}  // namespace web
