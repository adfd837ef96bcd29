// Pictures in messages: the conversation names files of the workspace, and the model gets their bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"

namespace agent_process {

// Of all pictures in one request to a model, whose body has at most 1 MB.
inline constexpr std::size_t max_picture_bytes = 600'000, max_pictures = 4;

// In the workspace: where pictures that come within messages and results of tools are kept.
inline constexpr std::string_view attachments_folder = "attachments";

// By its name: .png, .jpg, .jpeg, .gif, .webp.
bool is_picture(std::string_view path);
// The message's parts, for the conversation.
std::vector<models::Part> picture_parts(const std::string& text, const std::vector<std::string>& paths);

// Whether a picture of the workspace is named.
bool has_pictures(const std::vector<models::Message>&);

// The bytes of a file in the workspace.
using ReadPicture = std::function<web::Result<std::string>(const std::string& path)>;
// Replaces names by the pictures themselves, the newest ones that fit the limits, and all others by a note in the text.
// `sees`: whether the model takes pictures; if not, the notes ask it to say so.
void show_pictures(std::vector<models::Message>&, const ReadPicture&, bool sees);

// The picture of "data:image/png;base64,...": its file name, made of its content, and its bytes. invalid for others.
struct InlinePicture {
  std::string name, bytes;
};
web::Result<InlinePicture> parse_inline_picture(std::string_view url);

}  // namespace agent_process
