#include "appliance/box/console/handlers.h"

#include <algorithm>

#include "web/ascii.h"

namespace console {

namespace {

constexpr std::string_view worker_path = "/worker.js";

// `if_none_match` is a list of tags, weak ones included, or '*'.
bool names_tag(std::string_view if_none_match, std::string_view tag) {
  return if_none_match == "*" || if_none_match.find(tag) != std::string_view::npos;
}

// Whether an Accept-Encoding names the coding with a weight above zero (RFC 9110, 12.5.3).
bool accepts(std::string_view header, std::string_view coding) {
  while (!header.empty()) {
    const auto item = header.substr(0, header.find(','));
    header.remove_prefix(std::min(header.size(), item.size() + 1));
    const auto semicolon = item.find(';');
    if (!web::equal_ignoring_case(web::trim(item.substr(0, semicolon)), coding)) continue;
    if (semicolon == std::string_view::npos) return true;
    const auto weight = web::trim(item.substr(semicolon + 1));
    return !web::starts_ignoring_case(weight, "q=0") || weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

// Pages among the files are frames that draw what comes from models (web/console/src/diagram). They have no origin, may
// write styles, and can load nothing but their script.
constexpr const char* policy = "Content-Security-Policy";
constexpr const char* frame_policy =
    "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'";

// The first variant that the client accepts. The last one is for everybody.
const web::AssetVariant& variant_for(const web::Asset& asset, std::string_view accept_encoding) {
  for (const auto& variant : asset.variants)
    if (variant.coding.empty() || accepts(accept_encoding, variant.coding)) return variant;
  return asset.variants.back();
}

}  // namespace

web::Task<web::Result<web::Response>> serve_asset(const web::Asset& asset, Caching caching,
                                                  const web::Request& request) {
  const auto& variant = variant_for(asset, request.header("Accept-Encoding"));
  const bool is_cached = names_tag(request.header("If-None-Match"), variant.etag);
  // A 304 has the page's own content type, too: browsers replace the headers they have cached, and the content security
  // policy depends on the type.
  auto response =
      web::text(std::string(is_cached ? std::string_view() : variant.body), std::string(asset.content_type));
  if (is_cached) response.status = 304;
  if (!variant.coding.empty() && !is_cached) response.set("Content-Encoding", std::string(variant.coding));
  response.set("ETag", std::string(variant.etag))
      .set("Vary", "Accept-Encoding")
      .set("Cache-Control", caching == Caching::forever ? "public, max-age=31536000, immutable" : "no-cache");
  if (caching == Caching::forever && asset.content_type.starts_with("text/html")) response.set(policy, frame_policy);
  if (asset.path == worker_path) response.set("Service-Worker-Allowed", "/");
  co_return response;
}

}  // namespace console
