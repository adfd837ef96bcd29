// Longer texts about the explorer's rows, for the OpenAPI document.
#pragma once

namespace explorer::descriptions {

inline constexpr auto tree =
    "`root` is {type: file or folder, name, path, children?}: folders first, then by name. `depth` is at most 4. "
    "Omitted: node_modules, .git, .next, dist, build, .cache, __pycache__, links and devices. `path` names the folder "
    "to start at. At most 20,000 entries are listed; if there are more, `truncated` is true.";

inline constexpr auto read =
    "400 for a path outside the root or through a link, for .git, for anything but a regular file of UTF-8 text, and "
    "for files over 1 MB.";

inline constexpr auto raw =
    "The file's bytes, of any size. Images, audio and video have their own type; every text, including HTML and "
    "scripts, is text/plain; everything else is application/octet-stream, sent as an attachment. ETag, Last-Modified "
    "and a single range work as in RFC 9110: 206, 304, 412, 416; a request for several ranges gets the whole file. 400 "
    "and 404 as for /api/browse/read.";

inline constexpr auto search =
    "Lines that contain `q`: literally, or with `regex` as an RE2 regular expression, which takes linear time. `path` "
    "names a file or folder to search, `limit` (100, at most 1,000) the number of lines returned. `column` counts "
    "characters; for long lines `text` is 400 bytes around the match. Skipped: what the tree omits, links, and files "
    "that are not UTF-8 text or larger than 4 MB. `truncated`: there may be more matches, because the limit, 50,000 "
    "files, 512 MB or three seconds were reached.";

inline constexpr auto watch =
    "Server-sent events about changes in the folder `path` and everything under it, except what the tree omits. "
    "`ready` {folders, partial} comes first: from then on no change is missed, unless `partial` is true because some "
    "folders are not watched (the limit is 8,192). `changes` {changes: [{type, path, from, isFolder}]}: type is "
    "created, changed, deleted or moved. `overflow` {}: events were lost; read the folder again. `gone` {}: the folder "
    "itself no longer exists, and the stream ends. Clients that do not read are disconnected. 429 beyond 32 watches.";

inline constexpr auto write =
    "Replaces the whole file atomically and durably, keeps its mode, and creates missing folders. 400 for a path "
    "outside the root or through a link, and for .git and .gitmodules in any spelling.";

inline constexpr auto move =
    "Renames a file or folder atomically and creates missing folders above `to`. 409 when `to` exists, unless "
    "`overwrite` is true and both are files. 400 for a path outside the root or through a link, and for .git and "
    ".gitmodules in any spelling, at either end.";

inline constexpr auto remove =
    "Removes a file or an empty folder; 409 for a folder that is not empty. 400 for a path outside the root or through "
    "a link, and for .git and .gitmodules in any spelling.";

inline constexpr auto status =
    "`status` is the code of git status --porcelain without spaces: M, A, D, R, T, ??, AM, UU, ... The repository's "
    "status.renames, diff.renames and status.showUntrackedFiles apply as they do in git; files hidden by the last one "
    "are still committed by git-sync. `branch` is HEAD when no branch is checked out. Just {ok, isGitRepo: false} "
    "where there is no repository. At most 10,000 changes are listed; if there are more, `truncated` is true.";

inline constexpr auto diff =
    "Patches as git diff and git diff --cached write them, except that a copied file is always a new one, whatever "
    "diff.renames says; null: no difference. For a file in conflict `staged` says `* Unmerged path NAME`, and "
    "`unstaged` says so too and then compares our side with the file, like git diff --ours. `lossy` is true when bytes "
    "that are not UTF-8 were replaced by U+FFFD; such a patch must not be applied. 400 for patches over 4 MB.";

inline constexpr auto sync =
    "Stages everything, commits it as GIT_AUTHOR_NAME, and pushes the branch to its remote over http, https or ssh, "
    "with the box's account at that host (/api/admin/git-hosts), or to a folder. The answer's `message` says what was "
    "done, why the push failed although the commit was made, or that earlier commits are not pushed yet. Hooks and "
    "filters do not run: 500, and nothing is done, when a changed file needs a filter (such as git-lfs). 409 while "
    "another sync is running. A repository within the folder becomes a link to its newest commit; one without commits "
    "is refused. 409 UNSUPPORTED_REPOSITORY, here and in the other rows, names what the box cannot read: split or "
    "sparse index, index.skipHash, SHA-256.";

inline constexpr auto log = "Newest first; `limit` is at most 100. `date` is the author date.";

inline constexpr auto show =
    "`rev` is a hash of at least 4 digits, a branch, a tag, or HEAD, which is the default; 404 when it names no "
    "commit. `diff` is the patch against the first parent (null: no difference) and `changes` its files: A, D, M, R or "
    "T, with `from` for renamed files. With `path` both are limited to that file or folder, and `content` is the file "
    "in that commit; null when the commit does not have it, it is not UTF-8 text, or is larger than 1 MB. `lossy` is "
    "true when bytes in `diff` that are not UTF-8 were replaced by U+FFFD. 400 for a patch over 4 MB.";

inline constexpr auto set_git_host =
    "`url` is a user at a host: ssh://git@git.example.org, https://box@git.example.org:8443. `secret` is the password "
    "or token, or for ssh a private key without a passphrase; it is stored encrypted and never returned. `hostKeys` "
    "are the fingerprints (SHA256:...) accepted from an ssh host; without any, the host is refused. Omitted fields "
    "keep their values.";

inline constexpr auto remove_git_host = "`url` as in the list.";

}  // namespace explorer::descriptions
