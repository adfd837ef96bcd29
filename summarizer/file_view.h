// Which files the summarizer's process can still see.
#pragma once

namespace summarizer {

// From now on this thread and those it starts can read what a network client needs (the system's libraries, settings,
// certificates, time zones) and write nothing but /dev/null: not the box's data folder, not its users' homes. Open
// descriptors stay usable. By Landlock; false where the kernel has none. Throws std::runtime_error when it has but
// refuses. No new privileges must be set before.
bool restrict_files();

}  // namespace summarizer
