// Converts texts of commits in other encodings (i18n.commitEncoding), as git does for display.
#pragma once

#include "appliance/files/explorer/git/show.h"

namespace git {

// Converts to UTF-8 from the encoding named in the commit; texts with a wrong or unknown encoding stay unchanged. Not
// for threads confined to a folder: iconv reads its tables from the file system.
void recode(Commit&);
void recode(ShownCommit&);

}  // namespace git
