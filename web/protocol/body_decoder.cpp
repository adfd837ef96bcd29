#include "web/protocol/body_decoder.h"

#include <algorithm>
#include <string>

#include "web/ascii.h"
#include "web/protocol/byte_table.h"

namespace web {
namespace {

// Each may need a window of 16 MB, and real servers use no more than one.
constexpr std::size_t max_codings = 2;

std::unique_ptr<ContentCoding> coding_named(std::string_view name) {
  if (equal_ignoring_case(name, "gzip") || equal_ignoring_case(name, "x-gzip")) return gzip_coding();
  if (equal_ignoring_case(name, "deflate")) return deflate_coding();
  if (equal_ignoring_case(name, "br")) return brotli_coding();
  return nullptr;
}

Error refused(std::string message) { return {.kind = Kind::bad_gateway, .message = std::move(message)}; }

// Makes untrusted text safe to quote in a message.
std::string quoted(std::string_view coding) {
  constexpr std::size_t longest = 40;
  return is_token(coding) && coding.size() <= longest ? "coding " + std::string(coding) : "coding of no proper name";
}

}  // namespace

BodyDecoder::BodyDecoder(std::vector<std::unique_ptr<ContentCoding>> undone, std::size_t max_bytes)
    : undone_(std::move(undone)), passed_(undone_.size() + 1), max_bytes_(max_bytes) {}

Result<BodyDecoder> BodyDecoder::of(std::string_view content_encoding, std::size_t max_bytes) {
  std::vector<std::unique_ptr<ContentCoding>> undone;
  while (!content_encoding.empty()) {
    const auto end = std::min(content_encoding.find(','), content_encoding.size());
    const auto name = trim(content_encoding.substr(0, end));
    content_encoding.remove_prefix(std::min(end + 1, content_encoding.size()));
    if (name.empty() || equal_ignoring_case(name, "identity")) continue;
    auto coding = coding_named(name);
    if (!coding) return refused("sent a body in an unknown content " + quoted(name));
    if (undone.size() == max_codings) return refused("sent a body in more than two content codings");
    undone.push_back(std::move(coding));
  }
  std::ranges::reverse(undone);  // the last one applied is decoded first
  return BodyDecoder(std::move(undone), max_bytes);
}

bool BodyDecoder::is_complete() const {
  return std::ranges::all_of(undone_, [](const auto& coding) { return coding->is_complete(); });
}

Decoding BodyDecoder::pass(std::size_t stage, std::string_view bytes, const Sink& sink) {
  if (bytes.size() > max_bytes_ - passed_[stage]) return Decoding::too_large;
  passed_[stage] += bytes.size();
  if (stage == undone_.size()) return sink(bytes) ? Decoding::ok : Decoding::stopped;
  return undone_[stage]->write(bytes, [&](std::string_view decoded) { return pass(stage + 1, decoded, sink); });
}

}  // namespace web
