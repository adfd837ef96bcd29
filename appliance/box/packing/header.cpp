#include "appliance/box/packing/header.h"

#include <boost/json.hpp>

#include "appliance/foundation/settings/settings.h"
#include "appliance/foundation/version.h"
#include "store/store.h"
#include "web/json.h"
#include "web/routes/reply.h"

namespace packing {

namespace {

constexpr std::size_t longest_header = 64u << 10;
constexpr std::int64_t largest_number = 1'000'000;

}  // namespace

void write_header(ArchiveWriter& archive, Header header, store::Time made_at) {
  header.version = agentbox::version;
  header.madeAt = web::iso8601(made_at);
  std::string text;
  web::write_json(text, header);
  archive.add(
      {.path = std::string(header_name), .modified = std::chrono::system_clock::to_time_t(made_at), .target = {}},
      text + "\n");
}

Header read_header(ArchiveReader& archive, std::string_view kind) {
  const auto entry = archive.next();
  if (!entry || entry->path != header_name || entry->type != EntryType::file)
    throw agentbox::UsageError("this is not a pack of agentbox");
  boost::system::error_code malformed;
  const auto value = boost::json::parse(archive.read_text(longest_header), malformed);
  const auto* object = malformed ? nullptr : value.if_object();
  if (!object) throw agentbox::UsageError("this is not a pack of agentbox");
  Header header{.format = largest_number,
                .kind = web::string_member(*object, "kind"),
                .version = web::string_member(*object, "version"),
                .madeAt = web::string_member(*object, "madeAt"),
                .keyFingerprint = web::string_member(*object, "keyFingerprint")};
  if (const auto* format = object->if_contains("format"); format && format->is_int64())
    header.format = format->get_int64();
  if (header.format > newest_format || header.format < 1)
    throw agentbox::UsageError("this pack was made by a newer agentbox, " + header.version +
                               ": install that one first");
  if (header.kind != kind)
    throw agentbox::UsageError(header.kind == "agent" ? "this pack holds one agent: use `agentbox admin agent import`"
                                                      : "this pack holds a box: use `agentbox unpack`");
  return header;
}

}  // namespace packing
