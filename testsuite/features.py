# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this machine offers to the tests, and in words why it does not."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

# why_not completes the sentence "skipped: driver/x.c: needs ...".
Feature = namedtuple("Feature", "name present path why_not")


def cuda_folders():
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield os.environ[variable]
    yield "/usr/local/cuda"
    yield from sorted(glob.glob("/usr/local/cuda-*"), reverse=True)
    yield "/usr/lib/nvidia-cuda-toolkit"


def cuda_program(name):
    path = shutil.which(name)
    for folder in cuda_folders():
        path = path or shutil.which(os.path.join(folder, "bin", name))
    return Feature(name, bool(path), path, f"the CUDA toolkit's {name}; it is neither in PATH nor in /usr/local/cuda")


def cuda_home(program):
    """The toolkit to which the program belongs; None: it has not the usual layout."""
    home = program and os.path.dirname(os.path.dirname(os.path.realpath(program)))
    return home if home and os.path.isdir(os.path.join(home, "nvvm")) else None


def file_of(name, patterns, what):
    hits = [hit for pattern in patterns for hit in glob.glob(pattern)]
    return Feature(name, bool(hits), hits[0] if hits else None, f"{what}; looked for {patterns[0]}")


def libclc(prefix):
    folders = ("/usr/lib/clc", "/usr/share/clc", prefix + "/lib/clc", prefix + "/share/clc")
    found = file_of("libclc", [folder + "/nvptx64--.bc" for folder in folders],
                    "libclc's device maths library (Debian: libclc-22)")
    reader = os.path.join(prefix, "bin", "llvm-dis")
    if found.present and os.path.exists(reader):
        if subprocess.run([reader, "--materialize-metadata", found.path, "-o", os.devnull], capture_output=True, check=False).returncode != 0:
            why_not = f"a libclc that this LLVM can read; {found.path} was made for a newer one"
            return Feature("libclc", False, None, why_not)
    return found


def gpu(build):
    """An NVIDIA GPU that the runtime itself can use, by what agglom-info says."""
    needs = "an NVIDIA GPU; "
    info = os.path.join(build, "bin", "agglom-info")
    env = {k: v for k, v in os.environ.items() if not k.startswith("AGGLOM_")}
    try:
        run = subprocess.run([info, "--json"], env=env, capture_output=True, text=True, timeout=60)
        cuda = json.loads(run.stdout)["cuda"]
        devices, reason = cuda["devices"], cuda["why_not"]
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as error:
        return Feature("gpu", False, None, f"{needs}'{info} --json' did not say whether there is one ({error})")
    if devices:
        return Feature("gpu", True, devices[0]["name"], "")
    return Feature("gpu", False, None, f"{needs}none found ({reason.rstrip('.')})")


def sanitizer(name, compiler, option, package):
    """A sanitizer of a compiler: its library is there, and a program of it runs."""
    needs = f"{os.path.basename(compiler)}'s {option} ({package})"
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "x.c"), os.path.join(folder, "x")
        with open(source, "w") as out:
            out.write("int main(void) { return 0; }\n")
        for command in ([compiler, option, source, "-o", program], [program]):
            try:
                present = subprocess.run(command, capture_output=True, check=False).returncode == 0
            except OSError:
                present = False
            if not present:
                return Feature(name, False, None, f"{needs}; '{' '.join(command[:2])}' fails")
    return Feature(name, True, None, "")


def namespaces():
    """Mounts of one's own, for tests of a full disk and of a machine without /proc."""
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/tmp"]
    try:
        present = subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        present = False
    return Feature("namespaces", present, None, "'unshare -rm' to be allowed to mount a folder")


def matplotlib():
    """What samples/plot draws with; it is looked for where the tests' Python looks."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # lit does not hand it on
    probe = subprocess.run([sys.executable, "-c", "import matplotlib"], env=env, capture_output=True, check=False)
    return Feature("matplotlib", probe.returncode == 0, None, "Python's matplotlib (Debian: python3-matplotlib)")


def find(build, llvm_prefix):
    """All features that tests may name in REQUIRES or UNSUPPORTED lines."""
    clang, runtimes = os.path.join(llvm_prefix, "bin", "clang"), "Debian: libclang-rt-22-dev"
    return [
        gpu(build),
        cuda_program("ptxas"),
        cuda_program("cuobjdump"),
        cuda_program("fatbinary"),
        file_of("libdevice", [f + "/nvvm/libdevice/libdevice.10.bc" for f in cuda_folders()],
                "the CUDA toolkit's device maths library"),
        libclc(llvm_prefix),
        sanitizer("tsan", clang, "-fsanitize=thread", runtimes),
        sanitizer("msan", clang, "-fsanitize=memory", runtimes),
        sanitizer("asan", clang, "-fsanitize=address", runtimes),
        sanitizer("gcc-tsan", "gcc", "-fsanitize=thread", "Debian: libtsan2"),
        namespaces(),
        matplotlib(),
        Feature("git", bool(shutil.which("git")), None, "git"),
    ]
