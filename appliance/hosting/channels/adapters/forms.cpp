#include "appliance/hosting/channels/adapters/forms.h"

#include <array>

#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"
#include "web/routes/fields.h"
#include "web/utf8.h"

namespace channels {

namespace {

void append_encoded(std::string& out, std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (web::is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~')
      out += c;
    else
      out.append(1, '%').append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
}

}  // namespace

std::string form_encoded(const FormFields& fields) {
  std::string body;
  for (const auto& [name, value] : fields) {
    if (!body.empty()) body += '&';
    append_encoded(body, name);
    body += '=';
    append_encoded(body, value);
  }
  return body;
}

web::Result<std::string> form_value(std::string_view encoded, std::string_view name) {
  const auto fields = web::detail::query_pairs(encoded);
  if (!fields) return fields.error();
  for (const auto& [field, value] : *fields)
    if (field == name) return value;
  return std::string();
}

std::string new_boundary() { return "agentbox-" + crypto::random_hex(16); }

std::string form_data(const std::string& boundary, const FormFields& fields, const FormFile& file) {
  std::string body;
  for (const auto& [name, value] : fields) {
    body.append("--" + boundary + "\r\nContent-Disposition: form-data; name=\"").append(name).append("\"\r\n\r\n");
    body.append(value).append("\r\n");
  }
  std::string name(file.file_name);
  std::erase_if(name, [](char c) { return c == '"' || static_cast<unsigned char>(c) < 0x20; });
  body.append("--" + boundary + "\r\nContent-Disposition: form-data; name=\"").append(file.part);
  body.append("\"; filename=\"" + name + "\"\r\nContent-Type: ").append(file.media_type).append("\r\n\r\n");
  return body.append(file.content).append("\r\n--" + boundary + "--\r\n");
}

std::string_view media_type_of(std::string_view file_name, std::string_view content) {
  using Entry = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Entry, 19> known{
      {{".jpg", "image/jpeg"},
       {".jpeg", "image/jpeg"},
       {".png", "image/png"},
       {".webp", "image/webp"},
       {".gif", "image/gif"},
       {".pdf", "application/pdf"},
       {".mp3", "audio/mpeg"},
       {".ogg", "audio/ogg"},
       {".oga", "audio/ogg"},
       {".m4a", "audio/mp4"},
       {".aac", "audio/aac"},
       {".amr", "audio/amr"},
       {".mp4", "video/mp4"},
       {".3gp", "video/3gpp"},
       {".doc", "application/msword"},
       {".xls", "application/vnd.ms-excel"},
       {".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
       {".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
       {".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"}}};
  const auto name = web::lower_case(file_name);
  for (const auto& [ending, type] : known)
    if (name.ends_with(ending)) return type;
  const bool is_text = content.find('\0') == std::string_view::npos && web::is_utf8(content);
  return is_text ? "text/plain" : "application/octet-stream";
}

}  // namespace channels
