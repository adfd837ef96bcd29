// Writes the head of a response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "web/protocol/http.h"

namespace web {

void append_status_line(std::string& out, int status);
// The Date field; its text is cached per thread and second.
void append_date(std::string& out);
// Control bytes in name or value are dropped, so that no value can forge a field.
void append_field(std::string& out, std::string_view name, std::string_view value);

enum class Persistence : std::uint8_t { keep_alive, keep_alive_1_0, close };

// Everything up to the body: status line, Date, the response's own fields, then the framing: Content-Length when
// `content_length` is given, chunked when `chunked`, and the Connection field where it differs from the default.
void append_response_head(std::string& out, const Response&, std::optional<std::size_t> content_length, bool chunked,
                          Persistence);

}  // namespace web
