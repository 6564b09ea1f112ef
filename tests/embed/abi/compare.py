"""compare.py HEADER LIBRARY STORED...: whether programs built with the stored headers of earlier releases run with this
library: their functions are here with the same types, their structs have the same layout at their beginning, their
constants the same values. Also: the library exports exactly what HEADER declares. Headers of another ABI version
(LUTRA_ABI_VERSION, 0 where it is missing) are left out; at least one must be of this one."""
import os
import re
import subprocess
import sys
import tempfile

CC = os.environ.get("CC", "cc")
# Grow in no version; all others may grow at their end.
FIXED = {"lutra_value"}
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)


def code_of(path):
    """The header's text without comments and the bodies of inline functions."""
    with open(path) as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    return re.sub(r"static inline .*?\n}", " ", text, flags=re.S)


def abi_of(code):
    found = re.search(r"#define LUTRA_ABI_VERSION (\d+)", code)
    return int(found.group(1)) if found else 0


def declarations_of(code):
    """Name and text of each function."""
    found = {}
    for text in re.findall(r"^LUTRA_API\s+(.*?;)", code, flags=re.S | re.M):
        text = " ".join(text.split())
        found[re.match(r".*?\b(lutra_\w+)\(", text).group(1)] = text
    return found


def fields_of(code):
    """Each struct's top-level fields."""
    structs = {}
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", code, flags=re.S):
        flat = body
        while re.search(r"\{[^{}]*\}", flat):
            flat = re.sub(r"\{[^{}]*\}", "", flat)
        names = []
        for line in flat.split(";"):
            pointer = re.search(r"\(\*\s*(\w+)\)", line)
            plain = re.search(r"(\w+)\s*(\[\w+\])?\s*$", line.strip())
            if pointer or plain:
                names.append((pointer or plain).group(1))
        structs[name] = names
    return structs


def constants_of(code):
    return re.findall(r"\b(LUTRA_\w+)\s*=\s*\d+", code)


def compile_c(text, include, link=True):
    """Output of a C program, or None and the compiler's messages."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
        with open(source, "w") as file:
            file.write(text)
        how = ["-o", program] if link else ["-fsyntax-only"]
        done = subprocess.run([CC, "-std=c99", f"-I{include}", source, *how], capture_output=True, text=True)
        if done.returncode != 0:
            return None, done.stderr
        return (subprocess.run([program], capture_output=True, text=True, check=True).stdout if link else ""), ""


def layout(include, structs, constants):
    lines = ["#include <stdio.h>", '#include "lutra.h"', "int main(void) {"]
    for struct, fields in structs.items():
        lines.append(f'printf("sizeof {struct} %zu\\n", sizeof({struct}));')
        for field in fields:
            lines.append(f'printf("{struct}.{field} %zu %zu\\n", offsetof({struct}, {field}), '
                         f"sizeof((({struct}*)0)->{field}));")
    for constant in constants:
        lines.append(f'printf("{constant} %d\\n", (int){constant});')
    said, error = compile_c("\n".join(lines + ["return 0; }", ""]), include)
    if said is None:
        return None, error
    return dict(line.rsplit(" ", 1) if line.startswith(("sizeof", "LUTRA")) else line.split(" ", 1)
                for line in said.splitlines()), ""


def compare(stored, header):
    folder, here = os.path.dirname(stored), os.path.dirname(header)
    old = code_of(stored)
    # The compiler refuses a second declaration of another type.
    functions = declarations_of(old)
    said, error = compile_c('#include "lutra.h"\n' + "".join(f"extern {text}\n" for text in functions.values()) +
                            "".join(f"void* use_{name}(void) {{ return (void*){name}; }}\n" for name in functions),
                            here, link=False)
    check(said is not None, f"functions of {stored} have other types now:\n{error}")
    structs, constants = fields_of(old), constants_of(old)
    check(functions and structs, f"{stored} declares no functions or no structs")
    before, error = layout(folder, structs, constants)
    check(before is not None, f"{stored} does not compile:\n{error}")
    now, error = layout(here, structs, constants)
    check(now is not None, f"something of {stored} is missing:\n{error}")
    for name, value in (before or {}).items():
        found = (now or {}).get(name)
        if name.startswith("sizeof ") and name.split()[1] not in FIXED:
            check(found is not None and int(found) >= int(value), f"{name} is {found}, was {value} in {stored}")
        else:
            check(found == value, f"{name} is {found}, was {value} in {stored}")
    return list(functions)


def main(header, library, *stored):
    code = code_of(header)
    exported = set(subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
                   .stdout.split()[2::3])
    declared = set(declarations_of(code))
    check(exported == declared, f"{library} exports but lutra.h does not declare: {sorted(exported - declared)}; "
          f"declared and missing: {sorted(declared - exported)}")
    dynamic = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True).stdout
    soname = re.search(r"SONAME\s+(\S+)", dynamic)
    check(soname and soname.group(1) == f"liblutra.so.{abi_of(code)}", f"the soname is {soname and soname.group(1)}")
    same = [path for path in stored if abi_of(code_of(path)) == abi_of(code)]
    check(same, f"no stored header has ABI version {abi_of(code)}")
    for path in same:
        for name in compare(os.path.abspath(path), os.path.abspath(header)):
            check(name in exported, f"{name} of {path} is not exported")
    for failure in failures:
        print("FAILED:", failure)
    print(f"abi: {len(exported)} functions, {len(same)} stored headers of ABI version {abi_of(code)}")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
