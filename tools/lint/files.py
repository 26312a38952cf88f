"""The files of the repository, also where there is no git (a release archive)."""
import fnmatch
import os
import subprocess


def listed(*patterns):
    """Files that git knows or would add; without git, all files outside of build folders.

    patterns: paths and globs as git ls-files takes them; none = all.
    """
    try:
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns],
                             capture_output=True, text=True, check=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        out = [os.path.relpath(os.path.join(folder, name)) for folder, _, names in os.walk(".")
               for name in names if not folder.startswith(("./build", "./.git"))]
        out = [path for path in out if not patterns or any(
            fnmatch.fnmatch(path, p) or path.startswith(p.rstrip("/") + "/") for p in patterns)]
    return sorted(path for path in out if path and os.path.exists(path))
