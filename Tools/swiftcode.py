"""Reads Swift sources as text: what is code, and what is a comment or a string."""


def code(text):
    """The same text with comments and the contents of strings blanked, line by line as before."""
    out = []
    place = 0
    depth = 0  # of block comments
    while place < len(text):
        if depth:
            if text.startswith("*/", place):
                depth -= 1
                place += 2
            elif text.startswith("/*", place):
                depth += 1
                place += 2
            else:
                out.append("\n" if text[place] == "\n" else " ")
                place += 1
        elif text.startswith("//", place):
            while place < len(text) and text[place] != "\n":
                place += 1
        elif text.startswith("/*", place):
            depth = 1
            place += 2
        elif text[place] == '"':
            place = string(text, place, out)
        else:
            out.append(text[place])
            place += 1
    return "".join(out)


def string(text, place, out):
    """Blanks one string literal, but for what it interpolates; returns where it ends."""
    mark = '"""' if text.startswith('"""', place) else '"'
    out.append('"')
    place += len(mark)
    while place < len(text):
        if text.startswith(mark, place):
            out.append('"')
            return place + len(mark)
        if text.startswith("\\(", place):
            depth = 0
            out.append(" ")
            place += 1
            while place < len(text):
                if text[place] == '"':
                    place = string(text, place, out)
                    continue
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                out.append(text[place])
                place += 1
                if depth == 0:
                    break
            continue
        if text[place] == "\\":
            place += 1
        elif text[place] == "\n":
            if mark == '"':
                return place
            out.append("\n")
        place += 1
    return place
