// The manifest of a pack: what is in it, in the mtree format of BSD, a line for each entry in their order:
//
//   #mtree
//   ./agents/ag_1/workspace/notes.md type=file mode=0600 size=12 sha256digest=...
//   ./agents/ag_1/workspace/latest type=link link=notes.md
//
// It follows the entries in the pack, and its signature follows it. Both sides write its lines while the entries pass
// by, so that a manifest of any length takes no memory.
#pragma once

#include <string>
#include <string_view>

#include "appliance/box/packing/entry.h"

namespace packing {

inline constexpr std::string_view manifest_begin = "#mtree\n";
inline constexpr std::string_view manifest_name = "manifest.mtree", signature_name = "manifest.sig";

// `digest`: of a file's content, in hex.
std::string manifest_line(const Entry&, std::string_view digest);

// Of a manifest with this SHA-256, by the box of this master key: 128 hex digits.
std::string sign_manifest(std::string_view manifest_digest, const std::string& master_key);
bool is_signed_manifest(std::string_view manifest_digest, std::string_view signature, const std::string& master_key);

}  // namespace packing
