#include "appliance/agent/pictures.h"

#include <algorithm>
#include <iterator>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"

namespace agent_process {

namespace {

constexpr std::string_view in_workspace = "workspace:";
constexpr std::size_t name_characters = 16;

struct PictureType {
  std::string_view ending, type;
};
constexpr PictureType picture_types[] = {{".png", "image/png"},
                                         {".jpg", "image/jpeg"},
                                         {".jpeg", "image/jpeg"},
                                         {".gif", "image/gif"},
                                         {".webp", "image/webp"}};

const PictureType* type_of(std::string_view path) {
  const auto name = web::lower_case(path);
  const auto* found =
      std::ranges::find_if(picture_types, [&](const PictureType& one) { return name.ends_with(one.ending); });
  return found == std::end(picture_types) ? nullptr : found;
}

bool is_named(const models::Part& part) { return part.url.starts_with(in_workspace); }

// What is left of the limits.
struct Room {
  std::size_t pictures = max_pictures, bytes = max_picture_bytes;
};

// The note in the place of a picture that is not shown; empty if it is shown.
std::string show(models::Part& part, const ReadPicture& read, bool sees, Room& room) {
  const auto path = part.url.substr(in_workspace.size());
  if (!sees) return "[The model cannot see the picture " + path + ". Say so if it matters.]";
  if (room.pictures == 0) return "[The picture " + path + ", shown earlier]";
  const auto* type = type_of(path);
  auto bytes = read(path);
  if (!type || !bytes) return "[The picture " + path + " is not there any more]";
  if (bytes->size() > max_picture_bytes)
    return "[The picture " + path + " is too large to be shown: pictures have at most 600 KB. Say so.]";
  if (bytes->size() > room.bytes) return "[The picture " + path + ", shown earlier]";
  --room.pictures;
  room.bytes -= bytes->size();
  part.url = "data:" + std::string(type->type) + ";base64," + crypto::to_base64(*bytes);
  return {};
}

}  // namespace

bool is_picture(std::string_view path) { return type_of(path) != nullptr; }

std::vector<models::Part> picture_parts(const std::string& text, const std::vector<std::string>& paths) {
  std::vector<models::Part> parts;
  if (paths.empty()) return parts;
  parts.push_back({.text = text, .url = {}, .detail = {}});
  for (const auto& path : paths)
    parts.push_back({.text = {},
                     .url = std::string(in_workspace) + path,
                     .detail = {},
                     .name = {},
                     .kind = models::PartKind::image});
  return parts;
}

bool has_pictures(const std::vector<models::Message>& messages) {
  return std::ranges::any_of(
      messages, [](const models::Message& message) { return std::ranges::any_of(message.parts, is_named); });
}

void show_pictures(std::vector<models::Message>& messages, const ReadPicture& read, bool sees) {
  Room room;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    if (message->parts.empty()) continue;
    std::vector<models::Part> shown;
    for (auto& part : message->parts) {
      if (!is_named(part)) continue;
      const auto note = show(part, read, sees, room);
      if (note.empty())
        shown.push_back(std::move(part));
      else
        message->content += "\n" + note;
    }
    // The text may have got a time and notes since it was stored.
    if (!shown.empty()) shown.insert(shown.begin(), models::Part{.text = message->content, .url = {}, .detail = {}});
    message->parts = std::move(shown);
  }
}

web::Result<InlinePicture> parse_inline_picture(std::string_view url) {
  const auto inlined = models::inline_image(url);
  if (!inlined) return web::invalid("pictures must be given as data:image/...;base64,...");
  const auto* type = std::ranges::find(picture_types, inlined->type, &PictureType::type);
  if (type == std::end(picture_types)) return web::invalid("pictures must be PNG, JPEG, GIF or WebP");
  auto bytes = crypto::from_base64(inlined->data);
  if (!bytes || bytes->empty()) return web::invalid("the picture's base64 is not valid");
  return InlinePicture{.name = crypto::sha256_hex(*bytes).substr(0, name_characters) + std::string(type->ending),
                       .bytes = std::move(*bytes)};
}

}  // namespace agent_process
