#include "appliance/media/local/local.h"

#include <system_error>

#include "appliance/foundation/crypto/random.h"
#include "appliance/media/programs/programs.h"

namespace local {

namespace {

using web::Result;
using web::Task;

constexpr std::size_t id_characters = 20, secret_characters = 32, playback_characters = 24;

std::string new_key(std::string_view playback_id) { return key_of(playback_id, crypto::random_id(secret_characters)); }

}  // namespace

std::string key_of(std::string_view playback_id, std::string_view secret) {
  return std::string(playback_id) + "?key=" + std::string(secret);
}

Result<void> check_server() {
  if (programs::find("nginx") && programs::find_rtmp_module()) return {};
  return web::internal(
      "Live streams on this box need nginx and its RTMP module: install the packages nginx-light and "
      "libnginx-mod-rtmp");
}

Task<Result<streams::ProviderStream>> Local::create(std::string) {
  if (const auto able = check_server(); !able) co_return able.error();
  const std::string playback_id = crypto::random_id(playback_characters);
  co_return streams::ProviderStream{
      .id = "ls_" + crypto::random_id(id_characters), .key = new_key(playback_id), .playback_id = playback_id};
}

Task<Result<std::string>> Local::reset_key(std::string, std::string playback_id) { co_return new_key(playback_id); }

Task<Result<void>> Local::remove(std::string) { co_return Result<void>(); }

Task<Result<std::vector<std::string>>> Local::active() { co_return live.list(); }

Task<Result<void>> Local::remove_asset(std::string id) {
  if (id.empty() || id.front() == '.' || id.find('/') != std::string::npos) co_return Result<void>();
  std::error_code error;
  std::filesystem::remove(options_.recordings / id, error);
  if (error) co_return web::internal("The recording could not be deleted.", error.message());
  co_return Result<void>();
}

std::string Local::hls_url(std::string_view playback_id) const { return embed_url(playback_id) + "/index.m3u8"; }

std::string Local::embed_url(std::string_view playback_id) const {
  return options_.web_url() + "/live/" + std::string(playback_id);
}

std::optional<std::int64_t> Local::listeners(std::string_view playback_id) const {
  return audience.count(playback_id, Audience::Clock::now());
}

}  // namespace local
