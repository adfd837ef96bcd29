// The first entry of a pack: what it is.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "appliance/box/packing/archive_reader.h"
#include "appliance/box/packing/archive_writer.h"
#include "store/codec.h"

namespace packing {

inline constexpr std::string_view header_name = "agentbox.json";
inline constexpr std::int64_t newest_format = 1;

struct Header {
  std::int64_t format = newest_format;
  std::string kind;            // "box" or "agent"
  std::string version;         // of the agentbox that made it
  std::string madeAt;          // when the box or the agent was as the pack has it
  std::string keyFingerprint;  // of the master key (agentbox::key_fingerprint); empty for an agent
};
BOOST_DESCRIBE_STRUCT(Header, (), (format, kind, version, madeAt, keyFingerprint))

void write_header(ArchiveWriter&, Header, store::Time made_at);
// Throws agentbox::UsageError if the pack is of another kind, or newer than this agentbox.
Header read_header(ArchiveReader&, std::string_view kind);

}  // namespace packing
