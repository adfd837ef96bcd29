// From a checked head to a Request.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "web/protocol/head_check.h"
#include "web/protocol/http.h"

namespace web {

// Fills in method, target, path, query, headers and host; the views point into `bytes`, which begin with the checked
// `head`. Returns nothing on success, else the refusal: 400, or 501 for an unknown method. `deep_paths`: the paths
// below which an encoded slash is accepted (Router::deep_paths).
std::optional<Refusal> parse_request(std::string_view bytes, const RequestHead& head, std::size_t max_fields, Request&,
                                     std::span<const std::string> deep_paths = {});

// The target to send on: begins with '/', also where an absolute form has no path, or is "*".
std::string origin_form(const Request&);

// Percent-decodes a path once. False when it holds an invalid escape, a control byte, a backslash, an encoded slash
// (except below one of `deep_paths`), backslash or control byte, a '..' segment, or is not UTF-8. '.' segments and '//'
// are kept; no route contains them.
bool decode_path(std::string_view encoded, std::string& decoded, std::span<const std::string> deep_paths = {});

}  // namespace web
