# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The lit tests: a file is a test when it holds RUN lines. Read through <build>/testsuite/lit.site.cfg.py.
import hashlib
import json
import os
import shutil
import sys

import lit.formats

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import features

config.name = "agglom"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".c", ".i", ".test"]
config.excludes = ["Inputs", "unit", "bench"]
config.test_source_root = os.path.join(config.agglom_source, "testsuite")
config.test_exec_root = os.path.join(config.agglom_build, "testsuite")

# A time limit a test. lit's own needs the Python module psutil; the shell that runs a test can do it too.
lit_config.bashPath = os.path.join(config.test_source_root, "bash-with-time-limit")

# Settings of whoever runs the tests must not reach them.
for variable in [v for v in config.environment if v.startswith("AGGLOM_")]:
    del config.environment[variable]
config.environment["LC_ALL"] = "C"
# Tests that count launches want them to depend on what is submitted alone. %run-default is for those of the defaults.
config.environment["AGGLOM_BATCH"] = "maximal"
config.environment["AGGLOM_SPLIT"] = "gpu"
# Kernels of emulated devices run without the program's memory, as those of GPUs do.
config.environment["AGGLOM_EMULATE"] = "isolate=on"
llvm_bin = os.path.join(config.llvm_prefix, "bin")
os.makedirs(config.test_exec_root, exist_ok=True)


def script(name, command):
    """A program in the folder of the results, replaced at once: others may run it."""
    path = os.path.join(config.test_exec_root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as out:
        out.write("#!/bin/sh\nexec " + command + ' "$@"\n')
    os.chmod(path + ".new", 0o755)
    os.replace(path + ".new", path)
    return os.path.dirname(path)


# python3 is the one that runs lit: what stands in for it in PATH (pyenv's shims) takes longer to start than most scripts run.
python_bin = script("bin/python3", f"'{sys.executable}'")
config.environment["PATH"] = os.pathsep.join([llvm_bin, python_bin, os.environ["PATH"]])

found = features.find(config.agglom_build, config.llvm_prefix)
# Tests that go through a matrix: --param long=1.
found.append(features.Feature("long", "long" in lit_config.params, None, "time: `make check LONG=1` and `make check-all` run it"))
# Samples at the sizes of papers, which take minutes each: --param published=1.
found.append(features.Feature("published", "published" in lit_config.params, None, "time: `make check-published` and `make check-all` run it"))
if "published" in lit_config.params:
    config.environment["TEST_SECONDS"] = "1800"
for feature in found:
    if feature.present:
        config.available_features.add(feature.name)
config.available_features.add("llvm-" + config.llvm_version)
# For testsuite/run, which tells why tests were skipped.
with open(os.path.join(config.test_exec_root, "features.json"), "w") as out:
    json.dump({f.name: f.why_not for f in found if not f.present}, out)

build = config.agglom_build

# A toolkit whose ptxas is asked once for each text: see ptxas-once. Where tests look for one themselves they find the real one.
ptxas = next((f.path for f in found if f.name == "ptxas"), None)
home = features.cuda_home(ptxas)
if home:
    once = os.path.join(config.test_exec_root, "cuda")
    os.makedirs(os.path.join(once, "bin"), exist_ok=True)
    for name in ("nvvm", "libdevice"):
        if os.path.isdir(os.path.join(home, name)) and not os.path.lexists(os.path.join(once, name)):
            os.symlink(os.path.join(home, name), os.path.join(once, name))
    fatbinary = os.path.join(home, "bin", "fatbinary")
    if os.path.isfile(fatbinary) and not os.path.lexists(os.path.join(once, "bin", "fatbinary")):
        os.symlink(fatbinary, os.path.join(once, "bin", "fatbinary"))
    script("cuda/bin/ptxas", f"'{config.test_source_root}/ptxas-once' '{ptxas}'")
    config.environment["CUDA_HOME"] = once
config.environment["HOME"] = os.environ.get("HOME", "/nowhere")
for variable in ("XDG_CACHE_HOME", "CCACHE_DIR", "SAMPLES_DATA"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]


def compilers():
    """What an object depends on besides its text and the command: the bytes of ours, and which ones the others are."""
    key = hashlib.sha256()
    for top in ("bin/agglomcc", "libexec", "include"):
        top = os.path.join(build, top)
        paths = [os.path.join(d, f) for d, _, files in os.walk(top, followlinks=True) for f in files] or [top]
        for path in sorted(paths):
            with open(path, "rb") as file:
                key.update(hashlib.sha256(file.read()).digest())
    others = [config.host_cc, *(os.path.join(config.llvm_prefix, name) for name in ("bin/clang", "lib/libLLVM.so", "lib/libclang-cpp.so"))]
    for path in others + [f.path for f in found if f.path and os.path.isfile(f.path)]:
        path = os.path.realpath(path)
        stat = os.stat(path) if os.path.exists(path) else None
        key.update(f"{path} {stat and (stat.st_size, stat.st_mtime_ns)}\n".encode())
    return key.hexdigest()


# Programs of the tests that run them: their objects are made once for a text, a command and compilers (build-program). The
# whole tests, --param long=1, make them anew.
ccache = shutil.which("ccache")
if ccache:
    anew = "CCACHE_RECACHE=true " if "long" in lit_config.params else ""
    folder = script("ccache/ccache", f"env {anew}CCACHE_BASEDIR='{config.agglom_source}' CCACHE_NOHASHDIR=true "
                                     f"CCACHE_COMPILERCHECK=string:{compilers()} '{ccache}'")
    config.environment["TEST_CCACHE"] = os.path.join(folder, "ccache")
for name, value in [
    ("%build-program", os.path.join(config.test_source_root, "build-program")),
    ("%agglomcc", os.path.join(build, "bin", "agglomcc")),
    ("%agglom-info", os.path.join(build, "bin", "agglom-info")),
    ("%agglom-sim", os.path.join(build, "bin", "agglom-sim")),
    ("%agglom-report", os.path.join(build, "bin", "agglom-report")),
    ("%python", sys.executable),
    ("%include", os.path.join(build, "include")),
    ("%lib", config.agglom_libdir),
    ("%build", build),
    ("%llvm_bin", llvm_bin),
    ("%clang", os.path.join(llvm_bin, "clang")),
    ("%cmake", config.cmake),
    ("%cc", config.host_cc),
    ("%run-software", f"env AGGLOM_DEVICES=cuda AGGLOM_CUDA_LIBRARY={build}/testsuite/gpu_in_software/libcuda.so.1 GPU_IN_SOFTWARE_STRICT=1"),
    ("%run-emulated", "env AGGLOM_DEVICES=emulated"),
    ("%run-default", "env -u AGGLOM_BATCH -u AGGLOM_SPLIT"),
]:
    # A name ends where a word ends: %cc is not the beginning of %ccflags.
    config.substitutions.append((name + r"\b", value))
