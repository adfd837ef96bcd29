// Longer texts about these rows, for the OpenAPI document.
#pragma once

namespace agent_files::descriptions {

inline constexpr auto read =
    "400 for a path outside the workspace or through a link, for .git and the agent's own state (.agentbox), for "
    "anything but a regular file of UTF-8 text, and for files over 1 MB: /files/raw sends those.";

inline constexpr auto raw =
    "The file's bytes, of any size. Images, audio and video have their own type; every text, including HTML and "
    "scripts, is text/plain; everything else is application/octet-stream, sent as an attachment. ETag, Last-Modified "
    "and a single range work as in RFC 9110: 206, 304, 412, 416; a request for several ranges gets the whole file.";

inline constexpr auto write =
    "Replaces the whole file atomically and durably, keeps its mode, and creates missing folders; `content` is at most "
    "1 MB of text, and larger files are uploaded. 400 for a path outside the workspace or through a link, and for "
    ".git, .gitmodules and the agent's own state (.agentbox) in any spelling. 429 with current and limit (bytes) and "
    "the code STORAGE_LIMIT_REACHED beyond the quota of the agent's plan.";

inline constexpr auto make_folder =
    "Creates missing folders above it, too. 409 if there is a file or folder of this name. 400 as for writing.";

inline constexpr auto move =
    "Renames a file or folder atomically and creates missing folders above `to`. 409 when `to` exists, unless "
    "`overwrite` is true and both are files. 400 as for writing, at either end.";

inline constexpr auto remove = "Removes a file or an empty folder; 409 for a folder that is not empty.";

inline constexpr auto commit =
    "Stages everything that is not ignored and commits it to the current branch with your name and address. `message` "
    "is optional. `committed` is false if nothing has changed. Nothing is pushed, and hooks and filters do not run. "
    "409 while the workspace has no repository, or another commit is running.";

}  // namespace agent_files::descriptions
