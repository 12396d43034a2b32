"""The public names of the package carom, their signatures and docstrings, as Markdown."""
import inspect
import re
import textwrap

import carom


def text(thing):
    """A docstring, its examples as code."""
    lines, code = [], False
    for line in (inspect.getdoc(thing) or "").replace(":meth:", "").replace(":class:", "").splitlines():
        begins = line.startswith(">>> ")
        if begins and not code:
            lines.append("```pycon")
        if code and not line:
            lines.append("```")
        code = begins or (code and bool(line))
        lines.append(line)
    return "\n".join([*lines, *(["```"] if code else [])])


def entry(level, name, thing):
    """A heading, how it is called, what it does."""
    print(f"\n{'#' * level} {name}\n")
    if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, Exception)):
        try:
            words = re.sub(r"ForwardRef\((\w+(?:\.\w+)*)\)", r"\1", str(inspect.signature(thing)).replace("'", ""))
            words = name.split(".")[-1] + words.replace("(cls, ", "(").replace("(self, ", "(").replace("(self)", "()")
            if words.endswith("() -> None"):
                pass
            elif len(words) > 100:
                print("```python\n" + textwrap.fill(words, 96, subsequent_indent="    ") + "\n```\n")
            else:
                print(f"```python\n{words}\n```\n")
        except ValueError:
            pass
    print(text(thing))


def main():
    print("# Python reference\n\nGenerated from the package; how to use it: [python.md](python.md).")
    for name in carom.__all__:
        thing = getattr(carom, name)
        entry(2, f"carom.{name}", thing)
        if inspect.isclass(thing) and not issubclass(thing, (Exception, tuple, dict)):
            for key, member in vars(thing).items():
                plain = member.__func__ if isinstance(member, classmethod) else member
                plain = getattr(plain, "func", getattr(plain, "fget", plain))
                if not key.startswith("_") and inspect.getdoc(plain) and callable(plain):
                    entry(3, f"{name}.{key}", plain)


if __name__ == "__main__":
    main()
