// Texts of commits whose author's git did not write UTF-8 (i18n.commitEncoding), as git shows them.
#pragma once

#include "appliance/files/explorer/git/show.h"

namespace git {

// To UTF-8 from what the commit says its texts are in; what it says wrongly, or iconv does not know, stays as it is.
// Not for a thread that is confined to somebody's folder: iconv reads its tables from the file system.
void recode(Commit&);
void recode(ShownCommit&);

}  // namespace git
